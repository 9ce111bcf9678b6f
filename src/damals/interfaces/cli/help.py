"""Help texts, composed from the declared parameters and the catalogues."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from damals import messages
from damals.interfaces.cli.options import GLOBAL_HELP, Parameter
from damals.interfaces.cli.registry import Command, commands

MAX_WIDTH: Final = 100
COLUMN: Final = 30


def overview(lang: str) -> str:
    """What ``damals --help`` prints."""
    lines = [messages.text("cli.usage_line", lang), "", messages.text("cli.about", lang)]
    for group, members in groupby(commands().values(), key=lambda command: command.group):
        lines += ["", messages.text(f"cli.group.{group}", lang)]
        for command in members:
            lines += _entry(command.name, summary(command, lang))
    lines += ["", messages.text("cli.options_global", lang), *_options("", GLOBAL_HELP, lang)]
    lines += ["", *_wrapped(messages.text("cli.instants", lang))]
    return "\n".join(lines)


def command_help(command: Command, lang: str) -> str:
    """What ``damals COMMAND --help`` prints."""
    lines = [f"{messages.text('cli.usage_label', lang)}: {usage(command)}", ""]
    lines += _wrapped(description(command, lang))
    parts = {
        "cli.arguments": [p for p in command.parameters if p.kind == "argument"],
        "cli.options": [p for p in command.parameters if p.kind != "argument"],
    }
    for title, parameters in parts.items():
        if parameters:
            lines += ["", messages.text(title, lang), *_options(command.key, parameters, lang)]
    lines += ["", messages.text("cli.options_global", lang), *_options("", GLOBAL_HELP, lang)]
    lines += ["", messages.text("cli.examples", lang)]
    lines += [f"  {line}" for line in examples(command, lang)]
    return "\n".join(lines)


def usage(command: Command) -> str:
    """``damals end ID --at INSTANT --reason TEXT [options]``."""
    words = ["damals", command.name]
    for parameter in command.parameters:
        shown = parameter.metavar
        if parameter.kind != "argument":
            shown = signature(parameter)
        if parameter.required:
            words.append(shown)
        elif parameter.kind == "argument":
            words.append(f"[{shown}]")
    if any(not p.required and p.kind != "argument" for p in command.parameters):
        words.append("[…]")
    return " ".join(words)


def signature(parameter: Parameter) -> str:
    """``--tag TEXT``, ``--pinned/--no-pinned``, ``ID``."""
    match parameter.kind:
        case "argument":
            return parameter.metavar
        case "flag":
            return parameter.written
        case "switch":
            return f"{parameter.written}/--no-{parameter.written[2:]}"
        case "option":
            return f"{parameter.written} {parameter.metavar}"


def summary(command: Command, lang: str) -> str:
    """The first sentence about a command."""
    return messages.text(f"cli.help.{command.key}", lang)


def description(command: Command, lang: str) -> str:
    """All that is said about a command."""
    more = f"cli.more.{command.key}"
    tail = messages.text(more, lang) if messages.has(more, "en") else ""
    return f"{summary(command, lang)} {tail}".rstrip()


def examples(command: Command, lang: str) -> list[str]:
    """Command lines to copy."""
    return messages.text(f"cli.example.{command.key}", lang).strip().splitlines()


def parameter_help(command_key: str, parameter: Parameter, lang: str) -> str:
    """What is said about a parameter, of this command or in general."""
    own = f"cli.option.{command_key}.{parameter.name}"
    key = own if messages.has(own, "en") else f"cli.option.{parameter.name}"
    notes: list[str] = []
    if parameter.required:
        notes.append(messages.text("cli.required", lang))
    if parameter.many and parameter.kind == "option":
        notes.append(messages.text("cli.repeatable", lang))
    if parameter.standard is not None:
        notes.append(messages.text("cli.default", lang, value=parameter.standard))
    said = messages.text(key, lang)
    return f"{said} ({'; '.join(notes)})" if notes else said


def _options(key: str, parameters: Iterable[Parameter], lang: str) -> Iterator[str]:
    for parameter in parameters:
        yield from _entry(signature(parameter), parameter_help(key, parameter, lang))


def _entry(left: str, right: str) -> Iterator[str]:
    lines = textwrap.wrap(right, max(_width() - COLUMN, 30)) or [""]
    head = f"  {left}"
    if len(head) + 2 > COLUMN:
        yield head
        head = ""
    yield f"{head.ljust(COLUMN)}{lines[0]}"
    for line in lines[1:]:
        yield " " * COLUMN + line


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _width())


def _width() -> int:
    return min(shutil.get_terminal_size((MAX_WIDTH, 24)).columns, MAX_WIDTH)
