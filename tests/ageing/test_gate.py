"""The research gate: it flags what was looked up long ago, and what is built on it says so."""

import json
import os
import shlex
import subprocess
import sys

import pytest
from ageing_home import Time, home, titles

from damals import messages
from damals.api import Damals
from damals.app.building import MAX_STEPS
from damals.domain.access import OWNER, Principal
from damals.domain.instants import to_datetime
from damals.errors import Denied, InvalidInput, NotFound

CAVEAT = "Built on unverified research from 2024-01-01 — verify before acting."
LOW = (
    "This research is {days} days old (domain half-life: {half_life} days). "
    "Findings may be outdated."
)
MEDIUM = "This research is significantly past its domain half-life. Verify before building on it."


@pytest.fixture
def limits(memory: Damals) -> Damals:
    """Research of an API, of the first day."""
    memory.remember("limits", "Stille", domain="ai_ml", retrieved_at="2024-01-01", external_id="a")
    return memory


# --- flags


@pytest.mark.parametrize(
    ("domain", "half_life"), [("ai_ml", 90), ("security", 30), ("cloud", 180), ("frameworks", 180)]
)
def test_each_domain_of_the_table_is_flagged_on_its_days(
    memory: Damals, time: Time, domain: str, half_life: int
):
    memory.remember("x", domain=domain, retrieved_at="2024-01-01", external_id="a")
    time.days(half_life - 1)
    assert memory.gate("a").findings == ()
    time.days(1)
    [flagged] = memory.gate("a").findings
    assert (flagged.severity, flagged.ratio, flagged.age_days) == ("LOW", 1.0, half_life)
    assert flagged.message == LOW.format(days=half_life, half_life=half_life)
    time.days(half_life)
    [flagged] = memory.gate("a").findings
    assert (flagged.severity, flagged.ratio) == ("LOW", 2.0)
    assert flagged.message == LOW.format(days=2 * half_life, half_life=half_life)
    time.days(1)
    [flagged] = memory.gate("a").findings
    assert (flagged.severity, flagged.message) == ("MEDIUM", MEDIUM)


@pytest.mark.parametrize("domain", ["architecture", "foundations", "mathematics", "proofs"])
def test_stable_knowledge_skips_the_gate(memory: Damals, time: Time, domain: str):
    memory.remember("x", domain=domain, retrieved_at="1990-01-01", external_id="a")
    time.days(10_000)
    report = memory.gate("a")
    assert (report.findings, report.checked, report.skipped) == ((), 1, 1)


def test_planning_artefacts_have_a_gate_of_their_own(memory: Damals, time: Time):
    for name in ("vision", "roadmap", "other"):
        source = {"kind": "vault", "name": "v", "path": f"wiki/{name}.md"}
        memory.remember(name, type="wiki", source=source)
    time.days(1000)
    assert [one.title for one in memory.gate().findings] == ["other"]


@pytest.mark.parametrize(
    ("said", "origin", "account"),
    [
        ({"retrieved_at": "2023-02-01", "content": "as of 2022-01-01"}, "retrieved_at",
         "age from its date of retrieval, 2023-02-01"),
        ({"content": "Limits as of 2022-01-05", "created": "2021-01-01"}, "content",
         "age estimated from “2022-01-05” in its text, 2022-01-05"),
        ({"content": "GPT-4 reads 8k tokens"}, "content",
         "age estimated from “GPT-4” in its text, 2023-03-14"),
        ({"created": "2021-06-01"}, "created",
         "age from the date its source says it was made, 2021-06-01"),
        ({"valid_from": "2020-05-01"}, "valid_from",
         "age from the start of its validity, 2020-05-01"),
        ({"valid_from": None}, "recorded", "age from the day it was recorded, 2024-01-01"),
    ],
)  # fmt: skip
def test_a_finding_says_by_which_account_it_counts(
    memory: Damals, time: Time, said: dict, origin: str, account: str
):
    memory.remember("x", external_id="a", domain="ai_ml", **said)
    time.days(200)
    [flagged] = memory.gate("a").findings
    assert (flagged.origin, flagged.account) == (origin, account)


def test_without_names_everything_that_holds_is_looked_at(limits: Damals, time: Time):
    limits.remember("gone", domain="security", valid_to="2024-02-01")
    limits.remember("archived", domain="security", external_id="z")
    limits.archive("z", reason="enough")
    limits.remember("new", domain="cloud", retrieved_at="2024-01-01")
    limits.remember("security", domain="security", retrieved_at="2024-01-01")
    time.days(100)
    report = limits.gate()
    assert titles(report.findings) == ["security", "limits"], "the stalest first"
    assert report.checked == 3


def test_what_a_query_finds_is_looked_at(limits: Damals, time: Time):
    limits.remember("other", "Lärm", domain="security", retrieved_at="2024-01-01")
    time.days(100)
    assert titles(limits.gate(query="Stille").findings) == ["limits"]
    assert limits.gate(query="Gewitter").findings == ()
    assert limits.gate(query="Stille", as_of="2024-01-02").findings == ()


def test_several_entries_are_looked_at_each_once(limits: Damals, time: Time):
    time.days(100)
    entry = limits.get("a")
    assert limits.gate(["a", entry.id]).checked == 1


def test_what_cannot_be_asked_is_refused(limits: Damals):
    for asked, key in (
        ({"ids": "a", "query": "Stille"}, "gate.which"),
        ({"accept": True}, "gate.nothing"),
        ({"ids": "a", "accept": True, "as_of": "2024-01-01"}, "gate.past"),
    ):
        with pytest.raises(InvalidInput) as refused:
            limits.gate(**asked)
        assert refused.value.key == key
    with pytest.raises(NotFound):
        limits.gate("never heard of")


def test_the_repair_is_a_command_that_resolves_the_finding(limits: Damals, time: Time):
    time.days(100)
    [flagged] = limits.gate("a").findings
    entry = limits.get("a").id
    assert flagged.repair == f"damals correct {entry} --retrieved-at now --reason 'looked up again'"
    limits.correct(entry, retrieved_at="now", reason="looked up again")
    assert limits.gate("a").findings == ()


def test_a_command_names_the_workspace_that_it_is_about(limits: Damals, time: Time):
    limits.create_workspace("b")
    other = limits.under(OWNER, workspace="b")
    entry = other.remember("x", domain="ai_ml", retrieved_at="2024-01-01")
    time.days(100)
    [there], [here] = other.gate().findings, limits.gate().findings
    reason = ["--retrieved-at", "now", "--reason", "looked up again"]
    words = ["damals", "correct", entry.id, *reason, "--workspace", "b"]
    assert shlex.split(there.repair) == words
    assert "--workspace" not in here.repair


def test_a_date_counts_up_to_when_its_text_was_recorded(memory: Damals, time: Time):
    memory.remember("limits", "Stand 2023-11-01", domain="ai_ml", external_id="a")
    time.to("2024-06-01")
    memory.correct("a", content="Stand 2024-06-01, gültig bis 2025-01-01", reason="r")
    time.to("2025-03-01")
    [flagged] = memory.gate("a").findings
    assert (flagged.origin, flagged.since) == ("content", "2024-06-01T00:00:00.000000Z")
    assert memory.gate().findings == (flagged,), "also among everything"
    [then] = memory.gate("a", known_at="2024-05-01").findings
    assert then.since == "2023-11-01T00:00:00.000000Z"
    memory.gate("a", accept=True)
    [caveat] = memory.get("a").caveats
    assert "2024-06-01" in caveat


def test_so_many_findings_are_told_and_all_are_counted(limits: Damals, time: Time):
    limits.remember("older", domain="ai_ml", retrieved_at="2023-06-01", external_id="b")
    time.days(100)
    report = limits.gate(limit=1)
    assert (titles(report.findings), report.flagged, report.checked) == (["older"], 2, 2)
    assert len(limits.gate(limit=None).findings) == 2
    with pytest.raises(InvalidInput):
        limits.gate(limit=0)
    assert len(limits.gate(["a", "b"], accept=True, limit=1).accepted) == 2, "told in full"


# --- acceptance


def test_an_acceptance_is_recorded_once_and_told_until_a_verification(limits: Damals, time: Time):
    time.days(100)
    report = limits.gate("a", accept=True, reason="a prototype")
    entry = limits.get("a")
    assert report.accepted == (entry.id,)
    assert report.findings[0].accepted
    assert entry.transaction == report.transaction
    assert entry.generation == 1, "what it says is the same"
    assert entry.caveats == (CAVEAT,)
    assert limits.history("a").versions[-1].operation == "accept"
    assert limits.history("a").versions[-1].reason == "a prototype"
    assert limits.gate("a", accept=True).accepted == (), "it stands"
    time.days(1)
    limits.verify("a")
    assert limits.get("a").caveats is None
    assert not limits.gate("a").findings[0].accepted
    time.days(1)
    assert limits.gate("a", accept=True).accepted == (entry.id,), "for another time"
    assert limits.get("a").caveats == (CAVEAT,)


def test_what_was_looked_up_again_is_built_on_new_research(limits: Damals, time: Time):
    limits.remember("built", external_id="b", relations=[{"type": "based_on", "dst": "a"}])
    time.days(100)
    limits.gate("a", accept=True)
    time.days(1)
    limits.correct("a", importance=5, reason="it matters")
    assert limits.get("a").caveats == limits.get("b").caveats == (CAVEAT,), "the same research"
    accepted = time.now
    time.days(1)
    limits.correct("a", retrieved_at="now", reason="looked up again")
    assert limits.gate("a").findings == ()
    assert limits.get("a").caveats is limits.get("b").caveats is None
    assert limits.get("a", known_at=to_datetime(accepted)).caveats == (CAVEAT,)
    time.days(100)
    assert limits.gate("a", accept=True).accepted == (limits.get("a").id,), "for another time"
    assert limits.audit().ok


def test_nothing_is_accepted_that_is_not_flagged(limits: Damals):
    report = limits.gate("a", accept=True)
    assert (report.accepted, report.transaction) == ((), None)
    assert limits.get("a").transaction == 1


def test_the_caveat_travels_with_every_answer_that_uses_it(limits: Damals, time: Time):
    time.days(100)
    limits.correct("a", content="Das Rate Limit liegt bei 100 Anfragen in der Minute.", reason="r")
    limits.gate("a", accept=True)
    [hit] = limits.recall("Rate Limit", explain=True).results
    assert hit.caveats[-1] == CAVEAT
    assert hit.explanation.caveats == hit.caveats
    answer = limits.ask("Wie hoch ist das Rate Limit?")
    assert not answer.abstained
    assert CAVEAT in answer.caveats
    assert limits.get("a").caveats == (CAVEAT,)
    receipt = limits.recall("Rate Limit").receipt
    time.days(1)
    limits.verify("a")
    assert CAVEAT in limits.replay(receipt).results[0].caveats, "as it was told"
    assert CAVEAT not in limits.recall("Rate Limit").results[0].caveats


@pytest.mark.parametrize(
    ("relation", "forward"),
    [
        ("extends", True), ("based_on", True), ("supported_by", True), ("follows_from", True),
        ("depends_on", True), ("translation_of", True), ("basis_of", False),
        ("evidence_for", False), ("leads_to", False), ("required_by", False),
        ("translated_as", False),
    ],
)  # fmt: skip
def test_what_is_built_on_it_says_so_too(limits: Damals, time: Time, relation: str, forward: bool):
    limits.remember("built", "Ruhe", external_id="b", type="journal")
    time.days(100)
    limits.gate("a", accept=True)
    assert limits.get("b").caveats is None
    limits.relate(*(("b", relation, "a") if forward else ("a", relation, "b")))
    assert limits.get("b").caveats == (CAVEAT,)
    [hit] = limits.recall("Ruhe").results
    assert hit.caveats == (CAVEAT,)


@pytest.mark.parametrize("relation", ["related_to", "links_to", "part_of", "example_of"])
def test_what_is_only_near_does_not(limits: Damals, time: Time, relation: str):
    limits.remember("near", external_id="b")
    limits.relate("b", relation, "a")
    time.days(100)
    limits.gate("a", accept=True)
    assert limits.get("b").caveats is None


def test_it_is_told_along_chains_and_round_circles(limits: Damals, time: Time):
    before = "a"
    for number in range(MAX_STEPS + 1):
        limits.remember(f"{number}", external_id=f"n{number}", type="journal")
        limits.relate(f"n{number}", "based_on", before)
        before = f"n{number}"
    limits.relate("a", "depends_on", "n1")
    time.days(100)
    limits.gate("a", accept=True)
    told = [limits.get(f"n{number}").caveats for number in range(MAX_STEPS + 1)]
    assert told == [(CAVEAT,)] * MAX_STEPS + [None]


def test_a_verification_of_what_is_built_on_it_lifts_it_there(limits: Damals, time: Time):
    limits.remember("built", external_id="b", relations=[{"type": "based_on", "dst": "a"}])
    limits.remember("above", external_id="c", relations=[{"type": "extends", "dst": "b"}])
    time.days(100)
    limits.verify("b")
    time.days(1)
    limits.gate("a", accept=True)
    assert limits.get("b").caveats == (CAVEAT,), "it was verified before"
    time.days(1)
    limits.verify("b")
    assert limits.get("b").caveats is None
    assert limits.get("c").caveats is None
    assert limits.get("a").caveats == (CAVEAT,)


def test_it_is_told_as_of_what_was_known(limits: Damals, time: Time):
    time.days(100)
    limits.gate("a", accept=True)
    assert limits.get("a", as_of="2024-02-01").caveats is None
    assert limits.get("a", known_at="2024-02-01").caveats is None


def test_whoever_may_not_see_the_base_is_told_nothing_of_it(limits: Damals, time: Time):
    limits.correct("a", visibility="restricted", reason="not for all")
    limits.remember("built", external_id="b", visibility="public", type="journal",
                    relations=[{"type": "based_on", "dst": "a"}])  # fmt: skip
    time.days(100)
    limits.gate("a", accept=True)
    guest = limits.under(Principal("bot"))
    assert limits.get("b").caveats == (CAVEAT,)
    assert guest.get("b").caveats is None
    assert guest.gate().findings == ()
    with pytest.raises(Denied):
        guest.gate("b", accept=True)


def test_an_acceptance_can_be_taken_back(limits: Damals, time: Time):
    time.days(100)
    done = limits.gate("a", accept=True)
    time.days(1)
    limits.revert(done.transaction, reason="no")
    assert limits.get("a").caveats is None


def test_it_is_exported_and_imported(limits: Damals, time: Time, tmp_path):
    time.days(100)
    limits.gate("a", accept=True, reason="a prototype")
    limits.export(tmp_path / "all.jsonl")
    with home(time) as other:
        other.import_(tmp_path / "all.jsonl", source="events")
        assert other.get("a").caveats == (CAVEAT,)
        assert other.history("a").versions[-1].reason == "a prototype"
    assert limits.audit().ok


def test_every_text_is_there_in_german(limits: Damals, time: Time):
    time.days(100)
    with messages.speaking("de"):
        [low] = limits.gate("a", accept=True).findings
        assert low.message.startswith("Diese Recherche ist 100 Tage alt")
        assert low.account == "Alter ab dem Tag des Abrufs, 2024-01-01"
        assert limits.get("a").caveats == (
            "Beruht auf ungeprüfter Recherche vom 2024-01-01 – vor dem Handeln prüfen.",
        )
        time.days(100)
        [medium] = limits.gate("a").findings
        assert "weit hinter der Halbwertszeit" in medium.message


# --- command line


def test_the_command_prints_findings_with_commands_that_run(tmp_path):
    def damals(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "damals", "--home", str(tmp_path / "h"), *words],
            capture_output=True, text=True, check=True,
            env={**os.environ, "DAMALS_EMBEDDER": "none"},
        )  # fmt: skip
        return done.stdout

    damals("remember", "--title", "limits", "--domain", "ai_ml", "--retrieved-at", "2020-01-01",
           "--external-id", "a")  # fmt: skip
    shown = damals("gate", "a", "--lang", "en")
    assert "MEDIUM" in shown
    assert MEDIUM in shown
    told = json.loads(damals("gate", "--accept", "a", "--json", "--lang", "en"))
    assert [one["severity"] for one in told["findings"]] == ["MEDIUM"]
    assert len(told["accepted"]) == 1
    entry = json.loads(damals("show", "a", "--json", "--lang", "en"))
    assert len(entry["caveats"]) == 1
    assert "caveats" not in entry["entry"], "it is told once, beside the entry"
    assert "Built on unverified research from 2020-01-01" in damals("show", "a", "--lang", "en")
    again = shlex.split(told["findings"][0]["repair"])[1:]
    assert again.count("--home") == 1
    damals(*again)
    assert json.loads(damals("gate", "a", "--json"))["findings"] == []
    assert "caveats" not in json.loads(damals("show", "a", "--json"))
