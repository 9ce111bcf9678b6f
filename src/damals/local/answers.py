"""The part of ``LocalDamals`` that answers questions and says why."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, Unpack, cast

from damals import messages
from damals.api.answers import MOST_CONTRIBUTE, Listener
from damals.api.params import AskOptions, RecallOptions
from damals.app import asking, composing, receipts, replaying, stopping
from damals.app.accesses_model import AccessNote
from damals.app.answer_results import Answer, Reasons
from damals.app.ledger_model import Lag
from damals.app.ledger_port import LedgerReader
from damals.app.options import question as question_of
from damals.app.passages import Reading
from damals.app.ports import Writer
from damals.app.recall import Question
from damals.app.receipt_model import Receipt
from damals.app.replaying import Again
from damals.app.results import Recall
from damals.app.search import Search
from damals.domain.access import Right
from damals.domain.entries import Json
from damals.domain.errors import DamalsError, Denied, InvalidInput
from damals.domain.fields import nullable_text
from damals.domain.ids import parse_uuid
from damals.domain.ranking import Weights
from damals.local.home import OpenHome

R = TypeVar("R", Recall, Answer)


class LocalAnswers(OpenHome):
    """Recall, its receipts, and the same answers again; see :class:`damals.api.answers.Answers`."""

    def recall(
        self, query: str, *, limit: int | None = 10, **options: Unpack[RecallOptions]
    ) -> Recall:
        """See :meth:`damals.api.answers.Answers.recall`."""
        given = dict(cast("Mapping[str, object]", options))
        wanted = self._wants_receipt(given)
        asked = self._asked(query, limit, given, self._parts.weights)
        search = self._search()
        lag = self._caught_up(search)
        explained = replace(asked, explain=asked.explain or wanted)
        with self._reader() as reader:
            found = search.recall(reader, self._parts.clock, explained, lag)
            told = receipts.folded(found) if wanted else {}
            place = self._place(reader, told) if wanted else None
        draft = None
        if place is not None:
            beside = self._beside(search, asked, given | {"limit": limit})
            draft = self._drafted(place, replaying.RECALL, told, beside)
        if not asked.explain:
            found = replaying.unexplained(found)
        note = self._access_note("recall", [hit.entry.id for hit in found.results])
        return self._kept_by(found, draft, note)

    def ask(
        self,
        question: str,
        *,
        limit: int | None = MOST_CONTRIBUTE,
        listen: Listener | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """See :meth:`damals.api.answers.Answers.ask`."""
        given = dict(cast("Mapping[str, object]", options))
        wanted = self._wants_receipt(given)
        writer = self._writing_model(given)
        asked = self._asked(question, limit, given, self._parts.weights)
        search = self._search()
        lag = self._caught_up(search)
        with self._reader() as reader:
            recall = search.recall(reader, self._parts.clock, replace(asked, explain=True), lag)
            place = self._place(reader, receipts.folded(recall)) if wanted else None
        # A model takes its time, and no snapshot of the ledger is held meanwhile.
        answer = self._answered(search, recall, writer, listen)
        draft = None
        if place is not None:
            beside = self._beside(search, asked, given | {"limit": limit})
            shown: dict[str, Json] = {
                "shown_weights": dict(recall.weights),
                replaying.SHOWN_PERSONA: recall.persona,
            }
            draft = self._drafted(place, replaying.ASK, receipts.folded(answer), beside | shown)
        note = self._access_note("ask", [one.entry_id for one in answer.citations])
        return self._kept_by(answer, draft, note)

    def why(self, receipt: str) -> Reasons:
        """See :meth:`damals.api.answers.Answers.why`."""
        with self._reader() as reader:
            kept = self._receipt(reader, receipt)
            return replaying.why(reader, kept, self._parts.ages, owns=self._asker.owns)

    def replay(self, receipt: str, *, recompute: bool = False) -> Recall | Answer:
        """See :meth:`damals.api.answers.Answers.replay`."""
        search = self._search() if recompute else None
        lag = self._caught_up(search) if search else Lag(0, 0)
        with self._reader() as reader:
            kept = self._receipt(reader, receipt)
            ages = self._parts.ages
            told = replaying.replayed(reader, kept, ages)
            if search is None:
                return told
            asked = replaying.again(kept)
            with messages.speaking(asked.lang or messages.spoken()):
                now = search.recall(reader, self._parts.clock, self._asked_again(asked), lag)
                engines = search.engines()
                if isinstance(told, Recall):
                    then = replaying.explained(reader, kept, ages)
                    differences = replaying.recall_differences(then, kept, now, engines)
                    return replace(told, differences=differences)
                answer = self._answered(search, now)
                before = replaying.engines_of(kept)
                differences = replaying.answer_differences(told, answer, (before, engines))
                return replace(told, differences=differences)

    # --- asking

    def _answered(
        self,
        search: Search,
        recall: Recall,
        writer: Writer | None = None,
        listen: Listener | None = None,
    ) -> Answer:
        """The answer that is made of a ranking."""
        reading = self._reading(search)
        there = asking.found(recall, reading)
        if writer is None:
            return asking.extractive(there)
        return composing.composed(there, reading, writer, listen or composing.silent)

    def _reading(self, search: Search) -> Reading:
        lexical, embedder = search.encoders
        texts = self._parts.texts
        return Reading(lexical, embedder, texts.sentences, texts.related())

    def _writing_model(self, options: dict[str, object]) -> Writer | None:
        """The model that is to write; takes its options out of the others.

        Raises:
            Denied: ``llm.not_yours``: a server must not be made to call whatever a guest names.
        """
        url, model = (_text_or_none(name, options.pop(name, None)) for name in ("llm", "model"))
        if (url or model) and not self._asker.owns:
            raise Denied("llm.not_yours")
        return self._parts.open_writer(url, model)

    def _asked(
        self, query: str, limit: int | None, options: Mapping[str, object], weights: Weights
    ) -> Question:
        asked = question_of(query, limit, options, weights)
        return replace(asked, admits_withheld=self._asker.right >= Right.ADMINISTER)

    def _asked_again(self, asked: Again) -> Question:
        again = self._asked(asked.question, asked.limit, asked.options, asked.weights)
        return replace(again, explain=True, viewpoint=asked.viewpoint, aged_at=asked.aged_at)

    def _caught_up(self, search: Search) -> Lag:
        """A question does not wait for the long work of another thread: it says what it lacks."""
        access = self._access()
        if not self._home.turn.acquire(blocking=False):
            return search.lag(self._workspace, access)
        try:
            if self._recording is not None:
                # the open transaction has the write lock
                return search.lag(self._workspace, access)
            return search.catch_up(self._workspace, access=access)
        finally:
            self._home.turn.release()

    # --- receipts

    def _receipt(self, reader: LedgerReader, id: str) -> Receipt:
        name = nullable_text("id", str(id))
        if name is None:
            raise InvalidInput("field.empty", name="id")
        named = parse_uuid(name)
        found = None if named is None else self._ledger().receipts.get(self._workspace, named)
        may_see_all = self._asker.right >= Right.ADMINISTER
        return receipts.opened(reader, found, str(id), self._principal, all_=may_see_all)

    def _wants_receipt(self, options: dict[str, object]) -> bool:
        """Whether a receipt is to be kept; takes the option out of the others."""
        said = options.pop("receipt", None)
        return self._parts.receipts if said is None else bool(said)

    def _beside(
        self, search: Search, asked: Question, options: Mapping[str, object]
    ) -> dict[str, Json]:
        """What a receipt keeps beside the answer."""
        return {
            "question": asked.query,
            "lang": messages.spoken(),
            "options": receipts.plain(options),
            "weights": replaying.told_weights(asked.weights),
            "engines": search.engines(),
        }

    def _place(self, reader: LedgerReader, told: receipts.Document) -> receipts.Place:
        return receipts.place_of(reader, told)

    def _drafted(
        self,
        place: receipts.Place,
        kind: str,
        told: receipts.Document,
        beside: Mapping[str, Json],
    ) -> Receipt:
        asked = receipts.Asked(kind, self._principal, self._parts.clock(), beside)
        return receipts.drafted(place, told, asked)

    def _kept_by(self, found: R, draft: Receipt | None, note: AccessNote | None) -> R:
        """The answer with its receipt, or with a caveat when it cannot be kept.

        Whoever cannot write gets the answer all the same. What was returned is noted with it; of
        what nobody waits for any more nothing is kept.
        """
        stopping.check()
        if draft is None:
            self._noted(note)
            return found
        reason: object = messages.text("receipt.in_transaction")
        if self._recording is None:  # else the open transaction has the write lock
            try:
                self._ledger().receipts.put(self._workspace, draft, note)
            except DamalsError as error:
                reason = error
            else:
                return replace(found, receipt=str(draft.id))
        said = messages.text("receipt.not_kept", None, reason=reason)
        return replace(found, caveats=(*found.caveats, said))


def _text_or_none(name: str, value: object) -> str | None:
    """A text, which may be empty."""
    if value is None or isinstance(value, str):
        return value
    raise InvalidInput("field.text", name=name, value=value)
