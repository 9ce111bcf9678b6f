"""Who owns a home at the moment: this process, or another one that it asks."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from damals.api import Damals
from damals.app.errors import DamalsError, Unavailable
from damals.app.ownership import Owned, Owner
from damals.local import LocalDamals
from damals.remote.client import RemoteDamals
from damals.remote.failures import (
    OVERLOADED,
    REFUSED_AT_THE_DOOR,
    SLOW,
    STOPPING,
    OtherVersion,
    Unreachable,
)

FIRST_PAUSE_S: Final = 0.01
LONGEST_PAUSE_S: Final = 0.2

MAX_LOST: Final = 16
"""How many owners one call may lose: where each is gone again at once, something else is wrong."""

LOST: Final = STOPPING | REFUSED_AT_THE_DOOR | {"remote.closed"}
"""What an owner says that is one no longer, besides nothing at all."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ways:
    """How a home is reached.

    Attributes:
        own: the home, taken when it is free and first needed.
        ask: gives the interface on an owner that listens, if it answers.
        leave: called before the home is given back.
        patience_s: how long to wait for an owner that neither answers nor goes.
    """

    own: LocalDamals
    ask: Callable[[Owner], RemoteDamals]
    leave: Callable[[], None]
    patience_s: float


class Ownership:
    """Finds whom to ask, for each call anew where that has changed. Any thread may use it."""

    def __init__(self, ways: Ways) -> None:
        """Nobody is asked yet, and nothing is locked."""
        self._ways = ways
        self._switching = threading.RLock()
        self._far: RemoteDamals | None = None
        self._closed = False

    def close(self) -> None:
        """Ask nobody any more, and give back the home, for good."""
        self._closed = True
        self._ways.leave()
        self._ways.own.close()
        with self._switching:
            far, self._far = self._far, None
        if far is not None:
            far.close()

    def call(self, act: Callable[[Damals], T]) -> T:
        """Do something on the home, again on the next owner when one is lost.

        Args:
            act: does it, on the own home or on that of another; it may be called again.

        An owner that is slow is not lost: what it was asked is not asked of anybody else.

        Raises:
            Unavailable: ``home.held`` when the owner neither answers nor goes,
                ``home.other_version`` when it is another damals,
                ``request.busy`` when it has too much to do.
            Unreachable: ``remote.slow`` when its answer takes too long; whatever went wrong with
                the last one when it is one of too many.
        """
        patience = _Patience(self._ways.patience_s)
        lost = 0
        while True:
            asked = self._asked()
            try:
                return act(asked)
            except Owned as held:
                refused = Unavailable("home.held", **held.values)
                if self._follow(held, patience):
                    continue
            except DamalsError as error:
                refused = error
                if asked is self._ways.own or self._closed or not _may_pass(error):
                    raise
                if error.key not in OVERLOADED:
                    self._lose(asked)
                    lost += 1
            if lost > MAX_LOST or not patience.wait():
                raise refused

    def _asked(self) -> Damals:
        with self._switching:
            return self._ways.own if self._far is None or self._closed else self._far

    def _follow(self, held: Owned, patience: "_Patience") -> bool:
        """Ask the owner from now on, if it answers.

        Raises:
            OtherVersion: it does, and waiting for it would not help.
        """
        patience.meets(held)
        try:
            far = self._ways.ask(held.owner)
        except OtherVersion:
            raise
        except DamalsError:
            return False
        with self._switching:
            before, self._far = self._far, far
        if before is not None:
            before.close()
        return True

    def _lose(self, asked: Damals) -> None:
        with self._switching:
            if self._far is asked:
                self._far = None
        asked.close()


class _Patience:
    """Waits a little longer each time, and not for ever.

    The time runs from the first wait on: how long an owner has worked is not counted.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self._pause_s = 0.0
        self._deadline: float | None = None
        self._met: set[tuple[object, ...]] = set()

    def meets(self, held: Owned) -> None:
        """Begin anew with a holder that is new: it has its own time to answer."""
        who = held.values.get("pid"), held.values.get("since")
        if who not in self._met:
            self._met.add(who)
            self._deadline = None

    def wait(self) -> bool:
        """Wait; not when that was done for long enough, which the answer tells."""
        now = time.monotonic()
        if self._deadline is None:
            self._deadline = now + self._limit_s
        if self._pause_s and now > self._deadline:
            return False
        time.sleep(self._pause_s * random.uniform(0.5, 1.0))  # noqa: S311 -- so that many do not come back at once
        self._pause_s = min(max(FIRST_PAUSE_S, 2 * self._pause_s), LONGEST_PAUSE_S)
        return True


def _may_pass(error: DamalsError) -> bool:
    """Whether another owner, or the same one later, may do what this one did not."""
    if error.key in SLOW:
        return False
    return isinstance(error, Unreachable) or error.key in LOST | OVERLOADED
