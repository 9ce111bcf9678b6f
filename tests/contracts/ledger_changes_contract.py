"""What every ledger must tell of changes: which entries moved, and the rows that say how."""

import pytest
from ledger_driver import Driver, at, id_of, instant, remember, update

from damals.app.ledger_port import LedgerReader
from damals.domain.diff_rows import Deed, Edge, Rows
from damals.domain.operations import (
    Archive,
    Contradict,
    Correct,
    End,
    Erase,
    Resolve,
    Retract,
    Revert,
    Verify,
)

NAMES = {id_of(ref): ref for ref in "abcdx"}


def moved(reader: LedgerReader, start: tuple[str, str], end: tuple[str, str]) -> str:
    """The refs of the entries that may have moved, sorted."""
    found = reader.moved(at(*start), at(*end))
    assert list(found) == sorted(found)
    return "".join(sorted(NAMES[one] for one in found))


def between(reader: LedgerReader, refs: str, since: str, until: str) -> Rows:
    asked = ([id_of(ref) for ref in refs], instant(since), instant(until))
    rows = reader.rows_between(*asked)
    assert tuple(reader.versions_between(*asked)) == rows.versions
    for kind in ("note", "fact"):
        wanted = [one for one in rows.versions if one.attributes.type == kind]
        assert list(reader.versions_between(*asked, of_type=kind)) == wanted
    return rows


class ChangesContract:
    """The part of the contract of ``LedgerReader`` that a diff stands on."""

    @pytest.fixture
    def changed(self, driver: Driver) -> Driver:
        """A life in which one thing happens a day."""
        driver.do("2024-01-10", remember("a", "2024-01-01"), remember("b", "2024-03"))
        driver.do("2024-01-11", update("c", "a", valid_from="2024-05-01"))
        driver.do("2024-01-12", Correct("b", {"content": "corrected"}))
        driver.do("2024-01-13", Contradict("b", "c"))
        driver.do("2024-01-14", Verify("b", 0.5, "letter"))
        driver.do("2024-01-15", remember("d", None, valid_to="unknown"))
        driver.do("2024-01-16", Archive("c", "unused"))
        driver.do("2024-01-17", End("b", "2024-04-01"))
        return driver

    def test_entries_moved_when_something_was_recorded_of_them(self, changed: Driver):
        steps = {"09": "", "10": "ab", "11": "ac", "12": "b", "13": "bc", "14": "b", "15": "d",
                 "16": "c", "17": "b", "18": ""}  # fmt: skip
        always = "2023-01-01"
        with changed.reading() as reader:
            for step, refs in steps.items():
                before, day = f"2024-01-{int(step) - 1:02}", f"2024-01-{step}"
                assert moved(reader, (always, before), (always, day)) == refs
                assert moved(reader, (always, day), (always, before)) == refs
            assert moved(reader, (always, "2024-01-09"), (always, "2024-01-18")) == "abcd"
            assert moved(reader, (always, "2024-01-18"), (always, "2024-01-18")) == ""

    def test_the_later_instant_counts_and_the_earlier_does_not(self, changed: Driver):
        with changed.reading() as reader:
            day, next_ = "2024-01-12", "2024-01-13"
            assert moved(reader, ("2023-01-01", day), ("2023-01-01", next_)) == "bc"
            assert moved(reader, ("2024-03-31", next_), ("2024-04-01", next_)) == "b"
            assert moved(reader, ("2024-04-01", next_), ("2024-04-02", next_)) == ""

    def test_entries_moved_when_a_bound_lies_on_the_way(self, changed: Driver):
        late, early = "2024-01-18", "2024-01-12"
        ways = {
            ("2023-12-31", "2024-01-01", late): "a",
            ("2024-02-28", "2024-03-02", late): "b",
            ("2024-03-15", "2024-04-01", late): "b",
            ("2024-04-30", "2024-05-01", late): "ac",
            ("2024-04-30", "2024-05-01", early): "ac",
            ("2024-01-14", "2024-01-15", late): "d",
            ("2024-01-15T12:00", "2024-01-16", late): "c",
            ("2024-01-14", "2024-01-16", early): "",
            ("2024-06-01", "2025-01-01", late): "",
        }
        with changed.reading() as reader:
            for (low, high, known_at), refs in ways.items():
                assert moved(reader, (low, known_at), (high, known_at)) == refs, (low, high)
                assert moved(reader, (high, known_at), (low, known_at)) == refs, (high, low)

    def test_bounds_count_as_they_were_known_at_the_start(self, changed: Driver):
        with changed.reading() as reader:
            assert moved(reader, ("2024-03-20", "2024-01-17"), ("2024-04-01", "2024-01-17")) == "b"
            assert moved(reader, ("2024-04-30", "2024-01-10"), ("2024-05-01", "2024-01-10")) == ""

    def test_both_ways_of_moving_add_up(self, changed: Driver):
        with changed.reading() as reader:
            start, end = ("2023-12-31", "2024-01-11"), ("2024-01-01", "2024-01-12")
            assert moved(reader, start, end) == "ab"

    def test_a_workspace_without_transactions_has_not_moved(self, driver: Driver):
        with driver.reading() as reader:
            assert moved(reader, ("2020-01-01", "2020-01-01"), ("2025-01-01", "2025-01-01")) == ""
            assert between(reader, "ab", "2020-01-01", "2025-01-01") == Rows()

    def test_rows_are_those_that_were_known_at_any_instant_between(self, changed: Driver):
        with changed.reading() as reader:
            told = between(reader, "b", "2024-01-11", "2024-01-13")
            assert [v.attributes.content for v in told.versions] == ["About b.", "corrected"]
            assert [v.attributes.content for v in between(
                reader, "b", "2024-01-12", "2024-01-13").versions] == ["corrected"]  # fmt: skip
            assert [v.attributes.content for v in between(
                reader, "b", "2024-01-10", "2024-01-11").versions] == ["About b."]  # fmt: skip
            assert between(reader, "b", "2024-01-01", "2024-01-09") == Rows()

    def test_rows_tell_when_they_were_really_closed(self, changed: Driver):
        with changed.reading() as reader:
            [first] = between(reader, "b", "2024-01-10", "2024-01-11").versions
            assert (first.recorded_to, first.closed_by) == (instant("2024-01-12"), 3)
            assert (first.recorded_from, first.opened_by, first.operation) == (
                instant("2024-01-10"), 1, 1)  # fmt: skip

    def test_rows_hold_relations_from_both_ends_once(self, changed: Driver):
        with changed.reading() as reader:
            for refs in ("a", "c", "ac", "abc"):
                told = between(reader, refs, "2024-01-12", "2024-01-12")
                assert [(r.relation, r.cuts, r.src_id, r.dst_id) for r in told.relations] == [
                    ("supersedes", True, id_of("c"), id_of("a"))
                ]
            told = between(reader, "b", "2024-01-01", "2024-01-18")
            assert [(r.relation, r.resolution) for r in told.relations] == [
                ("contradicts", "required")
            ]

    def test_rows_hold_how_a_contradiction_was_decided(self, changed: Driver):
        changed.do("2024-01-20", Resolve("b", "c", "both"))
        with changed.reading() as reader:
            told = between(reader, "b", "2024-01-19", "2024-01-20").relations
            assert [r.resolution for r in told] == ["required", "both"]
            assert told[0].id == told[1].id

    def test_rows_hold_archivings_and_verifications(self, changed: Driver):
        changed.do("2024-01-20", Revert(7))
        with changed.reading() as reader:
            told = between(reader, "bc", "2024-01-16", "2024-01-20")
            assert [(o.entry_id, o.reason, o.recorded_from, o.recorded_to, o.closed_by)
                    for o in told.archivings] == [
                (id_of("c"), "unused", instant("2024-01-16"), instant("2024-01-20"), 9)
            ]  # fmt: skip
            assert [(o.entry_id, o.score, o.evidence, o.opened_by)
                    for o in told.verifications] == [(id_of("b"), 0.5, "letter", 5)]  # fmt: skip
            assert between(reader, "bc", "2024-01-12", "2024-01-13").verifications == ()

    def test_rows_of_an_erased_entry_are_gone(self, changed: Driver):
        changed.do("2024-01-20", Erase("b"))
        with changed.reading() as reader:
            assert between(reader, "b", "2024-01-01", "2024-01-20").versions == ()

    def test_rows_of_more_entries_than_fit_into_a_statement_are_all_there(self, driver: Driver):
        refs = [f"n{place}" for place in range(600)]
        driver.do("2024-01-10", *(remember(ref) for ref in refs))
        driver.do("2024-01-11", Retract("n7"))
        with driver.reading() as reader:
            found = reader.moved(at("2024-02-01", "2024-01-01"), at("2024-02-01", "2024-01-11"))
            assert list(found) == sorted(id_of(ref) for ref in refs)
            told = reader.rows_between(found, instant("2024-01-01"), instant("2024-01-11"))
            assert sorted(v.entry_id for v in told.versions) == list(found)

    def test_a_deed_is_told_by_its_place_or_by_the_entry_it_touched(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b", reason="its own"), reason="common")
        driver.do("2024-01-11", Retract("a", reason="wrong"), update("c", "b"))
        driver.do("2024-01-12", Correct("c", {"content": "x"}))
        deeds = {
            (Edge(0, 1, 0), id_of("a")): Deed("remember", "common", "anna"),
            (Edge(0, 1, 1), id_of("b")): Deed("remember", "its own", "anna"),
            (Edge(0, 2), id_of("a")): Deed("retract", "wrong", "anna"),
            (Edge(0, 2), id_of("b")): Deed("update", None, "anna"),
            (Edge(0, 2), id_of("x")): Deed(None, None, "anna"),
            (Edge(0, 3, 0), id_of("c")): Deed("correct", None, "anna"),
            (Edge(0, 3, 9), id_of("c")): Deed(None, None, "anna"),
        }
        with driver.reading() as reader:
            assert dict(reader.deeds(deeds)) == deeds
            assert dict(reader.deeds([])) == {}
