"""What a home looks like to who opens it next, as one JSON document; a process of its own."""

import json
import sys

from damals import Damals
from damals.domain.errors import NotFound


def look(home: str, changes: str) -> None:
    """Look at a home, with or without a change first."""
    json.dump(_seen(home, changes), sys.stdout)
    sys.stdout.flush()


def _seen(home: str, changes: str) -> dict[str, object]:
    try:
        with Damals.open(home) as memory:
            if changes:
                memory.remember("Danach", "wird weiter gearbeitet")
            names = [one.name for one in memory.workspaces()]
            health = memory.doctor().to_dict()
    except NotFound:  # killed before there was a home
        return {"health": {"ok": True, "checks": []}, "workspaces": {}}
    found = {}
    for name in names:
        with Damals.open(home, workspace=name) as memory:
            entries = {
                one.id: {"title": one.title, "content": one.content, "number": one.transaction}
                for one in memory.entries(limit=None)
            }
            log = [one.to_dict() for one in memory.log().transactions]
            found[name] = {"entries": entries, "log": log, "audit": memory.audit().to_dict()}
    return {"health": health, "workspaces": found}
