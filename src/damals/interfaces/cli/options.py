"""Every parameter of the commands, declared once.

A parameter that is absent is left out of what the operation gets; that is not the same as an
empty one, which means null (``--key ""``) or an empty list (``--tag ""``).
"""

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from damals.app.errors import InvalidInput

Kind = Literal["option", "argument", "flag", "switch"]
Reader = Callable[[str, str], object]
"""From the option as written and its value to what the operation takes."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a command.

    Attributes:
        name: in the catalogues; with hyphens, on the command line. One that Python reserves has
            an underscore behind it, which nobody sees.
        kind: a ``flag`` is there or not; a ``switch`` also has ``--no-…``.
        metavar: stands for the value in the help.
        field: name of the operation's parameter when it is another one.
        read: checks and converts a value (for ``many``, every one of them).
        gather: makes one value of many.
        standard: what the help names as the default.
    """

    name: str
    metavar: str = "TEXT"
    kind: Kind = "option"
    required: bool = False
    many: bool = False
    field: str = ""
    read: Reader | None = None
    gather: Callable[[Sequence[object]], object] = list
    standard: str | None = None

    @property
    def written(self) -> str:
        """As people write it: ``--valid-from``, or ``ID``."""
        if self.kind == "argument":
            return self.metavar
        return "--" + self.name.rstrip("_").replace("_", "-")

    @property
    def target(self) -> str:
        """Name of the operation's parameter."""
        return self.field or self.name

    @property
    def takes_value(self) -> bool:
        """Whether the next word of the command line belongs to it."""
        return self.kind == "option"

    def convert(self, given: object) -> object:
        """What the operation gets for what was given."""
        if self.many and isinstance(given, list):
            words = [str(word) for word in given]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] -- str() takes anything
            kept = words if self.kind == "argument" else [word for word in words if word]
            return self.gather([self._read(word) for word in kept])
        return self._read(given) if isinstance(given, str) else given

    def _read(self, text: str) -> object:
        return text if self.read is None else self.read(self.written, text)


def must(parameter: Parameter) -> Parameter:
    """The same parameter, required."""
    return replace(parameter, required=True)


def _text(option: str, text: str) -> object:
    """Text as given. Bytes of the command line that are no UTF-8 cannot be stored."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput("cli.not_utf8", option=option) from error
    return text


def _nullable(option: str, text: str) -> object:
    return _text(option, text) or None


def _whole(option: str, text: str) -> object:
    try:
        return int(text)
    except ValueError as error:
        raise InvalidInput("cli.not_whole", option=option, value=text) from error


def _number(option: str, text: str) -> object:
    if not text:
        return None
    try:
        number = float(text)
    except ValueError as error:
        raise InvalidInput("cli.not_number", option=option, value=text) from error
    if not math.isfinite(number):
        raise InvalidInput("cli.not_number", option=option, value=text)
    return number


def _limit(option: str, text: str) -> object:
    if text == "all":
        return None
    try:
        limit = int(text)
    except ValueError as error:
        raise InvalidInput("cli.not_limit", option=option, value=text) from error
    if limit < 1:
        raise InvalidInput("cli.not_limit", option=option, value=text)
    return limit


def _pair(option: str, text: str) -> object:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InvalidInput("cli.not_pair", option=option, value=text)
    return (name.strip(), _text(option, value))


def _relation(option: str, text: str) -> object:
    words = text.split(maxsplit=1)
    if len(words) != 2:  # noqa: PLR2004 -- a type and an id
        raise InvalidInput("cli.not_relation", option=option, value=text)
    return {"type": words[0], "dst": words[1].strip()}


def _session(option: str, text: str) -> object:
    said = _nullable(option, text)
    return {"session": said} if said else {}


def _mapping(pairs: Sequence[object]) -> object:
    return dict(pair for pair in pairs if isinstance(pair, tuple))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] -- pairs by _pair


def _folders(given: Sequence[object]) -> object:
    return os.pathsep.join(str(one) for one in given)


ID: Final = Parameter("id", "ID", "argument", required=True, read=_text)
QUERY: Final = Parameter("query", "QUERY", "argument", required=True, read=_text)
PATHS: Final = Parameter("paths", "PATH…", "argument", required=True, many=True)
VAULT: Final = Parameter("vault", "PATH", "argument")
FILE: Final = Parameter("path", "FILE", "argument", required=True)
ENTRY_ARGUMENT: Final = Parameter("id", "ID", "argument", read=_text)
STDIN: Final = Parameter("stdin", "-", "argument")

TITLE: Final = Parameter("title", read=_text)
CONTENT: Final = Parameter("content", "TEXT|-", read=_text)
VALID_FROM: Final = Parameter("valid_from", "INSTANT", read=_text)
VALID_TO: Final = Parameter("valid_to", "INSTANT", read=_text)
AT: Final = Parameter("at", "INSTANT", required=True, read=_text)
REASON: Final = Parameter("reason", required=True, read=_text)
WHY: Final = Parameter("reason", read=_text)
RELATION: Final = Parameter("relation", "supersedes|revises", read=_text, standard="supersedes")
ON_OVERLAP: Final = Parameter("on_overlap", "refuse|replace|fill", read=_text, standard="refuse")
IF_TRANSACTION: Final = Parameter("if_transaction", "N", read=_whole)
SESSION: Final = Parameter("session", field="source", read=_session)
INSIST: Final = Parameter("insist", kind="flag")
RESTORE: Final = Parameter("restore", kind="flag")
NUMBER: Final = Parameter("number", "N", "argument", required=True, read=_text)

SRC: Final = Parameter("src", "SRC", "argument", required=True, read=_text)
RELATION_TYPE: Final = Parameter("type", "TYPE", "argument", required=True, read=_text)
DST: Final = Parameter("dst", "DST", "argument", required=True, read=_text)
A: Final = Parameter("a", "A", "argument", required=True, read=_text)
B: Final = Parameter("b", "B", "argument", required=True, read=_text)
CONFIDENCE: Final = Parameter("confidence", "0-1", read=_number, standard="1")
CHUNKS: Final = Parameter("evidence", "CHUNK", many=True, read=_text)
KEEP_SIDE: Final = Parameter("keep", "a|b|both", required=True, read=_text)

SCORE: Final = Parameter("score", "0-1", read=_number, standard="1")
EVIDENCE: Final = Parameter("evidence", read=_text)
KIND: Final = Parameter("kind", "KIND", "argument", required=True, read=_text)
YES: Final = Parameter("yes", kind="flag")

TAGS: Final = Parameter("tag", many=True, field="tags", read=_text)
KEY: Final = Parameter("key", read=_nullable)
TYPE: Final = Parameter("type", read=_text)
EXTERNAL_ID: Final = Parameter("external_id", read=_text)

FIELDS: Final = (
    TYPE,
    TAGS,
    KEY,
    VALID_FROM,
    VALID_TO,
    Parameter("property", "KEY=VALUE", many=True, field="properties", read=_pair, gather=_mapping),
    Parameter("relate", '"TYPE ID"', many=True, field="relations", read=_relation),
    Parameter("domain", read=_nullable),
    Parameter("staleness_risk", "fast_decay|slow_decay|stable", read=_nullable),
    Parameter("importance", "1-5", read=_whole, standard="3"),
    Parameter("pinned", kind="switch"),
    Parameter("created", "INSTANT", read=_nullable),
    Parameter("updated", "INSTANT", read=_nullable),
    Parameter("retrieved_at", "INSTANT", read=_nullable),
    Parameter("last_reviewed", "INSTANT", read=_nullable),
    Parameter("persona_weight", "0-1", read=_number),
    Parameter("entry_lang", "LANG", field="lang", read=_text, standard="de"),
    Parameter("lang_original", "LANG", read=_nullable),
    Parameter("source_id", read=_nullable),
    Parameter("visibility", "public|internal|restricted", read=_text, standard="internal"),
    Parameter("sensitivity", "0-3", read=_whole, standard="0"),
    Parameter("acl", "NAME", many=True, read=_text),
)
"""Fields of an entry that ``remember``, ``update`` and ``correct`` may set."""

_OF_NOTES: Final = frozenset(
    {
        *("type", "tag", "valid_from", "valid_to", "property", "relate", "domain"),
        *("staleness_risk", "importance", "pinned", "created", "updated", "retrieved_at"),
        *("last_reviewed", "persona_weight", "entry_lang", "lang_original", "source_id"),
        *("visibility", "sensitivity", "acl"),
    }
)
NOTE_FIELDS: Final = (
    TITLE,
    *(replace(one, standard=None) for one in FIELDS if one.name in _OF_NOTES),
    Parameter("own_id", "ID", field="id", read=_text),
    Parameter("alias", many=True, field="aliases", read=_text),
    Parameter("drop_alias", "ALIAS", many=True, field="dropped", read=_text),
    Parameter("status", read=_text),
    Parameter("last_verified", "INSTANT", read=_text),
    Parameter("unset", "FIELD", many=True, read=_text),
)
"""What can be said of a note in its frontmatter."""

AS_OF: Final = Parameter("as_of", "INSTANT", read=_text, standard="now")
KNOWN_AT: Final = Parameter("known_at", "INSTANT", read=_text, standard="now")
CERTAIN: Final = Parameter("certain", kind="flag")
TYPES: Final = Parameter("type", many=True, read=_text)
ANY_TAGS: Final = Parameter("tag", many=True, read=_text)
STATUS: Final = Parameter("status", read=_text)
LIMIT_100: Final = Parameter("limit", "N|all", read=_limit, standard="100")
LIMIT_10: Final = Parameter("limit", "N|all", read=_limit, standard="10")
LIMIT_ALL: Final = Parameter("limit", "N|all", read=_limit, standard="all")
AFTER: Final = Parameter("after", "N", read=_whole, standard="0")
CURSOR: Final = Parameter("cursor", read=_text)
PATH: Final = Parameter("path", "PATH", read=_text)
SINCE: Final = Parameter("since", "INSTANT", read=_text)
UNTIL: Final = Parameter("until", "INSTANT", read=_text)
WEIGHTS: Final = Parameter("weights", "vec=…,time=…,graph=…", read=_text)
HALF_LIFE: Final = Parameter("half_life", "DAYS|inf", read=_text)
TIMES: Final = Parameter("times", "text|off", read=_text, standard="text")
MIN_GROUNDING: Final = Parameter("min_grounding", "0-1", read=_number)
PERSONA: Final = Parameter("persona", "ID", read=_text)
DIVERSITY: Final = Parameter("diversity", "0-1", read=_number, standard="0")
NEIGHBOURS: Final = Parameter("neighbours", "N", read=_whole, standard="0")
LITERAL: Final = Parameter("literal", kind="flag")
EXPLAIN: Final = Parameter("explain", kind="flag")
RECEIPT: Final = Parameter("receipt", kind="switch")
NARROWED: Final = (
    AS_OF,
    KNOWN_AT,
    CERTAIN,
    LIMIT_10,
    TYPES,
    ANY_TAGS,
    PATH,
    SINCE,
    UNTIL,
    WEIGHTS,
    HALF_LIFE,
    MIN_GROUNDING,
    PERSONA,
    DIVERSITY,
    LITERAL,
    TIMES,
    RECEIPT,
)
"""What may answer a question, and how it is weighed."""

RECEIPT_ID: Final = Parameter("receipt", "RECEIPT", "argument", required=True, read=_text)
RECOMPUTE: Final = Parameter("recompute", kind="flag")
QUESTION: Final = Parameter("question", "QUESTION", "argument", required=True, read=_text)
LLM: Final = Parameter("llm", "URL", read=_text)
MODEL: Final = Parameter("model", "NAME", read=_text)
DEPTH: Final = Parameter("depth", "N", read=_whole, standard="1")
DEGREE: Final = Parameter("degree", "N", read=_whole)
GRAPH_FORMAT: Final = Parameter("format", "tree|mermaid|dot", read=_text, standard="tree")
ENTRY: Final = Parameter("entry", "ID", read=_text)
TOPIC: Final = Parameter("topic", "TOPIC", kind="argument", read=_text)
FROM: Final = Parameter("from_", "INSTANT", required=True, field="start", read=_text)
TO: Final = Parameter("to", "INSTANT", required=True, field="end", read=_text)
KNOWN_FROM: Final = Parameter("known_from", "INSTANT", read=_text)
KNOWN_TO: Final = Parameter("known_to", "INSTANT", read=_text)
AXIS: Final = Parameter("axis", "valid|known", read=_text)

IDS: Final = Parameter("ids", "ID…", "argument", many=True, read=_text)
ABOUT: Final = Parameter("query", read=_text)
ACCEPT: Final = Parameter("accept", kind="flag")
FINDINGS: Final = Parameter("kind", "KIND", many=True, read=_text)
REPORT_FORMAT: Final = Parameter("format", "text|json|markdown|html", read=_text, standard="text")
FIX: Final = Parameter("fix", "KIND", read=_text)
DUE: Final = Parameter("due", kind="flag")

SOURCE: Final = Parameter("source", "auto|vault|events", read=_text, standard="auto")
NAME: Final = Parameter("name", read=_text)
DRY_RUN: Final = Parameter("dry_run", kind="flag")
PRUNE: Final = Parameter("prune", kind="flag")
HISTORY: Final = Parameter("history", kind="flag")
READMIT: Final = Parameter("readmit", kind="flag")
WAIT: Final = Parameter("wait", kind="flag")
WATCHED: Final = Parameter("path", "PATH", "argument", required=True)
EXPORT_FORMAT: Final = Parameter("format", "events|markdown", read=_text, standard="events")
PERSON: Final = Parameter("person", "ID", read=_text)
SETTLE_S: Final = 0.5
SETTLE: Final = Parameter("settle", "SECONDS", read=_number, standard="0.5")
POLL: Final = Parameter("poll", kind="flag")
TIMEZONE: Final = Parameter("timezone", "ZONE", read=_text)
REPAIR: Final = Parameter("repair", kind="flag")
KEEP: Final = Parameter("keep", kind="flag")
LEDGER: Final = Parameter("ledger", "URL", read=_text)
QDRANT: Final = Parameter("qdrant", "URL", read=_text)
SAMPLE: Final = Parameter("sample", "N", read=_whole, standard="200")

NEW_NAME: Final = Parameter("name", "NAME", "argument", required=True, read=_text)
ROLES: Final = Parameter("role", "ROLE", many=True, field="roles", read=_text, standard="reader")
ALLOWED: Final = Parameter("allow_workspace", "NAME", many=True, field="workspaces", read=_text)
CEILING: Final = Parameter(
    "visibility", "public|internal|restricted", read=_text, standard="internal"
)
MOST_SENSITIVE: Final = Parameter("sensitivity", "0-3", read=_whole, standard="0")

WITH_INDEX: Final = Parameter("with_index", kind="flag")
COMPRESSION: Final = Parameter("compression", "gzip|none", read=_text, standard="gzip")
KEY_FILE: Final = Parameter("key_file", "FILE")
PASSPHRASE: Final = Parameter("passphrase", kind="flag")
BACKUP_IDS: Final = Parameter("ids", "ID|all…", "argument", many=True, read=_text)
BACKUP: Final = Parameter("backup", "ID|PATH", "argument", required=True)
TO_FOLDER: Final = Parameter("to", "FOLDER")
DISCARD: Final = Parameter("discard", kind="flag")
KEEP_RULES: Final = tuple(
    Parameter(f"keep_{one}", "N", field=one, read=_whole, standard="0")
    for one in ("last", "daily", "weekly", "monthly")
)

HOST: Final = Parameter("host", "ADDRESS", read=_text, standard="127.0.0.1")
PORT: Final = Parameter("port", "N", read=_whole, standard="7399")
ROOTS: Final = Parameter("root", "DIR", many=True, field="roots", gather=_folders)

GLOBAL_HELP: Final = (
    Parameter("home", "DIR"),
    Parameter("workspace", "NAME", standard="default"),
    Parameter("json", kind="flag"),
    Parameter("lang", "de|en"),
    Parameter("help", kind="flag"),
)
"""The global options, for the help; ``globals.py`` reads them."""
