"""Nobody learns by an edge that was derived of what they may not see any more.

What is derived is not derived again in these tests before somebody looks.
"""

import json
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.app import deriving
from damals.bootstrap import init_home, open_home
from damals.domain.access import Principal
from damals.domain.deriving import Edge, derived
from damals.domain.mentions import Mention, telling
from damals.domain.overlapping import at_least
from damals.domain.periods import OPEN_END, Bound, BoundKind, Period, exact
from damals.domain.types import DeriveRule, RelationType, TypeCatalogue
from damals.errors import Denied, NotFound

GUEST = Principal("gast", roles=("admin",), visibility="internal")
TODAY = {"as_of": "2024-01-01"}


@pytest.fixture
def chain(memory):
    """Satz is part of Kapitel, Kapitel of Buch, and what follows is recorded."""
    for name in ("Satz", "Kapitel", "Buch"):
        memory.remember(name, external_id=name, valid_from="2020-01-01")
    memory.relate("Satz", "part_of", "Kapitel")
    memory.relate("Kapitel", "part_of", "Buch")
    memory.derive()
    return memory


@pytest.fixture
def known(chain):
    """When the edges had just been derived."""
    return chain.log().transactions[-1].recorded_at


def ways(home, **asked):
    """Everything that may tell of an edge from Satz to Buch, by how it was asked for."""
    ends = {name: home.get(name, **asked).relations for name in ("Satz", "Buch")}
    titles = ("Satz", "Buch")
    around = home.graph("Satz", depth=2, limit=None, **asked)
    ids = {home.get(name).id for name in ("Satz", "Buch")}
    return {
        "get": [r for rows in ends.values() for r in rows if r.derived and r.title in titles],
        "graph": [one for one in around.edges if {one.src_id, one.dst_id} == ids],
        "history": [v for v in home.history("Satz").versions if "Buch" in str(v.to_dict())],
        "log": [op for t in home.log().transactions for op in t.ops if _closes(op)],
    }


def _closes(op):
    return op["op"] == "derive" and op.get("rule") == "closure" and op["parts"]


def found(home, **asked):
    return {name for name, told in ways(home, **asked).items() if told}


LEAVING = {
    "restricted": lambda memory: memory.correct("Kapitel", visibility="restricted", reason="r"),
    "sensitive": lambda memory: memory.correct("Kapitel", sensitivity=3, reason="r"),
    "listed": lambda memory: memory.correct("Kapitel", acl=["wenige"], reason="r"),
}


@pytest.mark.parametrize("leave", LEAVING.values(), ids=LEAVING)
def test_what_becomes_hidden_takes_what_follows_from_it_along_now_and_in_the_past(
    chain, known, leave
):
    guest = chain.under(GUEST)
    assert found(guest) == {"get", "graph", "history", "log"}
    leave(chain)
    for asked in ({}, {"known_at": known, **TODAY}):
        assert found(guest, **asked) == set()
    assert {"get", "graph"} <= found(chain, known_at=known, **TODAY)


def test_what_is_erased_takes_what_follows_from_it_along_for_everybody(chain, known):
    chain.erase("entry", "Kapitel")
    for home in (chain, chain.under(GUEST)):
        for asked in ({}, {"known_at": known, **TODAY}):
            assert not {"get", "graph"} & found(home, **asked)
    assert chain.audit().ok


def test_what_was_only_taken_back_stays_as_visible_as_it_was(chain, known):
    chain.retract("Kapitel", reason="r")
    assert "get" in found(chain.under(GUEST), known_at=known, **TODAY)


def test_a_hidden_edge_neither_moves_its_ends_nor_is_counted(chain):
    chain.correct("Kapitel", visibility="restricted", reason="r")
    guest = chain.under(GUEST)
    assert [guest.get(name).transaction for name in ("Satz", "Buch")] == [1, 3]
    report = guest.derive(dry_run=True)
    assert (report.added, report.ended, report.unchanged) == (0, 0, 0)


def test_it_cannot_be_told_from_what_is_not_there_by_changing_it(chain):
    chain.correct("Kapitel", visibility="restricted", reason="r")
    guest = chain.under(GUEST)
    with pytest.raises(NotFound) as refused:
        guest.unrelate("Satz", "part_of", "Buch")
    assert refused.value.key == "relation.unknown"
    hidden = chain.get("Kapitel").id
    said = {"op": "derive", "src": "Satz", "type": "part_of", "dst": "Buch", "rule": "quote"}
    told = set()
    for name in (hidden, "00000000-0000-4000-8000-000000000001"):
        with pytest.raises(NotFound) as refused:
            guest.transact([said | {"parts": [_part(premises=[name])]}])
        told.add((refused.value.key, str(refused.value.values).replace(name, "")))
    assert len(told) == 1
    with pytest.raises(Denied) as denied:
        guest.transact([said | {"parts": [_part()]}])
    assert denied.value.key == "access.ceiling"


def _part(**more):
    bound = {"kind": "exact", "earliest": "2020-01-01T00:00:00Z", "latest": "2020-01-01T00:00:00Z"}
    return {"from": bound, "to": {"kind": "open"}, **more}


def test_what_was_derived_before_premises_were_noted_is_the_owner_s_until_it_is_derived_again(
    memory,
):
    for name in ("Satz", "Kapitel", "Buch"):
        memory.remember(name, external_id=name, valid_from="2020-01-01")
    memory.relate("Satz", "part_of", "Kapitel")
    memory.relate("Kapitel", "part_of", "Buch")
    said = {"op": "derive", "src": "Satz", "type": "part_of", "dst": "Buch", "rule": "closure"}
    memory.transact([said | {"parts": [_part(confidence=0.7)]}])
    guest = memory.under(GUEST)
    assert "get" in found(memory)
    assert found(guest) == set()
    memory.derive()
    assert "get" in found(guest)


def test_a_part_of_the_log_that_somebody_takes_along_gives_the_same_edges(chain, tmp_path):
    chain.remember("Band", external_id="Band", valid_from="2020-01-01")
    chain.relate("Buch", "part_of", "Band")
    chain.derive()
    chain.correct("Kapitel", visibility="restricted", reason="r")
    guest = chain.under(GUEST)
    guest.export(tmp_path / "teil.jsonl")
    text = (tmp_path / "teil.jsonl").read_text(encoding="utf-8")
    assert chain.get("Kapitel").id not in text
    init_home(tmp_path / "copy", timezone="UTC")
    with open_home(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "teil.jsonl")
        for name in ("Satz", "Buch", "Band"):
            assert copy.get(name).relations == guest.get(name).relations
        assert copy.audit().ok


def test_an_export_takes_along_what_edges_follow_from(chain, tmp_path):
    chain.export(tmp_path / "alles.jsonl")
    init_home(tmp_path / "copy", timezone="UTC")
    with open_home(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "alles.jsonl")
        assert copy.derive(dry_run=True).added == 0
        copy.correct("Kapitel", visibility="restricted", reason="r")
        assert found(copy.under(GUEST)) == set()
        copy.export(tmp_path / "wieder.jsonl")
    first, again = (
        [json.loads(line)["ops"] for line in (tmp_path / name).read_text("utf-8").splitlines()]
        for name in ("alles.jsonl", "wieder.jsonl")
    )
    assert again[: len(first)] == first
    ops = [op for ops in first for op in ops if op["op"] == "derive"]
    assert all(isinstance(part["premises"], list) for op in ops for part in op["parts"])


# --- in steps


def test_many_edges_are_recorded_in_several_transactions_that_the_report_names(chain, monkeypatch):
    chain.remember("Band", external_id="Band", valid_from="2020-01-01")
    chain.relate("Buch", "part_of", "Band")
    monkeypatch.setattr(deriving, "_BATCH", 2)
    report = chain.derive()
    assert (report.added, report.unchanged) == (3, 3)
    told = [one.number for one in chain.log().transactions[-2:]]
    assert list(report.transactions) == told
    assert report.transaction == told[-1]
    assert chain.derive().transactions == ()


def test_what_others_write_meanwhile_is_looked_at_before_more_is_recorded(chain):
    tools, types = chain._parts.tools, chain._parts.vaults.types.load().catalogue  # noqa: SLF001 -- to come in between
    course = deriving.Course(tools, deriving.Wanted(types, "owner"))
    ledger = chain._ledger()  # noqa: SLF001 -- as before
    with ledger.read("default") as reader:
        course.look(reader)
    chain.unrelate("Kapitel", "part_of", "Buch")
    with ledger.write("default") as writer:
        assert not course.fits(writer)
        course.look(writer)
        assert course.fits(writer)
        assert not course.step(writer)
    report = course.report()
    assert (report.added, report.ended, report.unchanged) == (0, 2, 1)


# --- of what somebody sees that a vault says


ASKING = "relations:\n  leitet: {min_visibility: restricted}\n"


def vault_of(folder, types, **notes):
    (folder / ".damals").mkdir(parents=True)
    (folder / ".damals" / "types.yaml").write_text(types, encoding="utf-8")
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return folder


def test_a_vault_says_who_may_see_its_relations(memory, tmp_path):
    folder = vault_of(tmp_path / "amt", ASKING, Anna="leitet:: [[Haus]]", Haus="")
    memory.import_(folder)
    anna = next(one.id for one in memory.entries().entries if one.title == "Anna")
    guest = memory.under(GUEST)
    assert [one.type for one in memory.get(anna).relations] == ["leitet"]
    assert guest.get(anna).relations == ()
    folder.rename(tmp_path / "fort")
    assert guest.get(anna).relations == ()


def test_no_rule_of_a_vault_gives_what_another_one_reserves(memory, tmp_path):
    memory.import_(vault_of(tmp_path / "amt", ASKING, Anna="leitet:: [[Haus]]", Haus=""))
    rules = (
        "relations:\n  leitet: {inverse: geleitet_von}\n  geleitet_von: {inverse: leitet}\n"
        "derive:\n  - {rule: inverse, of: [leitet]}\n"
    )
    memory.import_(vault_of(tmp_path / "verein", rules, Ben=""))
    assert memory.derive().added == 1
    entries = memory.entries().entries
    haus = next(one.id for one in entries if one.title == "Haus")
    assert {one.type for one in memory.get(haus).relations} == {"leitet", "geleitet_von"}
    assert memory.under(GUEST).get(haus).relations == ()


# --- what the rules say that edges follow from


RELATIONS = {
    one.name: one
    for one in (
        RelationType("links_to"),
        RelationType("part_of", transitive=True, inverse="has_part"),
        RelationType("has_part", transitive=True, inverse="part_of"),
        RelationType("related_to", symmetric=True, inverse="related_to"),
    )
}
ENTRIES = st.uuids(version=4)
CLOSURE = DeriveRule("closure", ("part_of",), max_hops=4)
INVERSE = DeriveRule("inverse", ("part_of",))
AGAIN = DeriveRule("closure", ("has_part",), max_hops=4)
TOGETHER = DeriveRule("co_mention", ("links_to",), gives="related_to", min_count=2)
ALWAYS = Period(exact(0), OPEN_END)


@given(
    st.lists(ENTRIES, min_size=3, max_size=6, unique=True),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12),
)
def test_an_edge_follows_from_its_premises_and_ends_alone(entries, pairs):
    said = [
        Edge(entries[one], "part_of", entries[other], (ALWAYS,))
        for one, other in sorted(pairs)
        if one != other and max(one, other) < len(entries)
    ]
    types = TypeCatalogue(relations=RELATIONS, derive=(INVERSE, CLOSURE))
    for (src, relation, dst, rule), parts in derived(said, types).items():
        for part in parts:
            near = {src, dst, *(part.premises or ())}
            rest = [one for one in said if one.src in near and one.dst in near]
            again = derived(rest, types)
            assert (src, relation, dst, rule) in again
            assert not {src, dst} & {*(part.premises or ())}


SPANS = st.builds(
    lambda first, more, length: Period(
        Bound(first, first + more, BoundKind.RANGE if more else BoundKind.EXACT),
        exact(first + more + length),
    ),
    st.integers(0, 6), st.integers(0, 2), st.integers(1, 5),
)  # fmt: skip


@given(st.lists(st.tuples(SPANS, ENTRIES, ENTRIES), max_size=9), st.integers(1, 4))
def test_the_mentions_that_are_named_tell_as_much_as_all_of_them(said, count):
    mentions = [Mention(chunk, period, (note,)) for period, chunk, note in said]
    few = telling(mentions, count, lambda _: None)
    whole, part = (at_least([one.period for one in some], count) for some in (mentions, few))
    assert [one.identity for one in whole] == [one.identity for one in part]


def test_two_that_thousands_of_notes_mention_follow_from_a_few_of_them():
    one, other = UUID(int=1), UUID(int=2)
    said = [
        Edge(UUID(int=100 + n), "links_to", end, (ALWAYS,), evidence=(UUID(int=10**6 + n),))
        for n in range(3_000)
        for end in (one, other)
    ]
    types = TypeCatalogue(relations=RELATIONS, derive=(TOGETHER,))
    ((part,),) = derived(said, types).values()
    assert len(part.premises or ()) == TOGETHER.min_count
