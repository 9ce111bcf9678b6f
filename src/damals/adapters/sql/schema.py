"""The tables of the ledger. What each is for stands in ``docs/format.md``.

Every text that people wrote is a row of ``contents``; the columns that name one are listed once, in
``CONTENT_COLUMNS``.
"""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Column, ForeignKey, ForeignKeyConstraint, Index, UniqueConstraint

from damals.adapters.sql.columns import (
    BIG,
    OPEN,
    REAL_NUMBER,
    blob,
    content,
    entry,
    history_indexes,
    integer,
    partial,
    period,
    recorded,
    row_id,
    string,
    table,
    workspace,
)
from damals.domain.instants import FOREVER

FORMAT: Final = 5
"""Number of the on-disk format that this code reads and writes."""


meta: Final = table("meta", string("name", key=True), string("value"), rowid=False)

workspaces: Final = table(
    "workspaces", row_id(), string("name"), string("zone"), integer("created_at"), blob("key"),
    UniqueConstraint("name"),
)  # fmt: skip

contents: Final = table(
    "contents", row_id(), workspace(), blob("lookup", nullable=True), blob("salt", nullable=True),
    blob("digest"), string("text", nullable=True), UniqueConstraint("workspace_id", "lookup"),
)  # fmt: skip

transactions: Final = table(
    "transactions",
    Column("position", BIG, primary_key=True, autoincrement=False),
    workspace(),
    integer("number"),
    integer("recorded_at"),
    integer("logged_at"),
    string("zone"),
    content("actor_id"),
    content("reason_id", nullable=True),
    blob("previous"),
    blob("hash"),
    UniqueConstraint("workspace_id", "number"),
    UniqueConstraint("workspace_id", "recorded_at"),
)

operations: Final = table(
    "operations",
    workspace(key=True),
    integer("number", key=True),
    integer("seq", key=True),
    string("kind"),
    blob("entry_id", nullable=True),
    content("params_id"),
    content("title_id", nullable=True),
    content("content_id", nullable=True),
    content("reason_id", nullable=True),
    blob("touched"),
    blob("digest"),
    ForeignKeyConstraint(
        ["workspace_id", "number"], ["transactions.workspace_id", "transactions.number"]
    ),
    rowid=False,
)

touches: Final = table(
    "touches", workspace(key=True), blob("entry_id", key=True), integer("recorded_at", key=True),
    integer("number"), rowid=False,
)  # fmt: skip

entries: Final = table(
    "entries",
    workspace(key=True),
    blob("entry_id", key=True),
    content("external_id", nullable=True),
    integer("created_by"),
    integer("created_at"),
    integer("erased_at"),
    integer("erased_by", nullable=True),
    blob("digest"),
    ForeignKeyConstraint(
        ["workspace_id", "created_by"], ["transactions.workspace_id", "transactions.number"]
    ),
    partial(
        "entries_external", "workspace_id", "external_id",
        where=f"erased_at = {FOREVER}", unique=True,
    ),
    Index("entries_created", "workspace_id", "created_by"),
    rowid=False,
)  # fmt: skip

versions: Final = table(
    "versions",
    row_id(),
    workspace(),
    *entry(),
    *period(),
    string("zone"),
    integer("generation"),
    string("type"),
    content("title_id"),
    content("content_id"),
    content("key_id", nullable=True),
    content("source_name_id", nullable=True),
    content("path_id", nullable=True),
    content("attributes_id"),
    string("visibility"),
    integer("sensitivity"),
    *recorded(),
    integer("operation"),
    blob("digest"),
    Index("versions_entry", "workspace_id", "entry_id", "recorded_from"),
    partial(
        "versions_current", "workspace_id", "entry_id", "start_earliest", "end_latest",
        "start_latest", "end_earliest", where=OPEN.text,
    ),
    partial(
        "versions_current_key", "workspace_id", "key_id", "start_earliest", "start_latest",
        "end_earliest", "end_latest",
        where=f"{OPEN.text} AND key_id IS NOT NULL", unique=True,
    ),
    partial(
        "versions_current_statement", "workspace_id", "title_id", "content_id", where=OPEN.text
    ),
    partial(
        "versions_key", "workspace_id", "key_id", "recorded_from", "start_earliest",
        where="key_id IS NOT NULL",
    ),
    partial(
        "versions_key_start", "workspace_id", "key_id", "start_earliest", "recorded_from",
        where="key_id IS NOT NULL",
    ),
    partial(
        "versions_source", "workspace_id", "source_name_id", "entry_id",
        where="source_name_id IS NOT NULL",
    ),
    *history_indexes("versions"),
)  # fmt: skip

version_tags: Final = table(
    "version_tags",
    Column("version_id", BIG, ForeignKey("versions.id"), primary_key=True, autoincrement=False),
    string("tag", key=True),
    Index("version_tags_tag", "tag"),
    rowid=False,
)

version_acl: Final = table(
    "version_acl",
    Column("version_id", BIG, ForeignKey("versions.id"), primary_key=True, autoincrement=False),
    string("principal", key=True),
    rowid=False,
)

relations: Final = table(
    "relations",
    row_id(),
    workspace(),
    blob("relation_id"),
    blob("src_id"),
    blob("dst_id"),
    string("relation"),
    *period(),
    integer("symmetric"),
    Column("confidence", REAL_NUMBER, nullable=False),
    blob("evidence"),
    integer("declared"),
    integer("cuts"),
    integer("derived"),
    string("rule", nullable=True),
    content("target_id", nullable=True),
    integer("unresolved"),
    string("resolution", nullable=True),
    *recorded(),
    integer("operation"),
    blob("digest"),
    string("flags", nullable=True),
    blob("premises", nullable=True),
    ForeignKeyConstraint(
        ["workspace_id", "src_id"], ["entries.workspace_id", "entries.entry_id"]
    ),
    Index("relations_src", "workspace_id", "src_id", "recorded_from"),
    Index("relations_dst", "workspace_id", "dst_id", "recorded_from"),
    partial(
        "relations_cuts", "workspace_id", "dst_id", "start_earliest", "end_latest",
        where="cuts = 1",
    ),
    partial(
        "relations_links", "workspace_id", "src_id",
        where=f"declared = 1 AND target_id IS NOT NULL AND {OPEN.text}",
    ),
    *history_indexes("relations"),
)  # fmt: skip

relation_premises: Final = table(
    "relation_premises",
    Column("relation_row", BIG, ForeignKey("relations.id"), primary_key=True, autoincrement=False),
    blob("premise_id", key=True),
    rowid=False,
)

archivings: Final = table(
    "archivings",
    row_id(),
    workspace(),
    *entry(),
    content("reason_id", nullable=True),
    *recorded(),
    integer("operation"),
    blob("digest"),
    Index("archivings_entry", "workspace_id", "entry_id", "recorded_from"),
    partial("archivings_current", "workspace_id", "entry_id", where=OPEN.text, unique=True),
    *history_indexes("archivings"),
)

verifications: Final = table(
    "verifications",
    row_id(),
    workspace(),
    *entry(),
    Column("grounding_score", REAL_NUMBER, nullable=False),
    content("evidence_id", nullable=True),
    *recorded(),
    integer("operation"),
    blob("digest"),
    Index("verifications_entry", "workspace_id", "entry_id", "recorded_from"),
    *history_indexes("verifications"),
)

chunks: Final = table(
    "chunks",
    row_id(),
    workspace(),
    blob("point_id"),
    blob("chunk_id"),
    *entry(),
    *period(),
    blob("digest"),
    content("title_id"),
    content("heading_id"),
    content("content_id"),
    integer("start_offset"),
    integer("end_offset"),
    integer("line"),
    integer("page", nullable=True),
    integer("chunker"),
    string("type"),
    string("lang"),
    content("tags_id"),
    content("path_id", nullable=True),
    integer("age_at"),
    *recorded(),
    integer("head_start", nullable=True),
    integer("head_end", nullable=True),
    Index("chunks_point", "point_id", "workspace_id"),
    partial("chunks_current", "workspace_id", "entry_id", where=OPEN.text),
    Index("chunks_entry", "workspace_id", "entry_id", "recorded_from"),
    *history_indexes("chunks"),
)

index_cursors: Final = table(
    "index_cursors", string("index_name", key=True), integer("position"), rowid=False
)

vector_queue: Final = table(
    "vector_queue",
    string("index_name", key=True),
    Column("chunk", BIG, ForeignKey("chunks.id"), primary_key=True, autoincrement=False),
    rowid=False,
)

CONTENT_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    one.name: tuple(
        column.name
        for column in one.columns
        if any(key.column.table.name == "contents" for key in column.foreign_keys)
    )
    for one in (
        *(transactions, operations, entries, versions, relations),
        *(archivings, verifications, chunks),
    )
}
"""Per table, the columns that name a text by its row in ``contents``."""
