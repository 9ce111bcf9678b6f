"""The command line without an archive: options, help, and one helpful line for wrong usage."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from damals import messages
from damals.interfaces.cli import failures
from damals.interfaces.cli.globals import hoist
from damals.interfaces.cli.main import main
from damals.interfaces.cli.output import clean, clean_line
from damals.interfaces.cli.registry import commands, value_options

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("DAMALS_")]:
        monkeypatch.delenv(name)
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


WRONG = [
    (["ende"], "There is no command “ende”.", "end"),
    (["frobnicate"], "There is no command “frobnicate”.", "--help"),
    (["config"], "There is no command “config”.", "config show"),
    (["--frob"], "There is no option --frob for damals.", "--help"),
    (["end"], "damals end needs ID.", "damals end --help"),
    (["end", "x", "--at", "now"], "damals end needs --reason.", "damals end --help"),
    (["end", "x", "--at"], "Option --at needs a value.", "--at VALUE"),
    (["end", "x", "--reson", "y"], "There is no option --reson for damals end.", "--reason"),
    (["list", "--certain=yes"], "Option --certain takes no value.", "--certain"),
    (["list", "extra"], "damals list does not know what to do with: extra", "quotes"),
    (["recall", "wo", "sitzt", "wer"], "does not know what to do with: sitzt wer", "quotes"),
    (["list", "--limit", "viele"], "--limit needs a number from 1 up", "20"),
    (["list", "--limit", "0"], "--limit needs a number from 1 up", "20"),
    (["remember", "--title", "x", "--importance", "hoch"], "needs a whole number", "3"),
    (["remember", "--title", "x", "--persona-weight", "nan"], "needs a number", "0.5"),
    (["remember", "--title", "x", "--property", "novalue"], "a name and a value", "project=audit"),
    (["remember", "--title", "x", "--relate", "extends"], "a type and an id", "extends contract"),
    (["remember", "--title", "x", "content"], "“content” cannot stand here.", "--content TEXT"),
    (["retract", "x", "--reason", "y", "--if-transaction", "a"], "needs a whole number", "3"),
    (["retract", "x", "--reason", "y", "--restore=all"], "--restore takes no value.", "--restore"),
    (["revert", "3"], "damals revert needs --reason.", "damals revert --help"),
    (["revert", "--reason", "y"], "damals revert needs N.", "damals revert --help"),
    (["relate", "a", "extends"], "damals relate needs DST.", "damals relate --help"),
    (["relate", "a", "extends", "b", "--confidence", "viel"], "needs a number", "0.5"),
    (["unrelate", "a", "extends", "b", "c"], "does not know what to do with: c", "quotes"),
    (["contradict", "a", "b"], "damals contradict needs --reason.", "damals contradict --help"),
    (["resolve", "a", "b", "--reason", "y"], "damals resolve needs --keep.", "resolve --help"),
    (["resolve", "a", "b", "--keep"], "Option --keep needs a value.", "--keep VALUE"),
    (["verify", "x", "--score", "hoch"], "--score needs a number", "0.5"),
    (["archive", "x"], "damals archive needs --reason.", "damals archive --help"),
    (["unpin"], "damals unpin needs ID.", "damals unpin --help"),
    (["erase", "entry"], "damals erase needs ID.", "damals erase --help"),
    (["erase", "entry", "x"], "Nothing was erased: nobody confirmed it.", "--yes"),
    (["erase", "dream", "x"], "no way to erase a dream", "entry"),
    (["erase", "workspace", "x"], "Nothing was erased: nobody confirmed it.", "--yes"),
    (["list", "--lang", "fr"], "damals does not speak “fr”.", "en, de"),
    (["list", "--home"], "Option --home needs a value.", "--home VALUE"),
    (["list", "--home", ""], "Setting home cannot be “”", "config show"),
]


@pytest.mark.parametrize(("words", "message", "advice"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_usage_exits_2_with_one_line_and_a_hint(
    words: list[str], message: str, advice: str, capsys: pytest.CaptureFixture[str]
):
    assert main(words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = shown.err.splitlines()
    assert len(lines) == 2
    assert message in lines[0]
    assert advice in lines[1]
    assert "Traceback" not in shown.err


@pytest.mark.parametrize(("words", "message", "advice"), WRONG, ids=lambda v: str(v)[:40])
def test_wrong_usage_with_json_is_one_document(
    words: list[str], message: str, advice: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["--json", *words]) == 2
    shown = capsys.readouterr()
    error = json.loads(shown.out)["error"]
    assert set(error) == {"code", "message", "hint"}
    assert error["code"] == "invalid_input"
    assert message in error["message"]
    assert advice in error["hint"]
    assert shown.err == ""


def test_json_without_a_command_is_an_error_document(capsys: pytest.CaptureFixture[str]):
    assert main(["--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["message"] == "No command was given."


@pytest.mark.parametrize("words", [["list"], ["show", "x"], ["recall", "wo?"], ["log"]])
def test_reading_a_home_that_is_not_there_exits_3(
    words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    assert main([*words, "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "not_found"
    assert not (tmp_path / "home").exists()


def test_a_path_that_does_not_exist_exits_3(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert main(["import", str(tmp_path / "gone")]) == 3
    assert "gone" in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


def test_a_home_that_is_a_file_exits_2(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / "home").write_text("x", encoding="utf-8")
    assert main(["remember", "--title", "x"]) == 2
    assert "cannot be the folder of an archive" in capsys.readouterr().err


def test_errors_are_german_where_german_is_spoken(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    assert main(["--lang", "de", "ende"]) == 2
    assert capsys.readouterr().err.startswith("Fehler: Den Befehl „ende“ gibt es nicht.")
    monkeypatch.setenv("LANG", "de_DE.UTF-8")
    assert main(["ende"]) == 2
    assert capsys.readouterr().err.startswith("Fehler: ")
    monkeypatch.setenv("DAMALS_LANG", "en")
    assert main(["ende"]) == 2
    assert capsys.readouterr().err.startswith("Error: ")


def test_the_language_may_be_set_in_the_home(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text("lang: de\n", encoding="utf-8")
    assert main(["ende"]) == 2
    assert capsys.readouterr().err.startswith("Fehler: ")


@pytest.mark.parametrize(
    "words",
    [
        ["--home", "h", "--workspace=w", "--json", "--lang", "de", "list", "--certain"],
        ["list", "--certain", "--json", "--home=h", "--lang=de", "--workspace", "w"],
        ["list", "--home", "h", "--certain", "--lang", "de", "--json", "--workspace", "w"],
    ],
)
def test_global_options_stand_before_or_after_the_command(words: list[str]):
    options, rest = hoist(words, value_options)
    assert (options.home, options.workspace, options.lang) == ("h", "w", "de")
    assert options.json
    assert rest == ["list", "--certain"]


def test_a_value_is_never_taken_for_an_option():
    words = ["remember", "--title", "--json", "--content", "--home"]
    options, rest = hoist(words, value_options)
    assert not options.json
    assert options.home is None
    assert rest == words


def test_nothing_behind_two_hyphens_is_an_option():
    options, rest = hoist(["recall", "--", "--json"], value_options)
    assert not options.json
    assert rest == ["recall", "--", "--json"]


def test_an_option_may_take_a_value_in_one_command_and_none_in_another():
    options, rest = hoist(["demo", "--keep", "--home", "h"], value_options)
    assert (options.home, rest) == ("h", ["demo", "--keep"])
    options, rest = hoist(["resolve", "a", "b", "--keep", "--home", "--json"], value_options)
    assert (options.home, options.json) == (None, True)
    assert rest == ["resolve", "a", "b", "--keep", "--home"]


@pytest.mark.parametrize("lang", messages.LANGUAGES)
@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_has_help_with_an_example(
    name: str, lang: str, capsys: pytest.CaptureFixture[str]
):
    assert main([*name.split(), "--help", "--lang", lang]) == 0
    shown = capsys.readouterr().out
    assert f"  damals {name}" in shown
    assert ("Examples" if lang == "en" else "Beispiele") in shown
    assert "cli." not in shown


def test_the_overview_names_every_command(capsys: pytest.CaptureFixture[str]):
    assert main([]) == 0
    alone = capsys.readouterr().out
    assert main(["--help"]) == 0
    assert capsys.readouterr().out == alone
    assert all(f"  {name} " in alone for name in commands())


def test_help_for_an_unknown_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]):
    assert main(["ende", "--help"]) == 2
    assert "ende" in capsys.readouterr().err


def test_version_and_settings_have_their_documented_shapes(capsys: pytest.CaptureFixture[str]):
    assert main(["version", "--json"]) == 0
    assert set(json.loads(capsys.readouterr().out)) == {"version", "python", "engines"}
    assert main(["config", "show", "--json", "--workspace", "w"]) == 0
    settings = json.loads(capsys.readouterr().out)["settings"]
    assert {"name": "workspace", "value": "w", "origin": "option"} in settings
    assert all(set(item) == {"name", "value", "origin"} for item in settings)


def test_an_unexpected_failure_exits_1_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    error = ZeroDivisionError("one\ntwo")
    assert failures.report(error, lang="en", as_json=False) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("Error: Something unexpected happened: ZeroDivisionError: one two")
    assert "Traceback" not in shown
    assert failures.report(error, lang="de", as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "internal"
    monkeypatch.setenv("DAMALS_DEBUG", "1")
    failures.report(error, lang="en", as_json=False)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_interruption_exits_130(capsys: pytest.CaptureFixture[str]):
    assert failures.report(KeyboardInterrupt(), lang="en", as_json=True) == 130
    assert capsys.readouterr().out == ""


def test_what_is_shown_cannot_steer_the_terminal():
    assert clean("a\x1b[2Jb\r\nc\u202ed") == "a�[2Jb\nc�d"
    assert clean_line("a\n b\x00") == "a b�"
    assert clean("Müller – „Grüße“ 👍🏽 \u00a0") == "Müller – „Grüße“ 👍🏽 \u00a0"


def test_standard_input_that_is_no_text_is_refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Gr\xfc\xdfe")))
    assert main(["remember", "--title", "x", "--content", "-"]) == 2
    assert "byte 2" in capsys.readouterr().err


def damals(*words: str | bytes, **env: str) -> "subprocess.CompletedProcess[bytes]":
    """The program itself, with an environment of its own."""
    base = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "src")}
    base |= {"DAMALS_HOME": str(Path.cwd() / "home")}
    return subprocess.run(
        [sys.executable, "-m", "damals", *words], env=base | env, capture_output=True, check=False
    )


def test_output_is_utf8_in_a_c_locale():
    done = damals("--lang", "de", "ende", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert done.returncode == 2
    assert done.stderr.decode("utf-8").startswith("Fehler: Den Befehl „ende“ gibt es nicht.")


@pytest.mark.skipif(os.name == "nt", reason="arguments are Unicode there")
def test_an_argument_that_is_no_text_is_refused():
    done = damals("remember", "--title", b"M\xfcller", "--json")
    assert done.returncode == 2
    assert "--title" in json.loads(done.stdout)["error"]["message"]


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGPIPE")
def test_a_reader_that_goes_away_ends_it_quietly():
    command = f"{sys.executable} -m damals --help | true; echo ${{PIPESTATUS[0]}}"
    env = os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(
        ["bash", "-c", command], env=env, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.strip() in {"0", "141"}


@pytest.mark.skipif(os.name == "nt", reason="a shell closes streams another way there")
@pytest.mark.parametrize("closing", [">&-", "2>&-", ">&- 2>&-", "<&-"])
def test_streams_that_the_caller_closed_are_no_obstacle(closing: str):
    command = f"{sys.executable} -m damals version {closing}"
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(["bash", "-c", command], env=env, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.parametrize("home", ["~nobody-of-this-name/x", "a\udcffb", "x" * 5000])
def test_a_strange_home_is_one_line(home: str, capsys: pytest.CaptureFixture[str]):
    assert main(["--home", home, "list"]) in {2, 3, 5}
    assert len(capsys.readouterr().err.splitlines()) == 2
    assert main(["--home", home, "list", "--json"]) in {2, 3, 5}
    assert json.loads(capsys.readouterr().out)["error"]["message"]


def test_the_language_may_be_set_in_dotenv(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    (tmp_path / ".env").write_text("DAMALS_LANG=de\n", encoding="utf-8")
    assert main(["ende"]) == 2
    assert capsys.readouterr().err.startswith("Fehler: ")
