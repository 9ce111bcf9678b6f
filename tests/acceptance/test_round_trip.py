"""Acceptance case 24: what was exported and imported answers the same at every pair of instants."""

import dataclasses
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from damals import Damals
from damals.bootstrap import init_home
from damals.domain.errors import DamalsError
from damals.domain.instants import BEGINNING, FOREVER, format_instant, from_datetime
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone

MOST_PAIRS = 10_000 if os.environ.get("DAMALS_TEST_PROFILE") == "nightly" else 25
MEMORY = Path("/dev/shm")  # noqa: S108 -- only the tests' own folder goes there
SECRET = "Geheimnis"  # noqa: S105 - what is erased


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: making a home waits for a thousand syncs."""
    made = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None, prefix="damals-trip-"))
    yield made
    shutil.rmtree(made)


def the_same_answers(first: Damals, second: Damals) -> None:
    """Every pair of recorded and valid instants at which anything can change."""
    known = [stored.recorded_at for stored in first.log().transactions]
    assert known == [stored.recorded_at for stored in second.log().transactions]
    pairs = [(v, t) for t in sorted(known) for v in edges(first)]
    for v, t in pairs[:: max(1, len(pairs) // MOST_PAIRS)]:
        assert list(told(first, v, t)) == list(told(second, v, t)), (v, t)


def told(memory: Damals, v: str, t: str) -> Iterator[object]:
    for status in (None, "superseded", "archived"):
        for entry in memory.entries(as_of=v, known_at=t, status=status, limit=None):
            yield status, dataclasses.replace(entry, workspace="")


def edges(memory: Damals) -> list[str]:
    """Both sides of every bound that any entry ever had."""
    found: set[int] = set()
    ids = {str(op["id"]) for one in memory.log().transactions for op in one.ops if "id" in op}
    for entry_id in sorted(ids):
        try:
            versions = memory.history(entry_id).versions
        except DamalsError:  # erased
            continue
        for version in versions:
            bounds = version.bounds
            given = (bounds.from_, bounds.to)
            texts = [text for side in given for text in (side.earliest, side.latest) if text]
            found |= {parse_moment(text, zone=load_zone("UTC")) for text in texts}
    sides = {edge + shift for edge in found for shift in (-1, 0)}
    return [format_instant(v) for v in sorted(sides) if BEGINNING < v < FOREVER]


def a_home(folder: Path, events: Path, zone: str, workspace: str) -> Damals:
    init_home(folder, workspace=workspace, timezone=zone)
    memory = Damals.open(folder, workspace=workspace, clock=lambda: CLOCK)
    memory.import_(events, source="events")
    return memory


def round_trip(folder: Path, events: Path, zone: str, workspace: str = "w") -> Path:
    """Import, export, import elsewhere, ask both, export again. Returns the first export."""
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    with a_home(folder / "one", events, zone, workspace) as one:
        one.export(first)
        with a_home(folder / "two", first, zone, workspace) as two:
            the_same_answers(one, two)
            two.export(second)
    assert first.read_text("utf-8") == second.read_text("utf-8")
    return first


def test_the_executive_history_answers_the_same_elsewhere(data, folder):
    round_trip(folder, data / "us-executive.events.jsonl", "UTC")


def test_the_time_cases_answer_the_same_elsewhere(data, folder):
    cases = json.loads((data / "time-cases.json").read_text(encoding="utf-8"))
    for number, case in enumerate(case for case in cases if "refused" not in case):
        events = written(folder / "events.jsonl", case["events"])
        round_trip(folder, events, case["zone"], f"case-{number}")


def test_a_busy_german_history_answers_the_same_elsewhere_without_what_was_erased(folder):
    exported = round_trip(folder, written(folder / "events.jsonl", BUSY), "Europe/Berlin")
    text = exported.read_text(encoding="utf-8")
    assert SECRET not in text
    assert "mueller-gmbh/geheim" not in text
    kinds = {op["op"] for line in text.splitlines() for op in json.loads(line)["ops"]}
    assert kinds == EVERY_OPERATION


def written(path: Path, events: Sequence[dict[str, object]]) -> Path:
    lines = (json.dumps(event, ensure_ascii=False) for event in events)
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


CLOCK = from_datetime(datetime(2031, 1, 1, tzinfo=UTC))
EVERY_OPERATION = {
    "remember", "update", "correct", "end", "retract", "revert", "relate", "unrelate",
    "contradict", "resolve", "verify", "pin", "unpin", "accept", "archive", "erase",
}  # fmt: skip


def remembered(ref: str, title: str, content: str, **more: object) -> dict[str, object]:
    return {"op": "remember", "ref": ref, "title": title, "content": content, **more}


ADDRESS = {"key": "mueller-gmbh/anschrift", "on_overlap": "replace"}
_OPERATIONS: list[list[dict[str, object]]] = [
    [
        remembered(
            "alt",
            "Anschrift",
            "Hauptstraße 1, 32108 Bad Salzuflen",
            valid_from="2020-01-01",
            tags=["firma/müller"],
            **ADDRESS,
        )
    ],
    [
        remembered(
            "neu", "Anschrift", "Industriestraße 7, 32756 Detmold", valid_from="2024-09", **ADDRESS
        )
    ],
    [
        remembered(
            "chef", "Geschäftsführer", "Jörg Müller", valid_from="2021", key="mueller-gmbh/chef"
        ),
        remembered("stadt", "Sitz", "Die Firma sitzt in Lippe.", valid_from=None, pinned=True),
    ],
    [
        {
            "op": "update",
            "ref": "chefin",
            "target": "chef",
            "title": "Geschäftsführerin",
            "content": "Käthe Groß",
            "valid_from": "2025-03-30",
            "reason": "Übergabe",
        }
    ],
    [{"op": "correct", "target": "chefin", "content": "Käthe Große", "reason": "Tippfehler"}],
    [
        remembered(
            "geheim",
            "Gehalt",
            f"Das {SECRET} der Firma",
            valid_from="2022-05-01",
            key="mueller-gmbh/geheim",
        ),
        {"op": "relate", "src": "stadt", "type": "extends", "dst": "alt"},
    ],
    [
        {
            "op": "update",
            "ref": "geheim 2",
            "target": "geheim",
            "title": "Gehalt",
            "content": "nicht mehr so",
            "valid_from": "2023-05-01",
            "key": "mueller-gmbh/gehalt",
            "reason": f"kein {SECRET}",
        }
    ],
    [{"op": "verify", "target": "neu", "score": 0.75, "evidence": "Handelsregister"}],
    [{"op": "pin", "target": "chefin"}],
    [{"op": "unpin", "target": "stadt"}],
    [{"op": "accept", "target": "stadt"}],
    [
        remembered("umsatz a", "Umsatz", "3 Mio. €", valid_from="2024"),
        remembered("umsatz b", "Umsatz", "5 Mio. €", valid_from="2024-01-01"),
    ],
    [{"op": "contradict", "a": "umsatz a", "b": "umsatz b", "reason": "beides geht nicht"}],
    [{"op": "resolve", "a": "umsatz a", "b": "umsatz b", "keep": "b", "reason": "laut Bilanz"}],
    [{"op": "unrelate", "src": "stadt", "type": "extends", "dst": "alt"}],
    [remembered("irrtum", "Anschrift", "Holzweg 3", valid_from="2026-01-01", **ADDRESS)],
    [{"op": "retract", "target": "irrtum", "restore": True, "reason": "nie gestimmt"}],
    [{"op": "end", "target": "stadt", "at": "2025-12-31", "reason": "Umzug"}],
    [{"op": "revert", "transaction": "2024-01-17T10:00:00Z", "reason": "doch nicht"}],
    [{"op": "archive", "target": "umsatz a", "reason": "erledigt"}],
    [{"op": "erase", "target": "geheim", "reason": "Art. 17 DSGVO"}],
    [remembered("geheim", "Gehalt", "steht nun in der Personalakte", valid_from="2026-01-01")],
]
BUSY: list[dict[str, object]] = [
    {"recorded_at": f"2024-01-{day:02}T10:00:00Z", "actor": "käthe", "ops": operations}
    for day, operations in enumerate(_OPERATIONS, start=1)
]
