"""The manifest of a backup as JSON: written with a digest of itself, and believed only whole."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Final, cast

from damals.app.backups.model import CONTENTS, FORMAT, LEDGER, Extent, Manifest, Member
from damals.domain.errors import Corrupt, Unavailable
from damals.domain.instants import format_instant, instant_of

KIND: Final = "damals backup"
MAX_BYTES: Final = 16 << 20
COMPRESSIONS: Final = ("gzip", "none")
_ID: Final = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")


def written(manifest: Manifest) -> bytes:
    """A manifest as it stands in a backup. What is encrypted does not tell names."""
    told: dict[str, Any] = {
        "kind": KIND,
        "format": FORMAT,
        "id": manifest.id,
        "created_at": format_instant(manifest.created_at),
        "home": manifest.home,
        "ledger": manifest.ledger,
        "ledger_format": manifest.ledger_format,
        "schema": manifest.schema,
        "workspaces": [_plain(one) for one in manifest.workspaces],
        "members": [_plain(one) for one in manifest.members],
        "compression": manifest.compression,
        "recipient": manifest.recipient,
        "locked": manifest.locked,
        "programs": dict(manifest.programs),
    }
    if manifest.recipient is not None:
        told["workspaces"] = [{**one, "name": None} for one in told["workspaces"]]
    told["digest"] = digest_of(told)
    return json.dumps(told, indent=1, ensure_ascii=False, sort_keys=True).encode("utf-8") + b"\n"


def digest_of(told: Mapping[str, Any]) -> str:
    """SHA-256 of what a manifest says beside its digest, as canonical JSON."""
    rest = {name: value for name, value in told.items() if name != "digest"}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode("utf-8")).hexdigest()


def read(data: bytes, path: Path) -> Manifest:
    """What a backup says of itself.

    Raises:
        Corrupt: ``backup.manifest``.
        Unavailable: ``backup.newer`` when a newer program wrote it.
    """
    try:
        told = cast("dict[str, Any]", json.loads(data))
        found = told["format"] if told["kind"] == KIND else None
        if isinstance(found, int) and found > FORMAT:
            raise Unavailable("backup.newer", path=str(path), found=found, known=FORMAT)
        if told["digest"] != digest_of(told):
            raise Corrupt("backup.manifest", path=str(path))
        return _checked(_manifest(told), path)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Corrupt("backup.manifest", path=str(path)) from error


def _manifest(told: Mapping[str, Any]) -> Manifest:
    return Manifest(
        id=told["id"],
        created_at=instant_of(told["created_at"]),
        home=str(told["home"]),
        ledger=told["ledger"],
        ledger_format=int(told["ledger_format"]),
        workspaces=tuple(Extent(**_of(Extent, one)) for one in told["workspaces"]),
        members=tuple(Member(**_of(Member, one)) for one in told["members"]),
        compression=told["compression"],
        schema=told["schema"],
        recipient=told["recipient"],
        locked=bool(told["locked"]),
        programs=dict(told["programs"]),
    )


def _checked(manifest: Manifest, path: Path) -> Manifest:
    """A manifest that asks for nothing that a backup has not got.

    Raises:
        Corrupt: ``backup.manifest``.
    """
    names = [one.name for one in manifest.members]
    sizes = [number for one in manifest.members for number in (one.size, one.unpacked)]
    sound = (
        _ID.fullmatch(manifest.id) is not None
        and manifest.compression in COMPRESSIONS
        and set(names) <= set(CONTENTS)
        and len(set(names)) == len(names)
        and LEDGER[manifest.ledger] in names
        and all(type(number) is int and number >= 0 for number in sizes)
        and all(one.stored == stored_name(one.name, manifest) for one in manifest.members)
    )
    if not sound:
        raise Corrupt("backup.manifest", path=str(path))
    return manifest


def stored_name(name: str, manifest: Manifest) -> str:
    """What a file is called in a backup: its name and how it was packed."""
    packed = ".gz" if manifest.compression == "gzip" else ""
    return name + packed + (".age" if manifest.recipient is not None else "")


def _plain(one: Extent | Member) -> dict[str, Any]:
    return {field.name: getattr(one, field.name) for field in fields(one)}


def _of(kind: type[Extent | Member], told: Mapping[str, Any]) -> dict[str, Any]:
    return {field.name: told[field.name] for field in fields(kind)}
