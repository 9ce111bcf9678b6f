"""Ledgers of a wanted size, filled through the ledger's own writer.

What is left out is what is no part of the ledger: operations are not read and not checked against
what holds, and no text is cut into chunks. Every row, text, digest and link of the hash chain is
written by the code that writes them in use.

The life of an entry has three transactions and gives four versions, two of which are current:
it is remembered from some day on; it is cut back on both sides of a month in which something else
held; its later half is corrected. 250 entries live side by side, a transaction for each step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import overload
from uuid import UUID

from damals.app.ledger_model import LoggedOperation, NewTransaction
from damals.app.ledger_port import Ledger, LedgerWriter
from damals.domain.effects import Effects
from damals.domain.entries import Attributes, Version
from damals.domain.ids import time_ordered_id
from damals.domain.periods import OPEN_END, Bound, Period, exact
from damals.domain.state import EntryState

WORKSPACE = "default"
ZONE = "Europe/Berlin"
DAY = 86_400_000_000
HOUR = DAY // 24
HOT_ENTRY = UUID("00000000-0000-7000-8000-000000000001")
HOT_KEY = "heiß/preis"
BORN = 1_262_304_000_000_000
"""2010-01-01, when the first transaction is recorded."""
SECOND = 1_000_000
SIDE_BY_SIDE = 250
STEPS = 3
"""Transactions of a life."""


@dataclass(frozen=True, slots=True)
class Life:
    """An entry as it was filled in, with pairs of instants that are worth asking for.

    Attributes:
        start: it holds from this instant on.
        gap: first and last instant at which it does not hold, as known in the end.
        cut: the recorded instant of its second transaction.
    """

    entry_id: UUID
    key: str
    start: int
    gap: tuple[int, int]
    cut: int


def _bound(instant: int) -> Bound:
    return exact(instant, str(instant))


def life(number: int, step: int) -> Life:
    """The entry of this number; its first transaction is the one behind ``step`` others."""
    born = BORN + step * SECOND
    start = born - (number * 7919 % 3000) * DAY
    return Life(
        entry_id=time_ordered_id(born, number),
        key=f"firma-{number}/anschrift",
        start=start,
        gap=(start + 100 * DAY, start + 130 * DAY),
        cut=born + SECOND,
    )


class Lives(Sequence[Life]):
    """The lives of a ledger that was only filled, each made when it is asked for."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, number: int) -> Life: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Life]: ...

    def __getitem__(self, number: int | slice) -> Life | Sequence[Life]:
        if isinstance(number, slice):
            return [self[one] for one in range(*number.indices(self._count))]
        if not 0 <= number < self._count:
            raise IndexError(number)
        return life(number, number // SIDE_BY_SIDE * STEPS)


class Filler:
    """Appends transactions whose rows it numbers as the writer does."""

    def __init__(self, ledger: Ledger) -> None:
        """An empty ledger with the workspace ``default``."""
        self._ledger = ledger
        self._row = 0
        self._step = 0
        self._lives = 0

    @property
    def lives(self) -> Lives:
        """The entries that were filled in before any hot one."""
        return Lives(self._lives)

    @property
    def versions(self) -> int:
        """How many there are."""
        return self._row

    @property
    def last(self) -> int:
        """The recorded instant of the last transaction."""
        return BORN + (self._step - 1) * SECOND

    def fill(self, versions: int) -> None:
        """Go on until there are so many versions, give or take a group; one write."""
        with self._ledger.write(WORKSPACE) as writer:
            while self._row < versions:
                self._group(writer)

    def correct_often(self, entry_id: UUID, versions: int) -> None:
        """An entry that is corrected again and again: as many versions of one period."""
        period = Period(_bound(BORN), OPEN_END)
        attributes = Attributes("Heißer Eintrag")
        with self._ledger.write(WORKSPACE) as writer:
            for number in range(versions):
                content = f"Fassung {number % 1000} von vielen"
                made = self._made(entry_id, period, replace(attributes, content=content))
                created = () if number else (EntryState(entry_id, str(entry_id)),)
                self._append(writer, [made], created=created, closed=(self._row,) * bool(number))

    def replace_often(self, versions: int) -> None:
        """A key whose holder is replaced again and again, an hour of valid time each."""
        with self._ledger.write(WORKSPACE) as writer:
            last: Version | None = None
            for number in range(versions // 2):
                start = _bound(BORN + number * HOUR)
                entry_id = time_ordered_id(BORN + self._step * SECOND, number)
                attributes = Attributes("Preis", f"{number % 1000} Euro", key=HOT_KEY)
                made = [self._made(entry_id, Period(start, OPEN_END), attributes)]
                if last is not None:
                    before = Period(last.period.start, start)
                    made.insert(0, self._made(last.entry_id, before, last.attributes))
                created = (EntryState(entry_id, f"{HOT_KEY}/{number}"),)
                closed = (self._row,) * bool(number)
                self._append(writer, made, created=created, closed=closed)
                last = made[-1]

    def _group(self, writer: LedgerWriter) -> None:
        lives = [life(self._lives + n, self._step) for n in range(SIDE_BY_SIDE)]
        self._lives += SIDE_BY_SIDE
        states = tuple(EntryState(one.entry_id, f"ref-{one.key}") for one in lives)
        row = self._row
        whole = [self._version(one, one.start, None, "zuerst") for one in lives]
        self._append(writer, whole, created=states)
        parts = [
            part
            for one in lives
            for part in (
                self._version(one, one.start, one.gap[0], "zuerst"),
                self._version(one, one.gap[1], None, "zuerst"),
            )
        ]
        self._append(writer, parts, closed=tuple(range(row + 1, self._row + 1)))
        row = self._row
        later = [self._version(one, one.gap[1], None, "berichtigt") for one in lives]
        closed = tuple(range(row - 2 * SIDE_BY_SIDE + 2, row + 1, 2))
        self._append(writer, later, closed=closed)

    def _version(self, one: Life, start: int, end: int | None, what: str) -> Version:
        number = int(one.key[6:].partition("/")[0])
        text = f"Die Anschrift der Firma {number} lautet {what} Hauptstraße {number % 200 + 1}, "
        text += f"{10_000 + number % 89_999} Musterstadt am See, im zweiten Stock links."
        attributes = Attributes(f"Anschrift der Firma {number}", text, key=one.key)
        period = Period(_bound(start), OPEN_END if end is None else _bound(end))
        return self._made(one.entry_id, period, attributes)

    def _made(self, entry_id: UUID, period: Period, attributes: Attributes) -> Version:
        recorded = BORN + self._step * SECOND
        return Version(0, entry_id, period, attributes, 1, ZONE, recorded, self._step + 1, 0)

    def _append(
        self,
        writer: LedgerWriter,
        opened: list[Version],
        *,
        created: tuple[EntryState, ...] = (),
        closed: tuple[int, ...] = (),
    ) -> None:
        touched = tuple(dict.fromkeys(one.entry_id for one in opened))
        recorded = BORN + self._step * SECOND
        self._step += 1
        self._row += len(opened)
        writer.append(
            NewTransaction(
                number=self._step,
                recorded_at=recorded,
                logged_at=recorded,
                actor="bench",
                reason=None,
                zone=ZONE,
                operations=tuple(LoggedOperation("fill", i, {}, None, (i,)) for i in touched),
                effects=Effects(created, tuple(opened), closed, (), (), touched),
            )
        )
