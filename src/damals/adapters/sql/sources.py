"""The table ``sources``: one row a source, with the result of its last import.

The result is a content, so that an erasure finds its text like every other. It is a content of its
own: a number that nobody knows stands in it, so that no other row can come to share it, and it can
go when the next result comes or when something is erased that it may tell of.
"""

import secrets
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    Connection,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)

from damals.adapters.sql.access import AccessShape, newest_id, visible
from damals.adapters.sql.contents import Contents
from damals.adapters.sql.kept import as_json, erased_since, from_json
from damals.adapters.sql.queries import FOREVER_LITERAL, Query
from damals.adapters.sql.reserved import sources
from damals.adapters.sql.schema import contents, entries, touches, transactions, versions
from damals.app.sources_model import SourceRun

_NONCE: Final = "nonce"
_NONCE_BYTES: Final = 16

_OF_WORKSPACE: Final = sources.c.workspace_id == bindparam("workspace")
_NAMED: Final = select(sources.c.id, sources.c.result_id).where(
    _OF_WORKSPACE, sources.c.name_id == bindparam("name")
)
_NEXT: Final = select(func.coalesce(func.max(sources.c.id), 0) + 1)
_REPLACE: Final = (
    update(sources)
    .where(sources.c.id == bindparam("row"))
    .values(
        kind=bindparam("new_kind"),
        root_id=bindparam("root"),
        result_id=bindparam("result"),
        imported_at=bindparam("at"),
    )
)
HEAD_AT: Final = select(transactions.c.recorded_at, transactions.c.logged_at).where(
    transactions.c.workspace_id == bindparam("workspace"),
    transactions.c.number == bindparam("number"),
)
"""The instants of a transaction."""

TOUCHED: Final = (
    select(touches.c.number)
    .where(
        touches.c.workspace_id == bindparam("workspace"),
        touches.c.recorded_at > bindparam("recorded_at"),
        touches.c.entry_id.in_(
            select(versions.c.entry_id).where(
                versions.c.workspace_id == bindparam("workspace"),
                versions.c.source_name_id == bindparam("source"),
            )
        ),
    )
    .limit(1)
)
"""Whether an entry that ever belonged to a source was touched behind an instant."""

_DROP: Final = delete(contents).where(contents.c.id.in_(bindparam("ids", expanding=True)))
_WITH_RESULT: Final = select(sources.c.result_id).where(
    _OF_WORKSPACE, sources.c.result_id.is_not(None)
)
_FORGET: Final = update(sources).where(_OF_WORKSPACE).values(result_id=None)

_name, _root, _result = (contents.alias(f"source_{part}") for part in ("name", "root", "result"))
_RUNS: Final = (
    select(
        _name.c.text.label("name"),
        sources.c.kind,
        _root.c.text.label("root"),
        sources.c.imported_at,
        _result.c.text.label("result"),
    )
    .join(_name, _name.c.id == sources.c.name_id)
    .join(_root, _root.c.id == sources.c.root_id)
    .outerjoin(_result, _result.c.id == sources.c.result_id)
    .where(_OF_WORKSPACE)
)


@cache
def counts(shape: AccessShape) -> Query:
    """By source, how many of its notes that may be seen are known now."""
    newest = newest_id(versions.c.workspace_id, versions.c.entry_id)
    open_ = versions.alias()
    current = (
        select(open_.c.id)
        .where(
            open_.c.workspace_id == versions.c.workspace_id,
            open_.c.entry_id == versions.c.entry_id,
            open_.c.recorded_to == FOREVER_LITERAL,
        )
        .with_hint(open_, "INDEXED BY versions_current", "sqlite")
        .correlate(versions)
        .exists()
    )
    return (
        select(
            contents.c.text.label("name"), func.sum(case((current, 1), else_=0)).label("current")
        )
        .join(
            entries,
            (entries.c.workspace_id == versions.c.workspace_id)
            & (entries.c.entry_id == versions.c.entry_id),
        )
        .join(contents, contents.c.id == versions.c.source_name_id)
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.source_name_id.is_not(None),
            versions.c.path_id.is_not(None),
            versions.c.id == newest,
            entries.c.erased_at == FOREVER_LITERAL,
            *visible(shape, versions.c.workspace_id, versions.c.entry_id),
        )
        .group_by(contents.c.text)
    )


def runs(connection: Connection, workspace: int) -> list[SourceRun]:
    """The last import of each source of a workspace; without those whose names were erased."""
    rows = connection.execute(_RUNS, {"workspace": workspace})
    return [_run(row) for row in rows if row.name is not None]


def _run(row: Any) -> SourceRun:  # noqa: ANN401 - a row
    told = from_json(row.result)
    if told is not None:
        del told[_NONCE]
    return SourceRun(row.name, row.kind, row.root or "", row.imported_at, told)


def put(connection: Connection, workspace: int, texts: Contents, run: SourceRun) -> None:
    """Note an import; the result of the one before goes."""
    kept = None if erased_since(connection, workspace, run.since) else run.result
    noted = None if kept is None else as_json({_NONCE: secrets.token_hex(_NONCE_BYTES), **kept})
    found = texts.intern([run.name, run.root, *([noted] if noted is not None else [])])
    name = found[run.name].id
    row = connection.execute(_NAMED, {"workspace": workspace, "name": name}).first()
    said = {"root": found[run.root].id, "at": run.imported_at}
    result = None if noted is None else found[noted].id
    if row is None:
        values = {
            "id": connection.execute(_NEXT).scalar_one(),
            "workspace_id": workspace,
            "name_id": name,
            "kind": run.kind,
            "root_id": said["root"],
            "result_id": result,
            "imported_at": said["at"],
        }
        connection.execute(insert(sources), values)
        return
    connection.execute(_REPLACE, {"row": row.id, "new_kind": run.kind, "result": result, **said})
    _drop(connection, [row.result_id])


def forget_results(connection: Connection, workspace: int) -> None:
    """Something was erased: no result is kept that may tell of it."""
    given = {"workspace": workspace}
    results = list(connection.execute(_WITH_RESULT, given).scalars())
    connection.execute(_FORGET, given)
    _drop(connection, results)


def _drop(connection: Connection, results: Iterable[int | None]) -> None:
    ids = [one for one in results if one is not None]
    if ids:
        connection.execute(_DROP, {"ids": ids})
