"""Relations between entries: the four types with an effect, contradictions, and all others."""

import json

import pytest
from asked_memory import listed, refused, transactions

from damals import Damals
from damals.bootstrap import init_home


@pytest.fixture(autouse=True)
def _words_alone(monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")


@pytest.fixture
def memory(tmp_path):
    init_home(tmp_path / "home", timezone="UTC")
    with Damals.open(tmp_path / "home") as opened:
        for name, start in (("Old", "2020-01-01"), ("New", "2024-01-01"), ("Third", "2022-01-01")):
            opened.remember(name, name.lower(), external_id=name, valid_from=start)
        yield opened


def related(memory: Damals, name: str, **pair) -> list[tuple[str, str, str | None]]:
    """Type, direction and title of the other end of every relation of an entry."""
    return [(r.type, r.direction, r.title) for r in memory.get(name, **pair).relations]


# --- the four types


def test_extends_leaves_both_as_they_are(memory):
    memory.relate("New", "extends", "Old")
    assert listed(memory) == ["New", "Old", "Third"]
    assert related(memory, "Old") == [("extends", "in", "New")]


@pytest.mark.parametrize("relation", ["supersedes", "revises"])
def test_supersedes_and_revises_cut_the_other_where_the_new_one_holds(memory, relation):
    told = memory.relate("New", relation, "Old")
    assert [(e.external_id, e.valid_to) for e in told.entries] == [("Old", "2024-01-01")]
    assert listed(memory, "2023-12-31") == ["Old", "Third"]
    assert listed(memory, "2024-01-01") == ["New", "Third"]
    assert memory.get("Old").status == "superseded"
    assert memory.get("Old", as_of="2023-12-31").status == "active"
    assert related(memory, "Old")[0] == (relation, "in", "New")
    before = memory.get("New").created_at
    assert listed(memory, "2025-01-01", before) == ["New", "Old"]


def test_taking_a_cut_back_gives_back_what_it_took(memory):
    memory.relate("New", "supersedes", "Old")
    told = memory.unrelate("New", "supersedes", "Old", reason="Irrtum")
    assert [(e.external_id, e.valid_to) for e in told.entries] == [("Old", None)]
    assert listed(memory) == ["New", "Old", "Third"]
    assert memory.get("Old").status == "active"
    assert memory.get("New").relations == ()


def test_a_new_entry_that_declares_a_cut_cuts_too(memory):
    relation = {"type": "Supersedes", "dst": "Old"}
    memory.remember("Newest", external_id="Newest", valid_from="2025-01-01", relations=[relation])
    assert memory.get("Old").valid_to == "2025-01-01"


def test_an_entry_whose_start_is_unknown_takes_over_from_now_on(memory):
    memory.remember("Vague", external_id="Vague", valid_from=None)
    told = memory.relate("Vague", "supersedes", "Old")
    assert told.entries[0].valid_to == told.entries[0].updated_at


def test_what_a_cut_takes_is_when_its_relation_holds(memory):
    memory.end("New", "2025-01-01", reason="r")
    relation = memory.relate("New", "supersedes", "Old").relation
    assert (relation.valid_from, relation.valid_to) == ("2024-01-01", "2025-01-01")
    assert listed(memory, "2025-01-01") == ["Old", "Third"]


# --- contradictions


def test_both_sides_of_a_contradiction_stand_and_name_each_other(memory):
    told = memory.contradict("Old", "New", reason="zwei Anschriften")
    assert (told.relation.resolution, told.relation.symmetric) == ("required", True)
    assert listed(memory) == ["New", "Old", "Third"]
    for one, other in (("Old", "New"), ("New", "Old")):
        [relation] = memory.get(one).relations
        assert (relation.title, relation.resolution) == (other, "required")
        [hit] = [h for h in memory.recall(one.lower()) if h.entry.external_id == one]
        assert hit.contradicts == (memory.get(other).id,)


@pytest.mark.parametrize(("a", "b"), [("Old", "New"), ("New", "Old")])
def test_the_same_contradiction_from_either_side_is_known_already(memory, a, b):
    first = memory.contradict("Old", "New", reason="r")
    for again in (memory.contradict(a, b, reason="r"), memory.relate(a, "contradicts", b)):
        assert (again.unchanged, again.transaction) == (True, None)
        assert again.relation.id == first.relation.id
        assert again.relation.entry_id == memory.get(b).id
    assert transactions(memory) == 4


@pytest.mark.parametrize(("a", "b", "keep"), [("Old", "New", "a"), ("New", "Old", "b")])
def test_the_side_that_is_not_kept_ends_now(memory, a, b, keep):
    memory.contradict("Old", "New", reason="r")
    told = memory.resolve(a, b, keep=keep, reason="Register")
    loser = memory.get("New")
    assert [e.external_id for e in told.entries] == [a, b]
    assert (loser.valid_to, loser.status) == (loser.updated_at, "superseded")
    assert listed(memory) == ["Old", "Third"]
    assert listed(memory, "2025-01-01") == ["New", "Old", "Third"]
    assert {r.type: r.resolution for r in memory.get("Old").relations} == {
        "contradicts": "kept", "supersedes": None,
    }  # fmt: skip
    assert {r.type: r.resolution for r in loser.relations} == {
        "contradicts": "ended", "supersedes": None,
    }  # fmt: skip
    assert all(hit.contradicts == () for hit in memory.recall("old"))


def test_with_both_kept_nothing_ends(memory):
    memory.contradict("Old", "New", reason="r")
    before = memory.get("Old").updated_at
    told = memory.resolve("Old", "New", keep="both", reason="Sitz und Filiale")
    assert [e.valid_to for e in told.entries] == [None, None]
    [relation] = memory.get("New").relations
    assert relation.resolution == "both"
    [earlier] = memory.get("New", known_at=before).relations
    assert earlier.resolution == "required"


def test_a_contradiction_is_decided_once(memory):
    memory.contradict("Old", "New", reason="r")
    decided = memory.resolve("Old", "New", keep="a", reason="r")
    for again in (
        memory.resolve("Old", "New", keep="a", reason="r"),
        memory.resolve("New", "Old", keep="b", reason="r"),
    ):
        assert (again.unchanged, again.transaction) == (True, None)
    otherwise = refused(memory.resolve, "Old", "New", keep="b", reason="r")
    assert otherwise == (4, "contradiction.resolved")
    memory.revert(decided.transaction, reason="r")
    assert memory.resolve("Old", "New", keep="b", reason="r").transaction is not None
    assert listed(memory) == ["New", "Third"]


def test_an_archived_side_cannot_be_ended_and_can_be_kept(memory):
    memory.contradict("Old", "New", reason="r")
    memory.archive("Old", reason="r")
    ended = refused(memory.resolve, "Old", "New", keep="b", reason="r")
    assert ended == (4, "entry.archived")
    memory.resolve("Old", "New", keep="a", reason="r")


# --- all types


def test_a_relation_is_one_row_with_confidence_evidence_and_bounds(memory):
    [hit] = memory.recall("old", limit=1).results
    chunk = hit.chunk.id
    told = memory.relate(
        "New", "based_on", "Old", confidence=0.5, evidence=[chunk],
        valid_from="2024-03", valid_to="2025-01-01", reason="r",
    )  # fmt: skip
    relation = told.relation
    assert (relation.src_id, relation.dst_id) == (memory.get("New").id, memory.get("Old").id)
    assert (relation.confidence, relation.evidence) == (0.5, (chunk,))
    assert (relation.valid_from, relation.valid_to) == ("2024-03", "2025-01-01")
    assert relation.bounds.from_.latest == "2024-04-01T00:00:00.000000Z"
    held = {"2024-02-29": [], "2024-03-15": ["based_on"], "2025-01-01": []}
    for as_of, types in held.items():
        assert [r.type for r in memory.get("New", as_of=as_of).relations] == types


def test_a_relation_is_known_from_its_transaction_to_the_one_that_takes_it_back(memory):
    memory.relate("New", "extends", "Old")
    memory.unrelate("New", "extends", "Old")
    instants = [stored.recorded_at for stored in memory.log().transactions]
    known = [[r.type for r in memory.get("New", known_at=at).relations] for at in instants[2:]]
    assert known == [[], ["extends"], []]


def test_saying_a_relation_again_is_known_already_and_with_other_values_replaces_it(memory):
    first = memory.relate("New", "part_of", "Old", confidence=0.5)
    assert memory.relate("New", "part_of", "Old", confidence=0.5).unchanged
    second = memory.relate("New", "part_of", "Old", confidence=0.9)
    assert second.relation.id == first.relation.id
    assert [r.confidence for r in memory.get("New").relations] == [0.9]


@pytest.mark.parametrize("written", ["part_of", "Part of", "PART-OF", " part_of "])
def test_the_type_of_a_relation_may_be_written_in_many_ways(memory, written):
    assert memory.relate("New", written, "Old").relation.type == "part_of"
    assert memory.unrelate("New", written, "Old").relation.type == "part_of"


def test_a_symmetric_type_says_the_same_of_both_ends(memory):
    assert memory.relate("New", "related_to", "Old").relation.symmetric
    assert not memory.relate("New", "part_of", "Old").relation.symmetric


def test_a_home_may_declare_types_of_its_own(tmp_path, memory):
    said = ("New", "replaces_in_part", "Old")
    assert refused(memory.relate, *said) == (2, "relation.unknown_type")
    types = tmp_path / "home" / ".damals" / "types.yaml"
    types.parent.mkdir()
    types.write_text("relations:\n  replaces_in_part: {symmetric: true}\n", encoding="utf-8")
    assert memory.relate(*said).relation.symmetric


# --- refusals


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda m: m.relate("New", "partof", "Old"), (2, "relation.unknown_type")),
        (lambda m: m.relate("New", "", "Old"), (2, "operation.missing")),
        (lambda m: m.relate("New", "extends", ""), (2, "operation.missing")),
        (lambda m: m.relate("New", "extends", "New"), (2, "relation.to_itself")),
        (lambda m: m.relate("New", "supersedes", "New"), (2, "relation.to_itself")),
        (lambda m: m.contradict("New", "New", reason="r"), (2, "relation.to_itself")),
        (lambda m: m.relate("New", "extends", "nobody"), (3, "entry.unknown")),
        (lambda m: m.relate("nobody", "extends", "New"), (3, "entry.unknown")),
        (lambda m: m.contradict("New", "nobody", reason="r"), (3, "entry.unknown")),
        (lambda m: m.unrelate("New", "extends", "Old"), (3, "relation.unknown")),
        (lambda m: m.resolve("New", "Old", keep="a", reason="r"), (3, "contradiction.unknown")),
        (lambda m: m.resolve("New", "Old", keep="c", reason="r"), (2, "field.choice")),
        (lambda m: m.relate("New", "extends", "Old", confidence=1.5), (2, "field.range")),
        (lambda m: m.relate("New", "extends", "Old", confidence="viel"), (2, "field.number")),
        (lambda m: m.relate("New", "extends", "Old", evidence=["x"]), (2, "field.id")),
        (lambda m: m.relate("New", "extends", "Old", valid_from="irgendwann"), (2, None)),
        (
            lambda m: m.relate("New", "extends", "Old", valid_from="2025", valid_to="2024"),
            (2, "period.empty"),
        ),
        (
            lambda m: m.relate("New", "supersedes", "Old", valid_from="2025-01-01"),
            (2, "relation.bounds"),
        ),
        (
            lambda m: m.relate("New", "extends", "Old", colour="red"),
            (2, "operation.unknown_parameter"),
        ),
    ],
)
def test_what_no_relation_can_be_is_refused_and_stores_nothing(memory, change, expected):
    code, key = refused(change, memory)
    assert (code, key if expected[1] else None) == expected
    assert transactions(memory) == 3


def test_a_circle_of_cuts_is_refused_however_long(memory):
    memory.relate("New", "supersedes", "Third")
    memory.relate("Third", "revises", "Old")
    for relation in ("supersedes", "revises"):
        for start in ("Old", "Third"):
            assert refused(memory.relate, start, relation, "New") == (4, "relation.cycle")
    memory.relate("Old", "extends", "New")


def test_entries_of_two_workspaces_are_not_related(tmp_path, memory):
    init_home_again(memory, tmp_path)
    with Damals.open(tmp_path / "home", workspace="other") as other:
        theirs = other.remember("Foreign", external_id="Foreign").id
    with Damals.open(tmp_path / "home") as ours:
        for name in (theirs, "Foreign"):
            elsewhere = (2, "relation.elsewhere")
            assert refused(ours.relate, "New", "extends", name) == elsewhere
            assert refused(ours.contradict, "New", name, reason="r") == elsewhere
            assert refused(ours.relate, name, "extends", "New")[0] == 3


def init_home_again(memory: Damals, tmp_path) -> None:
    """Make a second workspace in the home, which nobody may hold meanwhile."""
    memory.close()
    init_home(tmp_path / "home", workspace="other", timezone="UTC")


def test_a_relation_that_a_note_states_is_taken_out_of_the_note(tmp_path, memory):
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("---\nextends: '[[b]]'\n---\n# A\n", encoding="utf-8")
    (vault / "b.md").write_text("# B\n", encoding="utf-8")
    memory.import_(vault)
    ids = {entry.title: entry.id for entry in memory.entries()}
    assert related(memory, ids["A"]) == [("extends", "out", "B")]
    stated = (ids["A"], "extends", ids["B"])
    assert refused(memory.unrelate, *stated) == (4, "relation.declared")


# --- history from elsewhere


def test_a_replayed_history_may_use_relations_that_are_not_known_here(tmp_path):
    events = [
        {"op": "remember", "recorded_at": "2024-01-01T00:00:00Z", "ref": "a", "title": "A"},
        {"op": "remember", "recorded_at": "2024-01-02T00:00:00Z", "ref": "b", "title": "B",
         "relations": [{"type": "unheard_of", "dst": "a"}]},
        {"op": "relate", "recorded_at": "2024-01-03T00:00:00Z", "src": "a", "type": "also_unknown",
         "dst": "b", "confidence": 0.5},
        {"op": "relate", "recorded_at": "2024-01-04T00:00:00Z", "src": "a", "type": "Supersedes",
         "dst": "b"},
    ]  # fmt: skip
    file = tmp_path / "events.jsonl"
    file.write_text("\n".join(json.dumps(event) for event in events), encoding="utf-8")
    init_home(tmp_path / "elsewhere", timezone="UTC")
    with Damals.open(tmp_path / "elsewhere") as other:
        other.import_(file)
        assert {r.type for r in other.get("a").relations} == {
            "unheard_of", "also_unknown", "supersedes",
        }  # fmt: skip
        assert other.get("b").status == "superseded"


def test_relations_and_decisions_survive_an_export(tmp_path, memory):
    memory.relate("New", "Supersedes", "Old", reason="r")
    memory.relate("Third", "related_to", "Old", confidence=0.5)
    memory.contradict("New", "Third", reason="r")
    memory.resolve("New", "Third", keep="both", reason="r")
    memory.unrelate("New", "supersedes", "Old")
    memory.revert(8, reason="doch")
    memory.export(tmp_path / "all.jsonl")
    init_home(tmp_path / "copy", timezone="UTC")
    with Damals.open(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "all.jsonl")
        for instant in (None, *(stored.recorded_at for stored in memory.log().transactions)):
            for as_of in ("2021-06-01", "2023-06-01", "2025-06-01", None):
                pair = {"as_of": as_of, "known_at": instant}
                assert copy.entries(**pair, limit=None) == memory.entries(**pair, limit=None)


def test_what_a_decision_ended_can_still_be_corrected_where_both_were_held_to_be_true(memory):
    memory.remember("A", external_id="a", valid_from="2021-01-01")
    memory.remember("B", external_id="b", valid_from="2020-01-01")
    memory.contradict("a", "b", reason="r")
    memory.resolve("a", "b", keep="a", reason="r")
    assert memory.correct("b", valid_from="2021-06-01", reason="r").valid_from == "2021-06-01"
    assert memory.correct("b", key="k", reason="r").key == "k"
    longer = refused(lambda: memory.correct("b", valid_to=None, reason="r"))
    assert longer == (4, "correct.superseded")
    checked = memory.verify("b")
    assert memory.revert(checked.transaction, reason="r").entries[0].last_verified is None
