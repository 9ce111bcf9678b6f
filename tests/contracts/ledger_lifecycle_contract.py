"""What every ledger must tell of archivings, verifications, contradictions and erasures."""

import pytest
from ledger_driver import CREATED, Driver, at, id_of, instant, remember, update

from damals.app.index_model import AccessFilter
from damals.app.ledger_model import EntryFilter, Tombstone
from damals.app.ledger_port import Ledger
from damals.domain.errors import NotFound
from damals.domain.instants import FOREVER
from damals.domain.operations import Correct, End
from damals.domain.periods import BoundKind

HIDING = AccessFilter(visibilities=("public",))


class LifecycleContract:
    """The contract of what is recorded of entries beside their versions."""

    # Archivings

    def test_an_archived_entry_is_out_of_current_answers_and_in_historical_ones(
        self, driver: Driver
    ):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-02-01", {"op": "archive", "target": "a", "reason": "out of use"})
        assert driver.titles("2024-04-01") == ["B"]
        assert driver.titles("2024-04-01", "2024-01-31") == ["A", "B"]
        assert driver.titles("2024-01-31") == ["A", "B"]
        assert driver.titles("2024-02-01") == ["B"]
        assert driver.version("a", "2024-04-01") is not None

    def test_since_when_an_entry_is_archived_is_asked_at_a_pair(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        archived = instant("2024-02-01")
        driver.do("2024-02-01", {"op": "archive", "target": "a"})
        driver.do("2024-03-01", {"op": "revert", "transaction": 2})
        asked = {
            ("2024-02-01", "2024-02-01"): {id_of("a"): archived},
            ("2024-06-01", "2024-02-29"): {id_of("a"): archived},
            ("2024-01-31", "2024-02-15"): {},
            ("2024-06-01", "2024-01-31"): {},
            ("2024-06-01", "2024-03-01"): {},
            ("2024-06-01", None): {},
        }
        with driver.reading() as reader:
            found = {p: reader.archived_at([id_of("a"), id_of("b")], at(*p)) for p in asked}
        assert found == asked

    def test_what_is_archived_is_listed_on_request_whether_it_holds_or_not(self, driver: Driver):
        driver.do("2024-01-10", *(remember(ref, tags=[ref]) for ref in "abcd"))
        driver.do("2024-01-11", End("b", "2024-03-01"), End("c", "2024-01-01"))
        driver.do("2024-02-01", *({"op": "archive", "target": ref} for ref in "abc"))
        assert driver.titles("2024-04-01", archived=True) == ["A", "B", "C"]
        assert driver.titles("2024-01-31", archived=True) == []
        assert driver.titles("2024-04-01", archived=True, tags=("b",)) == ["B"]
        assert driver.titles("2024-04-01", archived=True, certain=True) == ["A", "B", "C"]
        with driver.reading() as reader:
            first = reader.list_at(at("2024-04-01"), EntryFilter(archived=True, limit=1))
            rest = reader.list_at(
                at("2024-04-01"), EntryFilter(archived=True, after=first[0].info.id)
            )
            assert [one.info.id for one in (*first, *rest)] == sorted(id_of(r) for r in "abc")
        with driver.reading(HIDING) as reader:
            assert reader.list_at(at("2024-04-01"), EntryFilter(archived=True)) == []

    def test_what_is_archived_is_no_longer_listed_as_superseded(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-01-15"))
        assert driver.titles("2024-04-01", superseded=True) == ["A"]
        driver.do("2024-02-01", {"op": "archive", "target": "a"})
        assert driver.titles("2024-04-01", superseded=True) == []
        assert driver.titles("2024-01-20", superseded=True) == ["A"]

    def test_a_draft_knows_what_is_archived_and_verified(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-02-01", {"op": "verify", "target": "a", "score": 0.5, "evidence": "e"})
        driver.do("2024-02-02", {"op": "verify", "target": "a"})
        driver.do("2024-02-03", {"op": "archive", "target": "a", "reason": "old"})
        with driver.ledger.write("w") as writer:
            state = writer.by_external_id("a")
        told = [(one.score, one.evidence, one.opened_by) for one in state.verifications]
        assert told == [(0.5, "e", 2), (1.0, None, 3)]
        assert (state.archiving.reason, state.archiving.recorded_from) == (
            "old",
            instant("2024-02-03"),
        )

    # Verifications

    def test_verifications_are_asked_at_a_pair_in_their_order(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-02-01", {"op": "verify", "target": "a", "score": 0.5})
        driver.do("2024-03-01", {"op": "verify", "target": "a", "score": 0.75, "evidence": "e"})
        driver.do("2024-04-01", {"op": "revert", "transaction": 3})
        asked = {
            ("2024-06-01", "2024-03-15"): [0.5, 0.75],
            ("2024-02-15", "2024-03-15"): [0.5],
            ("2024-06-01", None): [0.5],
            ("2024-01-31", None): [],
            ("2024-06-01", "2024-01-31"): [],
        }
        with driver.reading() as reader:
            ids = [id_of("a"), id_of("b")]
            found = {pair: reader.verifications_at(ids, at(*pair)) for pair in asked}
        scores = {p: [v.score for v in one.get(id_of("a"), ())] for p, one in found.items()}
        assert scores == asked
        then = found["2024-06-01", "2024-03-15"][id_of("a")][-1]
        assert (then.evidence, then.recorded_to, then.closed_by) == ("e", FOREVER, None)

    # Contradictions

    @pytest.mark.parametrize(
        ("keep", "a", "b"),
        [("a", "kept", "ended"), ("b", "ended", "kept"), ("both", "both", "both")],
    )
    def test_a_contradiction_says_from_each_end_how_it_was_decided(
        self, driver: Driver, keep: str, a: str, b: str
    ):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-02-01", {"op": "contradict", "a": "a", "b": "b"})
        driver.do("2024-03-01", {"op": "resolve", "a": "a", "b": "b", "keep": keep})
        assert self._contradictions(driver, "2024-02-15") == {"a": "required", "b": "required"}
        assert self._contradictions(driver, None) == {"a": a, "b": b}

    def _contradictions(self, driver: Driver, known_at: str | None) -> dict[str, str | None]:
        refs = {id_of(ref): ref for ref in "ab"}
        with driver.reading() as reader:
            views = reader.relations_at(list(refs), at("2024-02-10", known_at))
        return {refs[v.entry_id]: v.resolution for v in views if v.relation == "contradicts"}

    def test_who_supersedes_an_entry_is_named_before_everything_else(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("z"))
        driver.do("2024-01-11", {"op": "relate", "src": "a", "type": "about", "dst": "z"})
        driver.do("2024-01-12", {"op": "relate", "src": "z", "type": "about", "dst": "a"})
        driver.do("2024-01-13", update("b", "a", valid_from="2024-03-01", relation="revises"))
        with driver.reading() as reader:
            views = reader.relations_at([id_of("a")], at("2024-04-01"))
        assert [(v.direction, v.relation) for v in views] == [
            ("in", "revises"),
            ("out", "about"),
            ("in", "about"),
        ]

    # Erasures

    def test_an_erased_entry_is_gone_from_every_answer_and_leaves_a_tombstone(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"), remember("b"))
        driver.do("2024-01-11", {"op": "relate", "src": "b", "type": "about", "dst": "a"})
        driver.do("2024-01-12", {"op": "verify", "target": "a"}, {"op": "archive", "target": "a"})
        driver.do("2024-02-01", {"op": "erase", "target": "a"})
        entry = id_of("a")
        for pair in (("2024-04-01", None), ("2024-01-20", "2024-01-10")):
            asked = at(*pair)
            with driver.reading() as reader:
                assert reader.version_at(entry, asked) is None
                assert reader.latest_version(entry, asked) is None
                assert reader.history(entry, asked) == reader.key_history("k", asked) == []
                assert reader.relations_at([entry, id_of("b")], asked) == []
                for where in (EntryFilter(), EntryFilter(archived=True)):
                    found = reader.list_at(asked, where)
                    assert entry not in {one.info.id for one in found}
        with driver.reading() as reader:
            assert reader.find_entry("a") is None
            assert reader.find_entry(str(entry)).erased
            stone = Tombstone(entry, instant("2024-02-01"), 4, "anna")
            assert reader.tombstones() == {entry: stone}
            assert list(reader.log(key="k")) == []

    def test_a_key_is_held_by_one_version_at_each_pair(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        driver.do("2024-01-11", remember("b", "2024-06", key="k", on_overlap="replace"))
        driver.do("2024-01-12", {"op": "erase", "target": "b"})

        def holder(as_of: str, known_at: str | None = None) -> str | None:
            with driver.reading() as reader:
                found = reader.holder_at("k", at(as_of, known_at))
                return None if found is None else found.version.attributes.title

        assert holder("2024-07-01", "2024-01-10") == "A"
        assert holder("2024-05-01") == holder("2024-06-15") == "A"
        assert holder("2024-07-01") is None
        with driver.reading() as reader:
            assert reader.holder_at("never", at("2024-07-01")) is None

    def test_the_name_of_an_erased_entry_is_free_again(self, driver: Driver):
        with driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-10"), [remember("a")])
            driver.into(writer, instant("2024-01-11"), [{"op": "erase", "target": "a"}])
            assert writer.by_external_id("a") is None
            assert writer.by_id(id_of("a")).erased
            again = remember("a") | {"id": str(id_of("another"))}
            driver.into(writer, instant("2024-01-12"), [again])
            assert writer.by_external_id("a").id == id_of("another")
        with driver.ledger.write("w") as writer:
            assert writer.by_external_id("a").id == id_of("another")
            assert writer.by_id(id_of("a")).external_id is None
        with pytest.raises(NotFound, match=r"entry\.erased"):
            driver.do("2024-01-13", Correct(str(id_of("a")), {"title": "B"}))

    # What taking back needs

    def test_what_a_transaction_changed_is_found_by_number_and_by_instant(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do(
            "2024-01-11",
            update("c", "a", valid_from="2024-03-01"),
            {"op": "verify", "target": "b"},
            {"op": "archive", "target": "b"},
        )
        driver.do("2024-01-12", {"op": "revert", "transaction": 2})
        with driver.ledger.write("w") as writer:
            rows = writer.changed_by(2)
            assert writer.changed_by("2024-01-11T00:00:00.000000Z") == rows
            for unknown in (0, 9, "2024-01-11T00:00:00.000001Z", "nonsense"):
                assert writer.changed_by(unknown) is None
            back = writer.changed_by(3)
        assert rows.number == 2
        assert [one.entry_id for one in rows.versions_closed] == [id_of("a")]
        assert {one.entry_id for one in rows.versions_opened} == {id_of("a"), id_of("c")}
        assert [one.cuts for one in rows.relations_opened] == [True]
        for opened, closed in (
            (rows.versions_opened, back.versions_closed),
            (rows.relations_opened, back.relations_closed),
            (rows.archivings_opened, back.archivings_closed),
            (rows.verifications_opened, back.verifications_closed),
        ):
            assert opened == closed
            assert all(one.closed_by == 3 for one in opened)

    def test_what_a_transaction_erased_is_told(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-01-11", {"op": "erase", "target": "a"})
        with driver.ledger.write("w") as writer:
            assert writer.changed_by(2).erased == (id_of("a"),)
            assert writer.changed_by(1).erased == ()

    def test_what_was_done_to_an_entry_is_told_with_its_bounds(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-01-11", {"op": "end", "target": "a", "at": "2024-06"})
        driver.do(
            "2024-01-12",
            Correct("a", {"title": "A"}, valid_to="2024-07-01"),
            End("b", "2024-05-01"),
        )
        driver.do("2024-01-13", {"op": "revert", "transaction": 3})
        with driver.ledger.write("w") as writer:
            driver.into(writer, instant("2024-01-14"), [{"op": "verify", "target": "a"}])
            done = list(writer.done_since(id_of("a"), 2))
            assert list(writer.done_since(id_of("a"), 6)) == []
        assert [(one.number, one.kind, one.operation) for one in done] == [
            (2, "end", 0),
            (3, "correct", 0),
            (4, "revert", 0),
            (5, "verify", 0),
        ]
        ended, corrected, reverted, _ = done
        assert (ended.end.kind, ended.end.latest) == (BoundKind.RANGE, instant("2024-07-01"))
        assert corrected.bounded
        assert (reverted.entry_id, reverted.reverted) == (None, 3)

    def test_a_name_of_another_workspace_is_known_to_be_elsewhere(self, ledger: Ledger):
        for name in ("w", "other"):
            ledger.create_workspace(name, "UTC", CREATED)
        Driver(ledger, "other").do("2024-01-10", remember("a"), remember("gone"))
        Driver(ledger, "other").do("2024-01-11", {"op": "erase", "target": "gone"})
        Driver(ledger).do("2024-01-10", remember("b"))
        with ledger.write("w") as writer:
            found = {name: writer.elsewhere(name) for name in ("a", "b", "gone", "x")}
            assert found == {"a": True, "b": False, "gone": False, "x": False}
            assert writer.elsewhere(str(id_of("a")))
            assert not writer.elsewhere(str(id_of("gone")))

    # The outbox

    def test_the_outbox_tells_since_when_entries_are_archived_by_now(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        driver.do("2024-01-11", *({"op": "archive", "target": ref} for ref in "ab"))
        driver.do("2024-01-12", Correct("a", {"content": "Else."}))
        driver.do("2024-01-13", remember("c"))
        archived = instant("2024-01-11")
        told = [dict(item.archived) for item in driver.ledger.outbox("i", 10)]
        both = dict.fromkeys((id_of("a"), id_of("b")), archived)
        assert told == [both, both, {id_of("a"): archived}, {}]
        driver.do("2024-01-14", {"op": "revert", "transaction": 2})
        told = [dict(item.archived) for item in driver.ledger.outbox("i", 10)]
        none = dict.fromkeys((id_of("a"), id_of("b")), FOREVER)
        assert told == [{}, none, {}, {}, none]

    def test_the_outbox_names_erased_entries_and_nothing_else_of_them(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b"))
        before = driver.ledger.outbox("i", 10)[0]
        driver.ledger.advance("i", before.position, [c.point_id for c in before.opened])
        driver.do("2024-01-11", {"op": "erase", "target": "a"})
        (item,) = driver.ledger.outbox("i", 10)
        assert (item.erased, item.opened, dict(item.closed)) == ((id_of("a"),), (), {})
        assert driver.ledger.indexed("i") == 1
        assert [chunk.entry_id for _, chunk in driver.ledger.queue("i", 10)] == [id_of("b")]
        driver.ledger.restart("i")
        assert [c.entry_id for c in driver.ledger.outbox("i", 10)[0].opened] == [id_of("b")]

    # The audit

    def test_an_audit_of_what_was_written_finds_nothing(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", {"op": "erase", "target": "a"})
        found = driver.ledger.audit("w")
        assert (found.transactions, found.breaks) == (2, ())
        with pytest.raises(NotFound, match=r"workspace\.unknown"):
            driver.ledger.audit("nowhere")
