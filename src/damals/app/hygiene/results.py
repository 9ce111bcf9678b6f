"""What hygiene and the linter return; conventions as in ``results.py``."""

from collections.abc import Mapping
from dataclasses import dataclass

from damals.app.results import Result, Understood
from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class ChoiceView(Result):
    """A way to repair a finding.

    Attributes:
        name: what it comes to, for programs.
        label: the same for people.
        command: does it, as printed.
        operations: the same for a transaction; none where it changes a file.
    """

    name: str
    label: str
    command: str
    operations: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True)
class FindingView(Result):
    """Something that is to be looked at.

    Attributes:
        severity: ``LOW``, ``MEDIUM`` or ``HIGH``.
        entries: ids, first of what is repaired.
        message: why.
        repair: the exact command that repairs it: of several ways the mildest one; ``None`` where
            no command can, since a file is to be edited or a date is to be found out.
        titles: of the entries, in their order.
        importance: effective, of the most important of them; findings of a kind are ranked by it.
        decision: the ways to repair it differ in what becomes true, so somebody must choose.
        choices: all ways to repair it.
        part: tells apart findings of a kind about the same entries.
    """

    kind: str
    severity: str
    entries: tuple[str, ...]
    message: str
    repair: str | None
    titles: tuple[str, ...] = ()
    importance: float = 0.0
    decision: bool = False
    choices: tuple[ChoiceView, ...] = ()
    part: str = ""


@dataclass(frozen=True, slots=True)
class KindCount(Result):
    """Findings of a kind: how many there are, and how many of them are told."""

    kind: str
    severity: str
    count: int
    shown: int


@dataclass(frozen=True, slots=True)
class HygieneReport(Result):
    """What is to be looked at in a workspace at a pair of instants.

    Attributes:
        findings: by kind, the heaviest first; of a kind by effective importance, then by ids.
        kinds: those of which there are any, in the same order.
        topic: words that one of the entries of each finding says; ``None`` for everything.
        entries: how many entries were looked at.
        linter: it is the linter's.
        due: the linter looked at what is due by its risk, and at nothing else.
        understood: how the asked instants were read.
        caveats: what is to be minded before a finding is acted on.
    """

    findings: tuple[FindingView, ...]
    kinds: tuple[KindCount, ...]
    topic: str | None
    entries: int
    linter: bool
    due: bool
    understood: Understood
    caveats: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many findings there are, told or not."""
        return sum(one.count for one in self.kinds)
