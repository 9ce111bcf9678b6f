"""Writes to a ledger through the real domain: operations in, transactions out."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid5

from damals.app.chunking import chunk_changes
from damals.app.index_model import OWNER, AccessFilter
from damals.app.ledger_model import At, EntryFilter, Found, LoggedOperation, NewTransaction
from damals.app.ledger_port import Ledger, LedgerReader, LedgerWriter
from damals.domain.book import apply
from damals.domain.chunks import Chunk
from damals.domain.effects import effects, version_of
from damals.domain.entries import Version
from damals.domain.fields import When
from damals.domain.ids import WORKSPACES
from damals.domain.instants import FOREVER, format_instant, from_datetime
from damals.domain.operations import ABSENT, Operation
from damals.domain.outcomes import Outcome
from damals.domain.params import Params, read_operation
from damals.domain.state import Draft
from damals.domain.taking import Reading
from damals.domain.zones import load_zone

CREATED = 1_577_836_800_000_000
"""2020-01-01, when workspaces of tests are made."""


def instant(text: str) -> int:
    """``2024-06-01`` or ``2024-06-01T08:00``, in UTC."""
    return from_datetime(
        datetime.fromisoformat(f"{text}+00:00" if "T" in text else f"{text}T00+00:00")
    )


def id_of(ref: str) -> UUID:
    """The id that the driver gives an entry: the same on every ledger."""
    return uuid5(WORKSPACES, ref)


class Paragraphs:
    """A chunker for tests: a chunk a paragraph."""

    def split(self, text: str) -> Sequence[Chunk]:
        """The paragraphs of a text."""
        chunks: list[Chunk] = []
        start = 0
        for ordinal, part in enumerate(text.split("\n\n")):
            line = text.count("\n", 0, start) + 1
            chunks.append(Chunk((), 0, ordinal, start, start + len(part), line, part))
            start += len(part) + 2
        return chunks


def remember(
    ref: str, valid_from: str | None = "2024-01-01", **params: object
) -> dict[str, object]:
    """The parameters of a ``remember``; title and id follow from the ref."""
    given = {"title": ref.title(), "content": f"About {ref}.", "valid_from": valid_from, **params}
    return {"op": "remember", "ref": ref, "id": str(id_of(ref)), **given}


def update(ref: str, target: str, **params: object) -> dict[str, object]:
    """The parameters of an ``update`` of ``target`` by a new entry ``ref``."""
    given = {"title": ref.title(), "content": f"About {ref}.", **params}
    return {"op": "update", "ref": ref, "id": str(id_of(ref)), "target": target, **given}


@dataclass
class Driver:
    """Appends transactions to one workspace of a ledger and asks it questions."""

    ledger: Ledger
    workspace: str = "w"
    actor: str = "anna"
    outcomes: list[Outcome] = field(default_factory=list)

    def do(self, at: str, *operations: Params | Operation, reason: str | None = None) -> int:
        """One transaction in a write of its own; its number."""
        with self.ledger.write(self.workspace) as writer:
            return self.into(writer, instant(at), operations, reason)

    def into(
        self,
        writer: LedgerWriter,
        now: int,
        operations: Iterable[Params | Operation],
        reason: str | None = None,
    ) -> int:
        """One transaction in a write that is under way; its number."""
        transaction = self.transaction(writer, now, operations, reason)
        writer.append(transaction)
        return transaction.number

    def transaction(
        self,
        writer: LedgerWriter,
        now: int,
        operations: Iterable[Params | Operation],
        reason: str | None = None,
    ) -> NewTransaction:
        """What the operations come to, not yet appended."""
        zone = writer.workspace().zone
        number = writer.head().number + 1
        draft = Draft(writer, now=now, number=number, zone=zone)
        reading = Reading(When(load_zone(zone), now), lambda: uuid5(WORKSPACES, f"{now}"))
        logged: list[LoggedOperation] = []
        self.outcomes.clear()
        for place, given in enumerate(operations):
            draft.operation = place
            operation = read_operation(given, reading) if isinstance(given, dict) else given
            outcome = apply(draft, operation)
            self.outcomes.append(outcome)
            logged.append(_logged(writer, given, operation, outcome))
        found = effects(draft)
        current = [v for i in found.touched for v in _versions(draft, i)]
        stored = [row for rows in writer.open_chunks(found.touched).values() for row in rows]
        changes = chunk_changes(self.workspace, Paragraphs(), current, stored)
        return NewTransaction(
            number=number,
            recorded_at=now,
            logged_at=now,
            actor=self.actor,
            reason=reason,
            zone=zone,
            operations=tuple(logged),
            effects=found,
            chunks_opened=changes.opened,
            chunks_closed=changes.closed,
        )

    @contextmanager
    def reading(self, access: AccessFilter = OWNER) -> Iterator[LedgerReader]:
        """A snapshot, of what may be seen."""
        with self.ledger.read(self.workspace, access) as reader:
            yield reader

    def titles(self, as_of: str, known_at: str | None = None, **where: object) -> list[str]:
        """Titles of what is listed at a pair, sorted."""
        with self.reading() as reader:
            found = reader.list_at(at(as_of, known_at), EntryFilter(**where))
            return sorted(one.version.attributes.title for one in found)

    def version(self, ref: str, as_of: str, known_at: str | None = None) -> Found | None:
        """The version of an entry at a pair."""
        with self.reading() as reader:
            return reader.version_at(id_of(ref), at(as_of, known_at))

    def history(self, ref: str, known_at: str | None = None) -> list[tuple[str, str, str]]:
        """Per rectangle: title, start and end as given; ``""`` for open."""
        with self.reading() as reader:
            found = reader.history(id_of(ref), at("2024-01-01", known_at))
            return [shown(one.version) for one, _ in found]


def _logged(
    writer: LedgerWriter, given: Params | Operation, operation: Operation, outcome: Outcome
) -> LoggedOperation:
    params = dict(given) if isinstance(given, dict) else _params(operation)
    if outcome.reverted is not None:
        reverted = next(iter(writer.log(after=outcome.reverted - 1)))
        params["transaction"] = format_instant(reverted.recorded_at)
    kind = str(params["op"])
    return LoggedOperation(kind, outcome.entry_id, params, operation.reason, outcome.touched)


def _params(operation: Operation) -> dict[str, object]:
    """The parameters of an operation that later ones may ask for."""
    said = {name: getattr(operation, name, ABSENT) for name in ("at", "valid_from", "valid_to")}
    told = {name: value for name, value in said.items() if value is not ABSENT}
    return {"op": type(operation).__name__.lower(), **told}


def _versions(draft: Draft, entry_id: UUID) -> list[Version]:
    state = draft.after[entry_id]
    return [version_of(draft, entry_id, rectangle) for rectangle in state.rectangles]


def shown(version: Version) -> tuple[str, str, str]:
    """Title, start and end as given."""
    period = version.period
    return (version.attributes.title, period.start.text or "", period.end.text or "")


def at(as_of: str, known_at: str | None = None) -> At:
    """A pair; without ``known_at`` the whole log."""
    return At(instant(as_of), FOREVER - 1 if known_at is None else instant(known_at))
