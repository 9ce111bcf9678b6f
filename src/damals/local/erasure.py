"""The part of ``LocalDamals`` that finishes erasures, and erases what is no one entry."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
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
from damals.app.erasing.finishing import Means, Noted, finish
from damals.app.erasing.model import SOURCE, WORKSPACE
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
from damals.domain.instants import format_instant
from damals.local.home import OpenHome

_LOG: Final = logging.getLogger(__name__)

LEDGER: Final = "ledger.db"
CERTIFICATE: Final = "certificate"


class LocalErasure(OpenHome):
    """Erasures; see :meth:`damals.api.Damals.erase`."""

    def _ledger(self, *, create: bool = False) -> Ledger:
        """The ledger; before the first change, what was being erased is brought to its end."""
        ledger = super()._ledger(create=create)
        if create and not self._home.resumed:
            self._resume(ledger)
        return ledger

    def finish_erasures(self) -> None:
        """Bring what was being erased to its end, for who cannot wait for the first change.

        Raises:
            Unavailable: ``erase.unfinished``.
        """
        self._resume(self._home.ledger(self._workspace))

    def _end_erasures(self) -> None:
        """The same where it is looked at afterwards what is left to do."""
        with suppress(DamalsError):
            self.finish_erasures()

    def _resume(self, ledger: Ledger) -> None:
        with self._home.turn:
            if self._home.resumed or self._recording is not None:
                return
            self._home.resumed = True
            begun = ledger.erasures.unfinished()
            if begun:
                _LOG.warning("%d erasure(s) had begun and go on", len(begun))
                self._finished()

    def _finished(self) -> Sequence[Noted]:
        """The certificates of what has begun, all of which ends by this; it needs the turn.

        Raises:
            Unavailable: ``erase.unfinished``; what is done of it stays done.
        """
        files = self._parts.files
        if files is None:
            return ()
        ledger, keeping = self._home.ledger(self._workspace), self._parts.keeping
        folder = self._parts.home.path
        means = Means(
            ledger=ledger,
            search=lambda: self._home.search(self._workspace),
            projected=lambda: any(folder.glob("index/*")) or any(folder.glob("cache/vectors*")),
            files=files,
            journal=keeping().journal,
            shelf=keeping().backing.shelf,
            clock=self._parts.clock,
            server=None if (folder / LEDGER).exists() else "server",
        )
        try:
            return finish(means)
        except Unavailable as error:
            self._home.resumed = False  # whoever changes something next tries again
            raise Unavailable("erase.unfinished", problem=error) from error

    def _with_certificate(self, erased: Erased) -> Erased:
        """What an erasure that is stored did, with its certificate."""
        made = {one.get("number"): one for one in self._finished()}
        ledger = self._home.ledger(self._workspace)
        kept = ledger.erasures.certificate(self._workspace, erased.transaction)
        noted = made.get(erased.transaction) or kept
        if noted is None:
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
        made = self._finished()
        number = int(cast("int", made[-1]["number"])) if made else 0
        tombstone = TombstoneView(name, format_instant(now), self._asker.name)
        bare = Certificate({})
        found = certificate_of(made[-1], bare) if made else bare
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


def _merged(own: Json, whole: Mapping[str, Json]) -> Json:
    """The certificate of one operation among several that share theirs."""
    said = cast("Mapping[str, Json]", own)
    removed = cast("Mapping[str, Json]", whole["removed"])
    return {**whole, "removed": {**removed, **cast("Mapping[str, Json]", said["removed"])}}


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
    )
