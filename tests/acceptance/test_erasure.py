"""What was erased is answered nowhere, and what stands beside it stays as it was."""

import json

import pytest

PERSON = "Frau Geheim"


@pytest.fixture
def erased(memory):
    """A move of somebody who asked to be forgotten, told in every way there is."""
    memory.remember("Alt", "a", external_id="alt", key="miete", valid_from="2024-01-01")
    memory.update(
        "alt", f"{PERSON} zieht ein", f"{PERSON}, Lange Straße", external_id="geheim",
        tags=[PERSON], reason=f"{PERSON} zog um", valid_from="2024-03-01",
    )  # fmt: skip
    memory.update("geheim", "Neu", "n", external_id="neu", tags=[], reason=f"{PERSON} zog aus",
                  valid_from="2024-06-01")  # fmt: skip
    memory.contradict("geheim", "alt", reason=f"{PERSON} sagt anderes")
    with memory.transaction(f"{PERSON} bestätigt") as together:
        together.verify("geheim", evidence=PERSON)
        together.verify("alt")
    memory.archive("geheim", reason=PERSON)
    memory.erase("entry", "geheim", reason=PERSON)
    return memory


def test_nothing_that_is_answered_names_it(erased, tmp_path):
    erased.export(tmp_path / "all.jsonl")
    answers = [
        *(erased.history(name) for name in ("alt", "neu")),
        erased.history(key="miete"),
        erased.log(),
        erased.diff(start="2023-12-31", end="now"),
        erased.diff(start="2023-12-31", end="now", axis="known"),
        erased.recall("Geheim Lange Straße", limit=None),
        *(erased.entries(as_of=f"2024-{m:02}-15", limit=None) for m in (2, 4, 7)),
        *(erased.entries(status=status, limit=None) for status in ("superseded", "archived")),
    ]
    told = [json.dumps(answer.to_dict(), ensure_ascii=False) for answer in answers]
    told.append((tmp_path / "all.jsonl").read_text(encoding="utf-8"))
    assert [text for text in told if "Geheim" in text] == [
        text for text in told if '"query": "Geheim Lange Straße"' in text
    ]


def test_what_it_had_taken_over_from_others_stays_taken(erased):
    titles = [[e.title for e in erased.entries(as_of=f"2024-{m:02}-15")] for m in (2, 4, 7)]
    assert titles == [["Alt"], [], ["Neu"]]


def test_a_neighbour_can_still_be_retracted_with_what_it_had_taken_given_back(erased):
    changed = erased.retract("neu", reason="war falsch", restore=True)
    assert (changed.external_id, changed.restored) == ("neu", ())
