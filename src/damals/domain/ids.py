"""Identities: derived where a thing has a name of its own, ordered by time where it has none."""

from hashlib import sha1
from typing import Final
from uuid import UUID, SafeUUID

from damals.domain.periods import Bound

WORKSPACES: Final = UUID("6f1d3ac2-4c4e-5b0a-9a3f-0d7a2c5e8b11")
"""Namespace of workspace names; everything derived below starts here."""

_new: Final = object.__new__
_put: Final = object.__setattr__
_UNKNOWN: Final = SafeUUID.unknown
_RANDOM_BITS: Final = 74
_DIGITS: Final = 32
_NAMED_BITS: Final = 0x5 << 76 | 0b10 << 62
_NAMED_MASK: Final = (1 << 128) - 1 ^ (0xF << 76 | 0b11 << 62)


def time_ordered_id(instant: int, randomness: int) -> UUID:
    """A UUIDv7 (RFC 9562, 5.7) of an instant (UTC microseconds) and 74 random bits."""
    milliseconds = max(instant // 1000, 0) & ((1 << 48) - 1)
    noise = randomness & ((1 << _RANDOM_BITS) - 1)
    high, low = noise >> 62, noise & ((1 << 62) - 1)
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)


def name_based_id(namespace: UUID, name: str) -> UUID:
    """A UUIDv5 (RFC 9562, 5.5), as ``uuid.uuid5`` makes it in twice the time."""
    digest = sha1(namespace.bytes + name.encode(), usedforsecurity=False).digest()
    number = int.from_bytes(digest[:16], "big")
    return UUID(int=number & _NAMED_MASK | _NAMED_BITS)


def id_of(packed: bytes) -> UUID:
    """The UUID of 16 bytes, as ``UUID(bytes=…)`` makes it in three times the time.

    Its class checks what cannot be wrong here; hundreds are read for each question.
    """
    made = _new(UUID)
    _put(made, "int", int.from_bytes(packed, "big"))
    _put(made, "is_safe", _UNKNOWN)
    return made


def workspace_namespace(workspace: str) -> UUID:
    """The namespace of everything derived inside a workspace."""
    return name_based_id(WORKSPACES, workspace)


def note_id(workspace: str, source: str, path: str, ordinal: int = 0) -> UUID:
    """Identity of a note without an id of its own.

    Args:
        workspace: name of the workspace.
        source: name of the source the note is in.
        path: relative path, NFC, ``/``-separated.
        ordinal: 0, or counting up when that id is already another note's.
    """
    parts = ["note", source, path, *([str(ordinal)] if ordinal else [])]
    return name_based_id(workspace_namespace(workspace), "\x1f".join(parts))


def named_id(workspace: str, name: str) -> UUID:
    """Identity of an entry whose source names it by something that is no UUID."""
    return name_based_id(workspace_namespace(workspace), f"id\x1f{name}")


def placeholder_id(workspace: str, target: str) -> UUID:
    """Identity of a link's target that nothing is known of yet."""
    return name_based_id(workspace_namespace(workspace), f"stub\x1f{target.casefold()}")


def relation_id(src: UUID, relation: str, dst: UUID, anchor: str = "") -> UUID:
    """Identity of a relation: its ends, its type and where it is said."""
    return name_based_id(src, "\x1f".join(("relation", relation, str(dst), anchor)))


def point_id(workspace: str, chunk_id: UUID, digest: str, start: Bound, recorded_from: int) -> UUID:
    """Identity of a chunk row in the index, which all workspaces of a home share."""
    parts = (workspace, digest, str(start.earliest), str(start.latest), str(recorded_from))
    return name_based_id(chunk_id, "\x1f".join(parts))


def parse_uuid(text: str) -> UUID | None:
    """The UUID that a text spells, or ``None``."""
    try:
        # Most names are too short for one: refusing them costs a tenth of what an error costs.
        return None if len(text) < _DIGITS else UUID(text)
    except (AttributeError, TypeError, ValueError):
        return None
