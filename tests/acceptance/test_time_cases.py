"""Whole histories, replayed through the interface and asked at every listed pair of instants."""

import json
from pathlib import Path

import pytest

from damals import Damals
from damals.app.errors import DamalsError, outcome_of
from damals.bootstrap import init_home


def _histories(data: Path) -> list[dict[str, object]]:
    return json.loads((data / "time-cases.json").read_text(encoding="utf-8"))


NAMES = (
    "1 move", "2 future change", "3 bounded past", "4 portion over two", "5 late and bounded",
    "6 late and open, replace", "6 late and open, fill", "6 late and open, refuse",
    "7 same transaction", "8 remembered and ended at once", "11 empty", "11 reversed",
    "12 retract keeps the cut", "12 retract and restore", "13 end", "14 end, then retract",
    "bounded update resumes", "two future updates", "update outside its target",
    "corrected bounds",
)  # fmt: skip


def test_every_history_is_asked(data):
    assert [case["id"] for case in _histories(data)] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_history_answers_every_pair_as_listed(name, data, tmp_path):
    case = next(case for case in _histories(data) if case["id"] == name)
    events = tmp_path / "history.jsonl"
    events.write_text("\n".join(json.dumps(event) for event in case["events"]), encoding="utf-8")
    init_home(tmp_path / "home", timezone=case["zone"])
    with Damals.open(tmp_path / "home") as memory:
        if "refused" in case:
            with pytest.raises(DamalsError) as refusal:
                memory.import_(events)
            assert outcome_of(refusal.value).exit_code == case["refused"]
            assert memory.log().transactions == ()
            return
        memory.import_(events)
        for check in case["checks"]:
            page = memory.entries(as_of=check["as_of"], known_at=check["known_at"], limit=None)
            found = sorted(entry.external_id for entry in page)
            assert found == sorted(check["refs"]), check


def test_the_executive_history_answers_all_its_pairs(data, tmp_path):
    expected = json.loads((data / "us-executive.expected.json").read_text(encoding="utf-8"))
    init_home(tmp_path / "home", timezone="UTC")
    with Damals.open(tmp_path / "home") as memory:
        memory.import_(data / "us-executive.events.jsonl")
        wrong = [
            pair
            for pair in expected
            if sorted(
                entry.external_id
                for entry in memory.entries(
                    as_of=pair["as_of"], known_at=pair["known_at"], limit=None
                )
            )
            != sorted(pair["refs"])
        ]
    assert len(expected) == 117
    assert wrong == []
