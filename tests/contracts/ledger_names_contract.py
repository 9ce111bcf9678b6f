"""What every ledger must find by a name that may be an id or an external id."""

from collections.abc import Callable
from uuid import UUID

import pytest
from ledger_driver import Driver, id_of, remember

from damals.domain.errors import InvalidInput


def like_an_id(ref: str, of: str) -> dict[str, object]:
    """An entry whose external id reads as the id of another."""
    return {**remember(ref), "ref": str(id_of(of))}


class NamesContract:
    """The part of the contract that says whom a name names."""

    def test_an_id_comes_before_an_external_id_stored_or_not(self, driver: Driver):
        a = str(id_of("a"))
        ended = {"op": "end", "target": a, "at": "2024-02-01"}
        driver.do("2024-01-10", remember("a"), like_an_id("b", of="a"), ended)
        assert driver.outcomes[-1].entry_id == id_of("a")
        driver.do("2024-01-11", {**ended, "at": "2024-01-20"})
        assert driver.outcomes[-1].entry_id == id_of("a")
        with driver.reading() as reader:
            assert reader.find_entry(a).id == id_of("a")
        assert driver.titles("2024-03-01") == ["B"]

    def test_an_external_id_that_reads_as_an_id_is_found_where_nothing_has_that_id(
        self, driver: Driver
    ):
        driver.do("2024-01-10", like_an_id("b", of="x"))
        driver.do("2024-01-11", {"op": "end", "target": str(id_of("x")), "at": "2024-02-01"})
        assert driver.outcomes[-1].entry_id == id_of("b")

    @pytest.mark.parametrize("shown", [str, lambda one: one.hex.upper(), lambda one: one.urn])
    def test_an_external_id_that_reads_as_an_id_is_refused_without_an_id(
        self, driver: Driver, shown: Callable[[UUID], str]
    ):
        driver.do("2024-01-10", remember("a"))
        ref = shown(id_of("x"))
        for given in (
            {"op": "remember", "title": "New", "ref": ref},
            {"op": "update", "title": "New", "content": "", "ref": ref, "target": "a"},
        ):
            with pytest.raises(InvalidInput, match=r"entry\.named_like_an_id"):
                driver.do("2024-01-11", given)
