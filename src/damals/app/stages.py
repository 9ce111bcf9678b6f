"""Stages of the work, for those who watch it: metrics and traces.

A stage has a name of this program, and numbers. Never a text, a question, an id or a secret: what
is watched leaves the home. Without a watcher a stage costs a look at one variable.
"""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Final, Literal, Protocol

Stage = Literal[
    "request", "recall", "embedding", "index", "ledger", "ranking", "import", "write",
    "project", "fill", "erase", "backup", "hygiene",
]  # fmt: skip
"""All stages. Embedding, index, ledger and ranking are parts of a recall."""

Counted = Literal["embeddings", "erasures", "backups"]
"""What is counted one by one."""

Number = int | float


class Watcher(Protocol):
    """Somebody who watches. Any thread may tell it something; what it raises is not caught."""

    def stage(self, name: Stage, numbers: Mapping[str, Number]) -> AbstractContextManager[object]:
        """A stage begins; it ends with the context, also with an error."""
        ...

    def count(self, what: Counted, number: int) -> None:
        """So many more of something."""
        ...

    def told(self, what: str, numbers: Mapping[str, Number]) -> None:
        """How many of something there are now, by kind; kinds are names of this program."""
        ...


_NOTHING: Final[AbstractContextManager[None]] = nullcontext()
_watchers: list[Watcher] = []


def watch(watcher: Watcher) -> None:
    """Tell a watcher of every stage from now on. Watching twice is harmless."""
    if watcher not in _watchers:
        _watchers.append(watcher)


def unwatch(watcher: Watcher) -> None:
    """Tell it nothing any more."""
    if watcher in _watchers:
        _watchers.remove(watcher)


def stage(name: Stage, **numbers: Number) -> AbstractContextManager[object]:
    """A part of the work, as long as the context lasts."""
    return _watched(name, numbers) if _watchers else _NOTHING


@contextmanager
def _watched(name: Stage, numbers: Mapping[str, Number]) -> Generator[None]:
    with ExitStack() as stack:
        for watcher in tuple(_watchers):
            stack.enter_context(watcher.stage(name, numbers))
        yield


def count(what: Counted, number: int = 1) -> None:
    """So many more of something."""
    for watcher in tuple(_watchers):
        watcher.count(what, number)


def tell(what: str, numbers: Mapping[str, Number]) -> None:
    """How many of something there are now, by kind."""
    for watcher in tuple(_watchers):
        watcher.told(what, numbers)
