"""What every store of accesses does."""

from uuid import UUID

import pytest
from kept_accesses import kept
from ledger_driver import CREATED, Driver, at, id_of, instant, remember
from receipts_contract import receipt

from damals.app.accesses_model import HOUR, AccessNote
from damals.app.index_model import AccessFilter
from damals.app.ledger_port import Ledger
from damals.domain.errors import NotFound, Unavailable
from damals.domain.operations import Correct

NOON = instant("2024-01-10T12:00")
PUBLIC = AccessFilter(visibilities=("public",))


def note(*names: str, when: int = NOON, channel: str = "recall", **more: object) -> AccessNote:
    return AccessNote(tuple(map(id_of, names)), when, channel, **more)


class AccessesContract:
    """Subclasses give the ledger."""

    @pytest.fixture
    def driver(self, ledger: Ledger) -> Driver:
        ledger.create_workspace("w", "UTC", CREATED)
        ledger.create_workspace("other", "UTC", CREATED)
        driver = Driver(ledger)
        driver.do("2024-01-01", remember("a"), remember("b", visibility="public"))
        return driver

    def _count(self, driver: Driver, *names: str) -> int:
        return kept(driver.ledger, "w", [id_of(one) for one in names])

    def _last(self, driver: Driver, as_of: str, known_at: str | None = None) -> dict[UUID, int]:
        with driver.reading() as reader:
            return dict(reader.accessed_at([id_of("a"), id_of("b")], at(as_of, known_at)))

    def test_an_access_is_noted_once_for_each_entry(self, driver: Driver):
        driver.ledger.accesses.note("w", note("a", "b", "a"))
        assert self._count(driver, "a") == self._count(driver, "b") == 1
        assert self._last(driver, "2024-02-01") == {id_of("a"): NOON, id_of("b"): NOON}

    def test_the_first_access_of_an_hour_stays(self, driver: Driver):
        accesses = driver.ledger.accesses
        for when in (NOON + 5, NOON + HOUR - 1, NOON + HOUR):
            accesses.note("w", note("a", when=when))
        assert self._count(driver, "a") == 2
        accesses.note("w", note("a", when=NOON + 7, channel="show"))
        accesses.note("w", note("a", when=NOON + 7, principal="bot"))
        accesses.note("w", note("a", when=NOON + 8, principal="bot"))
        accesses.note("w", note("a", when=NOON + 8, principal="other bot"))
        assert self._count(driver, "a") == 5, "one for each channel, person and hour"

    def test_the_last_access_is_asked_at_a_pair(self, driver: Driver):
        accesses = driver.ledger.accesses
        accesses.note("w", note("a", when=instant("2024-02-01")))
        accesses.note("w", note("a", when=instant("2024-03-01")))
        asked = {
            ("2024-06-01", None): "2024-03-01",
            ("2024-06-01", "2024-02-15"): "2024-02-01",
            ("2024-02-15", None): "2024-02-01",
            ("2024-03-01", None): "2024-03-01",
        }
        for pair, expected in asked.items():
            assert self._last(driver, *pair) == {id_of("a"): instant(expected)}, pair
        assert self._last(driver, "2024-01-31") == {}

    def test_what_is_unknown_or_erased_is_not_noted(self, driver: Driver):
        driver.do("2024-01-11", {"op": "erase", "target": str(id_of("a"))})
        driver.ledger.accesses.note("w", note("a", "b", "x"))
        assert self._count(driver, "a", "x") == 0
        assert self._count(driver, "b") == 1

    def test_an_erasure_takes_the_accesses_of_its_entry(self, driver: Driver):
        driver.ledger.accesses.note("w", note("a", "b", principal="bot"))
        driver.do("2024-01-11", {"op": "erase", "target": str(id_of("a"))})
        assert self._count(driver, "a") == 0
        assert self._last(driver, "2024-02-01") == {id_of("b"): NOON}

    def test_what_is_hidden_was_never_seen(self, driver: Driver):
        driver.ledger.accesses.note("w", note("a", "b"))
        ids = [id_of("a"), id_of("b")]
        with driver.reading(PUBLIC) as reader:
            assert dict(reader.accessed_at(ids, at("2024-02-01"))) == {id_of("b"): NOON}
            assert set(reader.logged_at(ids)) == {id_of("b")}

    def test_a_workspace_knows_nothing_of_another(self, driver: Driver):
        driver.ledger.accesses.note("other", note("a"))
        assert self._count(driver, "a") == 0
        with pytest.raises(NotFound):
            driver.ledger.accesses.note("nowhere", note("a"))

    def test_an_access_does_not_wait_for_those_who_write(self, impatient: Ledger):
        impatient.create_workspace("w", "UTC", CREATED)
        Driver(impatient).do("2024-01-01", remember("a"))
        with impatient.write("w"), pytest.raises(Unavailable) as refused:
            impatient.accesses.note("w", note("a"))
        assert refused.value.key == "ledger.busy"
        impatient.accesses.note("w", note("a"))
        with impatient.write("w"):
            assert kept(impatient, "w", [id_of("a")]) == 1

    def test_an_access_is_noted_with_the_receipt_of_its_answer(self, driver: Driver):
        kept = receipt(1, "a")
        driver.ledger.receipts.put("w", kept, note("a", "b", principal="bot"))
        assert self._count(driver, "a", "b") == 2
        assert driver.ledger.receipts.get("w", kept.id) == kept
        assert driver.ledger.audit("w").breaks == ()

    def test_an_entry_knows_since_when_its_words_are_recorded(self, driver: Driver):
        driver.do("2024-01-11", {"op": "pin", "target": "a"})
        driver.do("2024-01-12", Correct("a", {"content": "Neu"}))
        driver.do("2024-01-13", {"op": "unpin", "target": "a"})
        first, new = instant("2024-01-01"), instant("2024-01-12")
        for asked, since in (
            ("2024-01-01", first), ("2024-01-11", first), ("2024-01-12", new), ("2024-01-13", new),
        ):  # fmt: skip
            with driver.reading() as reader:
                found = reader.worded_since({id_of("a"): instant(asked), id_of("x"): first})
            assert dict(found) == {id_of("a"): since}, asked
        with driver.reading(PUBLIC) as reader:
            assert dict(reader.worded_since({id_of("a"): first})) == {}

    def test_an_entry_knows_when_it_was_really_logged(self, driver: Driver):
        with driver.reading() as reader:
            found = reader.logged_at([id_of("a"), id_of("x")])
        assert set(found) == {id_of("a")}

    def test_the_accesses_of_an_entry_are_told_oldest_first(self, driver: Driver):
        accesses = driver.ledger.accesses
        accesses.note("w", note("a", "b", when=NOON + HOUR, principal="bot"))
        accesses.note("w", note("a", when=NOON, channel="show"))
        found = accesses.of("w", id_of("a"))
        assert list(found) == [
            note("a", when=NOON, channel="show"),
            note("a", when=NOON + HOUR, principal="bot"),
        ]
        assert list(accesses.of("w", id_of("x"))) == []
        with pytest.raises(NotFound, match="workspace"):
            accesses.of("nowhere", id_of("a"))
