"""What imports need to know of a source: its notes and the links they declare."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import Row

from damals.adapters.sql import queries, relation_queries, sources
from damals.adapters.sql.contents import batches, lookup_of
from damals.adapters.sql.erasing import MARKED, THESE_MARKS
from damals.adapters.sql.kept import last_erasure
from damals.adapters.sql.replayed import naming_commits, replayed_of
from damals.adapters.sql.rows import attributes_of, flags_of
from damals.adapters.sql.sight import SightReader
from damals.app.history.model import Replayed
from damals.app.ledger_model import DeclaredLink, Head, SourceNote
from damals.app.sources_model import SourceCount, SourceRun
from damals.domain.entries import Attributes
from damals.domain.instants import FOREVER


class SourceReader(SightReader):
    """The part of a reader that knows sources; the rest of it runs the statements."""

    def source_notes(self, source: str) -> Sequence[SourceNote]:
        """The notes of a source, by path, as known now."""
        text = self._text_id(source)
        if text is None:
            return []
        query = queries.newest_of_source(self._shape)
        rows = self._execute(query, {"source": text, "known_at": FOREVER})
        return [_source_note(row, self._attributes(attributes_of(row))) for row in rows]

    def quiet_since(self, source: str, head: Head) -> bool:
        """Whether no entry of a source was touched since a transaction, and nothing was erased."""
        then = self._execute(sources.HEAD_AT, {"number": head.number}).first()
        if then is None or (then.recorded_at, then.logged_at) != (head.recorded_at, head.logged_at):
            return False
        if last_erasure(self._connection, self._owner.workspace_id) > head.number:
            return False
        text = self._text_id(source)
        given = {"source": text, "recorded_at": head.recorded_at}
        return text is None or self._execute(sources.TOUCHED, given).first() is None

    def links(self, source: str) -> Sequence[DeclaredLink]:
        """The declared links of the current notes of a source, by entry and row."""
        text = self._text_id(source)
        if text is None:
            return []
        rows = self._execute(relation_queries.links(self._shape), {"source": text})
        return [
            DeclaredLink(
                UUID(bytes=row.src_id),
                row.target or "",
                UUID(bytes=row.dst_id),
                unresolved=bool(row.unresolved),
                relation=row.relation,
                flags=flags_of(row),
            )
            for row in rows
        ]

    def source_counts(self) -> Sequence[SourceCount]:
        """The sources of which a note may be seen."""
        rows = self._execute(sources.counts(self._shape), {})
        return [SourceCount(row.name, row.current) for row in rows if row.name is not None]

    def source_runs(self) -> Sequence[SourceRun]:
        """How the last import of each source ended; nothing for others than the owner."""
        if self._restricted:
            return []
        return sources.runs(self._connection, self._owner.workspace_id)

    def replayed(self, source: str) -> Sequence[Replayed]:
        """The transactions that replayed a commit of the history of a source, in order."""
        text = self._text_id(source)
        if text is None:
            return []
        rows = self._execute(naming_commits(self._shape), {"source": text})
        return [*replayed_of(rows, source)]

    def marked(self, marks: Collection[str]) -> frozenset[str]:
        """Those of some marks that an erasure has left."""
        if self._execute(MARKED, {}).first() is None:
            return frozenset()
        key = self._owner.key
        sought = {lookup_of(key, mark): mark for mark in marks}
        return frozenset(
            sought[row.target]
            for batch in batches(list(sought))
            for row in self._execute(THESE_MARKS, {"targets": batch})
        )

    def _text_id(self, text: str) -> int | None:
        raise NotImplementedError


def _source_note(row: Row[Any], attributes: Attributes) -> SourceNote:
    return SourceNote(
        entry_id=UUID(bytes=row.entry_id),
        external_id=row.external,
        path=row.path,
        digest=attributes.source.digest or "",
        attributes=attributes,
        current=bool(row.current),
    )
