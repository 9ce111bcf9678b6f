"""What a recall asks of the ledger does not grow with what it finds."""

from collections.abc import Iterator
from contextlib import contextmanager

from ranked_memory import titles
from sqlalchemy import event
from sqlalchemy.engine import Engine

from damals import Damals

MOST_STATEMENTS = 20
"""Two reads of the lag and the head, two of the graph, and those that the results are shown with;
the statements that the driver runs itself are not counted."""


@contextmanager
def counted() -> Iterator[list[str]]:
    asked: list[str] = []

    def listen(_connection, _cursor, statement, *_rest) -> None:
        asked.append(statement)

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        yield asked
    finally:
        event.remove(Engine, "before_cursor_execute", listen)


def test_statements_are_few_however_many_results_there_are(memory: Damals):
    with memory.transaction() as several:
        for number in range(120):
            several.remember(
                f"Ruhe {number}", "Stille im Haus", external_id=str(number),
                relations=[{"type": "part_of", "dst": str(number - 1)}] if number else [],
            )  # fmt: skip
    memory.recall("Stille", limit=100)  # that they were returned is noted once in an hour
    sizes: dict[int, int] = {}
    for limit in (1, 10, 100):
        with counted() as asked:
            assert len(titles(memory.recall("Stille", limit=limit))) == limit
        sizes[limit] = len(asked)
    assert max(sizes.values()) <= sizes[1] + 1, "many texts are read in more than one batch"
    assert sizes[1] <= MOST_STATEMENTS
    with counted() as asked:
        memory.recall("Stille", limit=10, explain=True)
    assert len(asked) <= sizes[1] + 3, "reasons ask for no more than the titles on their paths"
