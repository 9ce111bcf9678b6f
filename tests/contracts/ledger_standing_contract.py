"""What every ledger must tell of a workspace as a whole."""

from typing import Final

from ledger_driver import Driver, at, id_of, remember
from ledger_reading_contract import note, note_entry

from damals.app.index_model import AccessFilter
from damals.domain.operations import Correct, End, Retract
from damals.domain.reserve import reserve_of

SEEING: Final = AccessFilter(visibilities=("public", "internal"), principals=("kim",))


class StandingContract:
    """The part of the contract that is about all that stands."""

    def test_notes_in_a_folder_of_a_name_are_found_wherever_it_lies(self, driver: Driver):
        paths = {"a": "person/a.md", "b": "x/Person/y/b.md", "c": "persons/c.md", "d": "person.md"}
        driver.do("2024-01-10", *(note_entry(ref, note(path)) for ref, path in paths.items()))
        with driver.reading() as reader:
            assert reader.placed_in("person", at("2024-02-01")) == sorted(map(id_of, "ab"))
            assert reader.placed_in("person", at("2024-02-01", "2024-01-09")) == []
            assert reader.placed_in("per%", at("2024-02-01")) == []

    def test_what_is_hidden_lies_in_no_folder(self, driver: Driver):
        hidden = Correct("a", {"visibility": "restricted"})
        driver.do("2024-01-10", note_entry("a", note("person/a.md")), hidden)
        with driver.reading(SEEING) as reader:
            assert reader.placed_in("person", at("2024-02-01")) == []

    def test_who_ever_had_a_property_is_found_since_a_transaction(self, driver: Driver):
        driver.do("2024-01-10", remember("a", properties={"role": "x"}), remember("b"))
        driver.do("2024-01-11", Correct("a", {"properties": {}}))
        driver.do("2024-01-12", Correct("b", {"properties": {"role": "y", "visibility": 1}}))
        driver.do("2024-01-13", remember("c", properties={"role": 1}, visibility="restricted"))
        with driver.reading() as reader:
            last = reader.head().number
            assert reader.saying("role") == sorted(map(id_of, "abc"))
            assert reader.saying("role", last - 2) == sorted(map(id_of, "bc"))
            assert reader.saying("role", last) == []
            assert reader.saying("ro_e") == []
        with driver.reading(SEEING) as reader:
            assert reader.saying("role") == sorted(map(id_of, "ab"))

    def test_what_stands_is_what_is_known_and_not_archived(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        archived = {"op": "archive", "target": "b"}
        driver.do("2024-01-11", archived, Retract("c"), End("d", "2024-03-01"))
        driver.do("2024-01-12", Correct("a", {"sensitivity": 2, "acl": ("kim",)}))
        with driver.reading() as reader:
            found = reader.standing_entries()
        assert found.keys() == {id_of("a"), id_of("d")}
        assert found[id_of("a")].reserve == reserve_of("internal", 2, ("kim",))
        [period] = found[id_of("d")].periods
        assert period.end.text == "2024-03-01"

    def test_relations_stand_between_what_may_be_seen(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref) for ref in "abc"))
        ties = [{"op": "relate", "src": "a", "type": "extends", "dst": dst} for dst in "bc"]
        driver.do("2024-01-11", *ties)
        driver.do("2024-01-12", Correct("c", {"visibility": "restricted"}))
        with driver.reading() as reader:
            assert [one.dst_id for one in reader.standing_relations()] == [*map(id_of, "bc")]
        with driver.reading(SEEING) as reader:
            assert [one.dst_id for one in reader.standing_relations()] == [id_of("b")]
        driver.do("2024-01-13", {"op": "erase", "target": "b"})
        with driver.reading() as reader:
            assert [one.dst_id for one in reader.standing_relations()] == [id_of("c")]
