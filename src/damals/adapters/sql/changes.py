"""What changed between instants, and the rows that tell of it. Parameters as in ``queries.py``.

Beside those: ``first`` and ``last`` (numbers of transactions), ``low`` and ``high`` (instants,
``low`` excluded), ``since`` and ``until`` (recorded instants).
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Executable,
    FromClause,
    Row,
    Table,
    bindparam,
    func,
    or_,
    select,
    union,
)

from damals.adapters.sql import marks
from damals.adapters.sql.access import UNRESTRICTED
from damals.adapters.sql.contents import batches
from damals.adapters.sql.places import AT_PLACES, batches_of_places
from damals.adapters.sql.queries import CURRENT, Known, Query, found, known
from damals.adapters.sql.relation_queries import RELATIONS, End
from damals.adapters.sql.rows import relation_of, unpacked, version_of
from damals.adapters.sql.schema import (
    archivings,
    contents,
    operations,
    relations,
    transactions,
    verifications,
    versions,
)
from damals.adapters.sql.sight import SightReader
from damals.app.ledger_model import At
from damals.app.log_model import NOBODY, Told
from damals.domain.diff_rows import Deed, Place, Rows
from damals.domain.entries import Relation, Version

_NUMBERS: Final = select(
    func.min(transactions.c.number).label("first"), func.max(transactions.c.number).label("last")
).where(
    transactions.c.workspace_id == bindparam("workspace"),
    transactions.c.recorded_at > bindparam("low"),
    transactions.c.recorded_at <= bindparam("high"),
)
"""The transactions of a span of recorded time; NULL when there is none."""


def _between(table: Table, column: str, number: str) -> Query:
    return select(table.c[column].label("entry_id")).where(
        table.c.workspace_id == bindparam("workspace"),
        table.c[number].between(bindparam("first"), bindparam("last")),
    )


_TOLD: Final = union(
    *(
        _between(table, column, number)
        for table, columns in (
            (versions, ("entry_id",)),
            (relations, ("src_id", "dst_id")),
            (archivings, ("entry_id",)),
            (verifications, ("entry_id",)),
        )
        for column in columns
        for number in ("opened_by", "closed_by")
    ),
)
"""The entries of which some transactions recorded something.

Not those that were erased: they are hidden at every pair, so no state of theirs differs.
"""

_BOUNDS: Final = ("start_earliest", "start_latest", "end_earliest", "end_latest")


@cache
def _world(when: Known) -> Query:
    """The entries that have a bound behind ``low``, up to ``high``, as known at an instant."""
    query = select(versions.c.entry_id).where(
        versions.c.workspace_id == bindparam("workspace"),
        known(versions, when),
        or_(*(_inside(versions.c[name]) for name in _BOUNDS)),
    )
    return query.with_hint(versions, CURRENT, "sqlite") if when == "now" else query


@cache
def _put_away(when: Known) -> Query:
    """The entries that were archived behind ``low``, up to ``high``, as known at an instant."""
    return select(archivings.c.entry_id).where(
        archivings.c.workspace_id == bindparam("workspace"),
        known(archivings, when),
        _inside(archivings.c.recorded_from),
    )


def _inside(column: ColumnElement[int]) -> ColumnElement[bool]:
    low: ColumnElement[int] = bindparam("low")
    high: ColumnElement[int] = bindparam("high")
    return (column > low) & (column <= high)


def _during(table: FromClause) -> ColumnElement[bool]:
    """Whether a row was known at any instant from ``since`` to ``until``."""
    since: ColumnElement[int] = bindparam("since")
    until: ColumnElement[int] = bindparam("until")
    return (table.c.recorded_from <= until) & (table.c.recorded_to > since)


_VERSIONS: Final = (
    found(UNRESTRICTED)
    .where(versions.c.entry_id.in_(bindparam("entries", expanding=True)), _during(versions))
    .order_by(versions.c.id)
)
_VERSIONS_OF_TYPE: Final = _VERSIONS.where(versions.c.type == bindparam("type"))


@cache
def _related(near: End) -> Query:
    return RELATIONS.where(
        relations.c[near].in_(bindparam("entries", expanding=True)), _during(relations)
    )


_ARCHIVINGS: Final = marks.ARCHIVINGS.where(
    archivings.c.entry_id.in_(bindparam("entries", expanding=True)), _during(archivings)
)
_VERIFICATIONS: Final = marks.VERIFICATIONS.where(
    verifications.c.entry_id.in_(bindparam("entries", expanding=True)), _during(verifications)
)

_why = contents.alias("why")
_who = contents.alias("who")

_HEADS: Final = (
    select(transactions.c.number, _who.c.text.label("actor"), _why.c.text.label("reason"))
    .select_from(
        transactions.join(_who, _who.c.id == transactions.c.actor_id).outerjoin(
            _why, _why.c.id == transactions.c.reason_id
        )
    )
    .where(
        transactions.c.workspace_id == bindparam("workspace"),
        transactions.c.number.in_(bindparam("numbers", expanding=True)),
    )
)
_DONE: Final = (
    select(
        operations.c.number,
        operations.c.seq,
        operations.c.kind,
        operations.c.touched,
        _why.c.text.label("reason"),
    )
    .select_from(operations.outerjoin(_why, _why.c.id == operations.c.reason_id))
    .where(operations.c.workspace_id == bindparam("workspace"))
)
_NAMED: Final = _DONE.where(AT_PLACES)
_ALL_DONE: Final = _DONE.where(operations.c.number == bindparam("number")).order_by(
    operations.c.seq
)


def _told_deed(told: Told | None, place: Place) -> Deed:
    edge, entry_id = place
    if told is None:
        return Deed(None, None, NOBODY)
    done, head = told.transaction.operations, told.transaction
    operation = None
    if edge.operation is None:
        operation = next((one for one in reversed(done) if entry_id in one.touched), None)
    elif edge.operation in told.places:
        operation = done[told.places[edge.operation]]
    if operation is None:
        return Deed(None, head.reason, head.actor)
    return Deed(operation.kind, operation.reason or head.reason, head.actor)


class _Span(NamedTuple):
    """From when to when, both included; of which type, if of one."""

    since: int
    until: int
    of_type: str | None = None


class ChangeReader(SightReader):
    """The part of a reader that tells changes; the rest of it runs the statements."""

    def moved(self, start: At, end: At) -> Sequence[UUID]:
        """The entries that may be something else at one pair than at the other, by id."""
        found = set[bytes]()
        low, high = sorted((start.known_at, end.known_at))
        numbers = self._execute(_NUMBERS, {"low": low, "high": high}).one()
        if numbers.first is not None:
            span = {"first": numbers.first, "last": numbers.last}
            found.update(self._execute(_TOLD, span).scalars())
        low, high = sorted((start.as_of, end.as_of))
        if low < high:
            when = self._when(start)
            values = {"low": low, "high": high, "known_at": start.known_at}
            for query in (_world(when), _put_away(when)):
                found.update(self._execute(query, values).scalars())
        return self._wanted([UUID(bytes=entry) for entry in sorted(found)])

    def rows_between(self, entry_ids: Sequence[UUID], since: int, until: int) -> Rows:
        """The rows of some entries that were known at any instant from one to another."""
        span, wanted = _Span(since, until), self._wanted(entry_ids)
        return Rows(
            tuple(self.versions_between(entry_ids, since, until)),
            tuple(self.relations_between(entry_ids, since, until)),
            tuple(marks.archiving_of(row) for row in self._during(_ARCHIVINGS, wanted, span)),
            tuple(marks.verification_of(row) for row in self._during(_VERIFICATIONS, wanted, span)),
        )

    def versions_between(
        self, entry_ids: Sequence[UUID], since: int, until: int, *, of_type: str | None = None
    ) -> Sequence[Version]:
        """Of :meth:`rows_between` only the versions; only those of a type, if one is named."""
        span, wanted = _Span(since, until, of_type), self._wanted(entry_ids)
        query = _VERSIONS if of_type is None else _VERSIONS_OF_TYPE
        return [self._version(version_of(row)) for row in self._during(query, wanted, span)]

    def relations_between(
        self, entry_ids: Sequence[UUID], since: int, until: int
    ) -> Sequence[Relation]:
        """Of :meth:`rows_between` only the relations, from and to the entries, by row."""
        span = _Span(since, until)
        ends: tuple[End, ...] = ("src_id", "dst_id")
        found = {
            row.id: row for near in ends for row in self._during(_related(near), entry_ids, span)
        }
        return list(self._shown([relation_of(found[row]) for row in sorted(found)]))

    def _during(
        self, query: Executable, entry_ids: Sequence[UUID], span: _Span
    ) -> Iterator[Row[Any]]:
        given = {"since": span.since, "until": span.until, "known_at": span.until}
        given |= {} if span.of_type is None else {"type": span.of_type}
        for batch in batches([entry_id.bytes for entry_id in entry_ids]):
            yield from self._execute(query, given | {"entries": batch})

    def _shown(self, rows: Sequence[Relation]) -> Iterable[Relation]:
        """Relations that may be seen, and every cut."""
        ends = {end for row in rows for end in (row.src_id, row.dst_id)} if self._restricted else ()
        seen = self.seen({*ends, *(one for row in rows for one in row.premises or ())})
        if not self._restricted:
            return [row for row in rows if seen.issuperset(row.premises or ())]
        hidden = self._access.hidden_relations

        def shown(row: Relation) -> bool:
            ends = row.src_id in seen and (row.unresolved or row.dst_id in seen)
            known = ends and row.relation not in hidden and row.follows_from(seen)
            return row.cuts or known

        return filter(shown, rows)

    def deeds(self, places: Collection[Place]) -> Mapping[Place, Deed]:
        """What was done at some edges, by whom and why."""
        if self._restricted:
            return self._told_deeds(places)
        withheld = self._withheld({edge.number for edge, _ in places})
        heads = self._heads({edge.number for edge, _ in places})
        named = {(e.number, e.operation) for e, _ in places if e.operation is not None}
        done = {
            (row.number, row.seq): row
            for places_ in batches_of_places(named)
            for row in self._execute(_NAMED, places_)
        }
        touching = self._touching([place for place in places if place[0].operation is None])
        found: dict[Place, Deed] = {}
        for place in places:
            edge, head = place[0], heads[place[0].number]
            row = touching.get(place) or done.get((edge.number, edge.operation))
            kind, reason = (None, None) if row is None else (row.kind, row.reason)
            if edge.number in withheld:
                gone = row is not None and not withheld[edge.number].isdisjoint(
                    unpacked(row.touched)
                )
                found[place] = Deed(kind, None if gone else reason, head.actor or "")
            else:
                found[place] = Deed(kind, reason or head.reason, head.actor or "")
        return found

    def _told_deeds(self, places: Collection[Place]) -> Mapping[Place, Deed]:
        told = self._told_by_number({edge.number for edge, _ in places})
        return {place: _told_deed(told.get(place[0].number), place) for place in places}

    def _heads(self, numbers: Collection[int]) -> dict[int, Row[Any]]:
        return {
            row.number: row
            for batch in batches(sorted(numbers))
            for row in self._execute(_HEADS, {"numbers": batch})
        }

    def _touching(self, places: Collection[Place]) -> dict[Place, Row[Any]]:
        """Of each transaction, the last operation that touched the entry."""
        asked: dict[int, list[Place]] = {}
        for place in places:
            asked.setdefault(place[0].number, []).append(place)
        found: dict[Place, Row[Any]] = {}
        for number, these in asked.items():
            last: dict[UUID, Row[Any]] = {}
            for row in self._execute(_ALL_DONE, {"number": number}):
                last.update(dict.fromkeys(unpacked(row.touched), row))
            found.update({place: last[place[1]] for place in these if place[1] in last})
        return found

    def _when(self, at: At) -> Known:
        raise NotImplementedError
