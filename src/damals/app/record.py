"""Recording: operations in, one transaction out, in the ledger or not at all."""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache, partial
from typing import cast
from uuid import UUID

from damals.app.accretion.compared import Compared
from damals.app.chunking import ChunkChanges, chunk_changes
from damals.app.erased_marks import marks_of
from damals.app.guarding import applied, states_for
from damals.app.index_model import OWNER
from damals.app.ledger_model import LoggedOperation, NewTransaction
from damals.app.ledger_port import LedgerWriter
from damals.app.log_model import ENDED
from damals.app.ports import Chunker, Clock
from damals.app.stages import stage
from damals.domain.effects import Effects, effects, version_of
from damals.domain.entries import Json, Version
from damals.domain.errors import Conflict, InvalidInput
from damals.domain.fields import When, nullable_text
from damals.domain.ids import parse_uuid, time_ordered_id
from damals.domain.instants import format_instant, from_datetime
from damals.domain.names import fold
from damals.domain.operations import Operation, Remember, Update
from damals.domain.outcomes import Outcome
from damals.domain.params import Params, read_operation
from damals.domain.state import Draft
from damals.domain.taking import Reading
from damals.domain.types import TypeCatalogue, visibilities_of
from damals.domain.values import frozen
from damals.domain.zones import load_zone

_ID_RANDOM_BYTES = 10
"""More than the 74 bits that an id takes of them."""
_NAMES = ("target", "src", "dst", "a", "b")
"""Parameters that name another entry."""

PRECONDITION = "if_transaction"
"""Parameter that says when an operation may be done, not what it does: no replay needs it."""


@frozen
class Request:
    """Operations that are to become one transaction.

    Attributes:
        params: the parameters of each operation, in order.
        recorded_at: the instant at which it was known, for a replay; else ``None``.
        zone: whose days its dates mean; the workspace's when ``None``.
        kept: a home stored it once, so that it is taken as it is.
        logged_at: when that home stored it; ``None`` for now.
    """

    params: Sequence[Params]
    actor: str
    reason: str | None = None
    recorded_at: int | None = None
    zone: str | None = None
    kept: bool = False
    logged_at: int | None = None


@frozen
class Recorded:
    """What became of a request.

    Attributes:
        number: of the transaction; ``None`` when nothing changed and nothing was stored.
        recorded_at: its instant.
        outcomes: what each operation did.
        chunks, edges: how many rows of each were opened.
    """

    number: int | None
    recorded_at: int
    outcomes: tuple[Outcome, ...]
    chunks: int = 0
    edges: int = 0


@dataclass(frozen=True, slots=True)
class Tools:
    """What recording needs besides the ledger.

    Attributes:
        types: gives the relations there are, when one is named; any may be, when ``None``.
    """

    chunker: Chunker
    clock: Clock
    types: Callable[[], TypeCatalogue] | None = None

    def visibilities(self) -> Mapping[str, str]:
        """The types whose entries have another visibility than others unless they name one."""
        return {} if self.types is None else visibilities_of(self.types())

    def reading(self, when: When, *, replayed: bool) -> Reading:
        """What operations are read with at an instant.

        Args:
            when: zone and instant.
            replayed: they are history from elsewhere, which may name relations that are not known
                here: they say different things of their ends.
        """
        fresh = partial(fresh_id, when.now)
        if self.types is None:
            return Reading(when, fresh)
        known = cache(self.types)

        def symmetric(name: str) -> bool:
            found = known().find_relation(name) if replayed else known().relation(name)
            return found is not None and found.symmetric

        return Reading(when, fresh, symmetric)


def record(writer: LedgerWriter, tools: Tools, request: Request) -> Recorded:
    """Store a request as one transaction; a request that says nothing new stores nothing.

    Raises:
        InvalidInput, NotFound, Conflict: an operation cannot be done; nothing is stored.
    """
    recording = Recording(writer, tools, request)
    for params in request.params:
        recording.add(params)
    return recording.store()


class Recording:
    """A transaction in the making: operations are added one by one, then stored together.

    Attributes:
        draft: what they change.
        compared: what assistants file among them is compared with.
    """

    def __init__(self, writer: LedgerWriter, tools: Tools, request: Request) -> None:
        head = writer.head()
        now = _instant(writer, tools.clock(), request.recorded_at)
        zone = request.zone or writer.workspace().zone
        self._writer = writer
        self._tools = tools
        self._actor = nullable_text("actor", request.actor) or "-"
        self._reason = nullable_text("reason", request.reason)
        self._stored_at = request.logged_at
        replayed = request.recorded_at is not None
        when = When(load_zone(zone), now, request.kept)
        self._reading = tools.reading(when, replayed=replayed)
        none: Mapping[str, str] = {}
        self._visibilities = none if replayed else tools.visibilities()
        self._logged: list[LoggedOperation] = []
        self._outcomes: list[Outcome] = []
        self._broken = False
        self.draft = Draft(states_for(writer), now=now, number=head.number + 1, zone=zone)
        self.compared = Compared(self.draft)

    def add(self, params: Params) -> Outcome:
        """Apply one more operation.

        Raises:
            InvalidInput, NotFound, Conflict: it cannot be done; the whole transaction is off.
        """
        self._refuse_broken()
        self._broken = True
        self.draft.operation = len(self._outcomes)
        params = self._protected(params)
        operation = read_operation(params, self._reading)
        named = self._named(params)
        outcome = applied(self._writer, self.draft, operation)
        if outcome.reverted is not None:
            named["transaction"] = self._instant_of(outcome.reverted)
        if outcome.ended and ENDED not in params:  # whoever sees only that part is told of its end
            named[ENDED] = [None if one is None else [str(i) for i in one] for one in outcome.ended]
        self._logged.append(_logged({**params, **named}, operation, outcome))
        self._outcomes.append(outcome)
        self._broken = False
        return outcome

    @property
    def erases(self) -> bool:
        """Whether one of its operations erases something."""
        return any(one.kind == "erase" for one in self._logged)

    def read(self, params: Params) -> Operation:
        """What parameters would say, without doing it.

        Raises:
            InvalidInput: as :meth:`add`.
        """
        return read_operation(self._protected(params), self._reading)

    def _protected(self, params: Params) -> Params:
        """With the visibility of its type, when a new entry names none.

        What comes from a source was read with the types of that source; history is as it was.
        """
        if params.get("op") != "remember" or not self._visibilities:
            return params
        if "visibility" in params or "source" in params:
            return params
        asked = params.get("type", "fact")
        own = self._visibilities.get(fold(asked.strip())) if isinstance(asked, str) else None
        return params if own is None else {**params, "visibility": own}

    def _named(self, params: Params) -> dict[str, object]:
        """The parameters that name other entries, by their ids: names can be given anew."""
        named: dict[str, object] = {
            name: self._id_of(params[name]) for name in _NAMES if name in params
        }
        relations = params.get("relations")
        if isinstance(relations, list | tuple):
            listed = cast("Sequence[Mapping[str, object]]", relations)
            named["relations"] = [
                one if one.get("target") else {**one, "dst": self._id_of(one["dst"])}
                for one in listed
            ]
        return named

    def _id_of(self, name: object) -> object:
        if not isinstance(name, str):
            return name
        state = self.draft.find(name, parse_uuid(name))
        return name if state is None else str(state.id)

    def _instant_of(self, number: int) -> str:
        """The recorded instant of a stored transaction: what it is called in another home."""
        stored = next(iter(self._writer.unrestricted().log(after=number - 1)))
        return format_instant(stored.recorded_at)

    def store(self) -> Recorded:
        """Append the transaction to the ledger.

        Raises:
            Conflict: ``transaction.failed`` when an operation failed before.
        """
        self._refuse_broken()
        draft = self.draft
        outcomes = tuple(self._outcomes)
        found = effects(draft)
        if found.empty and all(outcome.unchanged for outcome in outcomes):
            return Recorded(None, draft.now, outcomes)
        with stage("write", operations=len(self._logged)):
            return self._stored(found, outcomes)

    def _stored(self, found: Effects, outcomes: tuple[Outcome, ...]) -> Recorded:
        draft, changes = self.draft, self._chunks(found)
        self._writer.append(
            NewTransaction(
                number=draft.number,
                recorded_at=draft.now,
                logged_at=self._logged_at(),
                actor=self._actor,
                reason=self._reason,
                zone=draft.zone,
                operations=tuple(self._logged),
                effects=found,
                chunks_opened=changes.opened,
                chunks_closed=changes.closed,
                marks=marks_of(self._writer, found),
            )
        )
        edges = len(found.relations_opened)
        return Recorded(draft.number, draft.now, outcomes, len(changes.opened), edges)

    def _logged_at(self) -> int:
        """When it was really logged: now, or when the home did that it comes from."""
        now = self._tools.clock()
        return now if self._stored_at is None else min(self._stored_at, now)

    def _refuse_broken(self) -> None:
        if self._broken:
            raise Conflict("transaction.failed")

    def _chunks(self, found: Effects) -> ChunkChanges:
        """The chunk rows of every entry whose versions changed."""
        workspace = self._writer.workspace().name
        created = {state.id for state in found.created}
        if created.issuperset(found.touched) and not found.erased:
            # Of entries that are all new, whatever holds is opened now, and nothing stood before.
            return chunk_changes(workspace, self._tools.chunker, found.opened, ())
        before = self.draft.before
        opened: dict[UUID, list[Version]] = {}
        for version in found.opened:
            opened.setdefault(version.entry_id, []).append(version)
        closed, erased = set(found.closed), set(found.erased)
        touched = [
            entry_id
            for entry_id in found.touched
            if entry_id not in erased  # of these the ledger leaves no chunk at all
            and (entry_id in opened or any(r.row in closed for r in before[entry_id].rectangles))
        ]
        stored = self._writer.open_chunks([i for i in touched if i not in created])
        current = [
            v
            for entry_id in touched
            for v in (opened[entry_id] if entry_id in created else self.current(entry_id))
        ]
        rows = [row for entry_id in touched for row in stored.get(entry_id, ())]
        return chunk_changes(workspace, self._tools.chunker, current, rows)

    def current(self, entry_id: UUID) -> list[Version]:
        """The versions of an entry as they will be, as if all were recorded now."""
        state = self.draft.after[entry_id]
        return [version_of(self.draft, entry_id, r) for r in state.rectangles]


def _instant(writer: LedgerWriter, clock: int, replayed: int | None) -> int:
    """A transaction's instant: later than the last one, whatever the clock says.

    When that one was is the owner's to know, who sees every transaction.
    """
    last = writer.head().recorded_at
    if replayed is None:
        return max(clock, last + 1)
    if replayed > clock:
        raise InvalidInput("transaction.future", recorded_at=format_instant(replayed))
    if replayed <= last:
        at = format_instant(replayed)
        if writer.access != OWNER:
            raise Conflict("transaction.too_early", recorded_at=at)
        raise Conflict("transaction.order", recorded_at=at, last=format_instant(last))
    return replayed


def fresh_id(instant: int) -> UUID:
    """A new id, ordered by time."""
    return time_ordered_id(instant, int.from_bytes(secrets.token_bytes(_ID_RANDOM_BYTES)))


def _logged(
    params: Mapping[str, object], operation: Operation, outcome: Outcome
) -> LoggedOperation:
    """The operation as the log keeps it: as given, with the id that it was given or got."""
    kept = {
        name: value if isinstance(value, str) else _json(value)  # most are texts
        for name, value in params.items()
        if name != PRECONDITION
    }
    if isinstance(operation, Remember | Update):
        kept["id"] = str(outcome.entry_id)
    return LoggedOperation(
        kind=str(params["op"]),
        entry_id=outcome.entry_id,
        params=kept,
        reason=operation.reason,
        touched=outcome.touched,
    )


def _json(value: object) -> Json:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {str(k): _json(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in cast("list[object]", value)]
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, datetime):
        return format_instant(from_datetime(value))
    return value.isoformat() if isinstance(value, date) else str(value)
