"""What an audit has found so far, and what it goes through."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast
from uuid import UUID

from sqlalchemy import Connection, Executable, Row

from damals.adapters.sql.chain import HasKey
from damals.app.ledger_model import Break
from damals.domain.entries import Json

MOST_BREAKS: Final = 1_000
"""How many findings are kept: who changed a key has changed every text."""

_FETCHED: Final = 1_000

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "transactions": ("number",),
    "operations": ("number", "seq"),
    "entries": ("entry_id",),
    "touches": ("entry_id", "recorded_at"),
    "version_tags": ("version_id", "tag"),
    "version_acl": ("version_id", "principal"),
    "relations": ("id", "relation_id"),
    "relation_premises": ("relation_row", "premise_id"),
    "versions": ("id", "entry_id"),
    "archivings": ("id", "entry_id"),
    "verifications": ("id", "entry_id"),
}
"""Per table, the columns that find a row; those of all others are found by ``id``."""


def by_name(row: Row[Any]) -> HasKey:
    """A row, to be read by the names of its columns."""
    return row._mapping  # noqa: SLF001 -- SQLAlchemy's documented way # pyright: ignore[reportPrivateUsage] -- as before


def name_of(table: str, row: HasKey) -> dict[str, Json]:
    """How to find a row: its columns by name, ids as people write them.

    A plain ``dict`` is what is known of a row that is not there.
    """
    if isinstance(row, dict):
        known = cast("dict[str, object]", row)
        return {name: _shown(value) for name, value in known.items()}
    names = NAMES.get(table, ("id",))
    return {name: _shown(row[name]) for name in names}


def _shown(value: object) -> Json:
    if isinstance(value, bytes):
        return str(UUID(bytes=value)) if len(value) == len(UUID(int=0).bytes) else value.hex()
    return value if isinstance(value, int | str) else str(value)


@dataclass(slots=True)
class Findings:
    """The breaks, in the order they were found, each once."""

    _kept: dict[tuple[object, ...], Break] = field(default_factory=dict[tuple[object, ...], Break])

    @property
    def full(self) -> bool:
        """Whether looking on would tell nothing new."""
        return len(self._kept) >= MOST_BREAKS

    def add(self, key: str, number: int | None, table: str, row: HasKey) -> None:
        """A row is not what was recorded, which shows at transaction ``number``."""
        named = name_of(table, row)
        if not self.full:
            place = (table, *named.values(), key)
            self._kept.setdefault(place, Break(key, number, table, named))

    def names(self, table: str, row: Json) -> bool:
        """Whether something was found about the row with this number."""
        return any(b.table == table and b.row.get("id") == row for b in self._kept.values())

    def sorted(self) -> tuple[Break, ...]:
        """All of them: the first by transaction first, those outside of any last."""
        found = self._kept.values()
        return tuple(sorted(found, key=lambda b: (b.transaction is None, b.transaction or 0)))


@dataclass(slots=True)
class Scope:
    """The workspace that is audited.

    Attributes:
        name, key: of the workspace; the key finds its texts.
        broken: contents that are not what they were, with the message that says so.
        rows: how many rows were checked.
    """

    connection: Connection
    workspace: int
    name: str
    key: bytes
    findings: Findings = field(default_factory=Findings)
    broken: dict[int, str] = field(default_factory=dict[int, str])
    rows: int = 0

    def rows_of(self, query: Executable, **values: object) -> Iterator[Row[Any]]:
        """The rows of a statement, a few at a time."""
        given = {"workspace": self.workspace, **values}
        options = {"yield_per": _FETCHED}
        yield from self.connection.execute(query, given, execution_options=options)

    def found(self, key: str, number: int | None, table: str, row: HasKey) -> None:
        """As :meth:`Findings.add`."""
        self.findings.add(key, number, table, row)
