"""Diffs on a ledger alone: who may see what, whose reason counts, and unusual ways in time."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.ages import Ages
from damals.app.diff import Comparison, comparison, diff
from damals.app.diff_results import Diff
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_port import Ledger
from damals.app.record import Request, Tools, record
from damals.domain.instants import from_datetime

GUEST = AccessFilter(("public", "internal"), 1, ("gast",))
NOW = from_datetime(datetime(2024, 12, 1, tzinfo=UTC))
WORDS = GermanLexicalEncoder().words


@pytest.fixture(params=["memory", "sql"])
def ledger(request, tmp_path: Path):
    made: Ledger = MemoryLedger() if request.param == "memory" else SqlLedger(tmp_path / "l.db")
    made.create_workspace("w", "UTC", 0)
    yield made
    made.close()


Saying = Callable[..., None]


@pytest.fixture
def say(ledger: Ledger) -> Saying:
    """One transaction at an instant."""

    def say(at: str, *operations: dict, reason: str | None = None) -> None:
        now = from_datetime(datetime.fromisoformat(f"{at}T00:00+00:00"))
        tools = Tools(MarkdownChunker(), lambda: now)
        with ledger.write("w") as writer:
            record(writer, tools, Request(operations, "anna", reason))

    return say


def remember(ref: str, **more: object) -> dict:
    number = UUID(int=ord(ref[0]))
    return {"op": "remember", "id": str(number), "ref": ref, "title": ref, "content": f"Über {ref}",
            "valid_from": "2024-01-01", **more}  # fmt: skip


def update(target: str, ref: str, **more: object) -> dict:
    return {**remember(ref), "op": "update", "target": target, **more}


def asked(
    ledger: Ledger, start: str, end: str, access: AccessFilter = OWNER, **more: object
) -> Diff:
    with ledger.read("w", access) as reader:
        return diff(reader, lambda: NOW, WORDS, Comparison(start, end, **more), Ages())


def told(found: Diff) -> list[tuple[str, str | None, str | None]]:
    sides = [(c.before and c.before.external_id, c.after and c.after.external_id) for c in found]
    return [(c.kind, *side) for c, side in zip(found, sides, strict=True)]


def test_what_somebody_may_not_see_is_in_none_of_their_diffs(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"), remember("b", visibility="restricted"))
    say("2024-02-02", update("a", "c", valid_from="2024-01-15", sensitivity=3))
    say("2024-02-03", {"op": "relate", "src": "a", "type": "extends", "dst": "b"})
    say("2024-02-04", {"op": "contradict", "a": "a", "b": "b"})
    say("2024-02-05", {"op": "erase", "target": "b"})
    whole = ("2024-01-31", "2024-03-01")
    assert sorted(told(asked(ledger, "2024-02-01", "2024-02-02", GUEST))) == [
        ("superseded", "a", None)
    ]
    assert told(asked(ledger, *whole, GUEST)) == []
    assert [kind for kind, *_ in told(asked(ledger, *whole))] == ["learned", "erased"]
    assert {kind for kind, *_ in told(asked(ledger, "2024-02-02", "2024-02-04", GUEST))} == set()


def test_behind_what_is_hidden_the_chain_goes_on(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"))
    say("2024-02-02", update("a", "b", valid_from="2024-01-15", acl=["chef"]))
    say("2024-02-03", update("b", "c", valid_from="2024-01-20", acl=[]))
    assert told(asked(ledger, "2024-02-01", "2024-03-01", GUEST)) == [("superseded", "a", "c")]


def test_the_reason_of_the_operation_goes_before_that_of_the_transaction(
    ledger: Ledger, say: Saying
):
    say("2024-02-01", remember("a"), remember("b", reason="eigener"), reason="gemeinsamer")
    say("2024-02-02", {"op": "end", "target": "a", "at": "2024-02-01"},
        {"op": "retract", "target": "b", "reason": "Irrtum"}, reason="Aufräumen")  # fmt: skip
    learned = asked(ledger, "2024-01-31", "2024-02-01")
    assert {c.after.title: c.reason for c in learned} == {"a": "gemeinsamer", "b": "eigener"}
    gone = asked(ledger, "2024-02-01", "2024-02-02")
    assert {c.kind: c.reason for c in gone} == {"closed": "Aufräumen", "retracted": "Irrtum"}
    assert {c.actor for c in (*learned, *gone)} == {"anna"}


def test_along_valid_time_an_entry_leaves_when_it_is_archived(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"))
    say("2024-03-01", {"op": "archive", "target": "a", "reason": "Umbau"})
    [gone] = asked(ledger, "2024-02-15", "2024-03-15", axis="valid")
    assert (gone.kind, gone.phase, gone.at[:10], gone.reason) == (
        "archived", 1, "2024-03-01", "Umbau",
    )  # fmt: skip
    assert told(asked(ledger, "2024-03-15", "2024-02-15", axis="valid")) == [("began", None, "a")]


def test_what_was_taken_out_of_the_archive_is_learned(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"))
    say("2024-03-01", {"op": "archive", "target": "a", "reason": "Umbau"})
    say("2024-04-01", {"op": "revert", "transaction": 2, "reason": "doch nicht"})
    [back] = asked(ledger, "2024-03-15", "2024-04-15")
    assert (back.kind, back.at[:10], back.reason) == ("learned", "2024-04-01", "doch nicht")
    [gone] = asked(ledger, "2024-04-15", "2024-03-15")
    assert (gone.kind, gone.at[:10]) == ("archived", "2024-03-01")


def test_an_end_that_nobody_knows_lies_where_it_was_recorded(ledger: Ledger, say: Saying):
    say("2024-03-01", remember("a", valid_to="unknown"))
    [ended] = asked(ledger, "2024-02-01", "2024-04-01", axis="valid")
    assert (ended.kind, ended.at[:10]) == ("ended", "2024-03-01")
    assert ended.before.certainty == "possible"


def test_an_entry_in_another_of_its_rectangles_has_not_changed(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"))
    say("2024-02-02", update("a", "b", valid_from="2024-03-01", valid_to="2024-04-01"))
    assert told(asked(ledger, "2024-02-15", "2024-05-01", axis="valid")) == []
    assert told(asked(ledger, "2024-02-15", "2024-03-15", axis="valid")) == [
        ("ended", "a", None), ("began", None, "b"),
    ]  # fmt: skip


def test_a_decision_for_one_side_names_it_in_the_place_of_the_other(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"), remember("b"))
    say("2024-02-02", {"op": "contradict", "a": "a", "b": "b"})
    say("2024-02-03", {"op": "resolve", "a": "a", "b": "b", "keep": "a", "reason": "Beleg"})
    found = asked(ledger, "2024-02-02", "2024-02-04")
    assert sorted(told(found)) == [("resolved", "a", "b"), ("superseded", "b", "a")]
    assert {c.reason for c in found} == {"Beleg"}


def test_a_contradiction_that_was_withdrawn_is_resolved(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a"), remember("b"))
    say("2024-02-02", {"op": "contradict", "a": "a", "b": "b"})
    say("2024-02-03", {"op": "unrelate", "src": "a", "type": "contradicts", "dst": "b"})
    [change] = asked(ledger, "2024-02-02", "2024-02-04")
    assert (change.kind, change.at[:10]) == ("resolved", "2024-02-03")
    assert told(asked(ledger, "2024-02-01", "2024-02-04")) == []


def test_what_was_given_back_is_learned_again(ledger: Ledger, say: Saying):
    say("2024-02-01", remember("a", valid_from="2024-01-01"))
    say("2024-02-02", update("a", "b", valid_from="2024-01-10"))
    say("2024-02-03", {"op": "retract", "target": "b", "restore": True})
    assert sorted(told(asked(ledger, "2024-02-02", "2024-02-04"))) == [
        ("learned", None, "a"),
        ("retracted", "b", None),
    ]


def test_an_entry_that_lost_its_place_to_one_of_many_chains_is_found_by_either(
    ledger: Ledger, say: Saying
):
    say("2024-02-01", remember("a"))
    for place, ref in enumerate("bcdefg"):
        old = "abcdef"[place]
        say(f"2024-02-{place + 2:02}", update(old, ref, valid_from=f"2024-01-{place + 2:02}"))
    assert told(asked(ledger, "2024-02-01", "2024-03-01")) == [("superseded", "a", "g")]
    for ref in ("a", "g"):
        assert told(asked(ledger, "2024-02-01", "2024-03-01", entry=ref)) == [
            ("superseded", "a", "g")
        ]
    assert told(asked(ledger, "2024-02-01", "2024-03-01", entry="d")) == []


def test_more_changes_than_are_read_at_once_come_in_one_order(ledger: Ledger, say: Saying):
    operations = [
        {"op": "remember", "title": f"Nummer {place}", "valid_from": "2024-01-01"}
        for place in range(1_100)
    ]
    say("2024-02-01", *operations)
    found = asked(ledger, "2024-01-31", "2024-02-01")
    assert len(found) == 1_100
    ids = [c.entry_id for c in found]
    assert ids == sorted(ids)
    assert all(c.after is not None and c.after.id == c.entry_id for c in found)


def test_options_become_a_comparison():
    made = comparison("Thema", {"start": "2024", "end": "now", "tag": "a", "type": ["x", "y"]})
    assert (made.topic, made.tags, made.types, made.axis) == ("Thema", ("a",), ("x", "y"), None)


def test_each_change_of_a_text_says_under_which_headings_it_stands(ledger: Ledger, say: Saying):
    law = "# Gesetz\n\n## § 204 Hemmung\n\n6. die Klage\n\n## § 205\n\nFrist {}\n"
    say("2024-02-01", remember("a", content=law.format("drei Jahre")))
    new = law.format("fünf Jahre").replace("Klage\n", "Klage,\n\n6a. die Anmeldung\n")
    say("2024-03-01", {"op": "correct", "target": "a", "content": new, "reason": "Novelle"})
    [change] = asked(ledger, "2024-02-01", "2024-04-01", axis="known")
    places = [(one.op, one.text.strip(), one.section) for one in change.text if one.op != "equal"]
    assert ("insert", "fünf", ("Gesetz", "§ 205")) in places
    assert {section for _, text, section in places if "6a" in text or "Anmeldung" in text} == {
        ("Gesetz", "§ 204 Hemmung")
    }
    assert all(one.section == () for one in change.text if one.op == "equal")
    assert change.to_dict()["text"][-2]["section"] == ["Gesetz", "§ 205"]
