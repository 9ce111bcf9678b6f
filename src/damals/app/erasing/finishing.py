"""Bringing erasures to their end: stage by stage, from wherever one was left."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from damals.app.backups.model import BackupShelf
from damals.app.erasing import fingerprints as prints
from damals.app.erasing import model
from damals.app.erasing.model import (
    PURGED,
    STAGES,
    Erasure,
    HomeFiles,
    Replaceable,
    Rewriting,
    SearchedFile,
)
from damals.app.erasing.shapes import shape_of
from damals.app.erasures_journal import ErasureJournal
from damals.app.ledger_port import Ledger
from damals.app.ports import Clock
from damals.app.stages import count, stage
from damals.domain.entries import Json
from damals.domain.instants import format_instant

Noted = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Means:
    """What finishing an erasure needs.

    Attributes:
        search: opens index and cache of vectors.
        projected: whether there is, or may be, any of these.
        files: of the home.
        journal: beside the backups.
        shelf: the backups.
        server: where the ledger is when it is in no file of the home, for people.
    """

    ledger: Ledger
    search: Callable[[], Replaceable]
    projected: Callable[[], bool]
    files: HomeFiles
    journal: ErasureJournal
    shelf: BackupShelf
    clock: Clock
    server: str | None = None


def finish(means: Means) -> Sequence[Noted]:
    """Bring every erasure that has begun to its end.

    Returns:
        The certificates, oldest first.

    Raises:
        Unavailable: one cannot go on; it stays begun, and what is done of it stays done.
    """
    done: list[Noted] = []
    for one in means.ledger.erasures.unfinished():
        with stage("erase"):
            done.append(_Finishing(means, one).run())
        count("erasures")
    return done


class _Finishing:
    """One erasure on its way."""

    def __init__(self, means: Means, erasure: Erasure) -> None:
        self._means = means
        self._erasure = erasure
        self._noted: dict[str, Json] = dict(erasure.noted)

    def run(self) -> Noted:
        done = STAGES.index(self._erasure.stage)
        for following in STAGES[done + 1 : -1]:
            self._reach(following)
        return self._certified()

    def _reach(self, stage: str) -> None:
        erasures, id_ = self._means.ledger.erasures, self._erasure.id
        if stage == PURGED:
            erasures.purge(id_, Rewriting(lambda t: prints.fingerprints(t).written(), shape_of))
            again = [one for one in erasures.unfinished() if one.id == id_]
            self._noted = dict(again[0].noted)
            return
        noted = self._work(stage)
        erasures.reached(id_, stage, noted)
        self._noted |= noted

    def _work(self, stage: str) -> dict[str, Json]:
        match stage:
            case model.JOURNALLED:
                return self._journalled()
            case model.INDEXED:
                return {"points": self._means.search().replace()} if self._projected() else {}
            case model.FORGOTTEN:
                return self._forgotten()
            case model.COMPACTED:
                return {"anew": list(self._means.ledger.erasures.compact())}
            case _:
                raise AssertionError(stage)

    def _projected(self) -> bool:
        return self._means.projected() or self._means.ledger.erasures.indexed()

    def _journalled(self) -> dict[str, Json]:
        """Write it down beside the backups, and note what it does not reach."""
        means, erasure = self._means, self._erasure
        record = means.ledger.erasures.record(erasure.id)
        means.journal.append(record)
        backups = self._holding(record.home)
        exports = means.ledger.registry.exports(erasure.workspace, since=erasure.first)
        paths: list[Json] = list(dict.fromkeys(one.path for one in exports))
        return {"home": record.home, "backups": backups, "exports": paths}

    def _holding(self, home: str) -> list[Json]:
        """The backups that hold what is erased; one that is being made is waited for."""
        shelf, erasure = self._means.shelf, self._erasure
        with shelf.alone():
            return [
                str(one.path)
                for one in shelf.listed()
                if one.may_hold(home, erasure.workspace, erasure.first)
            ]

    def _forgotten(self) -> dict[str, Json]:
        listed = cast("list[str]", self._noted.get("vectors") or [])
        lookups = [bytes.fromhex(one) for one in listed]
        count = 0
        if self._noted.get("points") is not None and lookups:
            count = self._means.search().forget(self._erasure.workspace, lookups)
        copies: list[Json] = list(self._means.files.remove_copies())
        # One that was begun before the texts were purged may have ended since.
        late = self._holding(str(self._noted["home"]))
        backups = list(dict.fromkeys((*self._listed("backups"), *late)))
        noted: dict[str, Json] = {"forgotten": count, "copies": copies, "backups": backups}
        gone = ("vectors", "workspace") if self._erasure.kind == model.WORKSPACE else ("vectors",)
        return noted | dict.fromkeys(gone)

    def _certified(self) -> Noted:
        means, erasure = self._means, self._erasure
        means.shelf.sweep()
        sought = prints.Search(prints.read(cast("str", self._noted["fingerprints"])))
        sought.drop_surviving(means.ledger.erasures.surviving())
        sought.drop_surviving(cast("list[str]", self._listed("exports") + self._listed("backups")))
        files = means.files.search(sought)
        now = means.clock()
        certificate = self._certificate(files, sought) | {"finished_at": format_instant(now)}
        means.ledger.erasures.certify(erasure.id, certificate, now)
        return certificate

    def _listed(self, name: str) -> list[Json]:
        return list(cast("list[Json]", self._noted.get(name) or []))

    def _certificate(self, files: Sequence[SearchedFile], sought: prints.Search) -> dict[str, Json]:
        noted = self._noted
        unsearched: dict[str, Json] = {
            "short": sought.pieces.short,
            "shared": len(sought.dropped),
            "compressed": [one.name for one in files if one.compressed],
        }
        if self._means.server is not None:
            unsearched["ledger"] = self._means.server
        return {
            "number": self._erasure.number,
            "removed": self._removed(),
            "shared": noted.get("shared", 0),
            "searched": [one.name for one in files],
            "pieces": len(sought.pieces.hashes),
            "residue": [
                {"file": one.name, "places": list(one.places)} for one in files if one.places
            ],
            "unsearched": unsearched,
            "rebuilt": {
                "ledger": noted.get("anew"),
                "index": noted.get("points"),
                "copies": noted.get("copies"),
            },
            "backups": self._listed("backups"),
            "exports": self._listed("exports"),
        }

    def _removed(self) -> dict[str, Json]:
        noted = self._noted
        entries = noted.get("counted", len(self._listed("entries")))
        counts = {name: noted.get(name, 0) for name in ("versions", "texts", "rewritten")}
        found = counts | {"receipts": noted.get("receipts", 0), "vectors": noted.get("forgotten")}
        return {"entries": entries, **found}
