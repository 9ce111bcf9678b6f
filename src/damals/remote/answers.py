"""The part of ``RemoteDamals`` that answers questions and says why."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Unpack, cast

from damals.api.answers import MOST_CONTRIBUTE, Listener
from damals.api.params import AskOptions, RecallOptions
from damals.app.answer_results import Answer, Reasons
from damals.app.results import Recall
from damals.domain.entries import Json
from damals.remote.asking import Asking
from damals.remote.connection import Message
from damals.remote.encoding import body, named
from damals.remote.failures import Unreachable, error_of


class RemoteAnswers(Asking):
    """Recall, answers, and the same answers again; see :class:`damals.api.answers.Answers`."""

    def recall(
        self, query: str, *, limit: int | None = 10, **options: Unpack[RecallOptions]
    ) -> Recall:
        """See :meth:`damals.api.answers.Answers.recall`."""
        asked = {"query": query, "limit": limit, **options}
        return self._read(Recall, self._question(self._path("recall"), asked))

    def ask(
        self,
        question: str,
        *,
        limit: int | None = MOST_CONTRIBUTE,
        listen: Listener | None = None,
        **options: Unpack[AskOptions],
    ) -> Answer:
        """See :meth:`damals.api.answers.Answers.ask`."""
        asked = {"question": question, "limit": limit, **options}
        if listen is None:
            return self._read(Answer, self._question(self._path("answers"), asked))
        path = self._path("answers", "stream")
        message = Message("POST", path, content=body(asked), harmless=True)
        with self._connection.stream(message) as response:
            for name, data in _events(response.iter_lines()):
                if name == "sentence":
                    listen(str(data.get("text")))
                elif name == "answer":
                    return self._read(Answer, data)
                elif name == "failed":
                    raise error_of(400, data, self._connection.url)
        raise Unreachable("remote.answer", url=self._connection.url)

    def why(self, receipt: str) -> Reasons:
        """See :meth:`damals.api.answers.Answers.why`."""
        return self._read(Reasons, self._get(self._path("answers", named(receipt))))

    def replay(self, receipt: str, *, recompute: bool = False) -> Recall | Answer:
        """See :meth:`damals.api.answers.Answers.replay`."""
        path = self._path("answers", named(receipt), "replay")
        told = self._get(path, {"recompute": recompute})
        return self._read(_kind(told), told)


def _events(lines: Iterable[str]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Name and data of each server-sent event."""
    name = ""
    for line in lines:
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            told: object = json.loads(value)
            if isinstance(told, dict):
                yield name, cast("Mapping[str, Json]", told)


def _kind(told: Mapping[str, Json]) -> type[Recall | Answer]:
    """What was replayed: an answer has a question, a ranking a query."""
    return Answer if "question" in told else Recall
