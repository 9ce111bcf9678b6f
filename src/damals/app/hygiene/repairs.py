"""Repairs: what is done about a finding, as operations, and as the commands that do the same.

A command is printed as a shell reads it, so that it runs as printed. Reasons are texts of the
catalogues, since a log is read by people.
"""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit
from uuid import UUID

from damals.domain.entries import Json, Source
from damals.domain.findings import Choice, Step

Say = Callable[[str], str]
"""Gives the text of a key."""

_PLACES: Final[Mapping[str, Sequence[str]]] = {
    "archive": ("target",),
    "verify": ("target",),
    "pin": ("target",),
    "unpin": ("target",),
    "correct": ("target",),
    "retract": ("target",),
    "annotate": ("path",),
    "relate": ("src", "type", "dst"),
    "unrelate": ("src", "type", "dst"),
    "contradict": ("a", "b"),
    "resolve": ("a", "b"),
}
"""Of each operation, the parameters that its command takes without their names, in order."""

_MANY: Final[Mapping[str, str]] = {"aliases": "alias", "tags": "tag"}
"""Parameters whose values are given one by one, by the option that takes each."""


def choice(name: str, *steps: Step) -> Choice:
    """A way to repair something."""
    return Choice(name, steps)


def step(op: str, **params: Json | UUID) -> Step:
    """An operation of a repair; its reason, where it needs one, is the text of a key."""
    return Step(op, {name: _json(value) for name, value in params.items()})


def _json(value: Json | UUID) -> Json:
    return str(value) if isinstance(value, UUID) else value


def operations(one: Choice, say: Say) -> Iterator[dict[str, Json]]:
    """The operations of a repair, as events say them."""
    for made in one.steps:
        yield {"op": made.op, **_said(made, say)}


def command(one: Choice, say: Say, workspace: str | None) -> str:
    """The command line that does it.

    Args:
        one: the repair.
        say: gives the reasons.
        workspace: to be named in the command; ``None`` for the default one.
    """
    where = [] if workspace is None else ["--workspace", workspace]
    return " && ".join(shlex.join(["damals", *_words(s, say), *where]) for s in one.steps)


def _said(made: Step, say: Say) -> dict[str, Json]:
    params = dict(made.params)
    if isinstance(reason := params.get("reason"), str):
        params["reason"] = say(reason)
    return params


def _words(made: Step, say: Say) -> Iterator[str]:
    params = _said(made, say)
    yield made.op
    for name in _PLACES[made.op]:
        yield str(params.pop(name))
    for name, value in params.items():
        option = "--" + _MANY.get(name, name).replace("_", "-")
        items = value if isinstance(value, list) else [value]
        for item in items or [""]:
            yield from (option, "" if item is None else str(item))


def note_path(source: Source) -> str | None:
    """Where the file of a note lies; ``None`` for what comes from no file."""
    if source.kind != "vault" or not source.path or not source.uri:
        return None
    root = urlsplit(source.uri)
    return None if root.scheme != "file" else f"{unquote(root.path).rstrip('/')}/{source.path}"
