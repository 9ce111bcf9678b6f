"""What an assistant files is checked against what is known, in the same call."""

import json
import shlex

import pytest
from accreting import LONGER, SESSION, TIMEOUT, in_memory

from damals.app.accretion.compared import MOST_FILINGS
from damals.app.errors import DamalsError, InvalidInput

DECIDING = {
    "verify": lambda memory, new, _old: memory.verify(new),
    "correct": lambda memory, new, _old: memory.correct(new, content="60 s", reason="geprüft"),
    "correct without a change": lambda memory, new, _old: memory.correct(new, reason="stimmt so"),
    "relate": lambda memory, new, old: memory.relate(new, "related_to", old),
    "relate from the other end": lambda memory, new, old: memory.relate(old, "related_to", new),
    "contradict": lambda memory, new, old: memory.contradict(new, old, reason="unklar"),
    "update": lambda memory, new, _old: memory.update(new, "T", "90 s", reason="neu"),
}


def kinds(entry) -> list[str]:
    return [one.kind for one in entry.integration.findings]


def count(memory) -> int:
    return len(list(memory.entries(limit=None)))


def test_what_leaves_nothing_to_decide_is_active_at_once(memory):
    filed = memory.remember(*TIMEOUT, **SESSION)
    assert (filed.status, filed.integration.status) == ("active", "active")
    assert not filed.integration.caveats
    assert memory.get(filed.id).source.session == "s-1"


def test_a_person_is_never_checked(memory):
    memory.remember(*TIMEOUT)
    said = memory.remember(*LONGER)
    assert (said.status, said.integration) == ("active", None)


def test_a_contradiction_waits_for_a_decision_and_shows_its_evidence(memory):
    old = memory.remember(*TIMEOUT)
    filed = memory.remember(*LONGER, **SESSION)
    assert filed.status == filed.integration.status == "acquired"
    [found] = [one for one in filed.integration.findings if one.kind == "contradiction"]
    assert found.entries == (old.id,)
    assert [(d.aspect, d.filed, d.known) for d in found.differences] == [("number", "60 s", "30 s")]
    assert found.message in filed.integration.caveats
    assert "60 s" in found.message
    assert old.id in found.message


def test_a_near_duplicate_waits_for_a_decision(memory):
    memory.remember("Timeout von Dienst A", "Der Timeout von Dienst A beträgt derzeit 30 s brutto.")
    filed = memory.remember(*TIMEOUT, external_id="mein-name", **SESSION)
    assert "duplicate" in kinds(filed)
    assert filed.status == "acquired"


def test_a_contradiction_deletes_nothing(memory):
    old = memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    assert {one.id for one in memory.entries(limit=None)} == {old.id, new.id}
    assert memory.get(old.id).valid_to is None
    assert memory.get(old.id).relations == memory.get(new.id).relations == ()


@pytest.mark.parametrize("times", [2, 3])
def test_the_same_said_again_is_kept_once(memory, clock, times):
    first = memory.remember(*TIMEOUT, **SESSION)
    for _ in range(times):
        clock.days(1)
        again = memory.remember(*TIMEOUT, **SESSION)
        assert (again.id, again.unchanged, again.integration.status) == (first.id, True, "echo")
    assert count(memory) == 1
    assert len(memory.history(first.id).versions) == 1


def test_new_facts_retire_no_others(memory, clock):
    said = [
        *(TIMEOUT, LONGER, ("Sitz der ACME", "Detmold"), ("Sitz der ACME", "Lemgo")),
        *(("Kaffee von Anna", "mit Milch"), ("Kaffee von Anna", "ohne Milch"), ("Urlaub", "Juli")),
    ]
    ids = set()
    for title, content in said:
        clock.days(1)
        ids.add(memory.remember(title, content, **SESSION).id)
    held = list(memory.entries(limit=None))
    assert {one.id for one in held} == ids
    assert len(ids) == len(said)
    assert {one.valid_to for one in held} == {None}
    assert {one.status for one in held} <= {"active", "acquired"}


def test_what_was_retracted_or_archived_is_no_candidate(memory):
    first, second = memory.remember(*TIMEOUT), memory.remember("Timeout von Dienst A", "45 s")
    memory.retract(first.id, reason="falsch")
    memory.archive(second.id, reason="alt")
    filed = memory.remember(*LONGER, **SESSION)
    assert (filed.status, filed.integration.findings) == ("active", ())


def test_disjoint_periods_of_a_fact_stay_two(memory):
    first = memory.remember(*TIMEOUT, valid_from="2020-01-01", valid_to="2022-01-01", **SESSION)
    second = memory.remember(*TIMEOUT, valid_from="2024-01-01", valid_to="2025-01-01", **SESSION)
    other = memory.remember(*LONGER, valid_from="2022-01-01", valid_to="2024-01-01", **SESSION)
    assert len({first.id, second.id, other.id}) == 3
    assert [one.status for one in (first, second, other)] == ["active"] * 3
    assert [one.integration.caveats for one in (second, other)] == [(), ()]


@pytest.mark.parametrize("how", DECIDING)
def test_an_operation_that_names_it_decides(memory, clock, how):
    old = memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    clock.days(1)
    DECIDING[how](memory, new.id, old.id)
    assert memory.get(new.id).status != "acquired"
    before = memory.get(new.id, known_at="2026-01-01T12:00:00Z", as_of="2026-01-01T12:00:00Z")
    assert before.status == "acquired"
    assert before.generation == new.generation


def test_a_resolution_decides_both(memory):
    old = memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    memory.contradict(new.id, old.id, reason="beides geht nicht")
    memory.resolve(new.id, old.id, keep="both", reason="zwei Umgebungen")
    assert {memory.get(one.id).status for one in (old, new)} == {"active"}


def test_pinning_and_listing_decide_nothing(memory):
    memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    memory.pin(new.id)
    memory.relate(memory.remember("A", "b").id, "related_to", memory.remember("C", "d").id)
    assert memory.get(new.id).status == "acquired"


def test_a_decision_that_is_taken_back_is_to_be_made_again(memory):
    old = memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    made = memory.relate(new.id, "related_to", old.id)
    memory.revert(made.transaction, reason="doch nicht")
    assert memory.get(new.id).status == "acquired"


def test_retracted_and_archived_leave_nothing_to_decide(memory):
    memory.remember(*TIMEOUT)
    first = memory.remember(*LONGER, **SESSION)
    memory.retract(first.id, reason="nein")
    assert first.id not in {one.id for one in memory.entries(limit=None)}
    second = memory.remember(*LONGER, insist=True, **SESSION)
    assert memory.archive(second.id, reason="alt").status == "archived"


def test_the_commands_that_decide_run_as_they_are_printed(memory):
    old = memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    commands = [one for found in new.integration.findings for one in found.commands]
    assert len(commands) >= 3
    for command in commands:
        program, op, *words = shlex.split(command)
        assert program == "damals"
        assert op in ("verify", "retract", "relate", "contradict", "correct")
        assert new.id in words
    assert any(old.id in command for command in commands)


def test_relations_are_proposed_and_never_made(memory):
    base = memory.remember("Dienst A spricht GET", "Dienst A unterstützt GET-Anfragen.")
    text = "Ergänzt Dienst A spricht GET: auch POST."
    filed = memory.remember("Neue Fähigkeit", text, **SESSION)
    found = [one for one in filed.integration.findings if one.kind == "relation"]
    assert [(one.relation, one.entries) for one in found] == [("extends", (base.id,))]
    assert all(0 < one.confidence <= 1 for one in found)
    assert memory.get(filed.id).relations == ()
    assert filed.status == "active"


@pytest.mark.parametrize(
    ("text", "given", "waits"),
    [
        ("Das Büro sitzt ab 01.06.2026 in Detmold.", {}, True),
        ("Das Büro sitzt ab 01.06.2026 in Detmold.", {"valid_from": "2026-06-01"}, False),
        ("Das Angebot gilt bis 31.12.2026.", {}, True),
        ("Das Angebot gilt bis 31.12.2026.", {"valid_to": "2027-01-01"}, False),
        ("Gestern ist das Büro umgezogen.", {}, True),
        ("The office moved yesterday.", {}, True),
        ("The offer is valid until 2026-12-31.", {}, True),
        ("Das Büro sitzt in Detmold.", {"valid_from": "2024-09~"}, True),
        ("Das Büro sitzt in Detmold.", {}, False),
        ("Die Sitzung dauert 2 Stunden.", {}, False),
        ("Am Montag zieht das Büro um.", {}, True),
        ("Jeden Montag um 9 Uhr ist Besprechung.", {}, False),
        ("Every Monday the office is closed.", {}, False),
        ("The office is closed on Sundays.", {}, False),
    ],
)
def test_a_time_that_nobody_made_sure_waits_for_a_decision(memory, text, given, waits):
    filed = memory.remember("Büro Nord", text, **given, **SESSION)
    assert (filed.status == "acquired") is waits
    assert ("uncertain_date" in kinds(filed)) is waits


def test_a_time_is_never_guessed(memory):
    filed = memory.remember("Büro", "Ab 01.06.2026 sitzt es in Detmold.", **SESSION)
    assert filed.valid_from.startswith("2026-01-01")
    [found] = filed.integration.findings
    assert "--valid-from 01.06.2026" in found.commands[0]


def test_what_a_filing_says_itself_how_it_stands_to_is_decided(memory):
    old = memory.remember(*TIMEOUT)
    said = [{"type": "related_to", "dst": old.id}]
    filed = memory.remember(*LONGER, relations=said, **SESSION)
    assert filed.status == "active"


def test_an_update_is_no_contradiction_of_what_it_takes_over_from(memory):
    old = memory.remember(*TIMEOUT)
    filed = memory.update(old.id, *LONGER, reason="umgestellt", **SESSION)
    assert (filed.status, filed.integration.status) == ("active", "active")
    assert memory.get(old.id).status == "superseded"


def test_an_update_with_the_very_text_of_its_target_is_an_echo(memory):
    old = memory.remember(*TIMEOUT)
    filed = memory.update(old.id, *TIMEOUT, reason="noch einmal", **SESSION)
    assert (filed.id, filed.unchanged, filed.integration.status) == (old.id, True, "echo")


def test_what_is_filed_together_is_compared_with_each_other(memory):
    with memory.transaction("zusammen") as together:
        together.remember(*TIMEOUT, **SESSION)
        second = together.remember(*LONGER, **SESSION)
        third = together.remember(*TIMEOUT, **SESSION)
    assert second.status == "acquired"
    assert third.unchanged
    assert count(memory) == 2


def test_of_many_that_are_filed_together_each_finds_its_own(memory):
    def texts(seconds: int) -> list[dict[str, object]]:
        return [
            {"op": "remember", "title": f"Timeout von Dienst {n}", **SESSION,
             "content": f"Der Timeout von Dienst {n} beträgt {seconds} s."}
            for n in range(100, 100 + MOST_FILINGS // 2)
        ]  # fmt: skip

    done = memory.transact([*texts(30), *texts(60)], reason="zusammen")
    first, second = done.results[: MOST_FILINGS // 2], done.results[MOST_FILINGS // 2 :]
    assert {one["integration"]["status"] for one in first} == {"active"}
    found = [
        [
            one["entries"]
            for one in told["integration"]["findings"]
            if one["kind"] == "contradiction"
        ]
        for told in second
    ]
    assert found == [[[one["entry"]["id"]]] for one in first]


@pytest.mark.parametrize("inside", [True, False], ids=["one by one", "at once"])
def test_so_many_are_filed_in_a_transaction_and_no_more(memory, inside):
    said = [f"Notiz {n}" for n in range(MOST_FILINGS + 1)]
    with pytest.raises(InvalidInput) as refused:
        if inside:
            with memory.transaction() as together:
                for title in said:
                    together.remember(title, title, insist=True, **SESSION)
        else:
            memory.transact([{"op": "remember", "title": one, **SESSION} for one in said])
    assert (refused.value.key, refused.value.values) == ("accretion.too_many", {"most": 200})
    assert count(memory) == 0
    memory.transact([{"op": "remember", "title": one} for one in said])
    assert count(memory) == len(said), "people may say as much as they like"


def test_several_operations_are_checked_as_one_is(memory):
    file = {"op": "remember", **SESSION}
    operations = [
        {**file, "title": TIMEOUT[0], "content": TIMEOUT[1]},
        {**file, "title": LONGER[0], "content": LONGER[1]},
        {**file, "title": "Notiz", "content": TIMEOUT[1]},
    ]
    done = memory.transact(operations, reason="zusammen")
    statuses = [one["integration"]["status"] for one in done.results]
    assert statuses == ["active", "acquired", "echo"]
    assert count(memory) == 2


def test_an_export_brings_back_what_waits(memory, clock, tmp_path):
    memory.remember(*TIMEOUT)
    new = memory.remember(*LONGER, **SESSION)
    memory.export(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    said = [one for line in lines for one in json.loads(line)["ops"]]
    assert [one.get("acquired", False) for one in said] == [False, True]
    clock.days(1)
    with in_memory(clock) as other:
        other.import_(tmp_path / "all.jsonl", source="events")
        assert other.get(new.id).status == "acquired"
        assert other.get(new.id).source.session == "s-1"


def test_what_is_insisted_on_is_logged_as_anything_else(memory):
    memory.remember(*TIMEOUT)
    memory.remember("Notiz", TIMEOUT[1], insist=True, **SESSION)
    told = str(memory.log().to_dict())
    assert "insist" not in told


def test_insisting_takes_true_or_false_only(memory):
    memory.remember(*TIMEOUT)
    with pytest.raises(DamalsError) as refused:
        memory.remember(*TIMEOUT, insist="vielleicht", **SESSION)
    assert refused.value.key == "field.flag"
