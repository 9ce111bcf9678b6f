"""What every ledger must tell ranking: edges, verifications and titles at a pair."""

from typing import Final

from ledger_driver import Driver, at, id_of, remember, update
from ledger_reading_contract import note, note_entry

from damals.app.index_model import AccessFilter
from damals.app.ledger_port import LedgerReader
from damals.domain.nearness import EdgeKinds
from damals.domain.operations import Correct, End

SEEING: Final = AccessFilter(
    visibilities=("public", "internal"), principals=("kim",), hidden_relations=("secret_of",)
)
MANY: Final = 1_000


def tie(src: str, dst: str, kind: str = "related_to", **more: object) -> dict[str, object]:
    return {"op": "relate", "src": src, "type": kind, "dst": dst, **more}


def edges(reader: LedgerReader, names: str, *pair: str, among: bool = False) -> set[str]:
    ask = reader.edges_among if among else reader.edges_at
    found = ask([id_of(name) for name in names], at(*pair), MANY)
    named = {id_of(name): name for name in "abcde"}
    assert [one.id for one in found] == sorted(one.id for one in found)
    return {f"{named[one.src]}{named[one.dst]}" for one in found}


class NearContract:
    """The part of the contract that is about what stands around entries."""

    def test_edges_lead_out_and_in_and_each_is_told_once(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        driver.do("2024-01-11", tie("a", "b", confidence=0.5), tie("c", "a"), tie("c", "d"))
        with driver.reading() as reader:
            assert edges(reader, "a", "2024-02-01") == {"ab", "ca"}
            assert edges(reader, "ab", "2024-02-01") == {"ab", "ca"}
            assert edges(reader, "abcd", "2024-02-01", among=True) == {"ab", "ca", "cd"}
            assert edges(reader, "ad", "2024-02-01", among=True) == set()
            assert edges(reader, "", "2024-02-01") == set()
            [one] = reader.edges_at([id_of("b")], at("2024-02-01"), MANY)
            assert (one.relation, one.confidence) == ("related_to", 0.5)

    def test_edges_of_some_kinds_are_found_behind_many_of_others(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        driver.do("2024-01-11", tie("a", "b"), tie("a", "c"), tie("d", "a"))
        driver.do("2024-01-12", tie("a", "d", "based_on"), tie("b", "a", "based_on"))
        kinds = EdgeKinds(frozenset({"based_on"}), frozenset({"basis_of"}))
        with driver.reading() as reader:
            [one] = reader.edges_at([id_of("a")], at("2024-02-01"), 1, kinds)
            assert (one.src, one.dst, one.relation) == (id_of("a"), id_of("d"), "based_on")
            nothing = EdgeKinds(frozenset(), frozenset())
            assert reader.edges_at([id_of("a")], at("2024-02-01"), MANY, nothing) == []

    def test_the_last_versions_of_some_entries_are_those_of_each(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "ab"))
        driver.do("2024-01-12", End("b", "2024-05-01"))
        pair = at("2024-06-01")
        with driver.reading() as reader:
            ids = [id_of("a"), id_of("b"), id_of("x")]
            found = reader.latest_versions(ids, pair)
            assert found == {one: reader.latest_version(one, pair) for one in ids[:2]}
        with driver.reading(AccessFilter(visibilities=("public",))) as reader:
            assert reader.latest_versions(ids, pair) == {}

    def test_edges_are_those_of_the_asked_pair(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abc"))
        driver.do("2024-01-11", tie("a", "b", valid_from="2024-03-01", valid_to="2024-04-01"))
        with driver.reading() as reader:
            assert edges(reader, "a", "2024-03-15") == {"ab"}
            assert edges(reader, "a", "2024-02-01") == edges(reader, "a", "2024-04-01") == set()
            assert edges(reader, "a", "2024-03-15", "2024-01-10") == set()
            assert edges(reader, "a", "2024-03-15", "2024-01-11") == {"ab"}

    def test_an_edge_is_there_only_where_both_of_its_ends_hold(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        driver.do("2024-01-11", tie("a", "b"), tie("c", "a"), tie("d", "a"))
        driver.do("2024-01-12", End("b", "2024-05-01"), update("e", "c", valid_from="2024-05-01"))
        driver.do("2024-01-13", {"op": "archive", "target": "d"})
        with driver.reading() as reader:
            assert edges(reader, "a", "2024-02-01") == {"ab", "ca"}
            assert edges(reader, "a", "2024-06-01") == set()
            assert edges(reader, "a", "2024-01-12", "2024-01-12") == {"ab", "ca", "da"}
            assert edges(reader, "ab", "2024-06-01", among=True) == set()

    def test_a_link_to_nothing_yet_is_no_edge(self, driver: Driver):
        driver.do("2024-01-10", note_entry("a", note("a.md")))
        with driver.reading() as reader:
            assert edges(reader, "a", "2024-02-01") == set()

    def test_what_is_hidden_is_no_end_and_a_hidden_type_no_edge(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        ties = [tie("a", "b"), tie("c", "a"), tie("a", "d", "secret_of")]
        driver.do("2024-01-11", *ties)
        driver.do("2024-01-12", Correct("c", {"visibility": "restricted"}))
        with driver.reading(SEEING) as reader:
            assert edges(reader, "a", "2024-02-01") == {"ab"}
            assert edges(reader, "c", "2024-02-01") == set()
            assert edges(reader, "abcd", "2024-02-01", among=True) == {"ab"}

    def test_what_is_erased_is_no_end(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abc"))
        driver.do("2024-01-11", tie("a", "b"), tie("c", "a"))
        driver.do("2024-01-12", {"op": "erase", "target": "b"})
        with driver.reading() as reader:
            assert edges(reader, "abc", "2024-02-01") == {"ca"}
            assert edges(reader, "abc", "2024-02-01", "2024-01-11") == {"ca"}

    def test_a_limit_holds_for_each_direction(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcde"))
        driver.do("2024-01-11", tie("a", "b"), tie("a", "c"), tie("d", "a"), tie("e", "a"))
        with driver.reading() as reader:
            assert len(reader.edges_at([id_of("a")], at("2024-02-01"), 1)) == 2
            assert len(reader.edges_among([*map(id_of, "abcde")], at("2024-02-01"), 3)) == 3

    def test_grounded_well_enough_is_what_was_last_verified_so_at_a_pair(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        driver.do("2024-01-11", {"op": "verify", "target": "a", "score": 0.5})
        driver.do("2024-01-12", {"op": "verify", "target": "a", "score": 0.9})
        driver.do("2024-01-13", {"op": "verify", "target": "b"})
        driver.do("2024-01-14", Correct("b", {"visibility": "restricted"}))
        driver.do("2024-01-15", *(
            {"op": "verify", "target": "d", "score": score} for score in (0.8, 0.2)
        ))  # fmt: skip
        named = {id_of(name): name for name in "abcd"}

        def grounded(reader: LedgerReader, least: float, *pair: str) -> str:
            return "".join(sorted(named[one] for one in reader.grounded_entries(at(*pair), least)))

        with driver.reading() as reader:
            assert grounded(reader, 0.1, "2024-02-01") == "abd"
            assert grounded(reader, 0.9, "2024-02-01") == "ab"
            assert grounded(reader, 0.91, "2024-02-01") == "b"
            assert grounded(reader, 0.5, "2024-01-11") == "a"
            assert grounded(reader, 0.5, "2024-02-01", "2024-01-11") == "a"
            assert grounded(reader, 0.6, "2024-01-11") == ""
            assert grounded(reader, 0.6, "2024-02-01", "2024-01-11") == ""
            assert grounded(reader, 0.0, "2024-01-10") == ""
        with driver.reading(SEEING) as reader:
            assert grounded(reader, 0.1, "2024-02-01") == "ad"

    def test_titles_are_those_of_the_pair_or_the_last_known(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2024-03-01"), remember("b"))
        driver.do("2024-01-11", Correct("b", {"visibility": "restricted"}))
        ids = [id_of("a"), id_of("b"), id_of("nobody")]
        with driver.reading() as reader:
            told = {id_of("a"): "A", id_of("b"): "B"}
            assert reader.titles_at(ids, at("2024-04-01")) == told
            assert reader.titles_at(ids, at("2024-02-01")) == told
        with driver.reading(SEEING) as reader:
            assert reader.titles_at(ids, at("2024-04-01")) == {id_of("a"): "A"}
