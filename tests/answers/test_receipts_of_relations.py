"""A receipt tells of no relation that its reader may not be shown any more."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damals import Damals
from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.errors import DamalsError
from damals.local import LocalDamals

ANNA = Principal("anna", ("reader",), visibility="internal")
QUESTION = "Satz Buch"
RESERVED = "relations:\n  part_of: {min_visibility: restricted}\n"
ASKS: tuple[Callable[[Damals], str], ...] = (
    lambda home: home.recall(QUESTION, tag=["Ende"]).receipt,
    lambda home: home.recall(QUESTION, tag=["Ende"], explain=True).receipt,
    lambda home: home.recall("Satz", tag=["Ende"], persona="Buch").receipt,
    lambda home: home.ask(QUESTION, tag=["Ende"]).receipt,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def memory(home: Path) -> Iterator[LocalDamals]:
    """Satz is part of Kapitel, Kapitel of Buch; questions for ends do not find what is between."""
    with open_home(home, embedder="none", timezone="Europe/Berlin") as memory:
        assert isinstance(memory, LocalDamals)
        for name in ("Satz", "Kapitel", "Buch"):
            tags = ["Mitte" if name == "Kapitel" else "Ende"]
            memory.remember(name, f"{name} steht hier.", external_id=name, tags=tags)
        memory.relate("Satz", "part_of", "Kapitel")
        memory.relate("Kapitel", "part_of", "Buch")
        memory.derive()
        yield memory


def steps(memory: Damals, receipt: str) -> list[str]:
    """The relations that a receipt tells of, with the titles of their ends."""
    return [
        f"{step['from']['title']} {step['relation']} {step['to']['title']}"
        for one in memory.why(receipt).reasons
        for step in one.chain
    ]


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(DamalsError) as caught:
        act()
    return caught.value.key


def why_not(memory: Damals, receipt: str) -> set[str]:
    return {refused(lambda: memory.replay(receipt)), refused(lambda: memory.why(receipt))}


def reserve_part_of(folder: Path) -> None:
    (folder / ".damals").mkdir(parents=True, exist_ok=True)
    (folder / ".damals" / "types.yaml").write_text(RESERVED, encoding="utf-8")


def test_a_premise_that_becomes_restricted_hides_what_follows_from_it(memory: LocalDamals):
    anna = memory.under(ANNA)
    receipts = [ask(anna) for ask in ASKS]
    for receipt in receipts:
        assert set(steps(anna, receipt)) == {"Satz part_of Buch"}
    memory.correct("Kapitel", visibility="restricted", reason="vertraulich")
    for receipt in receipts:
        assert why_not(anna, receipt) == {"receipt.hidden"}
        assert set(steps(memory, receipt)) == {"Satz part_of Buch"}


def test_a_premise_that_is_erased_takes_the_receipt_along_for_everybody(memory: LocalDamals):
    receipts = [(home, ask(home)) for home in (memory.under(ANNA), memory) for ask in ASKS]
    memory.erase("entry", "Kapitel", reason="Antrag")
    for home, receipt in receipts:
        assert why_not(home, receipt) == {"receipt.erased"}
    assert memory.audit().ok


def test_a_type_that_the_home_reserves_hides_receipts_that_tell_of_it(
    memory: LocalDamals, home: Path
):
    anna = memory.under(ANNA)
    receipts = [ask(anna) for ask in ASKS]
    other = anna.recall("Kapitel", tag=["Mitte"]).receipt
    reserve_part_of(home)
    for receipt in receipts:
        assert why_not(anna, receipt) == {"receipt.hidden"}
        assert set(steps(memory, receipt)) == {"Satz part_of Buch"}
    assert anna.replay(other).receipt == other


def test_a_type_that_a_vault_reserves_hides_receipts_that_tell_of_it(
    memory: LocalDamals, tmp_path: Path
):
    anna = memory.under(ANNA)
    receipts = [ask(anna) for ask in ASKS]
    reserve_part_of(tmp_path / "Notizen")
    (tmp_path / "Notizen" / "Notiz.md").write_text("Etwas.\n", encoding="utf-8")
    memory.import_(tmp_path / "Notizen")
    for receipt in receipts:
        assert why_not(anna, receipt) == {"receipt.hidden"}
        assert memory.replay(receipt).receipt == receipt


def test_what_ends_or_is_derived_anew_later_hides_nothing(memory: LocalDamals):
    anna = memory.under(ANNA)
    receipts = [ask(anna) for ask in ASKS]
    memory.relate("Kapitel", "part_of", "Satz", confidence=0.5)
    memory.retract("Kapitel", reason="nie wahr")
    memory.derive()
    memory.archive("Satz", reason="alt")
    for receipt in receipts:
        assert set(steps(anna, receipt)) == {"Satz part_of Buch"}
