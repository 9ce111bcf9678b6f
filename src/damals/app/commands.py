"""Commands that are printed for people: each runs as printed, where what it is about lies.

Whatever prints a command makes it here, so that all of them are quoted for a shell and name their
workspace. The home is named by who knows that another one was asked for: the command line.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from damals.domain.entries import Json
from damals.domain.names import DEFAULT_WORKSPACE

PLACES: Final[Mapping[str, tuple[str, ...]]] = {
    "archive": ("target",),
    "verify": ("target",),
    "pin": ("target",),
    "unpin": ("target",),
    "correct": ("target",),
    "retract": ("target",),
    "annotate": ("path",),
    "planning": ("folder",),
    "relate": ("src", "type", "dst"),
    "unrelate": ("src", "type", "dst"),
    "contradict": ("a", "b"),
    "resolve": ("a", "b"),
}
"""Of each operation, the parameters that its command takes without their names, in order."""

_MANY: Final[Mapping[str, str]] = {"aliases": "alias", "tags": "tag", "dropped": "drop_alias"}
"""Parameters whose values are given one by one, by the option that takes each."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where a command is to run, as far as it must be said.

    Attributes:
        home: the home folder; ``None`` for the one that is used when nothing is said.
        workspace: ``None`` for the one that is used when nothing is said.
    """

    home: str | None = None
    workspace: str | None = None

    @staticmethod
    def of(workspace: str) -> "Where":
        """A workspace by its name; the default one need not be said."""
        return Where(workspace=None if workspace == DEFAULT_WORKSPACE else workspace)

    def words(self) -> Iterator[tuple[str, str]]:
        """The options that say it."""
        for option, value in (("--home", self.home), ("--workspace", self.workspace)):
            if value is not None:
                yield option, value


HERE: Final = Where()
"""Nothing need be said."""


def command(op: str, params: Mapping[str, Json], where: Where = HERE) -> str:
    """The command line of an operation, as a shell reads it.

    Args:
        op: name of the operation; one of :data:`PLACES`.
        params: its parameters by name; a list is given value by value, ``None`` empties, a truth
            is a switch.
        where: where it is to run.
    """
    return placed(shlex.join(["damals", *_words(op, params)]), where)


def placed(line: str, where: Where) -> str:
    """A command line that was made by :func:`command`, with what it does not say yet of where."""
    said = shlex.split(line)
    lacking = [word for pair in where.words() if pair[0] not in said for word in pair]
    return f"{line} {shlex.join(lacking)}" if lacking else line


def _words(op: str, params: Mapping[str, Json]) -> Iterator[str]:
    left = dict(params)
    yield op
    for name in PLACES[op]:
        yield str(left.pop(name))
    for name, value in left.items():
        option = "--" + _MANY.get(name, name).replace("_", "-")
        items = value if isinstance(value, list) else [value]
        for item in items or [""]:
            if isinstance(item, bool):
                yield option if item else f"--no-{option.removeprefix('--')}"
            else:
                yield from (option, "" if item is None else str(item))
