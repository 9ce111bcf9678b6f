"""What every ledger must do with derived edges: who sees what they follow from is shown them."""

import pytest
from ledger_driver import Driver, at, id_of, instant, remember

from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import EVERYTHING
from damals.domain.operations import Correct, Erase

GUEST = AccessFilter(("public", "internal"), 0, ("bob",))
BOUND = {"kind": "exact", "earliest": "2024-01-01T00:00:00Z", "latest": "2024-01-01T00:00:00Z"}
ONCE_KNOWN = at("2024-02-01", "2024-01-12")
NOW = at("2024-02-01")


def derive(*premises: str, **more: object) -> dict[str, object]:
    """That the first is a part of the last, since both are so of what lies between."""
    part = {
        "from": BOUND,
        "to": {"kind": "open"},
        "premises": [str(id_of(one)) for one in premises],
    }
    said = {"op": "derive", "src": "a", "type": "part_of", "dst": "c", "rule": "closure"}
    return said | {"parts": [part | more]}


class DerivedContract:
    """The part of the contract that is about derived edges, and about what vaults ask for."""

    @pytest.fixture
    def chain(self, driver: Driver) -> Driver:
        """An edge that follows from what lies between its ends."""
        driver.do("2024-01-10", *(remember(ref) for ref in "abc"))
        driver.do("2024-01-11", derive("b"))
        return driver

    def shown(self, driver: Driver, access: AccessFilter = OWNER) -> list[int]:
        """How many edges each way of asking gives, at two pairs."""
        ids = [id_of(ref) for ref in "abc"]
        with driver.reading(access) as reader:
            found = [list(reader.standing_relations())]
            for pair in (ONCE_KNOWN, NOW):
                found += [reader.relations_at([one], pair) for one in (ids[0], ids[2])]
                found += [reader.edges_at(ids, pair, 9), reader.edges_among(ids, pair, 9)]
                found.append(reader.relations_between(ids, instant("2024-01-01"), pair.known_at))
        return [len(one) for one in found]

    def test_it_is_shown_to_who_sees_all_that_it_follows_from(self, chain: Driver):
        assert set(self.shown(chain)) == set(self.shown(chain, GUEST)) == {1}

    def test_it_is_gone_at_every_pair_for_who_may_not_see_that_any_more(self, chain: Driver):
        chain.do("2024-01-13", Correct("b", {"visibility": "restricted"}))
        assert set(self.shown(chain, GUEST)) == {0}
        assert set(self.shown(chain)) == {1}

    def test_it_is_gone_at_every_pair_for_everybody_once_that_is_erased(self, chain: Driver):
        chain.do("2024-01-13", Erase("b"))
        assert set(self.shown(chain)) == set(self.shown(chain, GUEST)) == {0}

    def test_that_becomes_visible_again_and_the_edge_with_it(self, chain: Driver):
        chain.do("2024-01-13", Correct("b", {"visibility": "restricted"}))
        chain.do("2024-01-14", Correct("b", {"visibility": "public"}))
        assert set(self.shown(chain, GUEST)) == {1}

    def test_of_what_nobody_knows_what_it_follows_from_the_owner_alone_is_told(
        self, driver: Driver
    ):
        driver.do("2024-01-10", *(remember(ref) for ref in "abc"))
        said = derive()
        del said["parts"][0]["premises"]
        driver.do("2024-01-11", said)
        assert set(self.shown(driver)) == {1}
        assert set(self.shown(driver, GUEST)) == {0}

    def test_the_premises_are_kept_with_the_edge(self, chain: Driver):
        chain.do("2024-01-12", derive("b", "c", "b"))
        with chain.reading() as reader:
            (row,) = reader.standing_relations()
            (then,) = reader.edges_among([id_of("a"), id_of("c")], ONCE_KNOWN, 2**63 - 1)
            (near,) = reader.edges_at([id_of("a")], NOW, 2**63 - 1)
        assert row.premises == tuple(sorted([id_of("b"), id_of("c")]))
        assert {then.premises, near.premises} == {row.premises}

    def test_a_hidden_edge_is_in_no_log_and_touches_nothing(self, chain: Driver):
        chain.do("2024-01-13", Correct("b", {"visibility": "restricted"}))
        chain.do("2024-01-14", derive("b", confidence=0.5))
        chain.do("2024-01-15", derive() | {"parts": []})
        with chain.reading(GUEST) as reader:
            assert [one.number for one in reader.log()] == [1]
            found = reader.find_entry(str(id_of("a")))
            assert found is not None
            assert found.last_transaction == 1
            ((version, _),) = reader.history(id_of("a"), EVERYTHING)
            assert version.info.updated_at == instant("2024-01-10")

    def test_of_an_operation_that_derives_more_the_rest_is_told(self, chain: Driver):
        both = derive("b")
        both["parts"] += derive("c", confidence=0.5)["parts"]
        chain.do("2024-01-12", both)
        chain.do("2024-01-13", Correct("b", {"visibility": "restricted"}))
        with chain.reading(GUEST) as reader:
            told = list(reader.log())
            (row,) = reader.standing_relations()
        assert [one.number for one in told] == [1, 3]
        (operation,) = told[1].operations
        assert operation.params["parts"] == both["parts"][1:]
        assert row.confidence == 0.5

    def test_a_revert_brings_it_back_with_what_it_follows_from(self, chain: Driver):
        chain.do("2024-01-12", derive() | {"parts": []})
        chain.do("2024-01-13", {"op": "revert", "transaction": 3})
        with chain.reading() as reader:
            (row,) = reader.standing_relations()
        assert row.premises == (id_of("b"),)

    def test_what_a_vault_asks_of_readers_holds_for_all_of_them_but_the_owner(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-01-11", {"op": "relate", "src": "a", "type": "extends", "dst": "b"})
        with driver.ledger.write("w") as writer:
            writer.put_floors("notes", {"extends": "restricted", "supersedes": "restricted"})
        with driver.reading(GUEST) as reader:
            assert reader.access.hidden_relations == ("extends",)
            assert reader.relations_at([id_of("a")], NOW) == []
        with driver.ledger.write("w", GUEST) as writer:
            assert writer.access.hidden_relations == ("extends",)
        with driver.reading() as reader:
            assert reader.access == OWNER
            assert len(reader.relations_at([id_of("a")], NOW)) == 1

    def test_what_a_vault_asks_for_no_more_is_shown_again_unless_another_does(self, driver: Driver):
        for source, asked in (("one", "restricted"), ("two", "restricted"), ("one", "public")):
            with driver.ledger.write("w") as writer:
                writer.put_floors(source, {"extends": asked})
        with driver.reading(GUEST) as reader:
            assert reader.access.hidden_relations == ("extends",)
        with driver.ledger.write("w") as writer:
            writer.put_floors("two", {})
        with driver.reading(GUEST) as reader:
            assert reader.access == GUEST
