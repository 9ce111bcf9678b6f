"""The certificate of an erasure: what is gone, where it was looked for, what was not reached."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from damals.app.erasing.fingerprints import Search
from damals.app.erasing.model import Erasure, SearchedFile
from damals.domain.entries import Json

SERVER: Final = "server"
"""Told in place of the files of a ledger that nobody searches."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was found at the end.

    Attributes:
        files: of the home, searched or not.
        sought: what was searched for.
        former: homes that were put aside, which no erasure reaches.
        afar: the ledger is on a server.
        targets: where the home is being moved to: a copy may be there.
    """

    files: Sequence[SearchedFile]
    sought: Search
    former: Sequence[str]
    afar: bool
    targets: Sequence[str] = ()


def certificate(erasure: Erasure, noted: Mapping[str, Json], found: Found) -> dict[str, Json]:
    """The certificate, as it is kept.

    Args:
        erasure: what was erased.
        noted: what its stages left.
        found: at the end.
    """
    searched = [one for one in found.files if one.unread is None and not one.link]
    return {
        "number": erasure.number,
        "removed": _removed(noted),
        "shared": noted.get("shared", 0),
        "searched": [one.name for one in searched],
        "pieces": len(found.sought.pieces.hashes),
        "residue": [
            {"file": one.name, "places": list(one.places)} for one in searched if one.places
        ],
        "unsearched": _unsearched(found),
        "rebuilt": {
            "ledger": noted.get("anew"),
            "index": noted.get("points"),
            "copies": noted.get("copies"),
        },
        "backups": listed(noted, "backups"),
        "exports": listed(noted, "exports"),
    }


def listed(noted: Mapping[str, Json], name: str) -> list[Json]:
    """What is noted under a name, one thing after the other."""
    return list(cast("list[Json]", noted.get(name) or []))


def _unsearched(found: Found) -> dict[str, Json]:
    unread: list[Json] = [
        {"file": one.name, "reason": one.unread} for one in found.files if one.unread is not None
    ]
    told: dict[str, Json] = {
        "short": found.sought.pieces.short,
        "shared": len(found.sought.dropped),
        "compressed": [one.name for one in found.files if one.compressed],
        "unreadable": unread,
        "links": [one.name for one in found.files if one.link],
        "former": list(found.former),
    }
    if found.targets:
        told["moving"] = list(found.targets)
    return told | ({"ledger": SERVER} if found.afar else {})


def _removed(noted: Mapping[str, Json]) -> dict[str, Json]:
    entries = noted.get("counted", len(listed(noted, "entries")))
    counts = {name: noted.get(name, 0) for name in ("versions", "texts", "rewritten")}
    found = counts | {"receipts": noted.get("receipts", 0), "vectors": noted.get("forgotten")}
    return {"entries": entries, **found}
