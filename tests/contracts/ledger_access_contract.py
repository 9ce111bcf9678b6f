"""What a reader must give somebody who may not see every entry, and a writer allow them."""

from dataclasses import replace

import pytest
from ledger_driver import Driver, at, id_of, instant, remember, update
from ledger_reading_contract import link, note, note_entry

from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import EVERYTHING, Lag
from damals.domain.cuts import ALWAYS
from damals.domain.diff_rows import Deed, Edge
from damals.domain.operations import Archive, Contradict, Correct, Erase, Verify

GUEST = AccessFilter(("public", "internal"), 0, ("bob",), ("about_person",))
HIDDEN = {"visibility": "restricted"}


class AccessContract:
    """The part of the contract of readers and writers that is about who asks."""

    @pytest.fixture
    def cut(self, driver: Driver) -> Driver:
        """A visible entry that a hidden one took over, and one that nobody else sees."""
        driver.do("2024-01-10", remember("a", key="k"))
        driver.do("2024-01-11", remember("x", "2023-01-01", **HIDDEN), reason="secret")
        driver.do(
            "2024-01-12", update("b", "a", valid_from="2024-03-01", **HIDDEN), reason="secret"
        )
        driver.do("2024-01-13", Verify("b", 0.5, "secret"), Archive("x", "secret"))
        return driver

    def test_a_reader_knows_what_may_be_seen_and_gives_the_whole_on_request(self, cut: Driver):
        ids = [id_of(ref) for ref in "abxn"]
        with cut.reading(GUEST) as reader:
            assert reader.access == GUEST
            assert reader.seen(ids) == {id_of("a")}
            whole = reader.unrestricted()
            assert whole.access == OWNER
            assert whole.seen(ids) == {id_of(ref) for ref in "abx"}

    def test_the_log_tells_of_hidden_operations_whom_they_touched(self, cut: Driver):
        with cut.reading(GUEST) as reader:
            told = list(reader.log())
            assert [one.number for one in told] == [1, 3]
            (operation,) = told[1].operations
            assert operation.params == {
                "op": "update",
                "entries": [str(id_of("a"))],
                "hidden": True,
            }
            assert (operation.touched, operation.entry_id) == ((id_of("a"),), None)
            assert (told[1].actor, told[1].reason) == ("-", None)
            assert [one.number for one in reader.log(entry_id=id_of("a"))] == [1, 3]
            assert [one.number for one in reader.log(key="k")] == [1, 3]
            assert list(reader.log(entry_id=id_of("b"))) == []
            assert list(reader.log(after=3)) == []

    def test_addresses_of_the_machine_are_told_to_who_may_know_them(self, driver: Driver):
        source = {"kind": "vault", "name": "v", "path": "a.md", "uri": "file:///home/anna/v"}
        elsewhere = {"kind": "html", "name": "w", "uri": "https://example.org/w"}
        driver.do("2024-01-10", remember("a", source=source), remember("b", source=elsewhere))
        driver.do("2024-01-11", Correct("a", {"content": "changed"}, reason="r"))
        pair, first = at("2024-02-01"), instant("2024-01-01")
        for access, known in ((GUEST, False), (replace(GUEST, places=True), True), (OWNER, True)):
            with driver.reading(replace(access, places=known)) as reader:
                told = {
                    *(reader.version_at(id_of("a"), at).version.attributes.source.uri
                      for at in (pair, EVERYTHING)),
                    *(one.attributes.source.uri
                      for one in reader.versions_between([id_of("a")], first, pair.known_at)),
                    *(found.version.attributes.source.uri
                      for found, _ in reader.history(id_of("a"), EVERYTHING)),
                    *(one.attributes.source.uri for one in reader.source_notes("v")),
                    reader.snapshot(pair).entries[id_of("a")].attributes.source.uri,
                    next(iter(reader.log())).operations[0].params["source"].get("uri"),
                }  # fmt: skip
                assert told == ({source["uri"]} if known else {None})
                web = reader.version_at(id_of("b"), pair)
                assert web.version.attributes.source.uri == elsewhere["uri"]
                assert web.version.attributes.source.name == "w"

    def test_a_history_has_its_transactions_as_they_are_told(self, driver: Driver):
        driver.do("2024-01-10", remember("x", **HIDDEN), remember("a"), reason="both")
        with driver.reading(GUEST) as reader:
            ((found, stored),) = reader.history(id_of("a"), EVERYTHING)
            assert stored.operations[found.version.operation].entry_id == id_of("a")
            assert (len(stored.operations), stored.reason, stored.actor) == (1, None, "anna")
            assert reader.history(id_of("x"), EVERYTHING) == []

    def test_a_history_without_a_reason_tells_who_did_it(self, driver: Driver):
        driver.do("2024-01-10", remember("x", **HIDDEN), remember("b"), remember("a"))
        with driver.reading(GUEST) as reader:
            ((found, stored),) = reader.history(id_of("a"), EVERYTHING)
            assert [one.entry_id for one in stored.operations] == [id_of("a")]
            assert (found.version.operation, stored.actor) == (0, "anna")

    def test_an_entry_stays_superseded_without_the_relation(self, cut: Driver):
        ids, asked = [id_of(ref) for ref in "abx"], at("2024-04-01")
        with cut.reading(GUEST) as reader:
            assert reader.superseded_at(ids, asked) == {id_of("a")}
            assert reader.relations_at(ids, asked) == []
            assert reader.archived_at(ids, asked) == reader.verifications_at(ids, asked) == {}
            assert reader.holder_at("k", asked) is None

    def test_changes_tell_of_cuts_and_of_nothing_else_that_is_hidden(self, cut: Driver):
        since, until = instant("2024-01-09"), instant("2024-02-01")
        start, end = at("2024-04-01", "2024-01-09"), at("2024-04-01", "2024-02-01")
        with cut.reading(GUEST) as reader:
            assert reader.moved(start, end) == [id_of("a")]
            rows = reader.rows_between([id_of(ref) for ref in "abx"], since, until)
            assert {one.entry_id for one in rows.versions} == {id_of("a")}
            assert [(one.cuts, one.dst_id) for one in rows.relations] == [(True, id_of("a"))]
            assert rows.archivings == rows.verifications == ()
            place = (Edge(instant("2024-01-12"), 3, 0), id_of("a"))
            last = (Edge(instant("2024-01-12"), 3), id_of("a"))
            deed = Deed("update", None, "-")
            assert reader.deeds([place, last]) == {place: deed, last: deed}

    def test_a_relation_of_a_hidden_type_is_told_nowhere(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("c"))
        said = {"op": "relate", "src": str(id_of("a")), "dst": str(id_of("c"))}
        driver.do("2024-01-11", said | {"type": "about_person"})
        with driver.reading(GUEST) as reader:
            assert reader.relations_at([id_of("a"), id_of("c")], at("2024-02-01")) == []
            assert list(reader.log(after=1)) == []
            assert reader.rows_between([id_of("a")], 0, instant("2024-02-01")).relations == ()

    def test_what_takes_back_a_transaction_with_something_hidden_is_told_as_that(
        self, driver: Driver
    ):
        driver.do("2024-01-10", remember("a"), remember("x", **HIDDEN))
        driver.do("2024-01-11", Correct("a", {"content": "new"}), Verify("x"))
        driver.do("2024-01-12", {"op": "revert", "transaction": 2, "reason": "secret"})
        with driver.reading(GUEST) as reader:
            *_, last = reader.log()
            (operation,) = last.operations
            assert operation.params["hidden"] is True
            assert (operation.kind, operation.reason) == ("revert", None)

    def test_what_is_erased_is_the_owner_s_to_know(self, cut: Driver):
        cut.do("2024-02-01", Erase("a"))
        with cut.reading(GUEST) as reader:
            assert reader.tombstones() == {}
            assert reader.find_entry(str(id_of("a"))) is None
            assert list(reader.log()) == []
            assert reader.seen([id_of("a")]) == frozenset()
        with cut.reading() as reader:
            assert reader.find_entry(str(id_of("a"))).erased

    def test_notes_and_links_of_a_source_are_those_that_may_be_seen(self, driver: Driver):
        driver.do("2024-01-10", note_entry("a", note("a.md"), link("Nirgendwo")))
        driver.do("2024-01-11", note_entry("b", note("b.md"), link("Anderswo")))
        driver.do("2024-01-12", Correct("b", HIDDEN))
        with driver.reading(GUEST) as reader, driver.reading() as whole:
            assert [one.path for one in reader.source_notes("vault")] == ["a.md"]
            assert [one.target for one in reader.links("vault")] == ["Nirgendwo"]
            assert len(whole.source_notes("vault")) == len(whole.links("vault")) == 2

    def test_chunks_and_lag_count_what_may_be_seen(self, cut: Driver):
        points = list(cut.ledger.current_points())
        with cut.reading(GUEST) as reader:
            assert {one.entry_id for one in reader.chunks(points).values()} == {id_of("a")}
        assert cut.ledger.lag("i", "w", GUEST) == Lag(2, 0)
        item = cut.ledger.outbox("i", 100)[-1]
        cut.ledger.advance("i", item.position, points)
        assert cut.ledger.lag("i", "w", GUEST) == Lag(0, len(points) - 2)
        assert cut.ledger.lag("i", "w") == Lag(0, len(points))

    def test_a_writer_reads_what_may_be_seen_and_drafts_from_everything(self, cut: Driver):
        with cut.ledger.write("w", GUEST) as writer:
            assert writer.find_entry("b") is None
            assert writer.by_external_id("b") is not None
            assert [one.id for one in writer.holding_key("k", ALWAYS)] == sorted(map(id_of, "ab"))
            cut.into(writer, instant("2024-02-01"), [remember("n"), Contradict("n", "a")])
            assert writer.seen([id_of("n"), id_of("b")]) == {id_of("n")}
            assert writer.head().number == 5
