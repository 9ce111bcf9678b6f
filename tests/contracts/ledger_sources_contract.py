"""What every ledger must keep of sources."""

from dataclasses import replace
from typing import Final

import pytest
from ledger_driver import CREATED, Driver
from ledger_reading_contract import note, note_entry

from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_port import Ledger
from damals.app.sources_model import SourceCount, SourceRun
from damals.domain.operations import Erase, Retract

RUN: Final = SourceRun("vault", "vault", "/home/a/vault", 5, {"added": 2, "seconds": 0.5})
OTHERS: Final = AccessFilter(visibilities=("public", "internal"), principals=("kim",))


class SourcesContract:
    """The part of the contract that is about sources."""

    @pytest.fixture
    def noted(self, ledger: Ledger) -> Driver:
        ledger.create_workspace("w", "UTC", CREATED)
        return Driver(ledger)

    def test_the_last_import_of_a_source_replaces_the_one_before(self, noted: Driver):
        later = replace(RUN, root="/elsewhere", imported_at=7, result={"added": 0})
        _put(noted, RUN, replace(RUN, name="b.jsonl", kind="events"))
        assert _runs(noted) == [replace(RUN, name="b.jsonl", kind="events"), RUN]
        _put(noted, later)
        assert _runs(noted) == [replace(RUN, name="b.jsonl", kind="events"), later]

    def test_sources_of_another_workspace_are_others(self, noted: Driver):
        noted.ledger.create_workspace("other", "UTC", CREATED)
        _put(noted, RUN)
        assert _runs(Driver(noted.ledger, "other")) == []

    def test_nobody_but_the_owner_is_told_how_an_import_ended(self, noted: Driver):
        _put(noted, RUN)
        assert _runs(noted, OTHERS) == []

    def test_a_write_that_is_broken_off_notes_no_import(self, noted: Driver):
        def broken() -> None:
            with noted.ledger.write("w") as writer:
                writer.put_source(RUN)
                raise RuntimeError

        with pytest.raises(RuntimeError):
            broken()
        assert _runs(noted) == []

    def test_an_erasure_forgets_what_imports_gave_and_keeps_that_they_were(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")))
        _put(noted, RUN)
        noted.do("2024-01-02", Erase("a", "wunsch"))
        assert _runs(noted) == [replace(RUN, result=None)]

    def test_a_result_from_before_an_erasure_is_not_kept_after_it(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")), note_entry("b", note("b.md")))
        erased = noted.do("2024-01-02", Erase("a", "wunsch"))
        _put(noted, replace(RUN, since=erased - 1))
        assert _runs(noted) == [replace(RUN, result=None)]
        _put(noted, replace(RUN, since=erased))
        assert _runs(noted) == [RUN]

    def test_a_result_is_text_of_its_own_whatever_entries_say(self, noted: Driver):
        _put(noted, RUN)
        noted.do("2024-01-01", note_entry("a", note("a.md", uri='{"added":2,"seconds":0.5}')))
        _put(noted, RUN, RUN)
        noted.do("2024-01-02", note_entry("b", note("b.md")))
        assert _runs(noted) == [RUN]
        assert noted.ledger.audit("w").transactions == 2
        assert noted.ledger.check() == []

    def test_a_source_counts_the_notes_that_are_known_and_may_be_seen(self, noted: Driver):
        hidden = note_entry("c", note("c.md"))
        hidden = replace(hidden, fields={**hidden.fields, "visibility": "restricted"})
        noted.do("2024-01-01", note_entry("a", note("a.md")), note_entry("b", note("b.md")), hidden)
        assert _counts(noted) == [SourceCount("vault", 3)]
        assert _counts(noted, OTHERS) == [SourceCount("vault", 2)]
        noted.do("2024-01-02", Retract("a", "weg"))
        assert _counts(noted) == [SourceCount("vault", 2)]
        assert _counts(noted, OTHERS) == [SourceCount("vault", 1)]

    def test_a_source_of_which_nothing_may_be_seen_is_none(self, noted: Driver):
        hidden = note_entry("c", note("c.md"))
        noted.do(
            "2024-01-01",
            replace(hidden, fields={**hidden.fields, "visibility": "restricted"}),
            note_entry("gone", replace(note("gone.md"), name="alt")),
        )
        noted.do("2024-01-02", Erase("gone", "wunsch"))
        assert _counts(noted, OTHERS) == []
        assert _counts(noted) == [SourceCount("vault", 1)]


def _put(driver: Driver, *runs: SourceRun) -> None:
    for run in runs:
        with driver.ledger.write(driver.workspace) as writer:
            writer.put_source(run)


def _runs(driver: Driver, access: AccessFilter = OWNER) -> list[SourceRun]:
    with driver.reading(access) as reader:
        return sorted(reader.source_runs(), key=lambda run: run.name)


def _counts(driver: Driver, access: AccessFilter = OWNER) -> list[SourceCount]:
    with driver.reading(access) as reader:
        return sorted(reader.source_counts(), key=lambda one: one.name)
