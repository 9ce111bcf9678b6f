"""What stands beside the chunks, without a server: ids, edges of change, what is left alone."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from damals.adapters.memory.ledger import MemoryLedger
from damals.adapters.vault.chunker import MarkdownChunker
from damals.app.beside import Companion
from damals.app.beside_model import BESIDE_INDEXES, KINDS, BesidePoint, Kind
from damals.app.record import Request, Tools, record
from damals.domain.instants import DAY
from damals.domain.types import RelationType, TypeCatalogue

NOW = 1_700_000_000_000_000
STRICT = TypeCatalogue(
    relations={"based_on": RelationType("based_on", min_visibility="restricted")}
)


class Kept:
    """Keeps points in memory (port ``Beside``)."""

    def __init__(self) -> None:
        self.points: dict[tuple[Kind, UUID], BesidePoint] = {}

    def put(self, points: Sequence[BesidePoint]) -> None:
        self.points.update({(point.kind, point.id): point for point in points})

    def forget(self, workspace: str, entry_ids: Iterable[UUID]) -> None:
        gone = set(entry_ids)
        self.points = {
            key: point
            for key, point in self.points.items()
            if point.payload["workspace"] != workspace or gone.isdisjoint(point.entries)
        }

    def count(self, kind: Kind) -> int:
        return sum(one == kind for one, _ in self.points)


def a_ledger() -> MemoryLedger:
    ledger = MemoryLedger()
    for name in ("eins", "zwei"):
        ledger.create_workspace(name, "UTC", 0)
    return ledger


def tell(ledger: MemoryLedger, *operations: dict[str, object], workspace: str = "eins") -> None:
    with ledger.write(workspace) as writer:
        at = writer.head().recorded_at
        tools = Tools(MarkdownChunker(), lambda: max(NOW, at) + DAY)
        record(writer, tools, Request(operations, "test"))


def remember(name: str, **fields: object) -> dict[str, object]:
    return {"op": "remember", "external_id": name, "title": name, "content": name, **fields}


def history(ledger: MemoryLedger) -> None:
    tell(ledger, remember("A", valid_from="2024"), remember("B", type="person"))
    tell(ledger, remember("A"), workspace="zwei")
    tell(ledger, {"op": "relate", "src": "A", "type": "based_on", "dst": "B", "confidence": 0.25})
    tell(ledger, {"op": "correct", "target": "A", "title": "A neu", "sensitivity": 2})
    tell(ledger, remember("C"), {"op": "relate", "src": "C", "type": "supersedes", "dst": "A"})
    tell(ledger, {"op": "archive", "target": "B"})
    tell(ledger, {"op": "erase", "target": "A"}, workspace="zwei")


def followed(ledger: MemoryLedger, at_once: int, types: TypeCatalogue | None = None) -> Kept:
    kept, after = Kept(), 0
    companion = Companion(ledger, kept, lambda _: types or TypeCatalogue())
    while items := ledger.outbox("i", at_once, after):
        companion.follow(items)
        after = items[-1].position
    return kept


def test_however_the_work_is_cut_the_same_points_come_out_and_twice_changes_nothing():
    ledger = a_ledger()
    history(ledger)
    whole, cut = followed(ledger, 100), followed(ledger, 1)
    assert whole.points == cut.points
    assert {kind: whole.count(kind) for kind in KINDS} == {
        "notes": len([one for one in whole.points.values() if one.kind == "notes"]),
        "edges": whole.count("edges"),
        "people": 1,
    }
    companion = Companion(ledger, cut, lambda _: TypeCatalogue())
    companion.follow(ledger.outbox("i", 100))
    assert cut.points == whole.points


def test_following_as_things_happen_gives_what_following_afterwards_gives():
    ledger, kept, position = a_ledger(), Kept(), 0
    companion = Companion(ledger, kept, lambda _: TypeCatalogue())
    steps = [
        (remember("A", valid_from="2024"),),
        (
            remember("B", type="person"),
            {"op": "relate", "src": "A", "type": "based_on", "dst": "B"},
        ),
        ({"op": "update", "target": "A", "title": "A neu", "content": "Neu", "reason": "Stand"},),
        ({"op": "correct", "target": "B", "visibility": "restricted"},),
        ({"op": "archive", "target": "B"},),
        ({"op": "erase", "target": "B"},),
    ]
    for step in steps:
        tell(ledger, *step)
        companion.follow(items := ledger.outbox("i", 100, position))
        position = items[-1].position
        assert kept.points == followed(ledger, 100).points
    assert kept.count("people") == 0
    assert "B" not in {one.payload.get("title") for one in kept.points.values()}


def test_a_workspace_does_not_lose_what_another_erases():
    ledger = a_ledger()
    history(ledger)
    spaces = {one.payload["workspace"] for one in followed(ledger, 100).points.values()}
    assert spaces == {"eins"}


def test_a_type_of_relations_may_ask_for_more_than_its_ends():
    ledger = a_ledger()
    history(ledger)
    for types, expected in ((None, {"internal"}), (STRICT, {"restricted"})):
        edges = [one for one in followed(ledger, 100, types).points.values() if one.kind == "edges"]
        told = [one.payload for one in edges if one.payload["relation"] == "based_on"]
        assert {one["visibility"] for one in told} == expected
        assert {one["sensitivity"] for one in told} == {2}, "as the newest version of the ends"


def test_every_point_has_what_a_filter_of_its_collection_needs():
    ledger = a_ledger()
    history(ledger)
    optional = {"acl", "tags", "path", "relation_to_owner"}
    for point in followed(ledger, 100).points.values():
        assert BESIDE_INDEXES[point.kind].keys() - optional <= point.payload.keys()
