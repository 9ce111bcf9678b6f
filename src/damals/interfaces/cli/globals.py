"""Options of every command, before or after its name.

``--home --workspace --json --lang --help``
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

from damals.app.errors import InvalidInput

FLAGS: Final = frozenset({"--json", "--help"})
VALUE_OPTIONS: Final = ("--home", "--workspace", "--lang")


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """What was asked of every command; ``None`` means the option is absent."""

    home: str | None = None
    workspace: str | None = None
    lang: str | None = None
    json: bool = False
    help: bool = False


def hoist(
    arguments: Sequence[str], value_options: Callable[[Sequence[str]], AbstractSet[str]]
) -> tuple[GlobalOptions, list[str]]:
    """Take the global options out of the arguments, wherever they stand.

    Args:
        arguments: of the whole command line, without the program's name.
        value_options: gives the options that take a value in the command that some words begin
            with; a value is never taken for an option, and nothing behind ``--`` is.

    Raises:
        InvalidInput: ``cli.no_value`` when the value of a global option is missing.
    """
    found: dict[str, str] = {}
    flags: set[str] = set()
    rest: list[str] = []
    left = list(arguments)
    while left:
        word = left.pop(0)
        name, equals, value = word.partition("=")
        if word == "--":
            return _options(found, flags), [*rest, word, *left]
        if word in FLAGS:
            flags.add(word)
        elif name in VALUE_OPTIONS:
            if not equals and not left:
                raise InvalidInput("cli.no_value", option=name)
            found[name] = value if equals else left.pop(0)
        else:
            takes_value = word.startswith("-") and word in value_options(rest)
            rest.append(word)
            if takes_value and left:
                rest.append(left.pop(0))
    return _options(found, flags), rest


def _options(found: Mapping[str, str], flags: AbstractSet[str]) -> GlobalOptions:
    return GlobalOptions(
        home=found.get("--home"),
        workspace=found.get("--workspace"),
        lang=found.get("--lang"),
        json="--json" in flags,
        help="--help" in flags,
    )
