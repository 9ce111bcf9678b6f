"""Every message exists in German and English, and can be filled in."""

import ast
import re
import string
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from damals import messages
from damals.app.errors import InvalidInput
from damals.app.results import Parts
from damals.interfaces.cli.options import GLOBAL_HELP
from damals.interfaces.cli.registry import commands

SOURCE = Path(messages.__file__).parents[1]
ERRORS = {"InvalidInput", "NotFound", "Conflict", "Unavailable", "Denied", "Corrupt"}
TEXTS = {"text", "say", "render"}


def called(names: set[str]) -> Iterator[tuple[str, set[str] | None, str]]:
    """Key, names of the values (``None`` when they are not in the open) and place of each call."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            name = node.func.id if isinstance(node.func, ast.Name) else name
            place = f"{path.relative_to(SOURCE)}:{node.lineno}"
            if name in names:
                given = {keyword.arg for keyword in node.keywords}
                values = None if None in given else {arg for arg in given if arg}
                for key in keys_of(node.args[0]):
                    yield key, values, place


def keys_of(node: ast.expr) -> list[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.IfExp):
        return [*keys_of(node.body), *keys_of(node.orelse)]
    return []


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_error_that_is_raised_has_a_message(lang: str):
    known = messages.catalogue(lang)
    missing = {f"{key} ({place})" for key, _, place in called(ERRORS) if key not in known}
    assert not missing


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_placeholder_of_an_error_is_filled_where_it_is_raised(lang: str):
    known = messages.catalogue(lang)
    for key, values, place in called(ERRORS):
        if values is None or key not in known:
            continue
        asked = placeholders(known[key]) | placeholders(known.get(f"{key}.hint", ""))
        assert asked <= values, f"{place}: {key} lacks {asked - values}"


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_text_that_an_interface_asks_for_exists(lang: str):
    known = messages.catalogue(lang)
    dotted = {key for key, _, _ in called(TEXTS) if "." in key and " " not in key}
    assert not {key for key in dotted if key not in known}


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_text_that_a_template_asks_for_exists(lang: str):
    known = messages.catalogue(lang)
    asked = re.compile(r"""\bt\(\s*["']([^"']+)["']\s*[,)]""")
    templates = list(SOURCE.rglob("templates/*.html"))
    found = {key for one in templates for key in asked.findall(one.read_text(encoding="utf-8"))}
    assert len(found) > 100
    assert not found - set(known)


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_stage_of_progress_every_part_of_a_score_and_every_count_has_a_name(lang: str):
    known = messages.catalogue(lang)
    stages = {f"cli.stage.{stage}" for stage, _, _ in called({"Progress"})}
    parts = {f"cli.part.{field.name}" for field in fields(Parts)}
    counts = {f"cli.count.{name}" for name in ("added", "changed", "moved", "removed", "unchanged")}
    assert stages
    assert stages | parts | counts <= set(known)


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_every_command_and_every_option_is_explained(lang: str):
    known = messages.catalogue(lang)
    for command in commands().values():
        assert f"cli.help.{command.key}" in known
        assert f"cli.example.{command.key}" in known
        for parameter in (*command.parameters, *GLOBAL_HELP):
            general = f"cli.option.{parameter.name}"
            assert {general, f"cli.option.{command.key}.{parameter.name}"} & set(known)


def test_both_languages_say_the_same_keys_with_the_same_placeholders():
    english, german = messages.catalogue("en"), messages.catalogue("de")
    assert set(english) == set(german)
    differing = {
        key
        for key in english
        if not key.endswith(".hint") and placeholders(english[key]) != placeholders(german[key])
    }
    assert not differing


@pytest.mark.parametrize("lang", messages.LANGUAGES)
def test_no_key_stands_in_two_files_and_messages_are_single_lines(lang: str):
    seen: dict[str, str] = {}
    for path in sorted((SOURCE / "messages" / lang).glob("*.toml")):
        for key, text in tomllib.loads(path.read_text(encoding="utf-8")).items():
            assert key not in seen, f"{key} is in {seen[key]} and {path.name}"
            seen[key] = path.name
            assert text.strip()
            if not key.startswith("cli.example."):
                assert "\n" not in text, key


def test_a_value_is_data_and_never_a_template():
    told = messages.render("entry.unknown", {"id": "{id.__class__} {0} {"}, "en")
    assert told == "There is no entry “{id.__class__} {0} {”."


def test_an_error_that_was_the_cause_speaks_the_same_language():
    cause = InvalidInput("relation.no_id", dst="x")
    told = messages.render("events.line", {"path": "p", "line": 3, "cause": cause}, "de")
    assert "„x“ bezeichnet keinen Eintrag." in told


def test_a_missing_value_leaves_its_placeholder_standing():
    assert "{id}" in messages.render("entry.unknown", {}, "en")


def test_a_long_value_is_clipped():
    told = messages.render("entry.unknown", {"id": "x" * 10_000}, "en")
    assert len(told) < 400


def test_an_unknown_key_still_says_something():
    assert messages.render("no.such", {"a": 1}, "de") == "no.such (a=1)"
    assert messages.hint("no.such", "de") is None


def test_a_language_damals_does_not_speak_falls_back_to_english():
    assert messages.render("entry.erased", {"id": "a"}, "fr") == "Entry “a” was erased."


def test_errors_speak_the_language_of_their_context():
    messages.install()
    error = InvalidInput("query.empty")
    assert str(error) == messages.text("query.empty", "en")
    messages.speak("de")
    assert str(error) == messages.text("query.empty", "de")


def test_errors_speak_english_once_the_catalogues_are_installed():
    messages.install()
    assert str(InvalidInput("relation.no_id", dst="x")) == "“x” names no entry."
