"""``hygiene --fix``: repairs carried out one by one, each asked for, each a transaction.

What a decision needs is never guessed: without somebody to ask it is left as it is.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, cast

from damals.app.commands import Where, placed
from damals.app.errors import DamalsError, InvalidInput
from damals.app.hygiene.results import ChoiceView, FindingView
from damals.app.results import Failure, Result
from damals.interfaces.cli import hygiene_views
from damals.interfaces.cli.output import is_terminal
from damals.interfaces.cli.session import Call, Session
from damals.interfaces.cli.views import FAINT, GOOD, WARN

if TYPE_CHECKING:
    from damals.api import Damals

_KEEP: Final = "keep_"

_Matter = tuple[str, tuple[str, ...], str]
"""What a finding is about, by which it is known again: its kind, its entries, its part."""


@dataclass(frozen=True, slots=True)
class Repaired(Result):
    """A repair that was carried out, and the number of its transaction."""

    entries: tuple[str, ...]
    command: str
    transaction: int | None


@dataclass(frozen=True, slots=True)
class Fixed(Result):
    """What came of repairing all findings of a kind.

    Attributes:
        skipped: left by whoever was asked.
        undecided: left, since somebody must decide and nobody could be asked.
        by_hand: left, since no command can repair them.
        in_files: commands that repair what was left, since nothing but ``annotate`` changes the
            files of notes; where there are several for a finding, one is to be chosen.
        failed: what could not be done, by the command that says it.
    """

    kind: str
    done: tuple[Repaired, ...]
    skipped: int
    undecided: int
    by_hand: int
    in_files: tuple[str, ...]
    failed: tuple[Failure, ...]


class _Other(Enum):
    """What can be answered beside a way to repair something."""

    SKIP = "n"
    QUIT = "q"


@dataclass
class _Run:
    """What has been done so far."""

    done: list[Repaired] = field(default_factory=list[Repaired])
    failed: list[Failure] = field(default_factory=list[Failure])
    skipped: int = 0
    undecided: int = 0
    by_hand: int = 0
    in_files: list[str] = field(default_factory=list[str])
    touched: set[str] = field(default_factory=set[str])
    settled: set[_Matter] = field(default_factory=set["_Matter"])


def fix(call: Call) -> None:
    """Repair the findings of a kind.

    Raises:
        InvalidInput: ``hygiene.fix.*`` when nobody can be asked, or for an instant of the past.
    """
    values, yes = dict(call.values), bool(call.values.get("yes"))
    kind = cast("str", values.pop("fix"))
    if {"as_of", "known_at"} & values.keys():
        raise InvalidInput("hygiene.fix.past")
    if not yes and call.session.options.json:
        raise InvalidInput("hygiene.fix.json")
    if not yes and not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):
        raise InvalidInput("hygiene.fix.no_terminal")
    asked: dict[str, object] = {name: values.get(name) for name in ("topic", "limit")}
    asked["kind"] = kind
    with call.open(brief=False) as memory:
        run = _Fixing(call.session, memory, ask=not yes).all_of(asked)
    result = Fixed(
        kind,
        tuple(run.done),
        run.skipped,
        run.undecided,
        run.by_hand,
        tuple(run.in_files),
        tuple(run.failed),
    )
    call.show(result, _view)


class _Fixing:
    """Repairs one finding after the other."""

    def __init__(self, session: Session, memory: "Damals", *, ask: bool) -> None:
        self._session, self._memory, self._ask = session, memory, ask
        self._run = _Run()

    def all_of(self, asked: dict[str, object]) -> _Run:
        """Repair what is found; what a repair may have changed is looked for again."""
        while True:
            found = self._memory.hygiene(**asked).findings  # pyright: ignore[reportArgumentType] -- as given
            left = [one for one in found if _matter(one) not in self._run.settled]
            self._run.touched.clear()
            if not left or not self._each(left):
                return self._run

    def _each(self, found: Sequence[FindingView]) -> bool:
        """Repair some findings; whether any of them is to be looked for again."""
        again = False
        for one in found:
            if self._run.touched.isdisjoint(one.entries):
                self._run.settled.add(_matter(one))
                if not self._one(one):
                    return False
            else:
                again = True
        return again

    def _one(self, found: FindingView) -> bool:
        """Repair one finding; whether to go on."""
        ways = [one for one in found.choices if one.operations]
        if not ways:
            self._leave(found)
        elif not self._ask and found.decision:
            self._run.undecided += 1
        else:
            picked = self._picked(found, ways) if self._ask else ways[0]
            if isinstance(picked, ChoiceView):
                self._do(found, picked)
            elif picked is _Other.QUIT:
                return False
            else:
                self._run.skipped += 1
        return True

    def _leave(self, found: FindingView) -> None:
        """Leave what no operation repairs, with the commands that change its files."""
        asked = self._session.options
        where = Where(asked.home, asked.workspace)
        self._run.in_files += [placed(one.command, where) for one in found.choices]
        self._run.by_hand += not found.choices

    def _picked(self, found: FindingView, ways: Sequence[ChoiceView]) -> ChoiceView | _Other:
        """What whoever sits at the terminal wants; nothing more when they have gone."""
        hygiene_views.finding(self._session, found)
        answers = dict(_answers(found, ways))
        told = [f"[{key}] {one.label}" for key, one in answers.items() if len(key) == 1]
        asked = self._session.say("hygiene.fix.ask", choices=", ".join(told))
        while True:
            sys.stderr.write(asked)
            sys.stderr.flush()
            line = sys.stdin.readline()
            said = line.strip().casefold()
            if not line or said in ("q", "quit"):
                return _Other.QUIT
            if said in ("n", "s", "skip", "no", "nein"):
                return _Other.SKIP
            if said in answers:
                return answers[said]

    def _do(self, found: FindingView, way: ChoiceView) -> None:
        self._run.touched.update(found.entries)
        reason = self._session.say("hygiene.reason.fix", kind=found.kind)
        try:
            done = self._memory.transact(way.operations, reason=reason)
        except DamalsError as error:
            self._run.failed.append(Failure(way.command, None, str(error)))
        else:
            self._run.done.append(Repaired(found.entries, way.command, done.transaction))


def _matter(found: FindingView) -> _Matter:
    return found.kind, found.entries, found.part


def _answers(found: FindingView, ways: Sequence[ChoiceView]) -> Iterator[tuple[str, ChoiceView]]:
    """What can be answered, and what it means: yes where nothing is to be decided, or a number."""
    for number, one in enumerate(ways, start=1):
        if number == 1 and not found.decision:
            yield from (("y", one), ("yes", one), ("j", one), ("ja", one))
        elif one.name.startswith(_KEEP):
            yield one.name.removeprefix(_KEEP), one
        yield str(number), one


def _view(session: Session, result: Fixed) -> None:
    screen = session.screen
    for one in result.done:
        screen.line(("✓ ", GOOD), one.command)
    for one in result.failed:
        screen.line(("! ", WARN), f"{one.path}  ", (one.reason, FAINT))
    counts = {"done": len(result.done), "skipped": result.skipped, "failed": len(result.failed)}
    screen.line(session.say("hygiene.fix.done", **counts))
    where = Where(session.options.home, session.options.workspace)
    line = placed(f"damals hygiene --fix {result.kind}", where)
    for name in ("undecided", "by_hand"):
        if count := getattr(result, name):
            screen.line(session.say(f"hygiene.fix.{name}", count=count, command=line))
    if result.in_files:
        screen.line(session.say("hygiene.fix.in_files"))
    for command in result.in_files:
        screen.line("  ", command)
