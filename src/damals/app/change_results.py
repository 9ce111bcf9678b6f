"""What changes return: entries and relations as they are now, and what the change did."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.app.accretion.results import Integration
from damals.app.results import Bounds, Entry, RelationItem, Result
from damals.domain.entries import Json

ERASABLE = ("entry", "source", "person", "workspace")
"""Kinds of things that can be erased."""


@dataclass(frozen=True, slots=True)
class ChangedEntry(Entry):
    """What a change returns: the entry as it is now, and what the change did.

    Attributes:
        unchanged: nothing new was said, so nothing was stored.
        replaced: entries that an update took over from, as they are now.
        restored: entries that a retraction gave something back to, as they are now.
        integration: what the check of something that an assistant files has found.
        caveats: what was said that means nothing here.
    """

    SHAPE = Entry

    unchanged: bool = False
    replaced: tuple[Entry, ...] = ()
    restored: tuple[Entry, ...] = ()
    integration: Integration | None = None
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed(Result):
    """The answer of an interface to a change."""

    OPTIONAL = frozenset({"unchanged", "caveats", "replaced", "restored", "integration"})

    entry: Entry
    unchanged: bool | None = None
    caveats: tuple[str, ...] | None = None
    replaced: tuple[Entry, ...] | None = None
    restored: tuple[Entry, ...] | None = None
    integration: Integration | None = None

    @classmethod
    def of(cls, entry: ChangedEntry) -> "Changed":
        """The answer for what a change returned."""
        return cls(
            entry,
            unchanged=entry.unchanged or None,
            replaced=entry.replaced or None,
            restored=entry.restored or None,
            caveats=_caveats(entry),
            integration=entry.integration,
        )


@dataclass(frozen=True, slots=True)
class Updated(Result):
    """The answer of an interface to an update: also the entries it took over from."""

    OPTIONAL = frozenset({"unchanged", "caveats", "integration"})

    entry: Entry
    replaced: tuple[Entry, ...]
    unchanged: bool | None = None
    caveats: tuple[str, ...] | None = None
    integration: Integration | None = None

    @classmethod
    def of(cls, entry: ChangedEntry) -> "Updated":
        """The answer for what an update returned."""
        return cls(
            entry, entry.replaced, entry.unchanged or None, _caveats(entry), entry.integration
        )


def _caveats(entry: ChangedEntry) -> tuple[str, ...] | None:
    """What was not understood, and what is to be decided of what was filed, or why it was not."""
    filed = entry.integration.caveats if entry.integration else ()
    return (*entry.caveats, *filed) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationDetail(RelationItem):
    """A relation with all that is known of it, seen from the entry that a change named first.

    Attributes:
        src_id, dst_id, src_title, dst_title: the entry it was said of, and the other one.
        symmetric: it says the same of both ends.
        evidence: ids of the chunks that show it.
        valid_from, valid_to: when it holds, as given; null for wherever both ends hold. Of a
            relation that cut an entry: from the first to the last instant it took.
    """

    src_id: str
    dst_id: str
    src_title: str | None
    dst_title: str | None
    symmetric: bool
    evidence: tuple[str, ...]
    valid_from: str | None
    valid_to: str | None
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class ChangedRelation(Result):
    """What became of a relation.

    Attributes:
        relation: as it is now; as it was, when it was taken back.
        transaction: number of the transaction; null when nothing new was said.
        entries: of a relation that cuts, the entry that was cut or got back what was cut.
    """

    OPTIONAL = frozenset({"unchanged"})

    relation: RelationDetail
    transaction: int | None
    entries: tuple[Entry, ...] = ()
    unchanged: bool | None = None


@dataclass(frozen=True, slots=True)
class ChangedEntries(Result):
    """What a change of several entries did.

    Attributes:
        transaction: number of the transaction; null when nothing new was said.
        entries: all that it was about, as they are now.
        reverted: number of the transaction that was taken back.
    """

    OPTIONAL = frozenset({"reverted", "unchanged"})

    transaction: int | None
    entries: tuple[Entry, ...]
    reverted: int | None = None
    unchanged: bool | None = None


@dataclass(frozen=True, slots=True)
class TombstoneView(Result):
    """What is left of something erased."""

    id: str
    erased_at: str
    actor: str


@dataclass(frozen=True, slots=True)
class Mention(Result):
    """An entry that names an erased person, and stays.

    Attributes:
        repair: the command that erases it as well.
    """

    id: str
    title: str
    repair: str


@dataclass(frozen=True, slots=True)
class Certificate(Result):
    """What an erasure did to what is stored.

    Attributes:
        removed: what is gone, counted by kind.
        searched: files below the home that were searched for the erased bytes.
        residue: files in which some were found, with places; empty: none. Null as long as the
            erasure is not finished, as inside of a transaction.
        rebuilt: what was written anew without it: tables or files of the ledger, points of the
            index, removed copies of the ledger.
        backups, exports: those that still hold it, as far as they are known.
        unsearched: how many texts are too short to be searched for, how many pieces of them are
            part of what stays, files that are compressed, that cannot be read or lead elsewhere,
            former homes, where the home is being moved to, and homes on the same ledger that have
            yet to follow.
        shared: how many texts stay, because others use them.
        mentions: of a person: entries that name them and stay.
        finished_at: when the certificate was made.
        id: of the erasure, by which the certificate can be looked up again.
        gone: whether none of the erased bytes was found where it was searched; null as long as the
            erasure is not finished.
    """

    removed: Mapping[str, int]
    searched: tuple[str, ...] = ()
    residue: Json = None
    rebuilt: Json = None
    backups: tuple[str, ...] = ()
    exports: tuple[str, ...] = ()
    unsearched: Json = None
    shared: int = 0
    mentions: tuple[Mention, ...] = ()
    finished_at: str | None = None
    id: str | None = None
    gone: bool | None = None


@dataclass(frozen=True, slots=True)
class Erased(Result):
    """What an erasure did."""

    erased: tuple[str, ...]
    tombstones: tuple[TombstoneView, ...]
    certificate: Certificate
    transaction: int


@dataclass(frozen=True, slots=True)
class Transacted(Result):
    """What several operations did together.

    Attributes:
        transaction: number of their transaction; null when nothing new was said, or in a preview.
        results: of each operation, in the shape of its own answer.
        preview: nothing was stored.
    """

    transaction: int | None
    results: tuple[Mapping[str, Json], ...]
    preview: bool = False
