"""What the interfaces return of erasures that are done, or on their way."""

from dataclasses import dataclass

from damals.app.result import Result


@dataclass(frozen=True, slots=True)
class ErasureView(Result):
    """An erasure. None of it says what was erased.

    Attributes:
        id: of the erasure; its certificate is looked up by it.
        kind: ``entry``, ``source``, ``person`` or ``workspace``.
        workspace: name of the one it was in; null when that is gone.
        erased_at: when it began.
        actor: who erased; null when nobody knows any more.
        finished_at: when its certificate was made; null as long as it is not finished.
        entries: how many entries were erased; null as long as it is not finished.
        residue: in how many files erased bytes were found at the end; null as long as nobody knows.
    """

    id: str
    kind: str
    workspace: str | None
    erased_at: str
    actor: str | None
    finished_at: str | None
    entries: int | None
    residue: int | None


@dataclass(frozen=True, slots=True)
class ErasureList(Result):
    """Erasures, newest first."""

    erasures: tuple[ErasureView, ...]
