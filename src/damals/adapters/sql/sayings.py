"""What a workspace ever said, read as a stream of texts. Parameters as in ``queries.py``."""

import json
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final
from uuid import UUID

from sqlalchemy import and_, bindparam, select

from damals.adapters.sql.access import AccessShape, visible
from damals.adapters.sql.queries import FOREVER_LITERAL, Query
from damals.adapters.sql.rows import unpacked
from damals.adapters.sql.schema import contents, entries, operations, transactions, versions
from damals.adapters.sql.sight import SightReader
from damals.app.sayings_model import Saying

_title = contents.alias("title")
_content = contents.alias("content")
_key = contents.alias("key")
_document = contents.alias("document")


@cache
def _said(shape: AccessShape, *, still: bool) -> Query:
    """The texts of versions that were recorded by ``known_at``, by row."""
    query = (
        select(
            versions.c.entry_id,
            versions.c.recorded_from,
            _title.c.text.label("title"),
            _content.c.text.label("content"),
            _key.c.text.label("key"),
            _document.c.text.label("document"),
        )
        .select_from(
            versions.join(
                entries,
                and_(
                    entries.c.workspace_id == versions.c.workspace_id,
                    entries.c.entry_id == versions.c.entry_id,
                ),
            )
            .join(_title, _title.c.id == versions.c.title_id)
            .join(_content, _content.c.id == versions.c.content_id)
            .join(_document, _document.c.id == versions.c.attributes_id)
            .outerjoin(_key, _key.c.id == versions.c.key_id)
        )
        .where(
            versions.c.workspace_id == bindparam("workspace"),
            versions.c.recorded_from <= bindparam("known_at"),
            entries.c.erased_at == FOREVER_LITERAL,
            *visible(shape, versions.c.workspace_id, versions.c.entry_id),
        )
        .order_by(versions.c.id)
    )
    return query.where(versions.c.recorded_to > bindparam("known_at")) if still else query


_TOUCHED: Final = (
    select(operations.c.touched)
    .select_from(
        operations.join(
            transactions,
            and_(
                transactions.c.workspace_id == operations.c.workspace_id,
                transactions.c.number == operations.c.number,
            ),
        )
    )
    .where(
        operations.c.workspace_id == bindparam("workspace"),
        operations.c.kind.in_(bindparam("kinds", expanding=True)),
        transactions.c.recorded_at <= bindparam("known_at"),
    )
)


class SayingsReader(SightReader):
    """The part of a reader that reads texts and nothing about them."""

    def sayings(self, known_at: int, *, still: bool = False) -> Iterator[Saying]:
        """What every version says that was recorded by an instant."""
        for row in self._rows(_said(self._shape, still=still), {"known_at": known_at}):
            yield Saying(
                UUID(bytes=row.entry_id),
                row.recorded_from,
                row.title or "",
                row.content or "",
                row.key,
                _tags(row.document or ""),
            )

    def touched_by(self, kinds: Collection[str], known_at: int) -> Sequence[UUID]:
        """The entries that operations of some kinds touched by an instant, by id."""
        rows = self._rows(_TOUCHED, {"kinds": sorted(kinds), "known_at": known_at})
        return self._wanted(sorted({one for row in rows for one in unpacked(row.touched)}))


@lru_cache(maxsize=1_024)
def _tags(document: str) -> tuple[str, ...]:
    return tuple(json.loads(document).get("tags", ())) if document else ()
