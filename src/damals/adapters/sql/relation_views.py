"""From rows to relations as they are seen from one of their ends."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Row

from damals.adapters.sql.rows import Values, flags_of, resolution_of, unpacked
from damals.app.ledger_model import RelationView, resolution_seen


def relation_view(
    row: Row[Any], direction: Literal["out", "in"], titles: Mapping[bytes, str]
) -> RelationView:
    """A row of a relation as its entry sees it.

    Args:
        row: of a statement of ``relation_queries``.
        direction: which end the entry is.
        titles: of the entries at the other ends.
    """
    near, far = (row.src_id, row.dst_id) if direction == "out" else (row.dst_id, row.src_id)
    return RelationView(
        id=UUID(bytes=row.relation_id),
        relation=row.relation,
        direction=direction,
        entry_id=UUID(bytes=near),
        other_id=UUID(bytes=far),
        other_title=titles.get(far, row.target if row.unresolved else None),
        confidence=row.confidence,
        derived=bool(row.derived),
        resolution=resolution_seen(resolution_of(row), direction),
        rule=row.rule,
        symmetric=bool(row.symmetric),
        unresolved=bool(row.unresolved),
        flags=flags_of(row),
    )


def premises_of(rows: Iterable[Values]) -> Iterator[Values]:
    """Rows of ``relation_premises``: what some rows of relations follow from."""
    for row in rows:
        for one in unpacked(row["premises"] or b""):
            yield {"relation_row": row["id"], "premise_id": one.bytes}
