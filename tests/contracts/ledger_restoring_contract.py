"""What is given back when a cut, or a whole transaction, is taken back; on every ledger."""

from collections.abc import Iterable

import pytest
from ledger_driver import Driver, id_of, remember, update

from damals.domain.errors import Conflict, NotFound

JUNE = "2024-06-15"
FOREVER = "2030-01-01"


def taken(driver: Driver, **more: object) -> int:
    """``a`` holds from January; ``b`` takes over from June on; its transaction."""
    driver.do("2024-01-10", remember("a", **more))
    return driver.do("2024-01-11", update("b", "a", valid_from="2024-06-01"))


def retract(ref: str) -> dict[str, object]:
    return {"op": "retract", "target": ref, "restore": True}


def revert(number: int) -> dict[str, object]:
    return {"op": "revert", "transaction": number}


class RestoringContract:
    """What was taken comes back, less what was said of it later."""

    # retract --restore

    def test_a_plain_retract_leaves_what_was_cut_cut(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", {"op": "retract", "target": "b"})
        assert driver.titles(JUNE) == []

    def test_a_retract_gives_back_on_request_in_one_piece(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", retract("b"))
        assert driver.titles(JUNE) == ["A"]
        assert driver.titles(JUNE, "2024-01-11") == ["B"]
        assert driver.history("a")[-1] == ("A", "2024-01-01", "")

    def test_a_retracted_entry_gives_back_later_too_and_then_has_nothing_left(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", {"op": "retract", "target": "b"})
        driver.do("2024-01-13", retract("b"))
        assert driver.titles(JUNE) == ["A"]
        driver.do("2024-01-14", retract("b"), {"op": "pin", "target": "a"})
        assert driver.outcomes[0].unchanged

    def test_a_correction_of_the_wording_made_meanwhile_stays(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", {"op": "correct", "target": "a", "title": "A, rightly"})
        driver.do("2024-01-13", retract("b"))
        assert driver.titles(JUNE) == driver.titles("2024-02-01") == ["A, rightly"]

    @pytest.mark.parametrize(
        "said",
        [
            {"op": "end", "target": "a", "at": "2024-03-01"},
            {"op": "correct", "target": "a", "valid_from": "2024-01-01", "valid_to": "2024-05-01"},
            {"op": "retract", "target": "a"},
        ],
        ids=lambda said: said["op"],
    )
    def test_what_was_ended_corrected_or_retracted_meanwhile_does_not_come_back(
        self, driver: Driver, said: dict[str, object]
    ):
        taken(driver)
        driver.do("2024-01-12", said)
        driver.do("2024-01-13", retract("b"))
        assert driver.titles(JUNE) == []

    def test_what_was_said_meanwhile_and_reverted_does_not_count(self, driver: Driver):
        taken(driver)
        ended = driver.do("2024-01-12", {"op": "end", "target": "a", "at": "2024-03-01"})
        undone = driver.do("2024-01-13", revert(ended))
        driver.do("2024-01-14", retract("b"))
        assert driver.titles(JUNE) == ["A"]
        again = driver.do(
            "2024-01-15", {"op": "remember", "title": "Z", "valid_from": "2035-01-01"}
        )
        assert again > undone

    def test_a_revert_of_a_revert_counts_again(self, driver: Driver):
        taken(driver)
        ended = driver.do("2024-01-12", {"op": "end", "target": "a", "at": "2024-03-01"})
        undone = driver.do("2024-01-13", revert(ended))
        driver.do("2024-01-14", revert(undone))
        driver.do("2024-01-15", retract("b"))
        assert driver.titles(JUNE) == []
        assert driver.titles("2024-02-01") == ["A"]

    def test_what_a_third_one_took_stays_taken(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        for day, ref, start, end in (
            ("2024-01-11", "b", "2024-06-01", "2024-09-01"),
            ("2024-01-12", "c", "2024-08-01", "2024-10-01"),
        ):
            params = remember(ref, start, valid_to=end, key="k", on_overlap="replace")
            driver.do(day, params)
        driver.do("2024-01-13", retract("b"))
        found = [driver.titles(f"2024-{month:02}-15") for month in (5, 7, 8, 9, 11)]
        assert found == [["A"], ["A"], ["C"], ["C"], ["A"]]

    def test_what_another_entry_of_the_key_holds_stays_its_own(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-06-01"))
        driver.do("2024-01-12", {"op": "end", "target": "b", "at": "2024-08-01"})
        driver.do("2024-01-13", remember("c", "2024-08-01", valid_to="2024-10-01", key="k"))
        driver.do("2024-01-14", retract("b"))
        found = [driver.titles(f"2024-{month:02}-15") for month in (5, 7, 8, 9, 11)]
        assert found == [["A"], ["A"], ["C"], ["C"], ["A"]]

    def test_a_cut_of_the_same_transaction_is_given_back_without_a_trace(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-06-01"), retract("b"))
        assert driver.titles(JUNE) == ["A"]
        assert driver.history("a") == [("A", "2024-01-01", "")]

    def test_where_those_stand_that_came_after_it_nothing_is_given_back(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", update("c", "b", valid_from="2024-08-01"))
        driver.do("2024-01-13", update("d", "c", valid_from="2024-10-01"))
        driver.do("2024-01-14", retract("b"))
        found = [driver.titles(f"2024-{month:02}-15") for month in (5, 6, 7, 8, 11)]
        assert found == [["A"], ["A"], ["A"], ["C"], ["D"]]

    def test_an_erased_entry_gets_nothing_back_and_hinders_nobody(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", {"op": "erase", "target": "a"})
        driver.do("2024-01-13", retract("b"))
        assert driver.titles(JUNE) == []
        assert driver.outcomes[0].touched == (id_of("b"),)

    # revert

    def test_a_reverted_update_never_was(self, driver: Driver):
        number = taken(driver)
        driver.do("2024-01-12", revert(number))
        assert driver.titles(JUNE) == ["A"]
        assert driver.titles(JUNE, superseded=True) == []
        assert driver.titles(JUNE, "2024-01-11") == ["B"]

    def test_a_reverted_revert_is_as_if_there_had_been_none(self, driver: Driver):
        number = taken(driver)
        undone = driver.do("2024-01-12", revert(number))
        driver.do("2024-01-13", revert(undone))
        assert driver.titles(JUNE) == ["B"]
        assert driver.titles(JUNE, superseded=True) == ["A"]

    def test_a_transaction_is_reverted_once(self, driver: Driver):
        number = taken(driver)
        driver.do("2024-01-12", revert(number))
        self.refuses(driver, number)

    def test_a_chain_of_corrections_is_taken_back_step_by_step(self, driver: Driver):
        numbers = [driver.do("2024-01-10", remember("a"))]
        for day, title in (("2024-01-11", "Second"), ("2024-01-12", "Third")):
            numbers.append(driver.do(day, {"op": "correct", "target": "a", "title": title}))
        for day, number in zip(("13", "14", "15"), reversed(numbers), strict=True):
            driver.do(f"2024-01-{day}", revert(number))
        told = [driver.titles(JUNE, f"2024-01-{day}") for day in range(10, 16)]
        assert told == [["A"], ["Second"], ["Third"], ["Second"], ["A"], []]

    def test_a_transaction_of_several_operations_is_reverted_whole(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        number = driver.do(
            "2024-01-11",
            {"op": "end", "target": "a", "at": "2024-03-01"},
            {"op": "correct", "target": "b", "title": "Other"},
            {"op": "archive", "target": "b"},
            {"op": "contradict", "a": "a", "b": "b"},
            remember("c"),
        )
        driver.do("2024-01-12", revert(number))
        assert driver.titles(FOREVER) == ["A", "B"]
        assert driver.titles(FOREVER, archived=True) == []

    @pytest.mark.parametrize(
        "later",
        [
            [{"op": "correct", "target": "b", "title": "Other"}],
            [{"op": "retract", "target": "b"}],
            [{"op": "end", "target": "b", "at": "2024-09-01"}],
            [update("c", "b", valid_from="2024-07-01", valid_to="2024-08-01")],
            [{"op": "end", "target": "a", "at": "2024-03-01"}],
            [{"op": "retract", "target": "a"}],
            [{"op": "erase", "target": "a"}],
            [{"op": "erase", "target": "b"}],
        ],
        ids=lambda later: f"{later[0]['op']} {later[0]['target']}",
    )
    def test_what_was_changed_again_is_not_reverted(
        self, driver: Driver, later: Iterable[dict[str, object]]
    ):
        number = taken(driver)
        driver.do("2024-01-12", *later)
        self.refuses(driver, number)

    def test_a_later_change_elsewhere_in_time_does_not_hinder(self, driver: Driver):
        number = taken(driver)
        driver.do("2024-01-12", update("c", "a", valid_from="2024-02-01", valid_to="2024-03-01"))
        driver.do("2024-01-13", revert(number))
        found = [driver.titles(f"2024-{month:02}-15") for month in (1, 2, 3, 6)]
        assert found == [["A"], ["C"], ["A"], ["A"]]

    def test_another_entry_of_the_key_hinders_where_it_holds(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        number = driver.do("2024-01-11", {"op": "end", "target": "a", "at": "2024-03-01"})
        driver.do("2024-01-12", remember("b", "2024-05-01", key="k"))
        self.refuses(driver, number)

    def test_only_stored_transactions_can_be_reverted(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        for number in (2, 99):
            with pytest.raises(NotFound):
                driver.do("2024-01-11", revert(number))

    def test_a_transaction_is_also_known_by_its_instant(self, driver: Driver):
        taken(driver)
        driver.do("2024-01-12", {"op": "revert", "transaction": "2024-01-11T00:00:00Z"})
        assert driver.titles(JUNE) == ["A"]

    def test_an_erasure_is_not_reverted(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        number = driver.do("2024-01-11", {"op": "erase", "target": "a"})
        self.refuses(driver, number)

    def refuses(self, driver: Driver, number: int) -> None:
        with driver.reading() as reader:
            before = reader.head()
        with pytest.raises(Conflict):
            driver.do("2024-02-20", revert(number))
        with driver.reading() as reader:
            assert reader.head() == before
