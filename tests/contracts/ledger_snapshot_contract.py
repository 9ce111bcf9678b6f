"""What every ledger must tell of a whole workspace at a pair of instants."""

from typing import Final

from ledger_driver import Driver, at, id_of, instant, remember, update

from damals.app.index_model import AccessFilter
from damals.app.snapshot_model import Standing
from damals.domain.ageing import Checked
from damals.domain.operations import Archive, Correct, End, Erase, Retract, Verify

SEEING: Final = AccessFilter(visibilities=("public", "internal"), principals=("kim",))


class SnapshotContract:
    """The part of the contract that is about reading everything at once."""

    def test_a_snapshot_holds_what_holds_and_what_was_taken_and_what_is_archived(
        self, driver: Driver
    ):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcde"))
        driver.do("2024-02-01", update("f", "a"), Archive("b"), Retract("c"))
        driver.do("2024-02-02", End("d", "2024-02-01"))
        with driver.reading() as reader:
            now, then = reader.snapshot(at("2024-03-01")), reader.snapshot(at("2024-01-20"))
        standing = {one.id: one.standing for one in now.entries.values()}
        assert standing == {
            id_of("a"): Standing.SUPERSEDED,
            id_of("b"): Standing.ARCHIVED,
            id_of("e"): Standing.HELD,
            id_of("f"): Standing.HELD,
        }
        assert list(now.entries) == sorted(now.entries)
        assert now.entries[id_of("a")].title == "A"
        held = {one.id for one in then.entries.values() if one.standing is Standing.HELD}
        assert held == set(map(id_of, "abde"))

    def test_a_snapshot_without_ties_has_the_same_entries(self, driver: Driver):
        related = {"op": "relate", "src": "a", "type": "related_to", "dst": "b"}
        driver.do("2024-01-10", remember("a"), remember("b"), related)
        with driver.reading() as reader:
            whole = reader.snapshot(at("2024-03-01"))
            part = reader.snapshot(at("2024-03-01"), ties=False)
        assert len(whole.ties) == 1
        assert part.ties == ()
        assert part.entries == whole.entries

    def test_a_snapshot_tells_which_uncertain_entries_are_known_in_several_rectangles(
        self, driver: Driver
    ):
        unsure = {"valid_from": "2023-01-01", "valid_to": "2031?"}
        driver.do("2024-01-10", remember("a", **unsure), remember("b", **unsure))
        driver.do("2024-01-11", remember("c", "2023-01-01"))
        between = {"valid_from": "2023-05-01", "valid_to": "2023-06-01"}
        driver.do("2024-02-01", update("d", "a", **between), update("e", "c", **between))
        with driver.reading() as reader:
            now = reader.snapshot(at("2024-03-01"))
            before = reader.snapshot(at("2024-03-01", "2024-01-20"))
        assert now.split == {id_of("a")}
        assert before.split == frozenset()

    def test_a_snapshot_knows_nothing_that_came_later(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "ab"))
        driver.do("2024-02-01", Verify("a", 0.5), Archive("b"))
        driver.do("2024-03-01", Verify("a", 0.25))
        with driver.reading() as reader:
            pairs = [
                at("2024-04-01"),
                at("2024-04-01", "2024-02-10"),
                at("2024-02-10"),
                at("2024-01-20", "2024-04-01"),
            ]
            checks = [reader.snapshot(pair).entries[id_of("a")].checks for pair in pairs]
            archived = [reader.snapshot(pair).entries[id_of("b")].archived_at for pair in pairs]
        first = Checked(instant("2024-02-01"), 0.5)
        assert checks == [(first, Checked(instant("2024-03-01"), 0.25)), (first,), (first,), ()]
        assert archived == [first.at, first.at, first.at, None]

    def test_a_snapshot_says_since_when_an_entry_is_known_and_when_it_was_logged(
        self, driver: Driver
    ):
        number = driver.do("2024-01-10", remember("a"))
        driver.do("2024-02-01", Correct("a", {"title": "Neu"}))
        with driver.reading() as reader:
            [stored] = [one for one in reader.log() if one.number == number]
            one = reader.snapshot(at("2024-03-01")).entries[id_of("a")]
            earlier = reader.snapshot(at("2024-03-01", "2024-01-20")).entries[id_of("a")]
        assert (one.created_at, one.logged_at) == (instant("2024-01-10"), stored.logged_at)
        assert (one.recorded_from, one.title) == (instant("2024-02-01"), "Neu")
        assert (earlier.recorded_from, earlier.title) == (instant("2024-01-10"), "A")
        assert one.external_id == "a"

    def test_the_certain_version_of_several_is_the_one_of_a_snapshot(self, driver: Driver):
        driver.do("2024-01-10", remember("a", valid_from="2024-01", valid_to="2024-03"))
        driver.do("2024-01-11", Correct("a", {}, valid_from="2024-01", valid_to="2024-02"))
        with driver.reading() as reader:
            pair = at("2024-01-20")
            one, version = reader.snapshot(pair), reader.version_at(id_of("a"), pair)
        assert version is not None
        assert one.entries[id_of("a")].period == version.version.period

    def test_of_what_was_taken_whole_the_last_that_was_known_is_told(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-01-01"))
        with driver.reading() as reader:
            found = reader.snapshot(at("2024-02-01")).entries[id_of("a")]
        assert (found.standing, found.attributes.content) == (Standing.SUPERSEDED, "About a.")

    def test_relations_of_a_snapshot_are_those_at_the_pair(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abc"))
        tie = {"op": "relate", "src": "a", "type": "extends", "dst": "b"}
        driver.do("2024-02-01", tie, {"op": "contradict", "a": "b", "b": "c"})
        driver.do("2024-03-01", {"op": "unrelate", "src": "a", "type": "extends", "dst": "b"})
        with driver.reading() as reader:
            told = [
                [(one.src_id, one.relation, one.dst_id, one.resolution) for one in found.ties]
                for found in map(
                    reader.snapshot, (at("2024-04-01"), at("2024-02-10", "2024-02-10"))
                )
            ]
        contradiction = (id_of("b"), "contradicts", id_of("c"), "required")
        extension = (id_of("a"), "extends", id_of("b"), None)
        assert told == [[contradiction], [extension, contradiction]]

    def test_what_is_hidden_or_erased_is_in_no_snapshot(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        ties = [{"op": "relate", "src": "a", "type": "extends", "dst": dst} for dst in "bcd"]
        driver.do("2024-01-11", *ties, Verify("b", 1.0), Archive("b"))
        driver.do("2024-01-12", Correct("b", {"visibility": "restricted"}), Erase("c"))
        with driver.reading(SEEING) as reader:
            part = reader.snapshot(at("2024-02-01"))
        with driver.reading() as reader:
            whole = reader.snapshot(at("2024-02-01"))
        assert part.entries.keys() == {id_of("a"), id_of("d")}
        assert [tie.dst_id for tie in part.ties] == [id_of("d")]
        assert whole.entries.keys() == set(map(id_of, "abd"))
        assert [tie.dst_id for tie in whole.ties] == list(map(id_of, "bd"))
