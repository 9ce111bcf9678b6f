"""Homes that are moved: filled with events, some of them taken back, on two workspaces."""

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from damals import Damals
from damals.bootstrap import open_home

Run = Callable[..., Any]

WORDS = [
    "Rathaus",
    "Brücke",
    "Wehr",
    "Vertrag",
    "Frist",
    "Kündigung",
    "Schlüssel",
    "Fenster",
    "Anschrift",
    "Tagessatz",
    "Lager",
    "Genehmigung",
    "Prüfung",
    "Bericht",
    "Halle",
    "Werkstatt",
    "Leitung",
    "Ventil",
    "Pumpe",
    "Plan",
    "Termin",
    "Umzug",
    "Rechnung",
]


def events(entries: int) -> Iterator[dict[str, Any]]:
    """What happens to some entries: each is remembered, every third one updated, some related."""
    chance = random.Random(entries)
    now = datetime(2024, 1, 1, tzinfo=UTC)
    for number in range(entries):
        now += timedelta(minutes=90)
        stamp = {"recorded_at": now.isoformat()}
        topic = chance.sample(WORDS, 6)
        yield {
            "op": "remember", "ref": f"e{number}", "title": f"{topic[0]} {number}", **stamp,
            "content": f"Zu {' '.join(topic)}: {' '.join(chance.choices(WORDS, k=25))}.",
            "key": f"sache/{number}", "valid_from": f"2024-{number % 12 + 1:02}",
            "tags": ["kunde/nord", topic[1].lower()],
        }  # fmt: skip
        if number % 3 == 0:
            yield {
                "op": "update", "target": f"e{number}",
                "title": f"{topic[0]} {number}", "valid_from": "2025-06-01", **later(stamp),
                "content": f"Seitdem {' '.join(chance.choices(WORDS, k=12))}.",
            }  # fmt: skip
        if number % 50 == 2:
            yield {
                "op": "relate", "src": f"e{number}", "type": "related_to",
                "dst": f"e{number - 1}", **later(later(stamp)),
            }  # fmt: skip


def later(stamp: dict[str, str]) -> dict[str, str]:
    """A stamp some minutes later."""
    moment = datetime.fromisoformat(stamp["recorded_at"]) + timedelta(minutes=10)
    return {"recorded_at": moment.isoformat()}


def filled(home: Path, entries: int, **options: Any) -> Path:
    """A home with some entries in it, an index up to date."""
    plain = {"embedder": "none", "index_mode": "inline", "timezone": "Europe/Berlin", **options}
    file = home.parent / "events.jsonl"
    lines = [json.dumps(one, ensure_ascii=False) for one in events(entries)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with open_home(home, **plain) as memory:
        memory.import_(file)
        memory.create_workspace("zweite", timezone="UTC")
        memory.create_key("gast", roles=["reader"])
    with open_home(home, workspace="zweite", **plain) as memory:
        memory.remember("Nebenan", "Ein Eintrag im zweiten Arbeitsbereich.")
    return home


def everything(home: Path) -> dict[str, Any]:
    """What a home says of all it knows."""
    told: dict[str, Any] = {}
    for name in ("default", "zweite"):
        with Damals.open(home, workspace=name) as memory:
            told[name] = {
                "audit": memory.audit().to_dict(),
                "log": memory.log().to_dict(),
                "entries": memory.entries(limit=None).to_dict(),
                "past": memory.entries(as_of="2024-07-01", limit=None).to_dict(),
            }
    return told
