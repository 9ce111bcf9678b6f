"""How little an import asks the database, an event at a time."""

from ledger_driver import Driver
from ledger_file import Plans

from damals.adapters.sql.writer import SqlWriter
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.record import Request, Tools, record
from damals.domain.instants import DAY
from damals.domain.params import Params

NOW = 1_700_000_000_000_000


def told(writer: SqlWriter, params: Params) -> None:
    at = writer.head().recorded_at
    record(writer, Tools(MarkdownChunker(), lambda: max(NOW, at) + DAY), Request((params,), "t"))


def test_of_a_new_entry_only_its_name_is_looked_up(driver: Driver):
    plans = Plans(driver.ledger)
    with driver.ledger.write("w") as writer:
        told(writer, {"op": "remember", "ref": "first", "title": "First"})
        plans.statements.clear()
        told(writer, {"op": "remember", "ref": "new", "title": "New", "content": "Text."})
        (asked,) = plans.statements
    assert "FROM contents" in asked


def test_what_takes_over_from_an_entry_of_the_same_import_asks_no_more(driver: Driver):
    plans = Plans(driver.ledger)
    with driver.ledger.write("w") as writer:
        told(writer, {"op": "remember", "ref": "old", "title": "Old", "valid_from": "2001"})
        plans.statements.clear()
        changed = {"target": "old", "title": "New", "content": "Text.", "valid_from": "2002"}
        told(writer, {"op": "update", "ref": "new", **changed})
        (asked,) = plans.statements
    assert "FROM contents" in asked
