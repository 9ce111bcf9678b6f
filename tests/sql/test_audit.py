"""The audit of a sound ledger, and how it is told."""

import tracemalloc
from pathlib import Path

import pytest
from audited import audit_of, busy, tampered
from ledger_driver import Driver, instant, remember
from ledger_file import Plans

from damals import messages
from damals.adapters.sql import audit_chain, audit_rows, audit_suspects, audit_whole
from damals.app.audit import verify
from damals.app.ledger_model import Audit, Break
from damals.domain.errors import NotFound


def test_an_unknown_workspace_cannot_be_audited(driver: Driver):
    with pytest.raises(NotFound, match=r"workspace\.unknown"):
        driver.ledger.audit("nowhere")


def test_an_empty_workspace_is_sound(driver: Driver):
    assert driver.ledger.audit("w") == Audit(0, 0, bytes(32).hex())


def test_a_busy_ledger_is_sound_and_its_head_is_the_last_hash(tmp_path: Path):
    path = tmp_path / "ledger.db"
    busy(path)
    found = audit_of(path)
    assert (found.breaks, found.transactions) == ((), 14)
    with tampered(path) as connection:
        (row,) = connection.execute(
            "SELECT hash FROM transactions WHERE workspace_id = 1 AND number = 14"
        )
    assert found.head == row["hash"].hex()


def test_the_texts_of_an_erased_entry_may_go_and_the_chain_still_verifies(tmp_path: Path):
    path = tmp_path / "ledger.db"
    busy(path)
    before = audit_of(path)
    with tampered(path) as connection:
        connection.execute(
            "UPDATE contents SET text = NULL, salt = NULL, lookup = NULL"
            " WHERE workspace_id = 1 AND text IN ('G', 'About g.')"
        )
    after = audit_of(path)
    assert (after.breaks, after.head) == ((), before.head)


def test_a_text_that_somebody_else_said_may_not_go_whoever_was_erased(tmp_path: Path):
    path = tmp_path / "ledger.db"
    busy(path)
    with tampered(path) as connection:
        connection.execute(
            "UPDATE contents SET text = NULL, salt = NULL, lookup = NULL"
            " WHERE workspace_id = 1 AND text = 'About a.'"
        )
    assert {found.key for found in audit_of(path).breaks} == {"audit.text_gone"}


def test_what_is_held_at_a_time_does_not_grow_with_the_ledger(driver: Driver):
    def peak(first: int, count: int) -> int:
        with driver.ledger.write("w") as writer:
            for place in range(first, first + count):
                given = remember(f"n{place}", content=f"{place}" * 300)
                driver.into(writer, instant("2024-01-10") + place, [given])
        tracemalloc.start()
        assert driver.ledger.audit("w").breaks == ()
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    peak(0, 20)  # statements are compiled once
    few, many = peak(20, 600), peak(620, 1_800)
    assert many < few * 1.5


def test_an_audit_reads_by_index(driver: Driver):
    driver.do("2024-01-10", remember("a", key="k", tags=["t"]))
    driver.do("2024-01-11", {"op": "erase", "target": "a"})
    plans = Plans(driver.ledger)
    driver.ledger.audit("w")
    whole = {line.split()[1] for line in plans.scans()}
    assert whole <= {"contents", "version_tags", "version_acl"}


KEYS = sorted(
    {
        constant
        for module in (audit_chain, audit_rows, audit_suspects, audit_whole)
        for constant in Path(module.__file__).read_text("utf-8").split('"')
        if constant.startswith("audit.")
    }
)


@pytest.mark.parametrize("lang", messages.LANGUAGES)
@pytest.mark.parametrize("key", KEYS)
def test_every_finding_has_words(lang: str, key: str):
    told = messages.render(key, {"table": "versions", "row": "id 7"}, lang)
    assert "versions" in told
    assert "id 7" in told


def test_a_finding_is_told_by_transaction_kind_and_row(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a"))
    with tampered(path) as connection:
        connection.execute("UPDATE versions SET generation = 2")
    report = verify(driver.ledger, "w")
    (found,) = report.breaks
    assert (report.ok, found.transaction, found.kind, found.table) == (
        False, 1, "changed", "versions",
    )  # fmt: skip
    assert found.row["id"] == 1
    assert "versions" in found.message
    document = report.to_dict()
    assert list(document) == ["ok", "workspace", "transactions", "rows", "head", "breaks"]
    assert document["breaks"][0]["row"]["id"] == 1


def test_the_first_break_by_transaction_comes_first(driver: Driver, path: Path):
    for day in range(10, 14):
        driver.do(f"2024-01-{day}", remember(f"n{day}"))
    with tampered(path) as connection:
        connection.execute("UPDATE contents SET text = 'x' WHERE text = 'N12'")
        connection.execute("UPDATE operations SET kind = 'x' WHERE number = 2")
        connection.execute("DELETE FROM touches WHERE number = 4")
    found = driver.ledger.audit("w").breaks
    assert [one.transaction for one in found] == [2, 3, 4]
    assert all(isinstance(one, Break) for one in found)
