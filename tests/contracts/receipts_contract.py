"""What every store of receipts does."""

import json
from dataclasses import replace
from uuid import UUID, uuid5

import pytest
from ledger_driver import CREATED, Driver, id_of, remember

from damals.app.ledger_port import Ledger
from damals.app.receipt_model import Receipt
from damals.domain.errors import Conflict, NotFound, Unavailable
from damals.domain.ids import WORKSPACES

NOW = CREATED + 1_000_000
TEXT = 'Wo wohnt "Anna" – in Köln? \\ \n'
ERASE_A = {"op": "erase", "target": str(id_of("a"))}


def receipt(number: int = 1, *names: str, **fields: object) -> Receipt:
    """A receipt that names some entries."""
    values: dict[str, object] = {
        "id": uuid5(WORKSPACES, f"receipt {number}"),
        "kind": "recall",
        "created_at": NOW,
        "number": number,
        "as_of": NOW,
        "known_at": NOW - 1,
        "principal": None,
        "entries": frozenset(map(id_of, names)),
        "document": {"question": TEXT, "score": 0.1 + 0.2, "none": None, "list": [1, 2.0, "x"]},
    }
    return Receipt(**values | fields)


class ReceiptsContract:
    """Subclasses give the ledger."""

    @pytest.fixture
    def driver(self, ledger: Ledger) -> Driver:
        ledger.create_workspace("w", "UTC", CREATED)
        ledger.create_workspace("other", "UTC", CREATED)
        return Driver(ledger)

    def test_a_receipt_is_given_back_as_it_was_kept(self, driver: Driver):
        driver.do("2024-01-01", remember("a"), remember("b"))
        receipts = driver.ledger.receipts
        other = receipt(3, "b", principal="bot", kind="ask")
        for kept in (receipt(1, "a", "b"), receipt(2), other):
            receipts.put("w", kept)
            found = receipts.get("w", kept.id)
            assert found == kept
            assert json.dumps(found.document) == json.dumps(kept.document)

    def test_an_unknown_receipt_and_one_of_another_workspace_are_none(self, driver: Driver):
        receipts = driver.ledger.receipts
        receipts.put("w", receipt())
        assert receipts.get("w", UUID(int=1)) is None
        assert receipts.get("other", receipt().id) is None
        assert receipts.get("nowhere", receipt().id) is None

    def test_a_workspace_that_is_not_there_keeps_none(self, driver: Driver):
        with pytest.raises(NotFound) as refused:
            driver.ledger.receipts.put("nowhere", receipt())
        assert refused.value.key == "workspace.unknown"

    def test_an_erasure_takes_all_texts_of_the_receipts_that_name_it_and_of_no_others(
        self, driver: Driver
    ):
        driver.do("2024-01-01", remember("a"), remember("b"))
        receipts = driver.ledger.receipts
        named, other = receipt(1, "a", "b"), receipt(2, "b")
        receipts.put("w", named)
        receipts.put("w", other)
        driver.do("2024-01-02", ERASE_A)
        assert receipts.get("w", named.id) == replace(named, entries=frozenset(), document=None)
        assert receipts.get("w", other.id) == other

    def test_nothing_is_kept_of_what_was_erased_meanwhile(self, driver: Driver):
        driver.do("2024-01-01", remember("a"))
        driver.do("2024-01-02", ERASE_A)
        with pytest.raises(Conflict) as refused:
            driver.ledger.receipts.put("w", receipt(1, "a"))
        assert refused.value.key == "receipt.erased"
        assert driver.ledger.receipts.get("w", receipt().id) is None

    def test_who_writes_for_long_is_not_waited_for(self, impatient: Ledger):
        impatient.create_workspace("w", "UTC", CREATED)
        with impatient.write("w"), pytest.raises(Unavailable) as refused:
            impatient.receipts.put("w", receipt())
        assert refused.value.key == "ledger.busy"
        impatient.receipts.put("w", receipt())
        with impatient.write("w"):
            assert impatient.receipts.get("w", receipt().id) == receipt()

    def test_the_ledger_is_sound_with_receipts_and_after_an_erasure(self, driver: Driver):
        driver.do("2024-01-01", remember("a"), remember("b"))
        for number in range(5):
            driver.ledger.receipts.put("w", receipt(number, "a"))
        assert driver.ledger.audit("w").breaks == ()
        driver.do("2024-01-02", ERASE_A)
        assert driver.ledger.audit("w").breaks == ()
        assert driver.ledger.check() == []

    def test_all_receipts_are_told_in_order(self, driver: Driver):
        driver.do("2024-01-01", remember("a"))
        receipts = driver.ledger.receipts
        kept = [receipt(1, "a"), receipt(2), receipt(3, principal="bot")]
        for one in kept:
            receipts.put("w", one)
        assert list(receipts.all("w")) == kept
        assert list(receipts.all("other")) == list(receipts.all("nowhere")) == []
