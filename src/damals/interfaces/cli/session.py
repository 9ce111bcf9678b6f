"""What a command works with: its values, the memory, and where results go."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from damals import messages
from damals.app.errors import InvalidInput
from damals.interfaces.cli.globals import GlobalOptions
from damals.interfaces.cli.output import Screen, print_json

if TYPE_CHECKING:
    from damals.api import Damals
    from damals.app.results import Result
    from damals.app.seen_results import SeenEntry
    from damals.settings import Loaded

R = TypeVar("R", bound="Result")


@dataclass(frozen=True)
class Session:
    """One run of the program.

    Attributes:
        lang: the language that people are spoken to in.
    """

    options: GlobalOptions
    lang: str

    def open(self, *, brief: bool = True) -> "Damals":
        """The memory that was asked for, for one ``brief`` command or for long work.

        When another process owns the home, that one is asked.
        """
        from damals.opening import Stay, open_damals  # noqa: PLC0415 -- wiring is loaded when needed

        stay = Stay.COMMAND if brief else Stay.PROCESS
        return open_damals(self.options.home, workspace=self.options.workspace, stay=stay)

    def settings(self) -> "Loaded":
        """The settings under the given options."""
        from damals.settings import Loaded  # noqa: PLC0415 -- pydantic is loaded when needed

        asked = self.options
        return Loaded.load(home=asked.home, workspace=asked.workspace, lang=asked.lang)

    @cached_property
    def screen(self) -> Screen:
        """Where people read."""
        return Screen()

    def say(self, key: str, **values: object) -> str:
        """A text of the interface."""
        return messages.text(key, self.lang, **values)

    def show(self, result: R, view: "Callable[[Session, R], None]") -> None:
        """Print a result: as one JSON document, or as people read it."""
        if self.options.json:
            print_json(result.to_dict())
        else:
            view(self, result)


@dataclass(frozen=True)
class Call:
    """One command with the values that were given; those that were not are absent."""

    session: Session
    values: Mapping[str, Any]

    def open(self, *, brief: bool = True) -> "Damals":
        """The memory that was asked for; see :meth:`Session.open`."""
        return self.session.open(brief=brief)

    def without(self, *names: str) -> dict[str, Any]:
        """The values but these."""
        return {name: value for name, value in self.values.items() if name not in names}

    def with_content(self) -> dict[str, Any]:
        """The values, the content read from standard input when it is ``-``.

        Raises:
            InvalidInput: ``cli.stdin_only`` for another argument than ``-``, and
                ``cli.stdin_not_utf8`` when what comes in is no text.
        """
        values = self.without("stdin")
        argument = self.values.get("stdin")
        if argument not in (None, "-") or (argument and "content" in values):
            raise InvalidInput("cli.stdin_only", given=str(argument))
        if argument or values.get("content") == "-":
            values["content"] = read_standard_input()
        return values

    def show(self, result: R, view: Callable[[Session, R], None]) -> None:
        """Print a result."""
        self.session.show(result, view)

    def show_entry(self, entry: "SeenEntry", view: "Callable[[Session, SeenEntry], None]") -> None:
        """Print an entry; its JSON document is ``{"entry": …}``, as that of a change."""
        if self.session.options.json:
            from damals.app.wire import to_wire  # noqa: PLC0415 -- results are loaded with the memory

            print_json(to_wire(entry))
        else:
            view(self.session, entry)


def read_standard_input() -> str:
    """All of standard input as text, without its last line feed.

    Raises:
        InvalidInput: ``cli.stdin_not_utf8``.
    """
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] -- it is, when the caller closed it
        return ""
    try:
        told = sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput("cli.stdin_not_utf8", offset=error.start) from error
    return told.replace("\r\n", "\n").removesuffix("\n")
