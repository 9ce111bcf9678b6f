"""How a failure looks: one line and a hint on standard error, or one JSON document."""

import os
import re
import sys
import traceback
from dataclasses import dataclass
from typing import Final

from damals import messages
from damals.app.errors import INTERNAL, DamalsError, InvalidInput, Outcome, outcome_of
from damals.interfaces.cli.output import clean_line, print_json, put

INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
"""What shells report of a program that ended on SIGINT or SIGPIPE."""

EXTRA: Final = re.compile(r"unexpected extra argument(?:s|\(s\))? \((.*)\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """A failure in words."""

    outcome: Outcome
    message: str
    hint: str | None


def report(error: BaseException, *, lang: str, as_json: bool) -> int:
    """Show a failure.

    Returns:
        The exit code.
    """
    if isinstance(error, KeyboardInterrupt):
        put("", sys.stderr)
        return INTERRUPTED
    if os.environ.get("DAMALS_DEBUG") == "1":
        traceback.print_exception(error)
    shown = describe(error, lang)
    if as_json:
        fields = {"code": shown.outcome.code, "message": shown.message, "hint": shown.hint}
        print_json({"error": fields})
    else:
        label = messages.text("cli.error", lang)
        put(f"{label}: {shown.message}", sys.stderr)
        if shown.hint:
            put(f"  {shown.hint}", sys.stderr)
    return shown.outcome.exit_code


def describe(error: BaseException, lang: str) -> Shown:
    """What to say about an error of any kind."""
    known = usage_problem(error) if _is_usage_error(error) else error
    if isinstance(known, DamalsError):
        message = messages.render(known.key, known.values, lang)
        advice = messages.hint(known.key, lang, known.values)
        return Shown(outcome_of(known), clean_line(message), advice and clean_line(advice))
    reason = clean_line(f"{type(error).__name__}: {error}".rstrip(": "))
    message = messages.text("cli.internal", lang, reason=reason)
    return Shown(INTERNAL, message, messages.hint("cli.internal", lang))


def _is_usage_error(error: BaseException) -> bool:
    """Whether the option parser raised it. Its classes are told by name: Typer exports few."""
    return any(
        kind.__name__ == "UsageError" and kind.__module__.split(".")[0] in {"typer", "click"}
        for kind in type(error).__mro__
    )


def usage_problem(error: BaseException) -> InvalidInput:
    """What the option parser did not like, as an error of our own."""
    command = getattr(getattr(error, "ctx", None), "command_path", "damals")
    values: dict[str, object] = {"command": command}
    match type(error).__name__:
        case "MissingParameter":
            return InvalidInput("cli.missing", **values, what=_parameter(error))
        case "NoSuchOption":
            return _no_such_option(error, values)
        case "BadOptionUsage":
            option = getattr(error, "option_name", "?")
            flag = "does not take a value" in str(error)
            return InvalidInput("cli.flag_value" if flag else "cli.no_value", option=option)
        case _:
            message = str(getattr(error, "format_message", error.__str__)())
            extra = EXTRA.search(message)
            if extra is not None:
                return InvalidInput("cli.extra", **values, extra=extra[1])
            return InvalidInput("cli.usage", **values, message=message)


def _parameter(error: BaseException) -> str:
    parameter = getattr(error, "param", None)
    options: list[str] = getattr(parameter, "opts", None) or ["?"]
    if options[0].startswith("-"):
        return options[0]
    return str(getattr(parameter, "metavar", None) or options[0].upper())


def _no_such_option(error: BaseException, values: dict[str, object]) -> InvalidInput:
    option: str = getattr(error, "option_name", "?")
    near: list[str] = list(getattr(error, "possibilities", None) or ())
    if near:
        return InvalidInput("cli.option_near", **values, option=option, near=", ".join(near))
    return InvalidInput("cli.option_unknown", **values, option=option)
