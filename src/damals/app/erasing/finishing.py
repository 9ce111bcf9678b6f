"""Bringing erasures to their end: stage by stage, from wherever one was left."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from damals.app.backups.model import BackupShelf
from damals.app.erasing import certifying, model
from damals.app.erasing import fingerprints as prints
from damals.app.erasing.model import (
    PURGED,
    STAGES,
    Erasure,
    Erasures,
    HomeFiles,
    Replaceable,
    Rewriting,
)
from damals.app.erasing.shapes import shape_of
from damals.app.erasures_journal import ErasureJournal
from damals.app.ledger_port import Ledger
from damals.app.ports import Clock
from damals.app.stages import count, stage
from damals.domain.entries import Json
from damals.domain.errors import DamalsError, Unavailable
from damals.domain.instants import SECOND, format_instant

Noted = Mapping[str, Json]

PAUSE: Final = 60 * SECOND
"""What could not end is not tried again sooner, unless somebody asks for it; microseconds."""
OTHERS_S: Final = 60.0
"""So long another home on the same ledger is waited for that is ending erasures; seconds."""

_OWN: Final = (model.JOURNALLED, model.INDEXED, model.FORGOTTEN)
"""Stages that are about the home and its backups, not about the ledger."""


@dataclass(frozen=True, slots=True)
class Means:
    """What finishing an erasure needs.

    Attributes:
        search: opens index and cache of vectors.
        files: of the home.
        journal: beside the backups.
        shelf: the backups.
    """

    ledger: Ledger
    search: Callable[[], Replaceable]
    files: HomeFiles
    journal: ErasureJournal
    shelf: BackupShelf
    clock: Clock

    @property
    def erasures(self) -> Erasures:
        """Those of the ledger."""
        return self.ledger.erasures


@dataclass(frozen=True, slots=True)
class Ended:
    """What became of an erasure.

    Attributes:
        erasure: as it was found.
        certificate: when it came to its end.
        problem: why it did not; what is done of it stays done.
    """

    erasure: Erasure
    certificate: Noted | None = None
    problem: DamalsError | None = None


def is_left(erasures: Erasures) -> bool:
    """Whether this home has anything to do for erasures."""
    return bool(erasures.unfinished() or erasures.behind())


def finish(means: Means, *, asked: bool) -> Sequence[Ended]:
    """Bring every erasure that has begun to its end; one that cannot end keeps no other back.

    Args:
        means: what it needs.
        asked: somebody waits for it: other homes that are at it are waited for, and what failed
            just now is tried again.

    Raises:
        Unavailable: ``erase.elsewhere`` when another home is ending erasures of this ledger.
    """
    with means.erasures.alone(OTHERS_S if asked else 0.0) as alone:
        if not alone:
            raise Unavailable("erase.elsewhere")
        means.erasures.introduce()
        done = list(_finished(means, asked=asked))
    return [*done, *_follow(means)]


def _finished(means: Means, *, asked: bool) -> Iterator[Ended]:
    seen: set[object] = set()
    # What others record meanwhile is finished as well: they may have given up waiting.
    while new := [one for one in means.erasures.unfinished() if one.id not in seen]:
        for one in new:
            seen.add(one.id)
            if asked or _is_due(one, means.clock()):
                yield _ended(means, one, asked=asked)


def _is_due(erasure: Erasure, now: int) -> bool:
    tried = erasure.noted.get("tried")
    return not isinstance(tried, int) or abs(now - tried) >= PAUSE  # a clock may go back


def _ended(means: Means, erasure: Erasure, *, asked: bool) -> Ended:
    try:
        with stage("erase"):
            certificate = _Finishing(means, erasure).run()
    except DamalsError as problem:
        if not asked:
            means.erasures.reached(erasure.id, erasure.stage, {"tried": means.clock()})
        return Ended(erasure, problem=problem)
    count("erasures")
    return Ended(erasure, certificate)


def _follow(means: Means) -> Iterator[Ended]:
    """Do in this home what others' erasures, which they have finished, need of it.

    Returns:
        Gives what could not be done.
    """
    behind = means.erasures.behind()
    if not behind:
        return
    try:
        for one in behind:
            means.journal.append(means.erasures.record(one.id))
        means.files.remove_copies()
        means.shelf.sweep()
        points = _replaced(means)
        for one in behind:
            _forget(means, one, points)
            means.erasures.followed(one.id)
    except DamalsError as problem:
        yield Ended(behind[0], problem=problem)


def _replaced(means: Means) -> int | None:
    """How many points the new index has; ``None`` when the home has none."""
    there = means.files.projected() or means.erasures.indexed()
    return means.search().replace() if there else None


def _forget(means: Means, erasure: Erasure, points: Json) -> int:
    """Remove the vectors of what was erased from the cache; how many."""
    listed = cast("list[str]", erasure.noted.get("vectors") or [])
    if points is None or not listed:
        return 0
    return means.search().forget(erasure.workspace, [bytes.fromhex(one) for one in listed])


class _Finishing:
    """One erasure on its way."""

    def __init__(self, means: Means, erasure: Erasure) -> None:
        self._means = means
        self._erasure = erasure
        self._noted: dict[str, Json] = dict(erasure.noted)

    def run(self) -> Noted:
        done = STAGES[: STAGES.index(self._erasure.stage) + 1]
        # What another home has done of it, it has done for itself.
        own = self._noted.get("by", self._means.erasures.home) == self._means.erasures.home
        for following in STAGES[1:-1]:
            if following not in done or (following in _OWN and not own):
                self._reach(following)
        return self._certified()

    def _reach(self, stage: str) -> None:
        erasures, id_ = self._means.erasures, self._erasure.id
        if stage == PURGED:
            rewriting = Rewriting(lambda t: prints.fingerprints(t).written(), shape_of)
            self._noted = dict(erasures.purge(id_, rewriting))
            return
        noted = self._work(stage)
        if erasures.home:
            noted["by"] = erasures.home
        erasures.reached(id_, stage, noted)
        self._noted |= noted

    def _work(self, stage: str) -> dict[str, Json]:
        match stage:
            case model.JOURNALLED:
                return self._journalled()
            case model.INDEXED:
                return {"points": _replaced(self._means)}
            case model.FORGOTTEN:
                return self._forgotten()
            case model.COMPACTED:
                return {"anew": list(self._means.erasures.compact())}
            case _:
                raise AssertionError(stage)

    def _journalled(self) -> dict[str, Json]:
        """Write it down beside the backups, and note what it does not reach."""
        record = self._means.erasures.record(self._erasure.id)
        self._means.journal.append(record)
        backups = self._holding(record.home)
        return {"home": record.home, "backups": backups, "exports": self._exports()}

    def _holding(self, home: str) -> list[Json]:
        """The backups that hold what is erased; one that is being made is waited for."""
        shelf, erasure = self._means.shelf, self._erasure
        with shelf.alone():
            found = [
                str(one.path)
                for one in shelf.listed()
                if one.may_hold(home, erasure.workspace, erasure.first)
            ]
        return [*dict.fromkeys((*self._listed("backups"), *found))]

    def _exports(self) -> list[Json]:
        """The exports that hold it, as far as they are noted by now."""
        erasure = self._erasure
        noted = self._means.ledger.registry.exports(erasure.workspace, since=erasure.first)
        return [*dict.fromkeys((*self._listed("exports"), *(one.path for one in noted)))]

    def _forgotten(self) -> dict[str, Json]:
        erasures = self._means.erasures
        counted = _forget(self._means, self._erasure, self._noted.get("points"))
        copies: list[Json] = list(self._means.files.remove_copies())
        # One that was begun before the texts were purged may have ended since.
        backups = self._holding(str(self._noted["home"]))
        noted: dict[str, Json] = {"forgotten": counted, "copies": copies, "backups": backups}
        if self._erasure.kind == model.WORKSPACE and not erasures.afar:
            noted["workspace"] = None  # its name is searched for in the files of the ledger
        return noted

    def _certified(self) -> Noted:
        means, erasure = self._means, self._erasure
        means.shelf.sweep()
        # Whoever read an old state has ended by now, and noted before what was being exported.
        self._noted["exports"] = self._exports()
        former = list(means.files.former())
        sought = prints.Search(prints.read(cast("str", self._noted["fingerprints"])))
        sought.drop_surviving(means.erasures.surviving())
        named = [*self._listed("exports"), *self._listed("backups"), *former]
        sought.drop_surviving(cast("list[str]", named))
        searched, afar = means.files.search(sought), means.erasures.afar
        found = certifying.Found(searched, sought, former, afar, means.files.targets())
        now = means.clock()
        made = certifying.certificate(erasure, self._noted, found)
        certificate = made | {"finished_at": format_instant(now)}
        return means.erasures.certify(erasure.id, certificate, now)

    def _listed(self, name: str) -> list[Json]:
        return certifying.listed(self._noted, name)
