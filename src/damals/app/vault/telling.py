"""The operation that tells the ledger what a note says now, from what it said before.

A file decides on what it says, and on nothing else. A field that the last import took from it and
that is gone now goes back to what a note has that says nothing of it, unless somebody has set it by
hand since. What that import took, and what was done by hand, stands in the log.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from damals.app.ledger_model import LoggedOperation, SourceNote
from damals.app.source_model import ParsedNote
from damals.app.vault.fields import NOTE, SAID, SECOND_END, USUAL, WHO_SEES_IT
from damals.app.vault.known import Log
from damals.app.vault.notes import Change, Identity, Note, Origin, field_value, says_archived
from damals.domain.entries import Attributes, Json
from damals.domain.fields import FIELDS, When
from damals.domain.instants import format_instant
from damals.domain.params import Params
from damals.domain.types import USUAL as USUAL_VISIBILITY
from damals.domain.types import TypeCatalogue

_BY_HAND: Final = {"pin": ("pinned",), "unpin": ("pinned",), "end": ("valid_to",)}
"""Parameters of a correction that other operations set."""


_HIDDEN: Final = {"visibility": "restricted", "sensitivity": 3, "acl": ["?"]}
"""What a note has that says in unreadable words who may see it. No key and no role is called so."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Which parameters the last import of a note told, and which were set by hand since."""

    told: frozenset[str] = frozenset()
    by_hand: frozenset[str] = frozenset()

    def lets_go(self, name: str) -> bool:
        """Whether a field that a note does not name any more is to go."""
        return name in self.told and name not in self.by_hand


def taken(reader: Log, entry_id: UUID, source: str) -> Taken:
    """What the log knows of a note of a source; what was reverted counts for nothing."""
    reverted: set[str] = set()
    by_hand: set[str] = set()
    for one in reversed([*reader.unrestricted().log(entry_id=entry_id)]):
        if format_instant(one.recorded_at) in reverted:
            continue
        for operation in reversed(one.operations):
            if operation.kind == "revert":
                reverted.add(str(operation.params.get("transaction")))
            elif operation.entry_id == entry_id:
                if _imports(operation, source):
                    return Taken(frozenset(operation.params), frozenset(by_hand))
                by_hand.update(_BY_HAND.get(operation.kind, ()))
                if operation.kind == "correct":
                    by_hand.update(operation.params)
    return Taken(by_hand=frozenset(by_hand))


def _imports(operation: LoggedOperation, source: str) -> bool:
    said = operation.params.get("source")
    named = cast("Mapping[str, Json]", said).get("name") if isinstance(said, dict) else None
    return operation.kind in ("remember", "correct") and named == source


def leaves_out(said: ParsedNote, known: SourceNote, origin: Origin) -> bool:
    """Whether a note may say something no more that it said, so that the log is to be asked."""
    has, source = known.attributes, known.attributes.source
    if said.unsure or any(
        _unusual(has, name, origin.types) and not _says(said, name, origin) for name in SAID
    ):
        return True
    ends = (said.fields.get("valid_to"), said.fields.get(SECOND_END))
    bounds = (
        (source.declared_from, (said.fields.get("valid_from"),)),
        (source.declared_to, ends),
    )
    return any(before is not None and before not in now for before, now in bounds)


def _says(said: ParsedNote, name: str, origin: Origin) -> bool:
    return bool(said.tags) if name == "tags" else field_value(said, name, origin)[0] is not None


def _unusual(has: Attributes, name: str, types: TypeCatalogue) -> bool:
    value = getattr(has, name)
    if name == "visibility":
        return value != types.type(has.type).visibility
    return (list(cast("Sequence[str]", value)) if isinstance(value, tuple) else value) != USUAL[
        name
    ]


def first_said(note: Note, identity: Identity, relations: Sequence[object]) -> dict[str, object]:
    """The operation for a note that the ledger does not know."""
    params = {"op": "remember", "id": str(identity.entry_id), "type": NOTE, **note.fields}
    params |= {"relations": list(relations), **_bounds(note)}
    if identity.external_id is not None:
        params["external_id"] = identity.external_id
    return params


def taken_over(note: Note, identity: Identity, relations: Sequence[object]) -> dict[str, object]:
    """The operation for a note that is an entry from elsewhere."""
    params = {"op": "correct", "target": str(identity.entry_id), "type": NOTE, **note.fields}
    return params | {"relations": list(relations), **_bounds(note)}


def _bounds(note: Note) -> dict[str, object]:
    return {"valid_from": note.declared_from, "valid_to": note.declared_to}


def said_again(
    note: Note, known: SourceNote, past: Taken, relations: Sequence[object]
) -> dict[str, object]:
    """The operation for a note that the ledger knows, but for its visibility."""
    params = {"op": "correct", "target": str(known.entry_id), **note.fields}
    params["relations"] = list(relations)
    own = WHO_SEES_IT if note.access != "said" else ("visibility",)
    gone = (name for name in SAID if name not in note.fields and name not in own)
    params |= {name: USUAL[name] for name in gone if past.lets_go(name)}
    if not known.current:
        return params | _bounds(note)
    source = known.attributes.source
    before = {"valid_from": source.declared_from, "valid_to": source.declared_to}
    for name, now in _bounds(note).items():
        if now != before[name] and (now is not None or name not in past.by_hand):
            params[name] = now
    return params


def visibility_of(
    note: Note, known: SourceNote | None, past: Taken, types: TypeCatalogue
) -> Mapping[str, object]:
    """That of its type, for a note that is new, has another type, or says it no more."""
    if "visibility" in note.fields or note.access == "unclear":
        return {}
    if note.access == "unread" and known is not None:
        return {}
    if known is None:
        own = types.type(str(note.fields.get("type", NOTE))).visibility
        return {} if own == USUAL_VISIBILITY else {"visibility": own}
    has = known.attributes
    type_ = note.fields.get("type", NOTE if past.lets_go("type") else has.type)
    own = types.type(str(type_)).visibility
    was_usual = has.visibility == types.type(has.type).visibility
    return {"visibility": own} if (was_usual or past.lets_go("visibility")) else {}


def kept_from(
    note: Note, known: SourceNote | None, past: Taken, types: TypeCatalogue
) -> Mapping[str, object]:
    """Who may see a note that does not say so in readable words: nobody more than before.

    Of one that may say it, nobody but the owner, and whom it was given to by hand. What the file
    decided on is told again, so that the file decides on it when it can be read.
    """
    if note.access == "said":
        return {}
    hidden: Mapping[str, object] = _HIDDEN if note.access == "unclear" else {}
    if known is None:
        return hidden
    has = known.attributes
    usual = {
        "acl": (),
        "sensitivity": USUAL["sensitivity"],
        "visibility": types.type(has.type).visibility,
    }
    told: dict[str, object] = {}
    for name in WHO_SEES_IT:
        value = getattr(has, name)
        plain = list(cast("Sequence[str]", value)) if isinstance(value, tuple) else value
        if past.lets_go(name) or (value == usual[name] and name not in past.by_hand):
            kept = name == "acl" and plain != []
            told[name] = plain if kept else hidden.get(name, plain)
    return told


def attributes_in(params: Params, origin: Origin) -> dict[str, object]:
    """The attributes that an operation tells, as an entry has them."""
    when = When(origin.zone, origin.imported_at)
    return {name: FIELDS[name](name, params[name], when) for name in SAID if name in params}


def healed(note: Note, known: SourceNote, relations: Sequence[object] | None) -> Change | None:
    """What an unchanged file says that was not read from it before; ``None`` for nothing.

    Args:
        note: as it was read now.
        known: what the ledger knows of it.
        relations: ``None`` when the ledger knows them.
    """
    archives = says_archived(note.parsed)
    params: dict[str, object] = {"op": "correct", "target": str(known.entry_id)}
    if relations is not None:
        params["relations"] = list(relations)
    if known.attributes.properties != note.fields["properties"]:
        params["properties"] = note.fields["properties"]
    elif relations is None and not archives:
        return None
    return Change("healed", note.file.path, params, archives=archives)
