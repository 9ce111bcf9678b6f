"""Names that stand in indexes: whatever the letters, each ledger holds and refuses the same."""

import json
import os
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from damals import Damals
from damals.adapters.sql.ledger import SqlLedger
from damals.adapters.sql.postgres import PostgresDatabase
from damals.domain.errors import InvalidInput
from damals.domain.fields import MAX_NAME, MAX_NAME_BYTES

BOUNDED = {
    ("version_tags", "tag"): "MAX_NAME_BYTES",
    ("version_acl", "principal"): "MAX_NAME_BYTES",
    ("workspaces", "name"): "names.MAX_PLAIN characters",
    ("principals", "name"): "names.MAX_PLAIN characters",
    ("relation_floors", "relation"): "types.MAX_NAME characters",
    ("meta", "name"): "a name of ours",
    ("index_cursors", "index_name"): "a name of ours",
    ("vector_queue", "index_name"): "a name of ours",
    ("evaluations", "kind"): "a name of ours",
    ("telemetry", "kind"): "a name of ours",
    ("tombstones", "kind"): "a name of ours",
    ("jobs", "home"): "a name of ours",
    ("alembic_version", "version_num"): "a name of ours",
}
"""Every text in an index, and what bounds it. Texts of people are otherwise found by a digest."""

INDEXED = """
SELECT DISTINCT t.relname, a.attname FROM pg_index i
JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace n ON n.oid = t.relnamespace
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
WHERE n.nspname = current_schema() AND a.atttypid IN ('text'::regtype, 'varchar'::regtype)
"""
LETTERS = {1: (0x61, 0x7A), 2: (0x0561, 0x0586), 3: (0x4E00, 0x9FA5), 4: (0x20000, 0x2A6D6)}
"""Letters that are as they are when they are folded, by how many bytes each takes."""


def name_of(size: int, *, width: int) -> str:
    """A name of so many bytes that no compression makes shorter."""
    chance = random.Random(size * 10 + width)
    wide, rest = divmod(size, width)
    letters = [chance.randint(*LETTERS[width]) for _ in range(wide)]
    return "".join(map(chr, letters)) + "a" * rest


@pytest.fixture(params=["sqlite", "postgresql"])
def memory(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Damals]:
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")
    if request.param == "postgresql":
        monkeypatch.setenv("DAMALS_LEDGER", request.getfixturevalue("blank_postgres_url"))
    with Damals.open(tmp_path / "home") as opened:
        yield opened


def test_every_text_in_an_index_is_bounded(blank_postgres_url: str):
    ledger = SqlLedger(PostgresDatabase(blank_postgres_url))
    ledger.create_workspace("w", "UTC", 1)
    ledger.close()
    with psycopg.connect(blank_postgres_url) as connection:
        assert set(connection.execute(INDEXED).fetchall()) == set(BOUNDED)


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("field", ["tags", "acl"])
def test_the_longest_name_is_held_and_a_longer_one_is_not(memory: Damals, field: str, width: int):
    longest = name_of(MAX_NAME_BYTES, width=width)
    made = memory.remember("A", "x", **{field: [longest, "b"]})
    assert list(memory.get(made.id).to_dict()[field]) == [longest, "b"]
    if field == "tags":
        assert [one.id for one in memory.entries(tag=longest)] == [made.id]
    with pytest.raises(InvalidInput) as refused:
        memory.remember("B", "x", **{field: [name_of(MAX_NAME_BYTES + width, width=width)]})
    assert (refused.value.key, refused.value.values["name"]) == ("field.too_wide", field)
    assert [one.title for one in memory.entries()] == ["A"]


def test_a_name_that_grows_when_it_is_compared_is_measured_as_it_stands_there(memory: Damals):
    grown = "İ" * (MAX_NAME_BYTES // 3)
    memory.remember("A", "x", tags=[grown])
    with pytest.raises(InvalidInput) as refused:
        memory.remember("B", "x", tags=[f"{grown}İ"])
    assert refused.value.key == "field.too_wide"


def test_a_longer_one_that_a_home_once_took_is_kept_where_it_fits(memory: Damals, tmp_path: Path):
    """As an export tells it of a home in which it was stored before there was a limit."""
    memory.remember("A", "x", reason="there is a ledger")
    long = name_of(4 * MAX_NAME, width=4)
    at = datetime.now(UTC).isoformat()
    op = {"op": "remember", "title": "B", "tags": [long]}
    told = {"recorded_at": at, "logged_at": at, "ops": [op]}
    (tmp_path / "events.jsonl").write_text(json.dumps(told) + "\n", encoding="utf-8")
    if "DAMALS_LEDGER" in os.environ:
        with pytest.raises(InvalidInput) as refused:
            memory.import_(tmp_path / "events.jsonl")
        assert refused.value.key == "postgres.too_long"
        assert [one.title for one in memory.entries()] == ["A"]
    else:
        memory.import_(tmp_path / "events.jsonl")
        assert [one.title for one in memory.entries(tag=long)] == ["B"]


def test_texts_that_are_found_by_a_digest_may_be_as_long_as_any(memory: Damals):
    said = {name: name_of(4 * MAX_NAME, width=4) for name in ("key", "external_id", "type")}
    made = memory.remember("A", "x", source={"kind": "file", "path": said["key"]}, **said)
    found = memory.get(said["external_id"])
    assert (found.id, found.key, found.type) == (made.id, said["key"], said["type"])
    assert memory.history(key=said["key"]).versions[0].id == made.id
    assert [one.id for one in memory.entries(type=said["type"])] == [made.id]
