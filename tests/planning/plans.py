"""Visions and roadmaps for tests."""

import json
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from damals import messages
from damals.domain.instants import from_datetime
from damals.domain.planning import Note, Today, review

BERLIN = ZoneInfo("Europe/Berlin")
COMMAND = "damals planning wiki"


def noon(day: str) -> Today:
    """A day, asked about at noon."""
    moment = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC).replace(hour=12)
    return Today(from_datetime(moment), BERLIN)


def vision(**said: object) -> Note:
    given = {"version": "1.0", "last_reviewed": "2026-01-01"} | said
    return Note("vision", given.pop("last_reviewed"), given)


def roadmap(**said: object) -> Note:
    given = {
        "last_reviewed": "2026-01-01",
        "linked_vision_version": "1.0",
        "horizon_end": "2026-12-31",
        "phases": [{"name": "Aufbau", "status": "done", "since": "2025-12-01"}],
    } | said
    return Note("roadmap", given.pop("last_reviewed"), given)


def said(note: Note, day: str, lang: str = "en") -> list[tuple[str, str, str]]:
    """Kind, severity and text of everything that is said of a note on a day."""
    return [
        (one.kind, one.severity, messages.render(one.key, {**one.values, "command": COMMAND}, lang))
        for one in review(note, noon(day)).remarks
    ]


def written(note: Note) -> str:
    """A note as a file."""
    fields = {"last_reviewed": note.reviewed, **note.properties}
    lines = (f"{name}: {json.dumps(value)}" for name, value in fields.items() if value is not None)
    return "---\n" + "\n".join(lines) + f"\n---\n# {note.kind}\n"
