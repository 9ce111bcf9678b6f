"""What every chunk index must do. A subclass gives the fixture ``index``: an empty one, 4-d."""

import struct
from collections.abc import Iterable
from dataclasses import replace
from uuid import NAMESPACE_OID, UUID, uuid5

import pytest

from damals.app.index_model import (
    AccessFilter,
    ChunkPoint,
    Hits,
    IndexFilter,
    IndexQuery,
    SparseVector,
)
from damals.app.ledger_model import Access
from damals.app.ports import ChunkIndex
from damals.domain.instants import BEGINNING, FOREVER

DIMENSION = 4
NOW = 1_780_000_000_000_000
TEAM = AccessFilter(("public", "internal"), 1, ("team",))


def an_id(name: object) -> UUID:
    return uuid5(NAMESPACE_OID, str(name))


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{DIMENSION}f", *numbers)


def tokens(*indices: int) -> SparseVector:
    return SparseVector(indices, tuple(1.0 for _ in indices))


def a_point(name: object, **changes: object) -> ChunkPoint:
    point = ChunkPoint(
        id=an_id(name),
        workspace="main",
        chunk_id=an_id(f"chunk {name}"),
        entry_id=an_id(f"entry {name}"),
        valid_from_earliest=0,
        valid_from_latest=0,
        valid_to_earliest=FOREVER,
        valid_to_latest=FOREVER,
        recorded_from=0,
        age_at=0,
        type="note",
        lang="de",
        body="Der Vertrag läuft.",
        lexical=tokens(1),
        vector=vector(1, 0, 0, 0),
    )
    return replace(point, **changes)


def everything(**changes: object) -> IndexFilter:
    return replace(IndexFilter("main", NOW, NOW), **changes)


def names_of(index: ChunkIndex, where: IndexFilter, names: Iterable[object]) -> set[object]:
    """Which of the named points pass a filter; both legs and ``count`` must agree."""
    hits = index.query(IndexQuery(where, vector(1, 1, 1, 1), tokens(1), 1000))
    by_id = {an_id(name): name for name in names}
    dense = {by_id[hit.point_id] for hit in hits.dense}
    lexical = {by_id[hit.point_id] for hit in hits.lexical}
    assert dense == lexical
    assert index.count(where) == len(dense)
    return dense


class ChunkIndexContract:
    @pytest.fixture
    def index(self) -> ChunkIndex:
        raise NotImplementedError

    @pytest.fixture
    def closable(self, index: ChunkIndex) -> ChunkIndex:
        return index

    def ask(self, index: ChunkIndex, **changes: object) -> Hits:
        query = IndexQuery(everything(), vector(1, 0, 0, 0), tokens(1), 10)
        return index.query(replace(query, **changes))

    # Writing

    def test_an_empty_index_finds_nothing_and_counts_nothing(self, index: ChunkIndex):
        assert self.ask(index) == Hits()
        assert index.count() == index.count(everything()) == 0
        assert list(index.ids()) == []

    def test_a_write_is_found_at_once(self, index: ChunkIndex):
        index.upsert([a_point("a", age_at=5)])
        (hit,) = self.ask(index).dense
        assert (hit.point_id, hit.entry_id, hit.age_at) == (an_id("a"), an_id("entry a"), 5)
        assert hit.score == pytest.approx(1.0, abs=1e-6)

    def test_writing_twice_changes_nothing(self, index: ChunkIndex):
        index.upsert([a_point("a"), a_point("b")])
        before = self.ask(index)
        index.upsert([a_point("a"), a_point("b")])
        assert self.ask(index) == before
        assert index.count() == 2

    def test_writing_replaces_the_whole_point(self, index: ChunkIndex):
        index.upsert([a_point("a", tags=("x",))])
        index.upsert([a_point("a", vector=None, lexical=tokens(2))])
        assert self.ask(index) == Hits()
        assert index.count(everything(tags=("x",))) == 0
        assert index.count() == 1

    def test_of_two_points_with_one_id_in_a_batch_the_last_stays(self, index: ChunkIndex):
        index.upsert([a_point("a", type="note"), a_point("a", type="fact")])
        assert index.count(everything(types=("fact",))) == 1
        assert index.count() == 1

    def test_nothing_written_is_nothing_done(self, index: ChunkIndex):
        index.upsert([])
        index.close_points({})
        index.set_vectors({})
        index.delete([])
        assert index.count() == 0

    def test_more_points_than_any_batch_are_written_counted_listed(self, index: ChunkIndex):
        names = range(1_201)
        index.upsert([a_point(name, body="") for name in names])
        assert index.count() == 1_201
        assert sorted(index.ids()) == sorted(map(an_id, names))
        index.delete([an_id(name) for name in names if name])
        assert list(index.ids()) == [an_id(0)]

    def test_closing_sets_the_recorded_end_and_ignores_unknown_ids(self, index: ChunkIndex):
        index.upsert([a_point("a"), a_point("b"), a_point("c")])
        index.close_points({an_id("a"): 10, an_id("b"): 20, an_id("nobody"): 10})
        assert names_of(index, everything(known_at=9), "abc") == {"a", "b", "c"}
        assert names_of(index, everything(known_at=10), "abc") == {"b", "c"}
        assert names_of(index, everything(known_at=20), "abc") == {"c"}
        assert index.count() == 3

    def test_vectors_may_come_later_and_unknown_ids_are_ignored(self, index: ChunkIndex):
        index.upsert([a_point("a", vector=None), a_point("b", vector=None)])
        assert self.ask(index).dense == ()
        assert len(self.ask(index).lexical) == 2
        index.set_vectors({an_id("a"): vector(1, 0, 0, 0), an_id("nobody"): vector(1, 0, 0, 0)})
        assert [hit.point_id for hit in self.ask(index).dense] == [an_id("a")]
        assert len(self.ask(index).lexical) == 2
        assert index.count() == 2

    def test_a_later_vector_replaces_an_earlier_one(self, index: ChunkIndex):
        index.upsert([a_point("a")])
        index.set_vectors({an_id("a"): vector(0, 1, 0, 0)})
        assert self.ask(index).dense[0].score == pytest.approx(0.0, abs=1e-6)

    def test_access_changes_for_every_point_of_the_entry(self, index: ChunkIndex):
        entry = an_id("entry")
        index.upsert([a_point("a", entry_id=entry), a_point("b", entry_id=entry), a_point("c")])
        index.set_access("main", entry, Access("restricted", 3, ("boss",)))
        assert names_of(index, everything(access=TEAM), "abc") == {"c"}
        index.set_access("main", entry, Access("internal", 0, ()))
        assert names_of(index, everything(access=TEAM), "abc") == {"a", "b", "c"}
        index.set_access("main", an_id("nobody"), Access("public", 0, ()))

    def test_what_concerns_an_entry_leaves_its_namesake_in_another_workspace_alone(
        self, index: ChunkIndex
    ):
        entry = an_id("entry")
        index.upsert(
            [a_point("a", entry_id=entry), a_point("b", entry_id=entry, workspace="other")]
        )
        index.set_access("other", entry, Access("restricted", 3, ("boss",)))
        index.set_archived("other", entry, 0)
        assert names_of(index, everything(access=TEAM), "ab") == {"a"}
        index.delete_entry("other", entry)
        assert set(index.ids()) == {an_id("a")}

    def test_archiving_an_entry_hides_all_its_points_from_then_on_and_can_be_taken_back(
        self, index: ChunkIndex
    ):
        entry = an_id("entry")
        index.upsert([a_point("a", entry_id=entry), a_point("b", entry_id=entry), a_point("c")])
        index.set_archived("main", entry, 5)
        assert names_of(index, everything(as_of=5), "abc") == {"c"}
        assert names_of(index, everything(as_of=4), "abc") == {"a", "b", "c"}
        index.set_archived("main", entry, FOREVER)
        assert names_of(index, everything(as_of=5), "abc") == {"a", "b", "c"}
        index.set_archived("main", an_id("nobody"), 5)

    def test_a_deleted_entry_leaves_no_point(self, index: ChunkIndex):
        entry = an_id("entry")
        index.upsert([a_point("a", entry_id=entry), a_point("b", entry_id=entry), a_point("c")])
        index.delete_entry("main", entry)
        index.delete_entry("main", an_id("nobody"))
        assert set(index.ids()) == {an_id("c")}
        assert index.count() == 1

    def test_deleted_points_are_gone_and_unknown_ids_are_ignored(self, index: ChunkIndex):
        index.upsert([a_point("a"), a_point("b")])
        index.delete([an_id("a"), an_id("nobody")])
        assert names_of(index, everything(), "ab") == {"b"}
        assert list(index.ids()) == [an_id("b")]

    def test_flush_and_optimize_change_no_answer(self, index: ChunkIndex):
        index.upsert([a_point(n, vector=vector(1, n, 0, 0)) for n in range(50)])
        before = self.ask(index)
        index.flush()
        index.optimize()
        assert self.ask(index) == before

    def test_closing_twice_is_harmless(self, closable: ChunkIndex):
        closable.upsert([a_point("a")])
        closable.close()
        closable.close()

    # The two legs

    def test_hits_come_best_first(self, index: ChunkIndex):
        index.upsert([a_point(n, vector=vector(1, n, 0, 0)) for n in range(5)])
        assert [hit.point_id for hit in self.ask(index).dense] == [an_id(n) for n in range(5)]

    def test_ties_are_broken_by_id_also_across_the_limit(self, index: ChunkIndex):
        index.upsert([a_point(n) for n in range(300)])
        first = sorted(map(an_id, range(300)))[:7]
        hits = self.ask(index, limit=7)
        assert [hit.point_id for hit in hits.dense] == first
        assert [hit.point_id for hit in hits.lexical] == first

    def test_a_leg_that_is_not_asked_for_finds_nothing(self, index: ChunkIndex):
        index.upsert([a_point("a")])
        assert self.ask(index, vector=None).dense == ()
        assert len(self.ask(index, vector=None).lexical) == 1
        assert self.ask(index, lexical=None).lexical == ()
        assert len(self.ask(index, lexical=None).dense) == 1
        assert self.ask(index, vector=None, lexical=None) == Hits()

    def test_legs_that_are_asked_for_one_by_one_find_what_both_find_together(
        self, index: ChunkIndex
    ):
        several = [
            a_point(n, vector=vector(1, n % 7, 0, 0), lexical=tokens(n % 3, 5)) for n in range(60)
        ]
        index.upsert([*several, a_point("a", vector=None), a_point("b", lexical=tokens())])
        for where in (everything(), everything(access=TEAM), everything(types=("note",))):
            for limit in (3, 20, 100):
                given = {"where": where, "lexical": tokens(1, 5), "limit": limit}
                dense = self.ask(index, **given | {"lexical": None}).dense
                lexical = self.ask(index, **given, vector=None).lexical
                assert Hits(dense, lexical) == self.ask(index, **given)
                assert dense
                assert lexical

    def test_an_empty_list_of_tokens_finds_nothing(self, index: ChunkIndex):
        index.upsert([a_point("a"), a_point("b", lexical=tokens())])
        assert self.ask(index, lexical=tokens()).lexical == ()
        assert [hit.point_id for hit in self.ask(index).lexical] == [an_id("a")]
        assert len(self.ask(index).dense) == 2

    def test_lexical_scores_weigh_rare_tokens_more(self, index: ChunkIndex):
        index.upsert([a_point(n, lexical=tokens(1, 9) if n == 0 else tokens(1)) for n in range(4)])
        rare, *_ = self.ask(index, lexical=tokens(9)).lexical
        common, *_ = self.ask(index, lexical=tokens(1)).lexical
        # N = 4: df = 1 gives the logarithm of 10/3, df = 4 of 10/9.
        assert rare.score == pytest.approx(1.2039728, rel=1e-5)
        assert common.score == pytest.approx(0.1053605, rel=1e-5)

    def test_deleted_points_do_not_count_in_lexical_scores(self, index: ChunkIndex):
        index.upsert([a_point(n) for n in range(3)])
        before = self.ask(index).lexical
        index.upsert([a_point(f"more {n}") for n in range(40)])
        index.delete([an_id(f"more {n}") for n in range(40)])
        assert [hit.score for hit in self.ask(index).lexical] == pytest.approx(
            [hit.score for hit in before], rel=1e-6
        )

    def test_other_workspaces_do_not_count_in_lexical_scores(self, index: ChunkIndex):
        index.upsert([a_point(n) for n in range(3)])
        before = self.ask(index).lexical
        index.upsert([a_point(f"other {n}", workspace="other") for n in range(9)])
        assert self.ask(index).lexical == before

    def test_the_owners_lexical_scores_count_the_whole_workspace(self, index: ChunkIndex):
        index.upsert([a_point(n) for n in range(3)])
        before = self.ask(index).lexical
        index.upsert([a_point(f"past {n}", recorded_to=1) for n in range(9)])
        assert len(self.ask(index).lexical) == 3
        assert self.ask(index).lexical[0].score < before[0].score

    def test_what_the_asker_may_not_see_changes_no_score(self, index: ChunkIndex):
        where = everything(access=TEAM)
        index.upsert([a_point(n) for n in range(3)])
        before = self.ask(index, where=where)
        index.upsert([a_point("secret", sensitivity=3), a_point("mine", acl=("boss",))])
        index.upsert([a_point("hidden", visibility="restricted"), a_point("past", recorded_to=1)])
        assert self.ask(index, where=where) == before

    # Filters

    def test_workspaces_are_apart(self, index: ChunkIndex):
        index.upsert([a_point("a"), a_point("b", workspace="other")])
        assert names_of(index, everything(), "ab") == {"a"}
        assert names_of(index, everything(workspace="other"), "ab") == {"b"}
        assert index.count() == 2

    @pytest.mark.parametrize("at", [BEGINNING, BEGINNING + 1, -1, 0, NOW, FOREVER - 2])
    def test_both_clocks_are_half_open_to_the_microsecond(self, index: ChunkIndex, at: int):
        valid = {
            "valid_from_earliest": at,
            "valid_from_latest": at,
            "valid_to_earliest": at + 1,
            "valid_to_latest": at + 1,
        }
        wide = {"valid_from_earliest": BEGINNING, "valid_from_latest": BEGINNING}
        points = [
            a_point("v", recorded_from=BEGINNING, **valid),
            a_point("r", recorded_from=at, recorded_to=at + 1, **wide),
        ]
        index.upsert(points)
        elsewhere = max(at - 1, BEGINNING)
        for v in {elsewhere, at, at + 1}:
            for t in {elsewhere, at, at + 1}:
                expected = {n for n, held in (("v", v == at), ("r", t == at)) if held}
                assert names_of(index, everything(as_of=v, known_at=t), "vr") == expected

    def test_vague_bounds_may_hold_in_the_outer_and_surely_hold_in_the_inner_period(
        self, index: ChunkIndex
    ):
        bounds = {"valid_from_earliest": 10, "valid_from_latest": 20}
        index.upsert([a_point("a", **bounds, valid_to_earliest=30, valid_to_latest=40)])
        may = [v for v in range(0, 50, 5) if index.count(everything(as_of=v))]
        surely = [v for v in range(0, 50, 5) if index.count(everything(as_of=v, certain=True))]
        assert may == [10, 15, 20, 25, 30, 35]
        assert surely == [20, 25]

    def test_an_archived_point_is_gone_from_then_on(self, index: ChunkIndex):
        index.upsert([a_point("a", archived_at=10)])
        seen = {
            (v, t): index.count(everything(as_of=v, known_at=t)) for v in (9, 10) for t in (9, 10)
        }
        assert seen == {(9, 9): 1, (9, 10): 1, (10, 9): 1, (10, 10): 0}

    def test_types_are_any_of_and_tags_all_of(self, index: ChunkIndex):
        index.upsert(
            [
                a_point("a", type="note", tags=("x", "x/y")),
                a_point("b", type="fact", tags=("x",)),
                a_point("c", type="mail"),
            ]
        )
        assert names_of(index, everything(types=("note", "fact")), "abc") == {"a", "b"}
        assert names_of(index, everything(tags=("x",)), "abc") == {"a", "b"}
        assert names_of(index, everything(tags=("x", "x/y")), "abc") == {"a"}
        assert names_of(index, everything(tags=("z",)), "abc") == set()

    def test_path_and_language_narrow(self, index: ChunkIndex):
        index.upsert([a_point("a", paths=("p", "p/a.md")), a_point("b", lang="en")])
        assert names_of(index, everything(path="p"), "ab") == {"a"}
        assert names_of(index, everything(path="p/a.md"), "ab") == {"a"}
        assert names_of(index, everything(path="a.md"), "ab") == set()
        assert names_of(index, everything(lang="en"), "ab") == {"b"}

    def test_age_bounds_are_half_open(self, index: ChunkIndex):
        index.upsert([a_point(n, age_at=n) for n in (9, 10, 19, 20)])
        assert names_of(index, everything(since=10, until=20), (9, 10, 19, 20)) == {10, 19}

    @pytest.mark.parametrize(
        ("access", "expected"),
        [
            (AccessFilter(), {"open", "high", "public", "boss", "team"}),
            (AccessFilter(visibilities=("public",)), {"public"}),
            (AccessFilter(visibilities=()), set()),
            (AccessFilter(max_sensitivity=0), {"open", "public", "boss", "team"}),
            (AccessFilter(principals=()), {"open", "high", "public"}),
            (AccessFilter(principals=("team", "x")), {"open", "high", "public", "team"}),
            (TEAM, {"open", "public", "team"}),
        ],
    )
    def test_access_needs_visibility_sensitivity_and_acl(
        self, index: ChunkIndex, access: AccessFilter, expected: set[str]
    ):
        index.upsert(
            [
                a_point("open"),
                a_point("high", sensitivity=2),
                a_point("public", visibility="public"),
                a_point("boss", acl=("boss",)),
                a_point("team", acl=("boss", "team")),
            ]
        )
        names = ("open", "high", "public", "boss", "team")
        assert names_of(index, everything(access=access), names) == expected

    def test_any_text_is_a_value_and_matches_itself_only(self, index: ChunkIndex):
        odd = ["", " ", "Ä", "A\u0308", "a\x00b", "a", "A", "*", '"', "🙂", "2026-01-01", "1"]
        index.upsert([a_point(n, type=text, body=text) for n, text in enumerate(odd)])
        for n, text in enumerate(odd):
            assert names_of(index, everything(types=(text,)), range(len(odd))) == {n}
