"""What is filed: which operations are filings of an assistant, and what they say."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from damals.app.record import Recording
from damals.domain.claims import Claim
from damals.domain.entries import Attributes
from damals.domain.fields import truth
from damals.domain.ids import parse_uuid
from damals.domain.operations import ABSENT, Remember, Update
from damals.domain.params import Params
from damals.domain.periods import OPEN_END, Period
from damals.domain.state import Draft, EntryState
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


def filing_of(recording: Recording, params: Params) -> Filing:
    """Read what is filed.

    Raises:
        InvalidInput: a value that cannot mean what it should.
    """
    draft = recording.draft
    said = cast("Remember | Update", recording.read(without_insisting(params)))
    period = Period(start_bound(draft, said.valid_from), end_bound(draft, said.valid_to, OPEN_END))
    target = None
    fields = dict(said.fields)
    if isinstance(said, Update):
        target = draft.find(said.target, parse_uuid(said.target))
        fields = {**_inherited(draft, target), **fields}
    stated = (draft.find(one.dst, parse_uuid(one.dst)) for one in said.relations)
    decided = {state.id for state in (*stated, target) if state is not None}
    own = said.identified or said.external_id is not None or bool(said.relations)
    return Filing(
        has=Attributes(**fields),  # pyright: ignore[reportArgumentType] -- checked by its reader
        period=period,
        starts=said.valid_from is not ABSENT,
        ends=said.valid_to is not ABSENT,
        own=own,
        target=target,
        decided=frozenset(decided),
    )


def _inherited(draft: Draft, target: EntryState | None) -> dict[str, object]:
    if target is None or not (target.last or target.rectangles):
        return {}
    old = latest_attributes(draft, target)
    return {"type": old.type, "key": old.key}


def claim_of(entry_id: UUID, has: Attributes, period: Period) -> Claim:
    """What is compared of an entry."""
    subject = has.properties.get("subject")
    said = subject if isinstance(subject, str) else None
    return Claim(entry_id, has.title, has.content, has.type, period, has.key, said)
