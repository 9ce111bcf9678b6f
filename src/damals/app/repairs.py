"""Repairs: what is done about a finding, as an operation, and as the command that does the same.

A command is printed as a shell reads it, so that it runs as printed. Reasons are texts of the
catalogues, since a log is read by people.
"""

from collections.abc import Callable
from urllib.parse import unquote, urlsplit
from uuid import UUID

from damals.app import commands
from damals.app.commands import Where
from damals.domain.entries import Json, Source
from damals.domain.findings import Choice, Step

Say = Callable[[str], str]
"""Gives the text of a key."""


def choice(name: str, made: Step) -> Choice:
    """A way to repair something."""
    return Choice(name, made)


def step(op: str, **params: Json | UUID) -> Step:
    """An operation of a repair; its reason, where it needs one, is the text of a key."""
    return Step(op, {name: _json(value) for name, value in params.items()})


def _json(value: Json | UUID) -> Json:
    return str(value) if isinstance(value, UUID) else value


def operation(made: Step, say: Say) -> dict[str, Json]:
    """The operation of a repair, as an event says it."""
    return {"op": made.op, **_said(made, say)}


def command(made: Step, say: Say, where: Where) -> str:
    """The command line that does it.

    Args:
        made: the repair.
        say: gives the reasons.
        where: it is to run.
    """
    return commands.command(made.op, _said(made, say), where)


def _said(made: Step, say: Say) -> dict[str, Json]:
    params = dict(made.params)
    if isinstance(reason := params.get("reason"), str):
        params["reason"] = say(reason)
    return params


def note_path(source: Source) -> str | None:
    """Where the file of a note lies; ``None`` for what comes from no file."""
    if source.kind != "vault" or not source.path or not source.uri:
        return None
    root = urlsplit(source.uri)
    return None if root.scheme != "file" else f"{unquote(root.path).rstrip('/')}/{source.path}"
