"""What every ledger must answer, whatever it is made of."""

from dataclasses import replace
from uuid import UUID, uuid5

import pytest
from ledger_driver import CREATED, Driver, at, id_of, instant, remember, shown, update

from damals.app.index_model import AccessFilter
from damals.app.ledger_model import (
    WHOLE,
    At,
    DeclaredLink,
    EntryFilter,
    Stretch,
    corner_of,
)
from damals.app.ledger_port import Ledger
from damals.domain.entries import Source
from damals.domain.instants import FOREVER
from damals.domain.operations import Correct, DeclaredRelation, End, Remember, Retract

PUBLIC = AccessFilter(visibilities=("public", "internal"), max_sensitivity=1, principals=("bob",))


class ReadingContract:
    """The contract of the port ``LedgerReader``."""

    @pytest.fixture
    def driver(self, ledger: Ledger) -> Driver:
        ledger.create_workspace("w", "UTC", CREATED)
        return Driver(ledger)

    # Reading

    def test_a_pair_of_instants_sees_exactly_its_rectangle(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        replaces = {"key": "k", "on_overlap": "replace", "valid_to": "2024-04-01"}
        driver.do("2024-06-01", remember("b", "2024-03-01", **replaces))
        asked = {
            ("2024-02-29", None): ["A"],
            ("2024-03-01", None): ["B"],
            ("2024-03-31", None): ["B"],
            ("2024-04-01", None): ["A"],
            ("2024-03-15", "2024-05-31"): ["A"],
            ("2024-03-15", "2024-06-01"): ["B"],
            ("2024-03-15", "2024-01-09"): [],
            ("2023-12-31", None): [],
        }
        assert {pair: driver.titles(*pair) for pair in asked} == asked
        assert driver.history("a") == [
            ("A", "2024-01-01", ""),
            ("A", "2024-01-01", "2024-03-01"),
            ("A", "2024-04-01", ""),
        ]
        with driver.reading() as reader:
            history = reader.key_history("k", at("2024-01-01"))
            assert [shown(found.version)[0] for found, _ in history] == ["A", "A", "B", "A"]
            assert [stored.number for _, stored in history] == [1, 2, 2, 2]

    def test_a_stretch_of_a_history_is_that_part_of_it(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"), remember("z", key="k2"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-03-01"))
        driver.do("2024-01-12", End("b", "2024-04-01"), End("z", "2024-05-01"))
        asked = at("2024-01-01")
        with driver.reading() as reader:
            asks = [
                lambda stretch: reader.history(id_of("a"), asked, stretch),
                lambda stretch: reader.key_history("k", asked, stretch),
                lambda stretch: reader.key_history("nobody", asked, stretch),
            ]
            of_entry, of_key, of_none = (len(ask(WHOLE)) for ask in asks)
            assert of_none < 1 < of_entry < of_key
            for ask in asks:
                whole = list(ask(WHOLE))
                corners = [corner_of(found.version) for found, _ in whole]
                assert corners == sorted(set(corners))
                for limit in (None, 1, 2, 9):
                    assert list(ask(Stretch(None, limit))) == whole[:limit]
                    for place, corner in enumerate(corners, start=1):
                        assert list(ask(Stretch(corner, limit))) == whole[place:][:limit]

    def test_what_was_known_earlier_does_not_show_what_came_later(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-06-01", End("a", "2024-03-01"))
        then = driver.version("a", "2024-02-01", "2024-05-31")
        assert (then.version.recorded_to, then.version.closed_by) == (FOREVER, None)
        assert then.info.updated_at == then.info.created_at == instant("2024-01-10")
        assert then.info.last_transaction == 1
        now = driver.version("a", "2024-02-01")
        assert now.info.updated_at == instant("2024-06-01")
        assert now.info.last_transaction == 2
        assert driver.history("a", "2024-05-31") == [("A", "2024-01-01", "")]
        with driver.reading() as reader:
            first, _ = reader.history(id_of("a"), at("2024-02-01"))[0]
            assert (first.version.recorded_to, first.version.closed_by) == (
                instant("2024-06-01"),
                2,
            )

    def test_a_certain_version_comes_before_a_possible_one(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2024-01", valid_to="2024-09"))
        assert driver.titles("2024-01-15") == driver.titles("2024-09-15") == ["A"]
        assert driver.titles("2024-01-15", certain=True) == []
        assert driver.titles("2024-05-01", certain=True) == ["A"]
        assert driver.titles("2024-10-01") == []

    def test_of_two_possible_versions_the_later_one_is_read(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2024-01-01"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-03", valid_to="2024-04"))
        found = driver.version("a", "2024-04-15")
        assert shown(found.version) == ("A", "2024-04", "")
        assert shown(driver.version("a", "2024-03-15").version) == ("A", "2024-01-01", "2024-03")
        with driver.reading() as reader:
            both = reader.versions_at([id_of("a"), id_of("b")], at("2024-04-15"))
            assert both[id_of("a")] == found
            listed = reader.list_at(at("2024-04-15"), EntryFilter())
            assert {f.info.id: f for f in listed} == dict(both)

    def test_an_unknown_start_is_possible_before_it_was_recorded(self, driver: Driver):
        driver.do("2024-01-10", remember("a", None, valid_to="2025-01-01"))
        assert driver.titles("1970-01-01") == ["A"]
        assert driver.titles("1970-01-01", certain=True) == []
        assert driver.titles("2024-01-10", certain=True) == ["A"]

    def test_the_latest_version_is_the_one_that_holds_last(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2024-01-01"))
        driver.do("2024-01-11", update("b", "a", valid_from="2024-03-01", valid_to="2024-04-01"))
        with driver.reading() as reader:
            latest = reader.latest_version(id_of("a"), at("2020-01-01"))
            assert shown(latest.version) == ("A", "2024-04-01", "")
            before = reader.latest_version(id_of("a"), at("2020-01-01", "2024-01-10"))
            assert shown(before.version) == ("A", "2024-01-01", "")
            assert reader.latest_version(id_of("a"), at("2020-01-01", "2024-01-09")) is None

    def test_an_entry_is_found_by_id_and_by_external_id(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        with driver.reading() as reader:
            by_name = reader.find_entry("a")
            assert by_name == reader.find_entry(str(id_of("a")))
            assert by_name.external_id == "a"
            assert by_name.created_at == instant("2024-01-10")
            assert reader.find_entry("A") is None
            assert reader.find_entry(str(id_of("b"))) is None

    def test_an_external_id_may_look_like_an_id(self, driver: Driver):
        name = str(id_of("something else"))
        driver.do("2024-01-10", remember("a") | {"ref": name})
        with driver.reading() as reader:
            assert reader.find_entry(name).id == id_of("a")

    def test_listing_goes_page_by_page_in_the_order_of_ids(self, driver: Driver):
        refs = [f"n{place}" for place in range(25)]
        driver.do("2024-01-10", *(remember(ref) for ref in refs))
        seen: list[UUID] = []
        with driver.reading() as reader:
            while page := reader.list_at(
                at("2024-02-01"), EntryFilter(limit=10, after=seen[-1] if seen else None)
            ):
                seen.extend(found.info.id for found in page)
        assert seen == sorted(id_of(ref) for ref in refs)

    def test_types_and_tags_narrow_a_list(self, driver: Driver):
        driver.do(
            "2024-01-10",
            remember("a", type="note", tags=["Projekt/Alpha", "wichtig"]),
            remember("b", type="decision", tags=["projekt"]),
            remember("c", tags=["Projektil"]),
        )
        day = "2024-02-01"
        assert driver.titles(day, types=("note", "decision")) == ["A", "B"]
        assert driver.titles(day, tags=("projekt",)) == ["A", "B"]
        assert driver.titles(day, tags=("projekt/alpha", "wichtig")) == ["A"]
        assert driver.titles(day, types=("decision",), tags=("wichtig",)) == []

    def test_what_was_superseded_is_listed_on_request(self, driver: Driver):
        driver.do("2024-01-10", remember("a", tags=["t"]), remember("z"))
        driver.do("2024-02-01", update("b", "a", valid_from="2024-03-01", valid_to="2024-05-01"))
        assert driver.titles("2024-04-01", superseded=True) == ["A"]
        assert driver.titles("2024-04-01", superseded=True, tags=("other",)) == []
        assert driver.titles("2024-04-01", superseded=True, limit=0) == []
        assert driver.titles("2024-04-01", "2024-01-31", superseded=True) == []
        assert driver.titles("2024-05-01", superseded=True) == []
        with driver.reading() as reader:
            ids = [id_of(ref) for ref in "abz"]
            assert reader.superseded_at(ids, at("2024-04-01")) == {id_of("a")}
            assert reader.superseded_at(ids, at("2024-06-01")) == frozenset()

    def test_what_vanished_inside_its_transaction_is_only_in_the_log(self, driver: Driver):
        driver.do("2024-01-10", remember("a", "2024-01-01"), End("a", "2024-01-01"))
        assert driver.titles("2024-01-01") == []
        with driver.reading() as reader:
            assert [o.kind for o in next(reader.log()).operations] == ["remember", "end"]
            assert [t.number for t in reader.log(entry_id=id_of("a"))] == [1]
            assert reader.find_entry("a").last_transaction == 1

    # Access

    def test_an_entry_is_hidden_by_its_newest_access_fields(self, driver: Driver):
        driver.do(
            "2024-01-10", *(remember(ref, key=ref) for ref in "abcd"), remember("e", acl=["bob"])
        )
        driver.do(
            "2024-02-01",
            Correct("a", {"visibility": "restricted"}),
            Correct("b", {"sensitivity": 2}),
            Correct("c", {"acl": ("carol",)}),
        )
        asked = At(instant("2024-01-15"), instant("2024-01-20"))
        with driver.reading(PUBLIC) as reader, driver.reading() as whole:
            listed = reader.list_at(asked, EntryFilter(limit=2))
            assert sorted(f.version.attributes.title for f in listed) == ["D", "E"]
            for ref in "abc":
                assert reader.version_at(id_of(ref), asked) is None
                assert reader.latest_version(id_of(ref), asked) is None
                assert reader.history(id_of(ref), asked) == []
                assert reader.key_history(ref, asked) == []
                assert reader.find_entry(ref) is None
                assert reader.find_entry(str(id_of(ref))) is None
                assert whole.find_entry(ref) is not None
            assert reader.versions_at([id_of(r) for r in "abcd"], asked).keys() == {id_of("d")}

    def test_a_relation_is_hidden_with_either_of_its_ends(self, driver: Driver):
        driver.do("2024-01-10", remember("a"), remember("b", visibility="restricted"))
        driver.do("2024-01-11", remember("c", relations=[{"type": "extends", "dst": "a"}]))
        driver.do("2024-01-12", remember("d", relations=[{"type": "extends", "dst": "b"}]))
        asked = at("2024-02-01")
        with driver.reading(PUBLIC) as reader, driver.reading() as whole:
            ids = [id_of(ref) for ref in "abcd"]
            assert len(whole.relations_at(ids, asked)) == 4
            seen = reader.relations_at(ids, asked)
            assert {(v.entry_id, v.other_id) for v in seen} == {
                (id_of("c"), id_of("a")),
                (id_of("a"), id_of("c")),
            }

    def test_superseded_entries_are_hidden_like_all_others(self, driver: Driver):
        driver.do("2024-01-10", remember("a", visibility="restricted"))
        driver.do("2024-02-01", update("b", "a", valid_from="2024-03-01"))
        with driver.reading(PUBLIC) as reader:
            assert reader.list_at(at("2024-04-01"), EntryFilter(superseded=True)) == []

    # Relations

    def test_relations_are_seen_from_both_ends_what_supersedes_first(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-02-01", update("b", "a", valid_from="2024-03-01"))
        driver.do("2024-02-02", Correct("b", relations=(DeclaredRelation("extends", "a", 0.5),)))
        with driver.reading() as reader:
            views = reader.relations_at([id_of("a"), id_of("b")], at("2024-04-01"))
            assert [(v.direction, v.relation, v.other_title, v.confidence) for v in views] == [
                ("in", "supersedes", "B", 1.0),
                ("out", "extends", "A", 0.5),
                ("out", "supersedes", "A", 1.0),
                ("in", "extends", "B", 0.5),
            ]
            early = reader.relations_at([id_of("b")], at("2024-02-10"))
            assert [v.relation for v in early] == ["extends"]
            assert reader.relations_at([id_of("b")], at("2024-04-01", "2024-01-31")) == []

    def test_an_entry_that_lost_everything_is_still_named_and_listed(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        driver.do("2024-01-11", remember("b", key="k", on_overlap="replace"))
        assert driver.titles("2024-02-01", superseded=True) == ["A"]
        with driver.reading() as reader:
            assert reader.latest_version(id_of("a"), at("2024-02-01")) is None
            (view,) = reader.relations_at([id_of("b")], at("2024-02-01"))
            assert (view.relation, view.other_title) == ("supersedes", "A")

    def test_a_relation_that_is_no_longer_declared_is_closed(self, driver: Driver):
        driver.do("2024-01-10", remember("a"))
        driver.do("2024-01-11", remember("b", relations=[{"type": "extends", "dst": "a"}]))
        driver.do("2024-02-01", Correct("b", relations=()))
        with driver.reading() as reader:
            assert reader.relations_at([id_of("b")], at("2024-03-01")) == []
            assert len(reader.relations_at([id_of("b")], at("2024-03-01", "2024-01-31"))) == 1

    def test_a_link_to_nothing_shows_what_was_written(self, driver: Driver):
        driver.do("2024-01-10", note_entry("a", note("a.md"), link("Nirgendwo")))
        with driver.reading(PUBLIC) as reader:
            (view,) = reader.relations_at([id_of("a")], at("2024-02-01"))
            assert view.other_title == "Nirgendwo"

    def test_the_links_of_a_source_are_those_of_its_current_notes(self, driver: Driver):
        to_b = DeclaredRelation("links_to", str(id_of("b")), target="B")
        typed = DeclaredRelation("part_of", str(id_of("b")), target="B", flags=("alias", "hidden"))
        driver.do("2024-01-10", note_entry("b", note("b.md")))
        driver.do(
            "2024-01-11",
            note_entry("a", note("a.md"), link("Nirgendwo"), to_b, typed),
            note_entry("c", note("c.md"), link("Gelöscht")),
            note_entry("d", note("d.md"), link("Früher")),
            remember("e", relations=[{"type": "extends", "dst": "b"}]),
        )
        driver.do("2024-01-12", Retract("c"), Correct("d", relations=()))
        stub = uuid5(id_of("stub"), "Nirgendwo")
        with driver.reading() as reader:
            assert reader.links("vault") == [
                DeclaredLink(id_of("a"), "Nirgendwo", stub, unresolved=True),
                DeclaredLink(id_of("a"), "B", id_of("b"), unresolved=False),
                DeclaredLink(id_of("a"), "B", id_of("b"), False, "part_of", ("alias", "hidden")),
            ]
            seen = reader.relations_at([id_of("b")], at("2024-02-01"))
            assert typed.flags in [view.flags for view in seen if view.relation == "part_of"]
            assert reader.links("another") == []

    # The log

    def test_the_log_keeps_every_operation_with_its_words(self, driver: Driver):
        first = remember("a", reason="said so")
        driver.do("2024-01-10", first, remember("b", key="k"), reason="first")
        driver.do("2024-01-11", update("c", "a", valid_from="2024-03-01", key="k2"))
        driver.do("2024-01-12", Retract("b"))
        with driver.reading() as reader:
            one, two, three = reader.log()
            assert (one.number, one.actor, one.reason, one.zone) == (1, "anna", "first", "UTC")
            assert one.recorded_at == one.logged_at == instant("2024-01-10")
            assert [(o.kind, o.reason) for o in one.operations] == [
                ("remember", "said so"),
                ("remember", None),
            ]
            assert one.operations[0].params == first
            assert two.operations[0].touched == (id_of("c"), id_of("a"))
            assert three.reason is None
            assert [t.number for t in reader.log(entry_id=id_of("a"))] == [1, 2]
            assert [t.number for t in reader.log(key="k")] == [1, 3]
            assert [t.number for t in reader.log(after=1)] == [2, 3]
            assert list(reader.log(key="nobody's")) == []
            assert list(reader.log(entry_id=id_of("nobody"))) == []

    def test_the_log_gives_every_parameter_back_as_it_was_given(self, driver: Driver):
        given = [
            {"op": "remember", "title": "A", "content": "About a.", "reason": "About a."},
            {"op": "remember", "title": "About a.", "content": ""},
            {"op": "remember", "title": None, "content": {"$text": "content"}},
            {"op": "remember", "title": ["A"], "content": 5, "content_id": 1, "title_id": "1"},
            {"op": "remember", "properties": {"title": "A", "content": {"$text": 1}}},
            {"op": "remember"},
        ]
        with driver.ledger.write("w") as writer:
            plain = driver.transaction(writer, instant("2024-01-10"), [remember("a")])
            (operation,) = plain.operations
            told = tuple(replace(operation, params=params) for params in given)
            writer.append(replace(plain, operations=told))
        with driver.reading() as reader:
            (stored,) = reader.log()
            assert [dict(one.params) for one in stored.operations] == given

    def test_the_log_of_an_entry_continues_behind_any_number(self, driver: Driver):
        driver.do("2024-01-10", remember("a", key="k"))
        driver.do("2024-01-11", remember("b"))
        driver.do("2024-01-12", Correct("a", {"content": "x"}))
        with driver.reading() as reader:
            for narrowed in ({"entry_id": id_of("a")}, {"key": "k"}):
                told = [[t.number for t in reader.log(after=n, **narrowed)] for n in range(5)]
                assert told == [[1, 3], [3], [3], [], []]

    def test_a_long_log_is_complete(self, driver: Driver):
        with driver.ledger.write("w") as writer:
            for place in range(450):
                driver.into(writer, instant("2024-01-10") + place, [remember(f"n{place}")])
        with driver.reading() as reader:
            assert [t.number for t in reader.log()] == list(range(1, 451))
            assert [t.number for t in reader.log(after=440)] == list(range(441, 451))

    # Sources

    def test_the_notes_of_a_source_are_known_by_path(self, driver: Driver):
        driver.do(
            "2024-01-10",
            note_entry("b", note("b.md")),
            note_entry("a", note("a.md")),
            remember("x"),
        )
        driver.do("2024-01-11", Correct("a", {"source": note("c.md"), "content": "moved"}))
        driver.do("2024-01-12", Retract("b"))
        with driver.reading() as reader:
            notes = reader.source_notes("vault")
            assert [(n.path, n.entry_id, n.digest, n.current) for n in notes] == [
                ("b.md", id_of("b"), "d-b.md", False),
                ("c.md", id_of("a"), "d-c.md", True),
            ]
            assert (notes[1].attributes.title, notes[1].attributes.content) == ("A", "")
            assert notes[1].external_id == "a"
            assert reader.source_notes("another") == []


def note(path: str, **fields: object) -> Source:
    return Source(kind="vault", name="vault", path=path, digest=f"d-{path}", **fields)


def note_entry(ref: str, source: Source, *relations: DeclaredRelation) -> Remember:
    fields = {"title": ref.title(), "content": f"About {ref}.", "source": source}
    return Remember(id_of(ref), fields, ref, "2024-01-01", None, relations=relations)


def link(target: str) -> DeclaredRelation:
    return DeclaredRelation(
        "links_to", str(uuid5(id_of("stub"), target)), target=target, unresolved=True
    )
