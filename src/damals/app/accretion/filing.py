"""What is filed: which operations are filings of an assistant, and what they say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from damals.app.guarding import taken_over
from damals.app.ledger_port import LedgerWriter
from damals.app.record import Recording
from damals.domain.entries import Attributes
from damals.domain.fields import truth
from damals.domain.ids import parse_uuid
from damals.domain.operations import ABSENT, Remember, Update
from damals.domain.params import Params
from damals.domain.periods import OPEN_END, Period
from damals.domain.state import Draft, EntryState, check_transaction
from damals.domain.targets import end_bound, latest_attributes, start_bound

INSIST: Final = "insist"
"""Parameter that says that an echo is to be stored all the same: no replay needs it."""

_FILINGS: Final = ("remember", "update")


def is_filing(params: Params) -> bool:
    """Whether an assistant files something: a new entry that names a session."""
    source = params.get("source")
    if params.get("op") not in _FILINGS or not isinstance(source, Mapping):
        return False
    return bool(cast("Mapping[str, object]", source).get("session"))


def insists(params: Params) -> bool:
    """Whether what is filed is to be stored even when it is known.

    Raises:
        InvalidInput: ``field.flag``.
    """
    return INSIST in params and truth(INSIST, params[INSIST])


def without_insisting(params: Params) -> Params:
    """The parameters as they are recorded."""
    return {name: value for name, value in params.items() if name != INSIST}


@dataclass(frozen=True, slots=True)
class Filing:
    """What an assistant files.

    Attributes:
        has: what it says.
        period: when it is to hold.
        starts, ends: whether that was said, rather than left to the default.
        own: it brings a name, a key or relations of its own, which an echo would lose.
        target: the entry that it takes over from.
        decided: ids of the entries that it says itself how it stands to.
    """

    has: Attributes
    period: Period
    starts: bool
    ends: bool
    own: bool
    target: EntryState | None
    decided: frozenset[UUID]

    @property
    def dated(self) -> bool:
        """Whether it says when it holds."""
        return self.starts or self.ends


def filing_of(writer: LedgerWriter, recording: Recording, params: Params) -> Filing:
    """Read what is filed.

    Nothing of what it names or expects may be left to the operation itself: an echo is answered
    without it.

    Raises:
        InvalidInput: a value that cannot mean what it should.
        NotFound: its target is unknown, or hidden from who files.
        Conflict: the target holds nothing, is archived, or was changed in the meantime.
    """
    draft = recording.draft
    said = cast("Remember | Update", recording.read(without_insisting(params)))
    period = Period(start_bound(draft, said.valid_from), end_bound(draft, said.valid_to, OPEN_END))
    named = said.identified or said.external_id is not None
    target = None
    fields = dict(said.fields)
    if isinstance(said, Update):
        target = taken_over(writer, draft, said)
        fields = {**_inherited(draft, target), **fields}
    elif not named:  # there is nothing yet that it may expect anything of
        check_transaction(EntryState(said.entry_id), said.if_transaction)
    stated = (draft.find(one.dst, parse_uuid(one.dst)) for one in said.relations)
    decided = {state.id for state in (*stated, target) if state is not None}
    return Filing(
        has=Attributes(**fields),  # pyright: ignore[reportArgumentType] -- checked by its reader
        period=period,
        starts=said.valid_from is not ABSENT,
        ends=said.valid_to is not ABSENT,
        own=named or bool(said.relations),
        target=target,
        decided=frozenset(decided),
    )


def _inherited(draft: Draft, target: EntryState) -> dict[str, object]:
    old = latest_attributes(draft, target)
    return {"type": old.type, "key": old.key}
