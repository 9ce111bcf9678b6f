"""The commands: declared by a decorator, parsed by Typer, found by name."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Annotated, Any, Final

from damals.app.errors import InvalidInput
from damals.interfaces.cli.options import Parameter
from damals.interfaces.cli.session import Call, Session

GROUPS: Final = (
    "system",
    "changes",
    "relations",
    "lifecycle",
    "erasing",
    "looking",
    "answers",
    "graph",
    "comparing",
    "insights",
    "hygiene",
    "gate",
    "sources",
    "watching",
    "audit",
    "backups",
    "migrating",
    "access",
    "serving",
    "assistant",
    "demo",
)
"""Modules that hold commands."""

Body = Callable[[Call], int | None]


@dataclass(frozen=True, slots=True)
class Command:
    """A command.

    Attributes:
        name: one word or two.
        parameters: in the order of the help.
        body: does it; returns an exit code, or nothing for 0.
        group: where the overview lists it.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Body
    group: str

    @property
    def key(self) -> str:
        """Its name in the catalogues."""
        return self.name.replace(" ", "_")

    @property
    def value_options(self) -> frozenset[str]:
        """Its options that take a value."""
        return frozenset(one.written for one in self.parameters if one.takes_value)

    def run(self, session: Session, arguments: Sequence[str]) -> int:
        """Parse the arguments and do it.

        Returns:
            The exit code.
        """
        # Done behind the parser, which has its own ideas of interrupts and broken pipes.
        return self.body(Call(session, self.parse(arguments))) or 0

    def parse(self, arguments: Sequence[str]) -> dict[str, Any]:
        """The values of the parameters that were given, by name of the operation's parameter."""
        import typer  # noqa: PLC0415 -- `damals --help` goes without
        from typer.main import get_command  # noqa: PLC0415 -- as above

        parser = typer.Typer(add_completion=False, rich_markup_mode=None)
        parser.command(self.name, add_help_option=False)(self._collector())
        given = get_command(parser).main(
            list(arguments), prog_name=f"damals {self.name}", standalone_mode=False
        )
        return {
            parameter.target: parameter.convert(given[parameter.name])
            for parameter in self.parameters
            if given[parameter.name] not in (None, [], False) or self._switched(parameter, given)
        }

    def _collector(self) -> Callable[..., dict[str, Any]]:
        """What Typer calls: takes the declared parameters, returns their values."""

        def collect(**given: Any) -> dict[str, Any]:  # noqa: ANN401 -- whatever Typer read
            return given

        collect.__signature__ = inspect.Signature(  # pyright: ignore[reportFunctionMemberAccess] -- what Typer reads
            [_declared(parameter) for parameter in self.parameters]
        )
        return collect

    @staticmethod
    def _switched(parameter: Parameter, given: dict[str, Any]) -> bool:
        return parameter.kind == "switch" and given[parameter.name] is False


def _declared(parameter: Parameter) -> inspect.Parameter:
    """A parameter as Typer wants it."""
    import typer  # noqa: PLC0415 -- as above

    base: Any = bool if parameter.kind in {"flag", "switch"} else str
    base = list[str] if parameter.many else base
    kind: Any
    if parameter.kind == "argument":
        kind = typer.Argument(metavar=parameter.metavar)
    elif parameter.kind == "switch":
        kind = typer.Option(f"{parameter.written}/--no-{parameter.written[2:]}")
    else:
        kind = typer.Option(parameter.written, metavar=parameter.metavar)
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if parameter.required else None,
        annotation=Annotated[base if parameter.required else base | None, kind],
    )


_commands: dict[str, Command] = {}


def command(name: str, *parameters: Parameter) -> Callable[[Body], Body]:
    """Declare a command; its texts are in the catalogues."""

    def declare(body: Body) -> Body:
        group = body.__module__.rpartition(".")[2]
        _commands[name] = Command(name, parameters, body, group)
        return body

    return declare


@cache
def commands() -> dict[str, Command]:
    """All commands by name, in the order of the overview."""
    for group in GROUPS:
        import_module(f"damals.interfaces.cli.{group}")
    return {name: _commands[name] for name in sorted(_commands, key=_order)}


def _order(name: str) -> tuple[int, int]:
    return (GROUPS.index(_commands[name].group), list(_commands).index(name))


@cache
def _value_options() -> frozenset[str]:
    found = (command.value_options for command in commands().values())
    return frozenset[str]().union(*found)


def value_options(words: Sequence[str]) -> frozenset[str]:
    """The options that take a value in the command that the words begin with.

    In any command, when they begin with none.
    """
    command = _named(words)
    return _value_options() if command is None else command.value_options


def _named(words: Sequence[str]) -> Command | None:
    """The command that the words begin with: the longest name."""
    names = (" ".join(words[:length]) for length in (2, 1) if len(words) >= length)
    return next((commands()[name] for name in names if name in commands()), None)


def find(words: Sequence[str]) -> tuple[Command, list[str]]:
    """The command that the words begin with, and the words behind its name.

    Raises:
        InvalidInput: ``cli.no_command`` or ``cli.command_unknown``, naming what is near.
    """
    known = commands()
    command = _named(words)
    if command is not None:
        return command, list(words[len(command.name.split()) :])
    if not words:
        raise InvalidInput("cli.no_command")
    if words[0].startswith("-"):
        raise InvalidInput(
            "cli.option_unknown", option=words[0].partition("=")[0], command="damals"
        )
    near = get_close_matches(words[0], known)
    near = near or [name for name in known if name.split()[0] == words[0]]
    if near:
        raise InvalidInput("cli.command_near", name=words[0], near=", ".join(near))
    raise InvalidInput("cli.command_unknown", name=words[0])
