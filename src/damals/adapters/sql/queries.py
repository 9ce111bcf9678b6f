"""The statements that read, each built once: building one costs more than running it.

Parameters that several statements share: ``workspace`` (id), ``entry`` (16 bytes), ``entries``,
``as_of`` and ``known_at`` (instants), and those of :func:`access_values`.
"""

from functools import cache
from typing import Any, Final, Literal

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal_column,
    or_,
    select,
)

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.schema import (
    contents,
    entries,
    relations,
    touches,
    version_tags,
    versions,
)
from damals.domain.instants import FOREVER

Query = Select[*tuple[Any, ...]]
"""A statement whose rows are read by name."""

FOREVER_LITERAL: Final[ColumnElement[int]] = literal_column(str(FOREVER))

Known = Literal["now", "then"]
"""``now``: the newest state is asked for, so only open rows count and partial indexes serve."""


def known(table: FromClause, when: Known) -> ColumnElement[bool]:
    """Whether a row is known at the asked instant."""
    if when == "now":
        return table.c.recorded_to == FOREVER_LITERAL
    known_at: ColumnElement[int] = bindparam("known_at")
    return and_(table.c.recorded_from <= known_at, table.c.recorded_to > known_at)


def possible(table: FromClause) -> ColumnElement[bool]:
    """Whether a row may hold at the asked instant."""
    as_of: ColumnElement[int] = bindparam("as_of")
    return and_(table.c.start_earliest <= as_of, table.c.end_latest > as_of)


def certain(table: FromClause) -> ColumnElement[bool]:
    """Whether a row surely holds at the asked instant."""
    as_of: ColumnElement[int] = bindparam("as_of")
    return and_(table.c.start_latest <= as_of, table.c.end_earliest > as_of)


def _rank(table: FromClause) -> tuple[ColumnElement[Any], ...]:
    """What makes one of several possible versions the better one: greater is better."""
    return (
        case((certain(table), 1), else_=0),
        table.c.start_earliest,
        table.c.start_latest,
        table.c.id,
    )


def _touched(what: ColumnElement[Any]) -> ColumnElement[Any]:
    return (
        select(func.max(what))
        .where(
            touches.c.workspace_id == entries.c.workspace_id,
            touches.c.entry_id == entries.c.entry_id,
            touches.c.recorded_at <= bindparam("known_at"),
        )
        .correlate(entries)
        .scalar_subquery()
    )


_external = contents.alias("external")
_title = contents.alias("title")
_content = contents.alias("content")
_key = contents.alias("key")
_document = contents.alias("document")
_source = contents.alias("source")
_path = contents.alias("path")

INFO: Final = (
    entries.c.entry_id,
    _external.c.text.label("external"),
    entries.c.created_at,
    entries.c.erased_at,
    _touched(touches.c.recorded_at).label("updated_at"),
    _touched(touches.c.number).label("last_transaction"),
)

_TEXTS: Final = (
    _title.c.text.label("title"),
    _content.c.text.label("content"),
    _key.c.text.label("key"),
    _document.c.text.label("document"),
    _source.c.text.label("source_name"),
    _path.c.text.label("path"),
)
_VERSION_COLUMNS: Final = tuple(c for c in versions.c if c.name != "entry_id")


def _with_texts(query: Query, joined: FromClause) -> Query:
    return query.select_from(
        joined.join(_title, _title.c.id == versions.c.title_id)
        .join(_content, _content.c.id == versions.c.content_id)
        .join(_document, _document.c.id == versions.c.attributes_id)
        .outerjoin(_key, _key.c.id == versions.c.key_id)
        .outerjoin(_source, _source.c.id == versions.c.source_name_id)
        .outerjoin(_path, _path.c.id == versions.c.path_id)
    )


STATE_VERSIONS: Final = _with_texts(select(versions, *_TEXTS), versions).where(
    versions.c.workspace_id == bindparam("workspace"), versions.c.entry_id == bindparam("entry")
)
"""Versions of an entry as its writer needs them: without the entry's identity."""

OPEN_VERSIONS: Final = STATE_VERSIONS.where(known(versions, "now"))

_numbered = versions.alias()

NEWEST_VERSION: Final = STATE_VERSIONS.where(
    versions.c.id
    == select(func.max(_numbered.c.id))
    .where(
        _numbered.c.workspace_id == bindparam("workspace"),
        _numbered.c.entry_id == bindparam("entry"),
    )
    .scalar_subquery()
)


@cache
def found(shape: AccessShape) -> Query:
    """Versions with their entries' identities, of entries that may be seen."""
    identified = versions.join(
        entries,
        and_(
            entries.c.workspace_id == versions.c.workspace_id,
            entries.c.entry_id == versions.c.entry_id,
        ),
    ).outerjoin(_external, _external.c.id == entries.c.external_id)
    query = select(*_VERSION_COLUMNS, *INFO, *_TEXTS)
    return _with_texts(query, identified).where(
        versions.c.workspace_id == bindparam("workspace"),
        entries.c.erased_at == FOREVER_LITERAL,
        *visible(shape, versions.c.workspace_id, versions.c.entry_id),
    )


@cache
def version_at(shape: AccessShape, when: Known) -> Query:
    """The best version of ``entry`` at a pair."""
    return (
        found(shape)
        .where(
            versions.c.entry_id == bindparam("entry"),
            known(versions, when),
            possible(versions),
        )
        .order_by(*(column.desc() for column in _rank(versions)))
        .limit(1)
    )


@cache
def versions_at(shape: AccessShape, when: Known) -> Query:
    """All versions of ``entries`` at a pair, the worst of each entry first."""
    return (
        found(shape)
        .where(
            versions.c.entry_id.in_(bindparam("entries", expanding=True)),
            known(versions, when),
            possible(versions),
        )
        .order_by(*_rank(versions))
    )


@cache
def latest_versions(shape: AccessShape, when: Known) -> Query:
    """All known versions of ``entries``; of each entry, the one that holds last comes last."""
    return (
        found(shape)
        .where(
            versions.c.entry_id.in_(bindparam("entries", expanding=True)),
            known(versions, when),
        )
        .order_by(
            versions.c.end_latest,
            versions.c.end_earliest,
            versions.c.start_earliest,
            versions.c.start_latest,
            versions.c.id,
        )
    )


@cache
def history(shape: AccessShape) -> Query:
    """Every version of ``entries`` recorded by ``known_at``."""
    return (
        found(shape)
        .where(
            versions.c.entry_id.in_(bindparam("entries", expanding=True)),
            versions.c.recorded_from <= bindparam("known_at"),
        )
        .order_by(
            versions.c.recorded_from,
            versions.c.start_earliest,
            versions.c.start_latest,
            versions.c.id,
        )
    )


@cache
def page(shape: AccessShape, when: Known, *, is_certain: bool, types: bool, tags: int) -> Query:
    """One version an entry at a pair, by entry id, behind ``after``.

    Args:
        shape: of the access filter.
        when: whether the newest state is asked for.
        is_certain: only what surely holds.
        types: of one of ``types``.
        tags: number of tags, ``tag0`` …, that all must be there.
    """
    better = versions.alias()
    beaten = exists(
        select(better.c.id)
        .where(
            better.c.workspace_id == versions.c.workspace_id,
            better.c.entry_id == versions.c.entry_id,
            better.c.id != versions.c.id,
            known(better, when),
            possible(better),
            func.coalesce(_greater(_rank(better), _rank(versions)), False),
        )
        .correlate(versions)
    )
    conditions: list[ColumnElement[bool]] = [
        versions.c.entry_id > bindparam("after"),
        known(versions, when),
        certain(versions) if is_certain else possible(versions),
        ~beaten,
    ]
    if types:
        conditions.append(versions.c.type.in_(bindparam("types", expanding=True)))
    conditions.extend(_tagged(f"tag{place}") for place in range(tags))
    ordered = found(shape).where(*conditions).order_by(versions.c.entry_id)
    if when == "now":
        ordered = ordered.with_hint(versions, "INDEXED BY versions_current", "sqlite")
    return ordered.limit(bindparam("limit"))


def _greater(
    left: tuple[ColumnElement[Any], ...], right: tuple[ColumnElement[Any], ...]
) -> ColumnElement[bool]:
    """Lexicographic comparison, spelled out: row values with expressions are not portable."""
    first, *others = zip(left, right, strict=True)
    greater = first[0] > first[1]
    if not others:
        return greater
    rest = _greater(tuple(a for a, _ in others), tuple(b for _, b in others))
    return or_(greater, and_(first[0] == first[1], rest))


def _tagged(parameter: str) -> ColumnElement[bool]:
    tags = version_tags.alias()
    return exists(
        select(tags.c.version_id)
        .where(tags.c.version_id == versions.c.id, tags.c.tag == bindparam(parameter))
        .correlate(versions)
    )


@cache
def superseded_page(shape: AccessShape, when: Known) -> Query:
    """Entries behind ``after`` without a version at a pair, since a cut took the instant."""
    holding = versions.alias()
    holds = exists(
        select(holding.c.id)
        .where(
            holding.c.workspace_id == relations.c.workspace_id,
            holding.c.entry_id == relations.c.dst_id,
            known(holding, when),
            possible(holding),
        )
        .correlate(relations)
    )
    return (
        select(relations.c.dst_id)
        .distinct()
        .where(
            relations.c.workspace_id == bindparam("workspace"),
            relations.c.dst_id > bindparam("after"),
            relations.c.cuts == literal_column("1"),
            known(relations, when),
            possible(relations),
            ~holds,
            *visible(shape, relations.c.workspace_id, relations.c.dst_id),
        )
        .order_by(relations.c.dst_id)
        .limit(bindparam("limit"))
    )


@cache
def info(shape: AccessShape, by: Literal["entry_id", "external_id"]) -> Query:
    """The identity of the entry named by ``value``."""
    query = (
        select(*INFO)
        .select_from(entries.outerjoin(_external, _external.c.id == entries.c.external_id))
        .where(
            entries.c.workspace_id == bindparam("workspace"),
            entries.c[by] == bindparam("value"),
            *visible(shape, entries.c.workspace_id, entries.c.entry_id),
        )
    )
    return query.where(entries.c.erased_at == FOREVER_LITERAL) if by == "external_id" else query


HOLDERS: Final = select(versions.c.entry_id).where(
    versions.c.workspace_id == bindparam("workspace"),
    versions.c.key_id == bindparam("key"),
)
"""Entries that ever held a key, repeated: DISTINCT would make SQLite read them in their order."""


@cache
def newest_of_source() -> Query:
    """The newest version of each entry, where it comes from a file of the source ``source``."""
    other, open_version = versions.alias(), versions.alias()
    newer = _same_entry(other, other.c.id > versions.c.id)
    current = _same_entry(open_version, known(open_version, "now"))
    return (
        found((False, False, False))
        .add_columns(current.label("current"))
        .where(
            versions.c.source_name_id == bindparam("source"),
            versions.c.path_id.is_not(None),
            ~newer,
        )
        .order_by(_path.c.text, versions.c.entry_id)
    )


def _same_entry(other: FromClause, condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists(
        select(other.c.id)
        .where(
            other.c.workspace_id == versions.c.workspace_id,
            other.c.entry_id == versions.c.entry_id,
            condition,
        )
        .correlate(versions)
    )
