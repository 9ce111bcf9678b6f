"""What stands in a workspace as a whole, for use cases that look at all of it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import bindparam, exists, func, literal, literal_column, select

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import Known, Query, known, pair, possible
from damals.adapters.sql.readmitting import ReadmittedReader
from damals.adapters.sql.relation_queries import RELATIONS, not_erased, shown
from damals.adapters.sql.replayed import OF_SOURCES
from damals.adapters.sql.rows import period_of, relation_of
from damals.adapters.sql.schema import archivings, contents, relations, version_acl, versions
from damals.adapters.sql.source_reader import SourceReader
from damals.app.ledger_model import At
from damals.app.standing_model import StandingEntry
from damals.domain.entries import Relation
from damals.domain.periods import Period
from damals.domain.reserve import Reserve, reserve_of

_path: Final = contents.alias("path")


@cache
def _placed(when: Known) -> Query:
    """Entries of which the path of a version at a pair has a folder of some name.

    Looks at what comes from sources, however much else there is.
    """
    folders = literal("/") + func.lower(_path.c.text)
    return (
        select(versions.c.entry_id)
        .distinct()
        .select_from(versions.join(_path, _path.c.id == versions.c.path_id))
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.source_name_id.is_not(None),
            known(versions, when),
            possible(versions),
            folders.like(bindparam("folder"), escape="\\"),
        )
        .order_by(versions.c.entry_id)
        .with_hint(versions, OF_SOURCES, "sqlite")
    )


_document: Final = contents.alias("document")

_SAYING: Final = (
    select(versions.c.entry_id)
    .distinct()
    .select_from(versions.join(_document, _document.c.id == versions.c.attributes_id))
    .where(
        versions.c.workspace_id == bindparam("workspace"),
        versions.c.opened_by > bindparam("after"),
        _document.c.text.like(bindparam("named"), escape="\\"),
    )
    .order_by(versions.c.entry_id)
)
"""Entries whose fields have a name, by versions that were recorded behind a transaction."""


@cache
def _entries(shape: AccessShape) -> Query:
    """The current versions of what is not archived, without what they say."""
    archived = exists(
        select(archivings.c.id).where(
            archivings.c.workspace_id == versions.c.workspace_id,
            archivings.c.entry_id == versions.c.entry_id,
            known(archivings, "now"),
        )
    )
    return (
        select(
            versions.c.id,
            versions.c.entry_id,
            *(one for one in versions.c if one.name.startswith(("start_", "end_"))),
            versions.c.visibility,
            versions.c.sensitivity,
        )
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            known(versions, "now"),
            ~archived,
            *visible(shape, versions.c.workspace_id, versions.c.entry_id),
        )
        .order_by(versions.c.entry_id, versions.c.recorded_from, versions.c.id)
    )


_ACLS: Final = (
    select(version_acl.c.version_id, version_acl.c.principal)
    .join_from(version_acl, versions, versions.c.id == version_acl.c.version_id)
    .where(versions.c.workspace_id == bindparam("workspace"), known(versions, "now"))
)


@cache
def _relations(shape: AccessShape) -> Query:
    """The current relations between entries of which neither is erased."""
    return RELATIONS.where(
        known(relations, "now"),
        relations.c.unresolved == literal_column("0"),
        not_erased("src_id"),
        not_erased("dst_id"),
        *shown(shape, "src_id", "dst_id"),
    ).order_by(relations.c.id)


def _literal(text: str) -> str:
    """A text as a pattern that it alone matches."""
    return re.sub(r"[\\%_]", r"\\\g<0>", text)


class StandingReader(SourceReader, ReadmittedReader):
    """The part of a reader that looks at a whole workspace; the rest of it runs the statements."""

    def placed_in(self, folder: str, at: At) -> Sequence[UUID]:
        """The entries whose source's path at a pair lies in a folder of this name, by id."""
        values = pair(at) | {"folder": f"%/{_literal(folder)}/%"}
        rows = self._execute(_placed(self._when(at)), values)
        found = [UUID(bytes=row.entry_id) for row in rows]
        seen = set(self._wanted(found))
        return [one for one in found if one in seen]

    def saying(self, name: str, after: int = 0) -> Sequence[UUID]:
        """Entries that had a property by a version recorded behind a transaction, by id."""
        named = f"%{_literal(json.dumps(name, ensure_ascii=False))}%"
        rows = self._execute(_SAYING, {"named": named, "after": after})
        found = [UUID(bytes=row.entry_id) for row in rows]
        seen = set(self._wanted(found))
        return [one for one in found if one in seen]

    def standing_entries(self) -> Mapping[UUID, StandingEntry]:
        """What is currently known to hold, and when; nothing that is archived."""
        acls: dict[int, set[str]] = defaultdict(set)
        for row in self._execute(_ACLS, {}):
            acls[row.version_id].add(row.principal)
        periods: dict[UUID, list[Period]] = defaultdict(list)
        reserves: dict[UUID, Reserve] = {}
        for row in self._execute(_entries(self._shape), {}):
            entry_id = UUID(bytes=row.entry_id)
            periods[entry_id].append(period_of(row))
            acl = acls.get(row.id, ())
            reserves[entry_id] = reserve_of(row.visibility, row.sensitivity, acl)  # the newest's
        return {one: StandingEntry(tuple(periods[one]), reserves[one]) for one in periods}

    def standing_relations(self) -> Iterator[Relation]:
        """What is currently known to stand between entries, by row."""
        return (relation_of(row) for row in self._execute(_relations(self._shape), {}))

    def _when(self, at: At) -> Known:
        raise NotImplementedError
