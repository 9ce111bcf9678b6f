"""The part of ``AttachedDamals`` that answers questions and says why."""

from typing import Unpack

from damals.api.answers import MOST_CONTRIBUTE, Listener
from damals.api.params import AskOptions, RecallOptions
from damals.app.answer_results import Answer, Reasons
from damals.app.results import Recall
from damals.attached.graph import AttachedGraphs


class AttachedAnswers(AttachedGraphs):
    """Recall, answers, and the same answers again; see :class:`damals.api.answers.Answers`."""

    def recall(
        self, query: str, *, limit: int | None = 10, **options: Unpack[RecallOptions]
    ) -> Recall:
        """See :meth:`damals.api.answers.Answers.recall`."""
        return self._home.call(lambda memory: memory.recall(query, limit=limit, **options))

    def ask(
        self,
        question: str,
        *,
        limit: int | None = MOST_CONTRIBUTE,
        listen: Listener | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """See :meth:`damals.api.answers.Answers.ask`."""
        return self._home.call(
            lambda memory: memory.ask(question, limit=limit, listen=listen, **options)
        )

    def why(self, receipt: str) -> Reasons:
        """See :meth:`damals.api.answers.Answers.why`."""
        return self._home.call(lambda memory: memory.why(receipt))

    def replay(self, receipt: str, *, recompute: bool = False) -> Recall | Answer:
        """See :meth:`damals.api.answers.Answers.replay`."""
        return self._home.call(lambda memory: memory.replay(receipt, recompute=recompute))
