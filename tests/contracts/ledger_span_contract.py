"""What every ledger must tell of how far time reaches in it."""

from ledger_driver import Driver, instant, remember

from damals.app.index_model import AccessFilter
from damals.app.span_model import Extent
from damals.domain.operations import Correct, Erase, Retract


def extent(driver: Driver, access: AccessFilter | None = None) -> Extent:
    with driver.reading() if access is None else driver.reading(access) as reader:
        return reader.extent()


class SpanContract:
    """The part of the contract that is about the outermost instants of both clocks."""

    def test_an_empty_workspace_reaches_nowhere(self, driver: Driver):
        assert extent(driver) == Extent()

    def test_valid_time_reaches_from_the_first_to_the_last_dated_bound(self, driver: Driver):
        driver.do(
            "2024-01-10",
            remember("a", "2021-03-01"),
            remember("b", "2022-01-01", valid_to="2030-06-01"),
        )
        assert extent(driver) == Extent(
            instant("2021-03-01"), instant("2030-06-01"), instant("2024-01-10")
        )

    def test_of_an_imprecise_bound_all_that_it_can_mean_counts(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2019", valid_to="2020-02"))
        found = extent(driver)
        assert found.valid_first == instant("2019-01-01")
        assert found.valid_last is not None
        assert instant("2020-02-28") < found.valid_last <= instant("2020-03-01")

    def test_open_and_unknown_bounds_do_not_count(self, driver: Driver):
        driver.do("2024-01-10", remember("a", None), remember("b", None, valid_to="unknown"))
        found = extent(driver)
        assert (found.valid_first, found.valid_last) == (None, None)
        driver.do("2024-01-11", remember("c", None, valid_to="2018-05-01"))
        found = extent(driver)
        assert (found.valid_first, found.valid_last) == (instant("2018-05-01"),) * 2

    def test_what_was_once_recorded_still_counts(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2010-01-01"), remember("b", "2020-01-01"))
        driver.do("2024-02-01", Correct("a", valid_from="2021-01-01"))
        driver.do("2024-03-01", Retract("b"))
        found = extent(driver)
        assert found.valid_first == instant("2010-01-01")
        assert found.recorded_first == instant("2024-01-10")

    def test_hidden_entries_reach_nowhere_for_who_does_not_see_them(self, driver: Driver):
        driver.do("2024-01-10", remember("old", "1990-01-01", visibility="restricted"))
        driver.do("2024-02-10", remember("a", "2020-01-01"))
        driver.do("2024-03-10", remember("secret", "2040-01-01", sensitivity=2))
        driver.do("2024-04-10", remember("ours", "1980-01-01", acl=["ada"]))
        seeing = AccessFilter(("public", "internal"), 1, ("bob",))
        only = instant("2020-01-01")
        assert extent(driver, seeing) == Extent(only, only, instant("2024-02-10"))
        assert extent(driver) == Extent(
            instant("1980-01-01"), instant("2040-01-01"), instant("2024-01-10")
        )

    def test_erased_entries_reach_nowhere_for_anybody(self, driver: Driver):
        driver.do("2024-01-10", remember("gone", "1990-01-01"), remember("a", "2020-01-01"))
        driver.do("2024-02-01", Erase("gone"))
        assert extent(driver).valid_first == instant("2020-01-01")
