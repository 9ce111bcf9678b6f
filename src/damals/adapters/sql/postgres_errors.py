"""What the errors of a PostgreSQL server mean for people."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import psycopg

from damals.domain.errors import Corrupt, InvalidInput, Unavailable

_UNAVAILABLE: Final[Mapping[str, str]] = {
    "25006": "postgres.read_only",
    "28000": "postgres.login",
    "28P01": "postgres.login",
    "3D000": "postgres.no_database",
    "3F000": "postgres.no_schema",
    "40001": "ledger.busy",
    "40P01": "ledger.busy",
    "42501": "postgres.rights",
    "53100": "ledger.disk_full",
    "55P03": "ledger.busy",
    "57014": "postgres.stopped",
}
"""By SQLSTATE."""

_UNREACHABLE: Final = frozenset({"08", "53", "57", "58"})
"""Classes of SQLSTATE: the connection broke, the server lacks means, was stopped, cannot read."""

_DAMAGED: Final = frozenset({"XX001", "XX002"})
_TOO_LONG: Final = "54000"

_REFUSALS: Final = (
    ("postgres.no_database", re.compile(
        r'database "?.*"? does not exist|Datenbank .* existiert nicht'
    )),
    ("postgres.login", re.compile(
        r"authentication|Authentifizierung|pg_hba|no password|role .* does not exist|Rolle .* exist"
    )),
)  # fmt: skip
"""A refused connection has no SQLSTATE in libpq, only a text in the language of the server."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server as people may read of it, and what they must not.

    Attributes:
        location: host, port, database and schema.
        secrets: passwords, to be kept out of every text.
    """

    location: str
    secrets: tuple[str, ...]

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Self:
        """The server of libpq's connection parameters."""
        user = f"{given['user']}@" if "user" in given else ""
        host = given.get("host") or given.get("hostaddr") or given.get("service") or "localhost"
        port = f":{given['port']}" if "port" in given else ""
        database = given.get("dbname", "")
        schema = re.search(r"search_path(?:=|%3D)([^\s&]+)", given.get("options", ""))
        named = f"?schema={schema[1]}" if schema else ""
        secrets = tuple(v for k, v in given.items() if "password" in k and v)
        return cls(f"postgresql://{user}{host}{port}/{database}{named}", secrets)

    def clean(self, text: str) -> str:
        """A text of the driver on one line, without passwords."""
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split()).rstrip(".")


def translated(error: psycopg.Error, server: Server) -> Exception:
    """What a driver's error means; the error itself when it can only be a mistake of ours."""
    state = error.sqlstate or ""
    details = {"path": server.location, "problem": server.clean(str(error))}
    if state in _DAMAGED:
        return Corrupt("postgres.corrupt", **details)
    if state == _TOO_LONG:
        return InvalidInput("postgres.too_long", **details)
    if state in _UNAVAILABLE:
        return Unavailable(_UNAVAILABLE[state], **details)
    if state[:2] in _UNREACHABLE:
        return Unavailable("postgres.unreachable", **details)
    if isinstance(error, psycopg.OperationalError) and not state:
        text = str(error)
        refused = (key for key, pattern in _REFUSALS if pattern.search(text))
        return Unavailable(next(refused, "postgres.unreachable"), **details)
    return error
