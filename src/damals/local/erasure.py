"""The part of ``LocalDamals`` that finishes erasures, and erases what is no one entry."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, cast
from uuid import UUID

from damals.app import looking
from damals.app.change_results import (
    Certificate,
    Erased,
    Mention,
    TombstoneView,
    Transacted,
)
from damals.app.erasing.finishing import PAUSE, Ended, Means, Noted, finish, is_left
from damals.app.erasing.model import SOURCE, WORKSPACE, StoredErasure
from damals.app.erasing.results import ErasureView
from damals.app.index_model import OWNER
from damals.app.ledger_model import EVERYTHING
from damals.app.ledger_port import Ledger, LedgerWriter
from damals.app.people import is_person
from damals.app.person_export.collecting import Asking, mentioning
from damals.app.record import Recording, Request
from damals.app.wire import to_wire
from damals.domain.access import Right
from damals.domain.entries import Json
from damals.domain.errors import DamalsError, Denied, InvalidInput, NotFound, Unavailable
from damals.domain.ids import parse_uuid
from damals.domain.instants import format_instant
from damals.local.home import OpenHome

_LOG: Final = logging.getLogger(__name__)

CERTIFICATE: Final = "certificate"


class LocalErasure(OpenHome):
    """Erasures; see :meth:`damals.api.Damals.erase`."""

    def _ledger(self, *, create: bool = False) -> Ledger:
        """The ledger; before a change, what was being erased is brought to its end."""
        ledger = super()._ledger(create=create)
        if create:
            self._resume(ledger)
        return ledger

    def finish_erasures(self) -> None:
        """Bring what was being erased to its end, for who cannot wait for the next change.

        Raises:
            Unavailable: ``erase.unfinished``.
        """
        with self._home.turn:
            _raise(self._finished(asked=True))

    def _end_erasures(self) -> None:
        """The same where it is looked at afterwards what is left to do."""
        try:
            self.finish_erasures()
        except DamalsError as problem:
            _LOG.warning("erasing: %s", problem)

    def _resume(self, ledger: Ledger) -> None:
        """Go on with erasures, now and then.

        What cannot end keeps nobody from working: it is said, and tried again later.
        """
        if self._recording is not None or not self._looks(self._parts.clock()):
            return
        with self._home.turn:
            self._home.looked, self._home.looks_again = self._parts.clock(), True
            try:
                self._home.looks_again = self._gone_on(ledger) or ledger.erasures.afar
            except Exception:  # noqa: BLE001 -- what is to be stored is not lost by what is to go
                _LOG.exception("erasing cannot go on; knowledge is stored all the same")

    def _looks(self, now: int) -> bool:
        """Whether it is time to look for what is left to do."""
        if self._home.looked is None:
            return True
        return self._home.looks_again and abs(now - self._home.looked) >= PAUSE

    def _gone_on(self, ledger: Ledger) -> bool:
        """Go on with what has begun; whether something of it is left."""
        ledger.erasures.introduce()
        begun = ledger.erasures.unfinished()
        if not begun and not ledger.erasures.behind():
            return False
        if begun:
            _LOG.warning("%d erasure(s) had begun and go on", len(begun))
        try:
            ended = self._finished(asked=False)
        except Unavailable as problem:  # another home is at it
            _LOG.warning("erasing: %s", problem)
            return True
        for one in ended:
            _tell(one)
        return is_left(ledger.erasures)

    def _finished(self, *, asked: bool) -> Sequence[Ended]:
        """What became of all that has begun; it needs the turn.

        Args:
            asked: as of :func:`damals.app.erasing.finishing.finish`.
        """
        files = self._parts.files
        if files is None:
            return ()
        keeping = self._parts.keeping()
        means = Means(
            ledger=self._home.ledger(self._workspace),
            search=lambda: self._home.search(self._workspace),
            files=files,
            journal=keeping.journal,
            shelf=keeping.backing.shelf,
            clock=self._parts.clock,
        )
        return finish(means, asked=asked)

    def _ended(self) -> Sequence[Ended]:
        """The same for whoever has just erased something, and waits for it.

        Raises:
            Unavailable: ``erase.unfinished``: another home is ending erasures, for too long.
        """
        self._home.looks_again = True  # until the next look has found nothing
        try:
            return self._finished(asked=True)
        except DamalsError as problem:
            raise Unavailable("erase.unfinished", problem=problem) from problem

    def _end(self) -> None:
        """The same, for whoever needs no certificate.

        Raises:
            Unavailable: ``erase.unfinished``.
        """
        _raise(self._ended())

    def _with_certificate(self, erased: Erased) -> Erased:
        """What an erasure that is stored did, with its certificate.

        Raises:
            Unavailable: ``erase.unfinished``; what is done of it stays done.
        """
        ended = self._ended()
        ledger = self._home.ledger(self._workspace)
        noted = ledger.erasures.certificate(self._workspace, erased.transaction)
        if noted is None:
            _raise(ended)
            return erased
        return replace(erased, certificate=certificate_of(noted, erased.certificate))

    def _with_certificates(self, transacted: Transacted) -> Transacted:
        """The same of several operations."""
        number = transacted.transaction
        erasing = [one for one in transacted.results if CERTIFICATE in one]
        if number is None or transacted.preview or not erasing:
            return transacted
        bare = Erased((), (), Certificate({}), number)
        told = to_wire(self._with_certificate(bare).certificate)
        results = tuple(
            {**one, CERTIFICATE: _merged(one[CERTIFICATE], told)} if CERTIFICATE in one else one
            for one in transacted.results
        )
        return replace(transacted, results=results)

    # --- what is kept of them

    def erasures(self) -> Sequence[ErasureView]:
        """See :meth:`damals.api.erasures.ErasureRecords.erasures`."""
        self._require(Right.ADMINISTER)
        return tuple(_view(one) for one in self._stored())

    def certificate(self, id: str) -> Erased:
        """See :meth:`damals.api.erasures.ErasureRecords.certificate`."""
        self._require(Right.ADMINISTER)
        wanted = parse_uuid(id)
        for one in self._stored():
            if one.id == wanted:
                ledger = self._home.ledger(self._workspace)
                return _told(one, ledger.erasures.erased_entries(one.id))
        raise NotFound("erase.unknown", id=id)

    def _stored(self) -> Iterator[StoredErasure]:
        """Those in workspaces that the asker reaches; what is gone is told to who reaches all."""
        for one in self._home.ledger(self._workspace).erasures.stored():
            everywhere = self._asker.owns or self._asker.workspaces is None
            if everywhere or (one.workspace is not None and self._asker.reaches(one.workspace)):
                yield one

    # --- sources, persons, workspaces

    def erase_whole(self, kind: str, id: str, reason: str | None) -> Erased:
        """See :meth:`damals.api.changes.Changes.erase_whole`."""
        self._require(Right.ADMINISTER)
        with self._alone():
            if kind == WORKSPACE:
                return self._workspace_erased(id)
            with self._ledger().write(self._workspace, self._access()) as writer:
                if kind == SOURCE:
                    ids, named, mentions = self._of_source(writer, id), id, ()
                else:
                    ids, mentions = self._of_person(writer, id)
                    named = str(ids[0])
                erased = self._recorded(writer, ids, reason)
                writer.erased_as(kind, named)
            done = self._with_certificate(erased)
            return replace(done, certificate=replace(done.certificate, mentions=mentions))

    def _workspace_erased(self, name: str) -> Erased:
        if not self._asker.reaches(name):
            raise NotFound("workspace.unknown", name=name)
        if self._access() != OWNER:
            raise Denied("erase.hidden", name=self._asker.name)
        now = self._parts.clock()
        self._home.ledger(self._workspace).erasures.begin_workspace(name, self._asker.name, now)
        own = [
            one
            for one in self._ended()
            if (one.erasure.kind, one.erasure.workspace) == (WORKSPACE, name)
        ]
        _raise(own)
        noted = own[-1].certificate if own else None
        number = int(cast("int", noted["number"])) if noted else 0
        tombstone = TombstoneView(name, format_instant(now), self._asker.name)
        bare = Certificate({})
        found = certificate_of(noted, bare) if noted else bare
        return Erased((name,), (tombstone,), found, number)

    def _of_source(self, writer: LedgerWriter, name: str) -> Sequence[UUID]:
        """All entries that ever belonged to a source.

        Raises:
            NotFound: ``erase.no_source``.
            Denied: ``erase.hidden`` when the asker may not see all of them.
        """
        ids = writer.entries_of_source(name)
        if not ids:
            raise NotFound("erase.no_source", name=name)
        if self._access() != OWNER and not writer.seen(ids).issuperset(ids):
            raise Denied("erase.hidden", name=self._asker.name)
        return ids

    def _of_person(
        self, writer: LedgerWriter, name: str
    ) -> tuple[Sequence[UUID], tuple[Mention, ...]]:
        """The entry of a person, and who mentions them.

        Raises:
            NotFound: ``entry.unknown``, ``entry.erased``.
            InvalidInput: ``erase.no_person``.
        """
        entry_id = looking.entry_named(writer, name)
        found = writer.latest_version(entry_id, EVERYTHING)
        if found is not None and not is_person(found.version):
            raise InvalidInput("erase.no_person", name=name, type=found.version.attributes.type)
        asking = Asking(self._asker, self._parts.clock, self._parts.ages)
        others = mentioning(writer, entry_id, asking)
        mentions = [
            Mention(one.entry_id, one.title, f"damals erase entry {one.entry_id}{self._here()}")
            for one in others
        ]
        return [entry_id], tuple(mentions)

    def _here(self) -> str:
        return "" if self._workspace == "default" else f" --workspace {self._workspace}"

    def _recorded(self, writer: LedgerWriter, ids: Sequence[UUID], reason: str | None) -> Erased:
        """Erase entries in one transaction."""
        request = Request((), self._asker.name, reason)
        recording = Recording(writer, self._parts.tools, request)
        for one in ids:
            recording.add({"op": "erase", "target": str(one)})
        number = recording.draft.number
        at = format_instant(recording.draft.now)
        recording.store()
        named = tuple(str(one) for one in ids)
        tombstones = tuple(TombstoneView(one, at, self._asker.name) for one in named)
        return Erased(named, tombstones, Certificate({"entries": len(named)}), number)


def _raise(ended: Sequence[Ended]) -> None:
    """Say what could not end.

    Raises:
        Unavailable: ``erase.unfinished``.
    """
    for one in ended:
        if one.problem is not None:
            raise Unavailable("erase.unfinished", problem=one.problem) from one.problem


def _tell(ended: Ended) -> None:
    """Say what became of an erasure to nobody in particular."""
    number, problem = ended.erasure.number, ended.problem
    if problem is not None:
        _LOG.warning("erasure %d is not gone from every file yet: %s", number, problem)
    elif ended.certificate is not None:
        residue = len(cast("list[Json]", ended.certificate["residue"]))
        _LOG.warning("erasure %d is finished; files with a residue: %d", number, residue)


def _merged(own: Json, whole: Mapping[str, Json]) -> Json:
    """The certificate of one operation among several that share theirs."""
    said = cast("Mapping[str, Json]", own)
    removed = cast("Mapping[str, Json]", whole["removed"])
    return {**whole, "removed": {**removed, **cast("Mapping[str, Json]", said["removed"])}}


def _view(one: StoredErasure) -> ErasureView:
    """An erasure as it is listed."""
    certificate = one.certificate
    found = None if certificate is None else certificate_of(certificate, Certificate({}))
    return ErasureView(
        id=str(one.id),
        kind=one.kind,
        workspace=one.workspace,
        erased_at=format_instant(one.begun_at),
        actor=one.actor,
        finished_at=None if one.finished_at is None else format_instant(one.finished_at),
        entries=None if found is None else found.removed.get("entries"),
        residue=None if found is None else len(cast("list[Json]", found.residue)),
    )


def _told(one: StoredErasure, entries: Sequence[UUID]) -> Erased:
    """An erasure as it was told when it was done."""
    bare = Certificate({}, id=str(one.id))
    found = bare if one.certificate is None else certificate_of(one.certificate, bare)
    at, actor = format_instant(one.begun_at), one.actor or ""
    named = tuple(str(entry) for entry in entries)
    stones = named or (str(one.id),) if one.kind == WORKSPACE else named
    tombstones = tuple(TombstoneView(name, at, actor) for name in stones)
    return Erased(named, tombstones, found, one.number)


def certificate_of(noted: Noted, own: Certificate) -> Certificate:
    """A certificate as it is told; what an operation knew of itself stays.

    Args:
        noted: as it is kept.
        own: what the operation said before.
    """
    removed = cast("Mapping[str, int]", noted["removed"])
    return Certificate(
        removed={**removed, **own.removed},
        searched=tuple(cast("list[str]", noted["searched"])),
        residue=noted["residue"],
        rebuilt=noted["rebuilt"],
        backups=tuple(cast("list[str]", noted["backups"])),
        exports=tuple(cast("list[str]", noted["exports"])),
        unsearched=noted["unsearched"],
        shared=cast("int", noted["shared"]),
        finished_at=cast("str", noted["finished_at"]),
        id=cast("str", noted["id"]),
        gone=noted["residue"] == [],
    )
