"""The command line: ``damals``."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from damals import messages
from damals.app.errors import InvalidInput
from damals.folders import default_home, expanded
from damals.interfaces.cli import failures
from damals.interfaces.cli.globals import GlobalOptions, hoist
from damals.interfaces.cli.help import command_help, overview
from damals.interfaces.cli.output import (
    open_closed_streams,
    prefer_utf8,
    put,
    results_alone,
)
from damals.interfaces.cli.registry import commands, find, value_options
from damals.interfaces.cli.session import Session


def run() -> NoReturn:
    """Entry point of the installed program."""
    open_closed_streams()
    prefer_utf8()
    code = main(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = _nobody_reads()
    except OSError as error:
        _nobody_reads()
        code = failures.report(error, lang=messages.spoken(), as_json=False)
    sys.exit(code)


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments say.

    Returns:
        The exit code; no exception leaves.
    """
    messages.install()
    options = GlobalOptions(json="--json" in arguments)
    lang = _language(None, None)
    try:
        options, words = hoist(arguments, value_options)
        lang = _language(options.lang, options.home)
        messages.speak(lang)
        with results_alone():
            return _do(Session(options, lang), words)
    except BrokenPipeError:
        return _nobody_reads()
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 -- every failure becomes an exit code
        return failures.report(error, lang=lang, as_json=options.json)


def _do(session: Session, words: Sequence[str]) -> int:
    if not words and not session.options.json:
        put(overview(session.lang))
        return 0
    if session.options.help and (not words or words[0] not in _first_words()):
        if words:
            find(words)
        put(overview(session.lang))
        return 0
    command, rest = find(words)
    if session.options.help:
        put(command_help(command, session.lang))
        return 0
    return command.run(session, rest)


def _first_words() -> frozenset[str]:
    return frozenset(name.split()[0] for name in commands())


def _language(asked: str | None, home: str | None) -> str:
    """The language to speak: option, environment, files of settings, locale.

    Raises:
        InvalidInput: ``cli.lang`` for an option that names no language damals speaks.
    """
    if asked is not None:
        if asked not in messages.LANGUAGES:
            raise InvalidInput("cli.lang", value=asked, known=", ".join(messages.LANGUAGES))
        return asked
    named = os.environ.get("DAMALS_LANG", "")
    if named in messages.LANGUAGES:
        return named
    return _language_of_files(home) or messages.language_of_locale()


def _language_of_files(home: str | None) -> str | None:
    """The language that settings in files choose; files that are wrong are reported later."""
    folder = expanded(Path(home or os.environ.get("DAMALS_HOME") or default_home()))
    try:
        if not Path(".env").is_file() and not (folder / "config.yaml").is_file():
            return None
    except OSError:
        return None
    from damals.settings import Loaded  # noqa: PLC0415 -- pydantic is loaded when needed

    try:
        loaded = Loaded.load(home=home)
    except InvalidInput:
        return None
    return loaded.settings.lang if loaded.origins["lang"] != "default" else None


def _nobody_reads() -> int:
    """Nobody reads any more: end quietly, also when Python flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    return failures.BROKEN_PIPE


if __name__ == "__main__":
    run()
