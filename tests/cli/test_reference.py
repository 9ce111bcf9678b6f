"""The reference pages say what the code does."""

import re
from pathlib import Path

import pytest

from damals.interfaces import reference
from damals.interfaces.cli.registry import commands
from damals.settings import NAMES

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", sorted(reference.pages()))
def test_the_reference_is_up_to_date(name: str):
    written = (FOLDER / name).read_text(encoding="utf-8")
    assert written == reference.pages()[name], "run `make docs`"


@pytest.mark.parametrize("page", ["cli.md", "cli.de.md"])
def test_every_command_and_every_option_is_documented_with_an_example(page: str):
    text = reference.pages()[page]
    for command in commands().values():
        section = text.partition(f"\n## damals {command.name}\n")[2].partition("\n## ")[0]
        assert section.count(f"damals {command.name}") >= 2, command.name
        for parameter in command.parameters:
            assert parameter.written in section, (command.name, parameter.name)
    assert "cli.option" not in text


@pytest.mark.parametrize("name", [name for name in sorted(reference.pages()) if ".md" in name])
def test_no_page_shows_the_key_of_a_text_that_is_missing(name: str):
    assert not re.search(r"\breference\.\w+\.", reference.pages()[name])


@pytest.mark.parametrize("page", ["settings.md", "settings.de.md"])
def test_every_setting_is_documented(page: str):
    text = reference.pages()[page]
    assert all(f"`DAMALS_{name.upper()}`" in text for name in NAMES)
    assert "reference." not in text
    assert reference.documented_settings() == set(NAMES)


def test_writing_makes_every_page(tmp_path: Path):
    reference.write(tmp_path / "made")
    assert {path.name for path in (tmp_path / "made").iterdir()} == set(reference.pages())
