"""The part of ``Damals`` that answers questions and says why."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, Unpack

from damals.api.params import AskOptions, RecallOptions
from damals.app.answer_results import Answer, Reasons
from damals.app.results import Recall

MOST_CONTRIBUTE: Final = 10
"""How many entries may contribute to an answer, if nothing else is said."""

Listener = Callable[[str], None]


class Answers(ABC):
    """Answers with citations, their reasons, and the same answers again."""

    @abstractmethod
    def recall(
        self, query: str, *, limit: int | None = 10, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What answers a question at a pair of instants, best first, one result an entry."""

    @abstractmethod
    def ask(
        self,
        question: str,
        *,
        limit: int | None = MOST_CONTRIBUTE,
        listen: Listener | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """An answer from what is known, with numbered citations, or that it is not known.

        Args:
            question: in German or English.
            limit: how many entries may contribute.
            listen: hears each sentence of a model as soon as it was checked.
            **options: as of a recall, and which model may write.
        """

    @abstractmethod
    def why(self, receipt: str) -> Reasons:
        """The reasons of an answer.

        Args:
            receipt: id of its receipt.

        Raises:
            NotFound: ``receipt.unknown`` also for that of another principal; ``receipt.erased``
                when something that it names was erased; ``receipt.hidden`` when something that it
                names may not be seen any more.
        """

    @abstractmethod
    def replay(self, receipt: str, *, recompute: bool = False) -> Recall | Answer:
        """The same answer again, whatever was learned since.

        Args:
            receipt: id of its receipt.
            recompute: also answer the question again, from what was known then, and tell what is
                not as it was told (``differences``).

        Raises:
            NotFound: as of :meth:`why`.
        """
