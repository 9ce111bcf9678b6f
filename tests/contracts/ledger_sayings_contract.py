"""What every ledger must tell of all that was ever said, read as texts alone."""

from ledger_driver import Driver, id_of, instant, remember, update

from damals.app.index_model import AccessFilter
from damals.app.ledger_port import LedgerReader
from damals.domain.operations import Correct, Erase, Pin, Retract, Verify


def said(reader: LedgerReader, known_at: str, *, still: bool = False) -> list[tuple[str, str]]:
    return [(one.title, one.content) for one in reader.sayings(instant(known_at), still=still)]


class SayingsContract:
    """The part of the contract that is about reading texts and nothing about them."""

    def test_all_that_was_recorded_by_an_instant_is_read_or_what_was_still_known_then(
        self, driver: Driver
    ):
        driver.do("2024-01-10", remember("a", key="x/y", tags=["B", "a/c"]), remember("b"))
        driver.do("2024-02-01", Correct("a", {"content": "Neu."}))
        driver.do("2024-03-01", Retract("b"))
        with driver.reading() as reader:
            assert said(reader, "2024-01-01") == []
            assert said(reader, "2024-01-20") == [("A", "About a."), ("B", "About b.")]
            assert said(reader, "2024-02-20", still=True) == [("B", "About b."), ("A", "Neu.")]
            assert said(reader, "2024-03-20", still=True) == [("A", "Neu.")]
            assert len(said(reader, "2024-03-20")) == 3
            first = next(iter(reader.sayings(instant("2024-03-20"))))
        assert first.entry_id == id_of("a")
        assert first.recorded_from == instant("2024-01-10")
        assert (first.key, sorted(first.tags)) == ("x/y", ["B", "a/c"])
        assert first.words.splitlines()[:2] == ["A", "About a."]

    def test_of_hidden_and_erased_entries_no_text_is_read(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b", sensitivity=2), remember("c"))
        driver.do("2024-02-01", Erase("c"))
        with driver.reading(AccessFilter(max_sensitivity=1)) as reader:
            assert said(reader, "2024-03-01") == [("A", "About a.")]
        with driver.reading() as reader:
            assert [title for title, _ in said(reader, "2024-03-01")] == ["A", "B"]

    def test_the_entries_that_some_kinds_of_operations_touched_by_an_instant_are_known(
        self, driver: Driver
    ):
        driver.do("2024-01-10", *(remember(ref) for ref in "abcd"))
        driver.do("2024-02-01", Correct("a", {"content": "Neu."}), Verify("b"), Pin("d"))
        driver.do("2024-03-01", Retract("c"), update("e", "d"))
        with driver.reading() as reader:
            wrong = ("correct", "retract")
            assert set(reader.touched_by(wrong, instant("2024-02-10"))) == {id_of("a")}
            found = reader.touched_by(wrong, instant("2024-03-10"))
            assert found == sorted({id_of("a"), id_of("c")})
            assert set(reader.touched_by(("update",), instant("2024-03-10"))) >= {id_of("d")}

    def test_others_learn_nothing_of_what_was_done_to_hidden_entries(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b", visibility="restricted"))
        driver.do("2024-02-01", Retract("a"), Retract("b"))
        seeing = AccessFilter(visibilities=("public", "internal"))
        with driver.reading(seeing) as reader:
            assert reader.touched_by(("retract",), instant("2024-03-01")) == [id_of("a")]
