"""How the ledger asks its database: by index, once, and for no more than is needed."""

import pytest
from ledger_driver import Driver, at, id_of, instant, remember
from ledger_file import Plans, Steps
from ledger_reading_contract import link, note, note_entry

from damals.app.index_model import AccessFilter
from damals.app.ledger_model import EntryFilter
from damals.domain.operations import Correct

HIDING = AccessFilter(("public", "internal"), 1, ("bob",))


@pytest.mark.parametrize("access", [AccessFilter(), AccessFilter(("public",), 1, ("bob",))])
@pytest.mark.parametrize("known_at", [None, "2024-01-12"])
def test_point_reads_use_an_index(lived: Driver, access: AccessFilter, known_at: str | None):
    asked = at("2024-03-15", known_at)
    asked = type(asked)(asked.as_of, asked.known_at, access)
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        a = reader.find_entry("a").id
        reader.version_at(a, asked)
        reader.versions_at([a], asked)
        reader.latest_version(a, asked)
        reader.history(a, asked)
        reader.key_history("k", asked)
        reader.superseded_at([a], asked)
        reader.relations_at([a], asked)
        reader.list_at(asked, EntryFilter(after=a))
        list(reader.log(entry_id=a))
        list(reader.log(key="k"))
        reader.chunks([a])
        reader.source_notes("a")
        reader.links("A")
        reader.links("a")
    assert plans.scans() == []


def test_everything_current_is_listed_from_an_index_in_its_order(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        reader.list_at(at("2024-03-15"), EntryFilter())
    assert (
        "SEARCH versions USING INDEX versions_current (workspace_id=? AND entry_id>?"
        in " ".join(plans.lines)
    )
    assert not any("TEMP B-TREE" in line for line in plans.lines)


def test_a_draft_finds_what_it_needs_by_index(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.write("w") as writer:
        state = writer.by_external_id("c")
        list(writer.holding_key("k"))
        list(writer.stating(state.rectangles[0].attributes))
        writer.open_chunks([state.id])
    assert plans.scans() == []
    used = " ".join(plans.lines)
    for index in (
        "entries_external",
        "versions_current_key",
        "versions_current_statement",
        "chunks_current",
    ):
        assert index in used


def test_the_outbox_is_read_by_index(lived: Driver):
    plans = Plans(lived.ledger)
    for item in lived.ledger.outbox("i", 2):
        lived.ledger.advance("i", item.position, [chunk.point_id for chunk in item.opened])
    lived.ledger.queue("i", 2)
    assert plans.scans() == []


def test_finding_the_newest_takes_one_step_in_an_index(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        reader.find_entry("a", HIDING)
    with lived.ledger.write("w") as writer:
        writer.by_external_id("a")
    lived.ledger.outbox("i", 10)
    used = " ".join(plans.lines)
    entry = "(workspace_id=? AND entry_id=?"
    assert f"touches USING PRIMARY KEY {entry} AND recorded_at<?)" in used
    assert f"touches USING PRIMARY KEY {entry})" in used
    assert f"USING COVERING INDEX versions_entry {entry})" in used
    assert f"USING COVERING INDEX versions_entry {entry} AND recorded_from<?)" in used
    assert plans.scans() == []
    assert not any("max(touches" in sql for sql in plans.statements)


@pytest.mark.parametrize("access", [AccessFilter(), HIDING])
def test_reading_an_entry_costs_the_same_however_often_it_was_corrected(
    driver: Driver, access: AccessFilter
):
    counted: list[int] = []
    steps = Steps(driver.ledger)
    asked = at("2024-02-01")
    asked = type(asked)(asked.as_of, asked.known_at, access)
    now = instant("2024-01-10")
    driver.do("2024-01-09", note_entry("a", note("a.md"), link("Nirgendwo")))
    for _ in range(2):
        with driver.ledger.write("w") as writer:
            for _ in range(150):
                now += 1
                driver.into(writer, now, [Correct("a", {"content": f"{now}"})])
        steps.count = 0
        with driver.ledger.read("w") as reader:
            reader.find_entry("a", access)
            assert reader.version_at(id_of("a"), asked) is not None
            assert reader.latest_version(id_of("a"), asked) is not None
            reader.versions_at([id_of("a")], asked)
            reader.relations_at([id_of("a")], asked)
            assert len(reader.list_at(asked, EntryFilter())) == 1
            reader.list_at(asked, EntryFilter(superseded=True))
            assert len(reader.links("vault")) == 1
        with driver.ledger.write("w") as writer:
            state = writer.by_id(id_of("a"))
            writer.open_chunks([state.id])
        counted.append(steps.count)
    few, many = counted
    assert many < few * 1.05


def test_naming_neighbours_reads_their_titles_once_and_nothing_else(driver: Driver):
    driver.do("2024-01-10", remember("a"), remember("b"))
    said = [{"type": "extends", "dst": "a"}, {"type": "extends", "dst": "b"}]
    driver.do("2024-01-11", remember("c", relations=said))
    plans = Plans(driver.ledger)
    with driver.reading() as reader:
        assert len(reader.relations_at([id_of("c")], at("2024-03-15"))) == 2
    assert sum("FROM versions" in sql for sql in plans.statements) == 1
    assert not any("contents AS content" in sql for sql in plans.statements)


def test_comparing_a_source_reads_no_contents(driver: Driver):
    driver.do("2024-01-10", note_entry("a", note("a.md")))
    plans = Plans(driver.ledger)
    with driver.reading() as reader:
        assert len(reader.source_notes("vault")) == 1
    assert not any("contents AS content" in sql for sql in plans.statements)
    assert plans.scans() == []


def test_everything_is_listed_without_a_limit(lived: Driver):
    plans = Plans(lived.ledger)
    with lived.ledger.read("w") as reader:
        reader.list_at(at("2024-03-15"), EntryFilter(limit=None))
        reader.list_at(at("2024-03-15"), EntryFilter(limit=5))
    endings = [sql.rpartition("ORDER BY")[2] for sql in plans.statements[-2:]]
    assert ["LIMIT" in ending for ending in endings] == [False, True]


def test_no_chunks_are_looked_for_of_an_entry_of_which_nothing_is_written(driver: Driver):
    plans = Plans(driver.ledger)
    replaces = {"key": "k", "on_overlap": "replace"}
    now = instant("2024-01-10")
    with driver.ledger.write("w") as writer:
        for place in range(5):
            driver.into(writer, now + place, [remember(f"n{place}", **replaces)])
        assert not any("FROM chunks" in s for s in plans.statements if "max(" not in s)
    assert driver.titles("2024-02-01") == ["N4"]
    assert driver.ledger.indexed("i") == 0
    assert [len(item.closed) for item in driver.ledger.outbox("i", 10)] == [0, 1, 1, 1, 1]
