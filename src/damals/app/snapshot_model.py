"""A whole workspace at a pair of instants, read at once: for reports that look at all of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from damals.app.ledger_model import At
from damals.domain.ageing import Checked, Life
from damals.domain.entries import Attributes, Resolution
from damals.domain.periods import BoundKind, Period
from damals.domain.values import frozen
from damals.domain.zones import load_zone


class Standing(StrEnum):
    """How an entry stands at a pair of instants, before anything ages.

    ``ARCHIVED``: it was archived at an instant that both clocks have reached. ``HELD``: it holds,
    surely or perhaps. ``SUPERSEDED``: it does not, since a cut took the instant.
    """

    HELD = "held"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"


@frozen
class EntryAt:
    """An entry at a pair of instants, with what its life is derived from.

    Attributes:
        external_id: its other name.
        standing: how it stands there.
        period, attributes: of its version at the pair; where it does not hold, of the last one
            that was known by then.
        recorded_from: since when that version is known.
        zone: name of the workspace's zone, as stored with it.
        created_at: recorded start of the entry.
        logged_at: when that was really logged; later than ``created_at`` for what was replayed.
        checks: its verifications by then, in order.
        accessed_at: when it was last returned to someone by then; ``None`` for never.
        archived_at: since when it is archived there.
    """

    id: UUID
    external_id: str | None
    standing: Standing
    period: Period
    attributes: Attributes
    recorded_from: int
    zone: str
    created_at: int
    logged_at: int
    checks: tuple[Checked, ...] = ()
    accessed_at: int | None = None
    archived_at: int | None = None

    @property
    def title(self) -> str:
        """What it is called."""
        return self.attributes.title

    @property
    def life(self) -> Life:
        """What it ages by."""
        start = self.period.start
        return Life(
            has=self.attributes,
            recorded=self.created_at,
            logged=self.logged_at,
            checks=self.checks,
            accessed=self.accessed_at,
            valid_from=None if start.kind is BoundKind.UNKNOWN else start.earliest,
            superseded=self.standing is Standing.SUPERSEDED,
            archived=self.standing is Standing.ARCHIVED,
            said_at=self.recorded_from,
            zone=load_zone(self.zone),
        )


@frozen
class Tie:
    """A relation at a pair of instants, as little of it as reports need.

    Attributes:
        target: what the source wrote, when it names ``dst_id`` by a link.
        unresolved: nothing is known under that name; ``dst_id`` is a placeholder.
        declared: it stands in the source of ``src_id``.
        cuts, derived, rule, resolution, flags: as of ``entries.Relation``.
        recorded_from: since when it is known.
    """

    src_id: UUID
    dst_id: UUID
    relation: str
    declared: bool
    cuts: bool
    derived: bool
    rule: str | None
    target: str | None
    unresolved: bool
    resolution: Resolution | None
    flags: tuple[str, ...]
    recorded_from: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What somebody sees of a workspace at a pair of instants.

    Attributes:
        entries: by id, in its order: what holds, what is superseded and what is archived there.
            What was retracted, has ended or has not begun is not among them.
        ties: the relations there, by row; one of their ends may be none of the entries.
        elsewhere: such ends that are known all the same, and hold at another instant.
        split: those of the entries with an uncertain bound that are known in several rectangles.
    """

    at: At
    entries: Mapping[UUID, EntryAt]
    ties: tuple[Tie, ...] = ()
    elsewhere: frozenset[UUID] = frozenset()
    split: frozenset[UUID] = frozenset()

    @property
    def unsure(self) -> Sequence[UUID]:
        """The entries of which a bound is marked as uncertain, by id."""
        return [one.id for one in self.entries.values() if one.period.uncertain]

    def is_known(self, entry_id: UUID) -> bool:
        """Whether anything is known of an end of a relation."""
        return entry_id in self.entries or entry_id in self.elsewhere


class SnapshotLedger(Protocol):
    """The part of a reader of the ledger that reads a whole workspace at a pair."""

    def snapshot(self, at: At, *, ties: bool = True) -> Snapshot:
        """Everything that may be seen at a pair of instants.

        Verifications, accesses and archivings count when both clocks have reached them. Without
        ``ties`` no relation is read.
        """
        ...
