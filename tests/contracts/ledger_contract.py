"""What every ledger must do, whatever it is made of. Subclasses say which ledger is meant."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from ledger_access_contract import AccessContract
from ledger_changes_contract import ChangesContract
from ledger_derived_contract import DerivedContract
from ledger_driver import CREATED, Driver, at, id_of, instant, remember, update
from ledger_history_contract import HistoryContract
from ledger_lifecycle_contract import LifecycleContract
from ledger_names_contract import NamesContract
from ledger_near_contract import NearContract
from ledger_outbox_contract import OutboxContract
from ledger_reading_contract import ReadingContract, note, note_entry
from ledger_replay_contract import ReplayContract
from ledger_restoring_contract import RestoringContract
from ledger_sayings_contract import SayingsContract
from ledger_snapshot_contract import SnapshotContract
from ledger_sources_contract import SourcesContract
from ledger_span_contract import SpanContract
from ledger_standing_contract import StandingContract

from damals.app.index_model import AccessFilter
from damals.app.ledger_model import EntryFilter, Head
from damals.app.ledger_port import Ledger
from damals.domain.cuts import ALWAYS
from damals.domain.errors import Conflict, NotFound, Unavailable
from damals.domain.instants import BEGINNING
from damals.domain.operations import Correct, End, Retract
from damals.domain.periods import BoundKind

PUBLIC = AccessFilter(visibilities=("public", "internal"), max_sensitivity=1, principals=("bob",))


class LedgerContract(
    ReadingContract,
    LifecycleContract,
    RestoringContract,
    OutboxContract,
    ChangesContract,
    AccessContract,
    NamesContract,
    HistoryContract,
    SourcesContract,
    ReplayContract,
    StandingContract,
    SnapshotContract,
    SayingsContract,
    SpanContract,
    DerivedContract,
    NearContract,
):
    """The contract of the ports ``Ledger``, ``LedgerReader`` and ``LedgerWriter``."""

    @pytest.fixture
    def ledger(self) -> Iterator[Ledger]:
        raise NotImplementedError

    # Workspaces

    def test_a_workspace_exists_once_and_lists_by_name(self, ledger: Ledger):
        for name in ("zebra", "apfel"):
            ledger.create_workspace(name, "Europe/Berlin", CREATED)
        with pytest.raises(Conflict, match=r"workspace\.exists"):
            ledger.create_workspace("apfel", "UTC", CREATED)
        assert [(w.name, w.zone) for w in ledger.workspaces()] == [
            ("apfel", "Europe/Berlin"),
            ("zebra", "Europe/Berlin"),
        ]

    def test_an_unknown_workspace_can_be_neither_read_nor_written(self, ledger: Ledger):
        with pytest.raises(NotFound, match=r"workspace\.unknown"), ledger.read("x"):
            pass
        with pytest.raises(NotFound, match=r"workspace\.unknown"), ledger.write("x"):
            pass
        with pytest.raises(NotFound, match=r"workspace\.unknown"):
            ledger.lookup("x", "text")

    def test_workspaces_do_not_see_each_other(self, driver: Driver):
        driver.ledger.create_workspace("other", "UTC", CREATED)
        other = Driver(driver.ledger, "other")
        driver.do("2024-01-01", remember("a", key="k"))
        other.do("2024-01-02", remember("a", key="k", content="Another."))
        assert driver.version("a", "2024-02-01").version.attributes.content == "About a."
        assert other.version("a", "2024-02-01").version.attributes.content == "Another."
        with other.reading() as reader:
            assert reader.head() == Head(1, *[instant("2024-01-02")] * 2)

    def test_a_new_workspace_has_no_transaction(self, driver: Driver):
        with driver.reading() as reader:
            assert reader.head() == Head(0, BEGINNING, BEGINNING)
            assert list(reader.log()) == []

    # Writing

    def test_a_write_is_seen_by_the_next_read(self, driver: Driver):
        assert driver.do("2024-01-10", remember("a")) == 1
        assert driver.titles("2024-02-01") == ["A"]

    def test_an_exception_undoes_the_whole_write(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        with pytest.raises(KeyError):
            self._half_a_write(driver)
        assert driver.titles("2024-02-01") == ["A"]
        with driver.reading() as reader:
            assert reader.head().number == 1
            assert reader.find_entry("b") is None

    def _half_a_write(self, driver: Driver) -> None:
        with driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-11"), [remember("b"), End("a", "2024-01-05")])
            assert writer.find_entry("b") is not None
            raise KeyError

    def test_a_number_or_an_instant_that_does_not_follow_is_refused(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        with driver.ledger.write("w") as writer:
            good = driver.transaction(writer, instant("2024-01-11"), [remember("b")])
            for bad in (
                replace(good, number=1),
                replace(good, number=3),
                replace(good, recorded_at=instant("2024-01-10")),
                replace(good, recorded_at=instant("2024-01-09")),
            ):
                with pytest.raises(Conflict, match=r"transaction\.order"):
                    writer.append(bad)
            writer.append(good)
        assert driver.titles("2024-02-01") == ["A", "B"]

    def test_a_row_is_closed_once(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", Retract("a"))
        with pytest.raises(Conflict, match=r"transaction\.not_open"):
            self._close_again(driver)
        assert driver.titles("2024-02-01") == []

    def _close_again(self, driver: Driver) -> None:
        with driver.ledger.write("w") as writer:
            good = driver.transaction(writer, instant("2024-01-12"), [remember("b")])
            writer.append(replace(good, effects=replace(good.effects, closed=(1,))))

    def test_a_writer_sees_everything_that_it_has_appended(self, driver: Driver):
        with driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-10"), [remember("a", key="k")])
            a = writer.by_external_id("a")
            assert writer.by_id(a.id) == a
            assert [s.id for s in writer.holding_key("k", ALWAYS)] == [a.id]
            assert [s.id for s in writer.stating(a.rectangles[0].attributes)] == [a.id]
            assert [c.text for c in writer.open_chunks([a.id])[a.id]] == ["About a."]
            driver.into(writer, instant("2024-01-11"), [update("b", "a", valid_from="2024-03-01")])
            driver.into(writer, instant("2024-01-12"), [Correct("b", {"key": None})])
            assert [s.id for s in writer.holding_key("k", ALWAYS)] == [id_of("a")]
            assert writer.by_id(id_of("a")).cut_by == (id_of("b"),)
            found = writer.list_at(at("2024-02-01"), EntryFilter())
            assert [f.version.attributes.title for f in found] == ["A"]
            assert len(list(writer.log())) == 3
            assert len(writer.history(id_of("a"), at("2024-02-01"))) == 2
        assert driver.titles("2024-04-01") == ["B"]

    def test_states_are_the_same_before_and_after_they_are_stored(self, driver: Driver):
        with driver.ledger.write("w") as writer:
            for place, operations in enumerate(_BUSY_LIFE):
                driver.into(writer, instant("2024-05-01") + place, operations)
            before = {ref: writer.by_external_id(ref) for ref in "abcdx"}
            unknown = writer.by_id(id_of("nobody"))
        with driver.ledger.write("w") as writer:
            after = {ref: writer.by_external_id(ref) for ref in "abcdx"}
            assert writer.by_id(id_of("nobody")) is unknown is None
        assert before == after
        assert after["x"] is None
        assert after["a"].last_transaction == 4
        assert [r.relation for r in after["c"].relations] == ["supersedes", "extends"]
        assert after["d"].rectangles == ()
        assert after["d"].last.attributes.title == "D"

    def test_a_closed_cut_is_no_longer_a_cut(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-01-11", update("c", "a", valid_from="2024-03-01"))
        for stored in (False, True):
            with driver.ledger.write("w") as writer:
                if not stored:
                    c = writer.by_external_id("c")
                    good = driver.transaction(writer, instant("2024-01-12"), [Retract("b")])
                    rows = tuple(r.row for r in c.relations)
                    gone = replace(
                        good.effects, relations_closed=rows, touched=(*good.effects.touched, c.id)
                    )
                    writer.append(replace(good, effects=gone))
                assert writer.by_external_id("a").cut_by == ()
                assert writer.by_external_id("c").relations == ()

    def test_many_transactions_fit_into_one_write(self, driver: Driver):
        start = instant("2024-01-10")
        with driver.ledger.write("w") as writer:
            for place in range(300):
                driver.into(
                    writer,
                    start + place,
                    [remember(f"n{place}", key=f"k{place % 7}", on_overlap="replace")],
                )
        assert len(driver.titles("2024-02-01", limit=None)) == 7
        assert len(driver.titles("2024-02-01", superseded=True, limit=None)) == 293

    def test_texts_come_back_exactly(self, driver: Driver):
        text = "Zeile 1\r\n\t e\u0301 é \U0001f9e0\n\n\u2028 „Ende“ "
        driver.do("2024-01-10", remember("a", title="Ä", content=text, tags=["Über/Mut"],
            properties={"n": 1.5, "list": [1, None, {"x": True}]}, importance=5))  # fmt: skip
        found = driver.version("a", "2024-02-01").version
        assert found.attributes.content == text
        assert found.attributes.tags == ("Über/Mut",)
        assert found.attributes.importance == 5
        assert dict(found.attributes.properties) == {"n": 1.5, "list": [1, None, {"x": True}]}
        assert found.period.end.kind is BoundKind.OPEN

    def test_every_field_of_a_source_comes_back(self, driver: Driver):
        source = note("x.md", line=7, uri="file:x", heading="H", imported_at=5, session="s")
        driver.do("2024-01-10", note_entry("a", source))
        assert driver.version("a", "2024-02-01").version.attributes.source == source

    # The rest

    def test_the_lookup_of_a_text_is_stable_and_differs_by_workspace(self, driver: Driver):
        driver.ledger.create_workspace("other", "UTC", CREATED)
        mine = driver.ledger.lookup("w", "Müller")
        assert mine == driver.ledger.lookup("w", "Müller")
        assert (
            len({mine, driver.ledger.lookup("w", "M"), driver.ledger.lookup("other", "Müller")})
            == 3
        )

    def test_a_snapshot_does_not_see_what_is_written_meanwhile(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        with driver.reading() as reader:
            driver.do("2024-01-11", remember("b"))
            assert len(reader.list_at(at("2024-02-01"), EntryFilter())) == 1
            assert reader.head().number == 1

    def test_a_second_writer_waits_and_gives_up(self, impatient: Ledger):
        impatient.create_workspace("w", "UTC", CREATED)
        with (
            impatient.write("w"),
            pytest.raises(Unavailable, match=r"ledger\.busy"),
            impatient.write("w"),
        ):
            pass
        Driver(impatient).do("2024-01-10", remember("a"))

    def test_a_sound_ledger_has_no_problems_and_closes_twice(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        assert list(driver.ledger.check()) == []
        driver.ledger.close()
        driver.ledger.close()


_BUSY_LIFE = [
    [remember("a", "2024-01-01", key="k"), remember("d")],
    [update("b", "a", valid_from="2024-03-01", valid_to="2024-04-01")],
    [remember("c", "2024-05-01", key="k", on_overlap="replace",
        relations=[{"type": "extends", "dst": "d"}])],
    [Correct("a", {"content": "corrected"}), Retract("d")],
]  # fmt: skip
