"""The statements that read, each built once: building one costs more than running it.

Parameters that several statements share: ``workspace`` (id), ``entry`` (16 bytes), ``entries``,
``as_of`` and ``known_at`` (instants), and those of :func:`access_values`.
"""

from functools import cache
from typing import Any, Final, Literal, cast

from sqlalchemy import (
    ColumnElement,
    FromClause,
    ScalarSelect,
    Select,
    Text,
    and_,
    bindparam,
    case,
    exists,
    literal_column,
    select,
    tuple_,
)

from damals.adapters.sql.access import UNRESTRICTED, AccessShape, newest_id, visible
from damals.adapters.sql.schema import (
    archivings,
    contents,
    entries,
    touches,
    transactions,
    versions,
)
from damals.app.ledger_model import At
from damals.domain.instants import FOREVER

Query = Select[*tuple[Any, ...]]
"""A statement whose rows are read by name."""

CURRENT: Final = "INDEXED BY versions_current"
"""Hint for statements on current versions: SQLite would visit all that an entry ever had."""

FOREVER_LITERAL: Final[ColumnElement[int]] = literal_column(str(FOREVER))

Known = Literal["now", "then"]
"""``now``: the newest state is asked for, so only open rows count and partial indexes serve."""


def pair(at: At) -> dict[str, Any]:
    """A pair of instants as parameters."""
    return {"as_of": at.as_of, "known_at": at.known_at}


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


def rank(table: FromClause) -> tuple[ColumnElement[Any], ...]:
    """What makes one of several possible versions the better one: greater is better."""
    return (
        case((certain(table), 1), else_=0),
        table.c.start_earliest,
        table.c.start_latest,
        table.c.id,
    )


_LASTING: Final = (
    *(versions.c.end_latest, versions.c.end_earliest),
    *(versions.c.start_earliest, versions.c.start_latest, versions.c.id),
)
"""Of several known versions, the one that holds last comes last."""

_RECORDING: Final = (
    *(versions.c.recorded_from, versions.c.start_earliest, versions.c.start_latest),
    versions.c.entry_id,
)
"""By recorded start, then valid start: the corner of a rectangle."""


def last_touch(what: ColumnElement[Any], *conditions: ColumnElement[bool]) -> ScalarSelect[Any]:
    """Of the last transaction that touched the entry of a row: one step in the primary key."""
    return (
        select(what)
        .where(
            touches.c.workspace_id == entries.c.workspace_id,
            touches.c.entry_id == entries.c.entry_id,
            *conditions,
        )
        .order_by(touches.c.recorded_at.desc())
        .limit(1)
        .correlate(entries)
        .scalar_subquery()
    )


def _touched(what: ColumnElement[Any]) -> ScalarSelect[Any]:
    return last_touch(what, touches.c.recorded_at <= bindparam("known_at"))


ARCHIVED_AT: Final = (
    select(archivings.c.recorded_from)
    .where(
        archivings.c.workspace_id == entries.c.workspace_id,
        archivings.c.entry_id == entries.c.entry_id,
        known(archivings, "now"),
    )
    .correlate(entries)
    .scalar_subquery()
)
"""When the entry of a row was archived; NULL when it is not."""


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

_SHORT_TEXTS: Final = (
    _title.c.text.label("title"),
    _key.c.text.label("key"),
    _document.c.text.label("document"),
    _source.c.text.label("source_name"),
    _path.c.text.label("path"),
)
_TEXTS: Final = (*_SHORT_TEXTS, _content.c.text.label("content"))
_VERSION_COLUMNS: Final = tuple(c for c in versions.c if c.name != "entry_id")


_IDENTIFIED: Final = versions.join(
    entries,
    and_(
        entries.c.workspace_id == versions.c.workspace_id,
        entries.c.entry_id == versions.c.entry_id,
    ),
).outerjoin(_external, _external.c.id == entries.c.external_id)


def _with_texts(query: Query, joined: FromClause) -> Query:
    return _with_short_texts(query, joined.join(_content, _content.c.id == versions.c.content_id))


def _with_short_texts(query: Query, joined: FromClause) -> Query:
    return query.select_from(
        joined.join(_title, _title.c.id == versions.c.title_id)
        .join(_document, _document.c.id == versions.c.attributes_id)
        .outerjoin(_key, _key.c.id == versions.c.key_id)
        .outerjoin(_source, _source.c.id == versions.c.source_name_id)
        .outerjoin(_path, _path.c.id == versions.c.path_id)
    )


def _known_versions(query: Query, when: Known) -> Query:
    """Only the known versions."""
    query = query.where(known(versions, when))
    if when == "now":
        return query.with_hint(versions, CURRENT, "sqlite")
    return query


WORKSPACE_VERSIONS: Final = _with_texts(select(versions, *_TEXTS), versions).where(
    versions.c.workspace_id == bindparam("workspace")
)
"""Versions as writers need them: without their entries' identities."""

STATE_VERSIONS: Final = WORKSPACE_VERSIONS.where(versions.c.entry_id == bindparam("entry"))
"""Versions of an entry as its writer needs them."""

OPEN_VERSIONS: Final = _known_versions(STATE_VERSIONS, "now")

NEWEST_VERSION: Final = STATE_VERSIONS.where(
    versions.c.id == newest_id(bindparam("workspace"), bindparam("entry"))
)


@cache
def found(shape: AccessShape) -> Query:
    """Versions with their entries' identities, of entries that may be seen."""
    query = select(*_VERSION_COLUMNS, *INFO, *_TEXTS)
    return _of_entries(_with_texts(query, _IDENTIFIED), shape)


def _of_entries(query: Query, shape: AccessShape) -> Query:
    return query.where(
        versions.c.workspace_id == bindparam("workspace"),
        entries.c.erased_at == FOREVER_LITERAL,
        *visible(shape, versions.c.workspace_id, versions.c.entry_id),
    )


@cache
def versions_at(shape: AccessShape, when: Known) -> Query:
    """All versions of ``entries`` at a pair, the worst of each entry first."""
    return (
        _known_versions(found(shape), when)
        .where(
            versions.c.entry_id.in_(bindparam("entries", expanding=True)),
            possible(versions),
        )
        .order_by(*rank(versions))
    )


@cache
def latest_versions(shape: AccessShape, when: Known) -> Query:
    """All known versions of ``entries``; of each entry, the one that holds last comes last."""
    return (
        _known_versions(found(shape), when)
        .where(versions.c.entry_id.in_(bindparam("entries", expanding=True)))
        .order_by(*_LASTING)
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
        .order_by(*_RECORDING)
    )


@cache
def stretch(shape: AccessShape) -> Query:
    """As :func:`history`, at most ``limit`` behind the corner ``c0`` to ``c3``."""
    places = range(len(_RECORDING))
    corner = tuple_(*[cast("ColumnElement[Any]", bindparam(f"c{place}")) for place in places])
    return history(shape).where(tuple_(*_RECORDING) > corner).limit(bindparam("limit"))


@cache
def titles(when: Known) -> tuple[Query, ...]:
    """The titles of ``entries``, where a later statement answers for those without an earlier one.

    At the pair; else of the version that holds last; else of the last that was known. Of each
    entry the last row counts. Nothing is read but titles.
    """
    query = (
        select(versions.c.entry_id, _title.c.text.label("title"))
        .select_from(versions.join(_title, _title.c.id == versions.c.title_id))
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.entry_id.in_(bindparam("entries", expanding=True)),
        )
    )
    at_all = versions.c.recorded_from <= bindparam("known_at")
    known_ones = _known_versions(query, when)
    return (
        known_ones.where(possible(versions)).order_by(*rank(versions)),
        known_ones.order_by(*_LASTING),
        query.where(at_all).order_by(*_RECORDING),
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
    if by == "external_id" or shape != UNRESTRICTED:  # a tombstone is the owner's
        return query.where(entries.c.erased_at == FOREVER_LITERAL)
    return query


HOLDERS: Final = select(versions.c.entry_id).where(
    versions.c.workspace_id == bindparam("workspace"),
    versions.c.key_id == bindparam("key"),
)
"""Entries that ever held a key, repeated: DISTINCT would make SQLite read them in their order."""


@cache
def newest_of_source(shape: AccessShape) -> Query:
    """The newest version of each entry, where it comes from a file of the source ``source``.

    Without its content, which for a whole source would be all of its text.
    """
    open_version = versions.alias()
    current = exists(
        select(open_version.c.id)
        .where(
            open_version.c.workspace_id == versions.c.workspace_id,
            open_version.c.entry_id == versions.c.entry_id,
            known(open_version, "now"),
        )
        .with_hint(open_version, CURRENT, "sqlite")
        .correlate(versions)
    )
    nothing = literal_column("''", Text).label("content")
    query = select(*_VERSION_COLUMNS, *INFO, *_SHORT_TEXTS, nothing, current.label("current"))
    return (
        _of_entries(_with_short_texts(query, _IDENTIFIED), shape)
        .where(
            versions.c.source_name_id == bindparam("source"),
            versions.c.path_id.is_not(None),
            versions.c.id == newest_id(versions.c.workspace_id, versions.c.entry_id),
        )
        .order_by(_path.c.text, versions.c.entry_id)
    )


@cache
def _portraits(shape: AccessShape) -> Query:
    """As :func:`found`, with what the life of an entry is derived from instead of who touched it.

    ``logged_at`` is when its first transaction was really logged.
    """
    identity = (entries.c.entry_id, _external.c.text.label("external"), entries.c.created_at)
    query = select(*_VERSION_COLUMNS, *identity, transactions.c.logged_at, *_TEXTS)
    first = and_(
        transactions.c.workspace_id == entries.c.workspace_id,
        transactions.c.number == entries.c.created_by,
    )
    return _of_entries(_with_texts(query, _IDENTIFIED.join(transactions, first)), shape)


@cache
def portraits_at(shape: AccessShape, when: Known) -> Query:
    """All versions at a pair, by entry, the worst of each first."""
    query = _known_versions(_portraits(shape), when).where(possible(versions))
    return query.order_by(versions.c.entry_id, *rank(versions))


@cache
def portraits_of(shape: AccessShape, when: Known | None) -> Query:
    """The versions of ``entries`` known at an instant, or, for ``None``, at any by then.

    Of each entry the one that holds last, or was recorded last, comes last.
    """
    named = versions.c.entry_id.in_(bindparam("entries", expanding=True))
    query = _portraits(shape).where(named)
    if when is None:
        by_then = versions.c.recorded_from <= bindparam("known_at")
        return query.where(by_then).order_by(*_RECORDING)
    return _known_versions(query, when).order_by(*_LASTING)
