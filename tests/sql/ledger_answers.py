"""Everything that a ledger answers, as plain JSON values: for comparison with what it once did."""

from collections.abc import Iterator
from typing import Any

from damals.app.ledger_model import At, EntryFilter, Found
from damals.app.ledger_port import Ledger, LedgerReader
from damals.domain.instants import DAY

ASKED = ("2023-06-01", "2024-01-01", "2024-02-15", "2024-03-10", "2024-05-01", "2025-01-01")


def answers(ledger: Ledger, instants: list[int]) -> dict[str, Any]:
    """The answers of every workspace at some valid instants and after every transaction."""
    found: dict[str, Any] = {}
    for workspace in ledger.workspaces():
        with ledger.read(workspace.name) as reader:
            found[workspace.name] = {
                "zone": workspace.zone,
                "log": [_transaction(one) for one in reader.log()],
                "at": list(_pairs(reader, instants)),
            }
    found["outbox"] = [
        [item.position, item.workspace, [_chunk(chunk) for chunk in item.opened],
         sorted([str(point), at] for point, at in item.closed.items())]
        for item in ledger.outbox("new", 1_000)
    ]  # fmt: skip
    found["queue"] = [[name, str(chunk.point_id)] for name, chunk in ledger.queue("edge-1", 100)]
    return found


def _pairs(reader: LedgerReader, instants: list[int]) -> Iterator[Any]:
    known = [one.recorded_at for one in reader.log()]
    for known_at in (known[0] - DAY, *known):
        for as_of in instants:
            at = At(as_of, known_at)
            versions = reader.list_at(at, EntryFilter(limit=None))
            ids = [one.info.id for one in versions]
            yield [
                [_version(one) for one in versions],
                sorted(str(one) for one in reader.superseded_at(ids, at)),
                [[str(v.entry_id), v.direction, v.relation, str(v.other_id), v.other_title]
                 for v in reader.relations_at(ids, at)],
            ]  # fmt: skip


def _version(found: Found) -> list[Any]:
    version, info = found.version, found.info
    attributes, period = version.attributes, version.period
    return [
        str(info.id), info.external_id, info.created_at, info.updated_at, version.generation,
        attributes.title, attributes.content, attributes.key, list(attributes.tags),
        attributes.visibility, list(attributes.acl), attributes.source.path,
        [period.start.earliest, period.start.latest, period.end.earliest, period.end.latest],
    ]  # fmt: skip


def _transaction(one: Any) -> list[Any]:
    operations = [[o.kind, str(o.entry_id), o.reason, dict(o.params)] for o in one.operations]
    return [one.number, one.recorded_at, one.actor, one.reason, one.zone, operations]


def _chunk(chunk: Any) -> list[Any]:
    return [str(chunk.point_id), chunk.text, chunk.line, chunk.recorded_from, list(chunk.heading)]
