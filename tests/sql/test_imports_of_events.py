"""An import of events: how often it asks the database, and what stays as it was."""

import json
from pathlib import Path

import pytest
from ledger_driver import Driver
from ledger_file import Plans, rows

from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.events import import_events
from damals.app.indexing import silent
from damals.app.record import Tools
from damals.domain.access import OWNER
from damals.domain.errors import DamalsError
from damals.domain.instants import instant_of

NOW = instant_of("2026-01-01T00:00:00Z")
REFUSED = '{"op": "retract", "target": "unknown", "recorded_at": "2025-01-01T00:00:01Z"}\n'


def line(number: int, **said: object) -> str:
    said = {"op": "remember", "ref": f"n-{number}", "title": f"Title {number}"} | said
    at = f"2025-01-01T00:{number // 60:02}:{number % 60:02}Z"
    return json.dumps(said | {"recorded_at": at}) + "\n"


def replayed(driver: Driver, file: Path) -> None:
    with driver.ledger.write("w") as writer:
        import_events(writer, Tools(MarkdownChunker(), lambda: NOW), file, silent, OWNER)


def asked(driver: Driver, folder: Path, count: int) -> int:
    file = folder / "events.jsonl"
    file.write_text("".join(line(number, content=f"Text {number}.") for number in range(count)))
    plans = Plans(driver.ledger)
    replayed(driver, file)
    return sum(one.startswith("SELECT") for one in plans.statements)


def test_new_entries_are_looked_up_by_the_hundred(driver: Driver, tmp_path: Path):
    assert asked(driver, tmp_path, 500) < 20


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ("{", "events.not_json"),
        ("[]", "events.not_an_object"),
        ('{"op": "remember", "title": "no instant"}', "events.no_instant"),
        (line(2, ref="\ud800"), "field.not_text"),
    ],
)
def test_of_two_wrong_lines_the_first_is_told(driver: Driver, tmp_path: Path, wrong: str, key: str):
    file = tmp_path / "events.jsonl"
    file.write_text(line(0) + REFUSED + wrong + "\n")
    with pytest.raises(DamalsError) as told:
        replayed(driver, file)
    assert told.value.values["line"] == 2
    assert told.value.values["cause"].key == "entry.unknown"
    file.write_text(line(0) + wrong + "\n")
    with pytest.raises(DamalsError) as told:
        replayed(driver, file)
    assert told.value.values["cause"].key == key


def test_bytes_that_are_no_text_are_told_after_what_stands_before_them(
    driver: Driver, tmp_path: Path
):
    file = tmp_path / "events.jsonl"
    file.write_bytes((line(0) + REFUSED).encode() + b"\xff\n")
    with pytest.raises(DamalsError, match=r"events\.line"):
        replayed(driver, file)
    file.write_bytes(line(0).encode() + b"\xff\n")
    with pytest.raises(DamalsError, match=r"events\.not_utf8"):
        replayed(driver, file)
    with driver.ledger.read("w") as reader:
        assert reader.head().number == 0


def test_texts_are_numbered_in_the_order_in_which_they_come_also_where_something_is_erased(
    driver: Driver, path: Path, tmp_path: Path
):
    file = tmp_path / "events.jsonl"
    erasing = {"op": "erase", "target": "n-7", "recorded_at": "2025-01-01T01:00:00Z"}
    lines = [line(number, content=f"Text {number}.") for number in range(40)]
    file.write_text("".join(lines) + json.dumps(erasing) + "\n")
    replayed(driver, file)
    stored = rows(path, "SELECT text FROM contents WHERE text LIKE 'Text %' ORDER BY id")
    assert [row["text"] for row in stored] == [f"Text {number}." for number in range(40)]
