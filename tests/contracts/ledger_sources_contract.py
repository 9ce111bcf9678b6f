"""What every ledger must keep of sources."""

from dataclasses import replace
from typing import Final

import pytest
from ledger_driver import CREATED, Driver, id_of, instant, remember
from ledger_reading_contract import note, note_entry

from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import Head
from damals.app.ledger_port import Ledger
from damals.app.readmitting import Readmission
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

    def test_a_source_is_quiet_as_long_as_nobody_touches_its_entries(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")), remember("x"))
        head = _head(noted)
        assert _quiet(noted, "vault", head)
        noted.do("2024-01-02", remember("y"), {"op": "correct", "target": "x", "content": "?"})
        noted.do("2024-01-03", note_entry("b", replace(note("b.md"), name="other")))
        assert _quiet(noted, "vault", head)
        assert not _quiet(noted, "other", head)
        assert _quiet(noted, "nowhere", head)
        noted.do("2024-01-04", {"op": "verify", "target": "a"})
        assert not _quiet(noted, "vault", head)
        assert _quiet(noted, "vault", _head(noted))

    def test_an_entry_that_once_belonged_to_a_source_is_none_of_others(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")))
        moved = {"kind": "vault", "name": "other", "path": "a.md"}
        noted.do("2024-01-02", {"op": "correct", "target": "a", "source": moved})
        head = _head(noted)
        noted.do("2024-01-03", Retract("a", "weg"))
        assert not _quiet(noted, "vault", head)
        assert not _quiet(noted, "other", head)

    def test_after_an_erasure_no_source_is_quiet(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")), remember("x"))
        head = _head(noted)
        noted.do("2024-01-02", Erase("x", "wunsch"))
        assert not _quiet(noted, "vault", head)
        assert _quiet(noted, "vault", _head(noted))

    def test_since_a_transaction_of_another_ledger_nothing_is_quiet(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")))
        head = _head(noted)
        for other in (
            replace(head, number=2),
            replace(head, recorded_at=head.recorded_at + 1),
            replace(head, logged_at=head.logged_at + 1),
        ):
            assert not _quiet(noted, "vault", other)

    def test_marks_of_what_was_erased_can_be_asked_for_and_not_read(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")), note_entry("b", note("b.md")))
        assert _marked(noted, "one", "two") == frozenset()
        with noted.ledger.write("w") as writer:
            erasing = noted.transaction(writer, instant("2024-01-02"), [Erase("a", "wunsch")])
            writer.append(replace(erasing, marks=frozenset({"one", "two"})))
            assert writer.marked(["two", "three"]) == {"two"}
        assert _marked(noted, "one", "three") == {"one"}
        assert _marked(noted, "one", "three", access=OTHERS) == {"one"}
        noted.ledger.create_workspace("other", "UTC", CREATED)
        assert _marked(Driver(noted.ledger, "other"), "one") == frozenset()
        with noted.reading() as reader:
            assert list(reader.tombstones()) == [id_of("a")]
        assert noted.ledger.audit("w").breaks == ()

    def test_what_is_readmitted_stands_in_no_way_any_more(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")), note_entry("b", note("b.md")))
        with noted.ledger.write("w") as writer:
            erasing = noted.transaction(writer, instant("2024-01-02"), [Erase("a", "wunsch")])
            writer.append(replace(erasing, marks=frozenset({"one", "two"})))
        found = Readmission({id_of("a"), id_of("b")}, {"one", "unknown"})
        with noted.ledger.write("w") as writer:
            assert writer.readmitted() == frozenset()
            writer.readmit(found, CREATED, "bob")
            assert writer.readmitted() == {id_of("a")}
        assert _marked(noted, "one", "two") == {"two"}
        for access in (OWNER, OTHERS):
            with noted.reading(access) as reader:
                assert reader.readmitted() == {id_of("a")}
        with noted.reading() as reader:
            assert list(reader.tombstones()) == [id_of("a")]
        assert noted.ledger.audit("w").breaks == ()

    def test_marks_are_gone_with_a_write_that_is_broken_off(self, noted: Driver):
        noted.do("2024-01-01", note_entry("a", note("a.md")))

        def broken() -> None:
            with noted.ledger.write("w") as writer:
                erasing = noted.transaction(writer, instant("2024-01-02"), [Erase("a", "wunsch")])
                writer.append(replace(erasing, marks=frozenset({"one"})))
                raise RuntimeError

        with pytest.raises(RuntimeError):
            broken()
        assert _marked(noted, "one") == frozenset()


def _head(driver: Driver) -> Head:
    with driver.reading() as reader:
        return reader.head()


def _quiet(driver: Driver, source: str, head: Head) -> bool:
    with driver.reading() as reader:
        return reader.quiet_since(source, head)


def _marked(driver: Driver, *marks: str, access: AccessFilter = OWNER) -> frozenset[str]:
    with driver.reading(access) as reader:
        return reader.marked(marks)


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
