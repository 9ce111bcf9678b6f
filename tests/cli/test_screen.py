"""What people see on a terminal, and where it is no terminal."""

import io
import sys

import pytest

from damals.app.results import Progress
from damals.interfaces.cli import progress
from damals.interfaces.cli.globals import GlobalOptions
from damals.interfaces.cli.output import Screen, put, results_alone
from damals.interfaces.cli.progress import reporting
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_a_terminal_gets_colour_and_others_plain_text():
    shown, plain = Terminal(), io.StringIO()
    for stream in (shown, plain):
        Screen(stream).line(("Müller", "bold"), " GmbH")
    assert "\x1b[1mMüller\x1b[0m GmbH" in shown.getvalue()
    assert plain.getvalue() == "Müller GmbH\n"


def test_a_dumb_terminal_gets_plain_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TERM", "dumb")
    shown = Terminal()
    Screen(shown).line(("Müller", "bold"))
    assert shown.getvalue() == "Müller\n"


def test_text_is_never_read_as_markup():
    shown = Terminal()
    Screen(shown).line("[red]x[/red] :smile: \x1b[31m")
    Screen(shown).table(["[b]a[/b]"], [["[link=x]y[/link]"]])
    assert "[red]x[/red] :smile: �[31m" in shown.getvalue()
    assert "[link=x]y[/link]" in shown.getvalue()


def test_a_plain_table_is_aligned_with_one_line_a_row():
    plain = io.StringIO()
    Screen(plain).table(["Title", "Id"], [["a\nb", "1"], ["longer one", "2"]])
    assert plain.getvalue().splitlines() == ["Title       Id", "a b         1", "longer one  2"]


def test_standard_output_is_for_results_alone(capsys: pytest.CaptureFixture[str]):
    with results_alone():
        sys.stdout.write("a library talks\n")
        put("result")
        assert sys.stdout is sys.stderr
    shown = capsys.readouterr()
    assert shown.out == "result\n"
    assert shown.err == "a library talks\n"


STEPS = [
    Progress("scan", 0, None, "files"),
    Progress("read", 3, 10, "files"),
    Progress("read", 10, 10, "files"),
    Progress("embed", 5, 5, "chunks"),
]


def test_progress_on_a_terminal_is_a_bar_on_standard_error(monkeypatch: pytest.MonkeyPatch):
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    with reporting(Session(GlobalOptions(), "de")) as report:
        for step in STEPS:
            report(step)
    assert "Vektoren berechnen" in shown.getvalue()


def test_progress_elsewhere_is_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    with reporting(Session(GlobalOptions(), "en")) as report:
        report(STEPS[1])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "QUIET_INTERVAL_S", 0)
    with reporting(Session(GlobalOptions(json=True), "en")) as report:
        report(STEPS[0])
        report(STEPS[1])
    shown = capsys.readouterr()
    assert shown.err == "Looking for files: 0 files\nReading: 3/10 files\n"
    assert shown.out == ""


@pytest.mark.parametrize(
    ("instant", "zone", "shown"),
    [
        ("2026-06-01T06:00:00.000000Z", "Europe/Berlin", "2026-06-01 08:00"),
        ("2026-06-01T06:00:07.900000Z", "Europe/Berlin", "2026-06-01 08:00:07"),
        ("0001-01-01T00:00:00.000000Z", "America/New_York", "0001-01-01T00:00:00.000000Z"),
        ("0800-12-25T12:00:00.000000Z", "UTC", "0800-12-25 12:00"),
        ("2026-06-01T06:00:00.000000Z", "No/Where", "2026-06-01T06:00:00.000000Z"),
        (None, "UTC", ""),
    ],
)
def test_instants_are_shown_in_the_zone(instant: str | None, zone: str, shown: str):
    assert local(instant, zone) == shown
