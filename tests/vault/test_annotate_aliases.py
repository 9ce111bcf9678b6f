"""Other names of a note that go one by one, while it keeps the rest as it stands."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from damals.adapters.vault.annotate import FrontmatterEditor
from damals.adapters.vault.frontmatter import split_frontmatter
from damals.app.annotating import Wanted, annotate
from damals.domain.errors import InvalidInput
from damals.domain.fields import When
from damals.domain.types import TypeCatalogue

READING = (When(ZoneInfo("UTC"), 0), TypeCatalogue)


def dropped(path: Path, *names: str, **fields: object) -> str:
    annotate(FrontmatterEditor(), path, Wanted(fields, {}, {}, (), names), READING)
    return path.read_text(encoding="utf-8")


@pytest.fixture
def note(tmp_path: Path) -> Path:
    return tmp_path / "Notiz.md"


@pytest.mark.parametrize(
    ("block", "gone", "left"),
    [
        ("aliases: [Chef, 'Der Boss', Ü]", ["chef"], "aliases: ['Der Boss', Ü]"),
        ("aliases: [Chef, Boss]", ["BOSS", "Chef"], "aliases: []"),
        ("aliases: [Chef, Boss]", ["Wer?"], "aliases: [Chef, Boss]"),
        ("aliases: Chef", ["chef"], "aliases: []"),
        ("aliases: Chef, Boss, Du", ["Boss"], "aliases: [Chef, Du]"),
        ("aliases: Chef, Boss", ["Chef, Boss"], "aliases: [Chef, Boss]"),
        ("alias: [Chef, Boss]", ["Chef"], "alias: [Boss]"),
        ("aliases:\n- Chef # k\n# ja\n- Boss # m", ["Chef"], "aliases:\n# ja\n- Boss # m"),
        ("aliases: ['#chef', Boss]", ["Boss"], "aliases: ['#chef']"),
        ("lang: de", ["Chef"], "lang: de"),
    ],
)  # fmt: skip
def test_a_name_goes_and_the_others_stay_as_they_stand(
    note: Path, block: str, gone: list[str], left: str
):
    note.write_text(f"---\nzahl: 007\n{block}\n---\nText", encoding="utf-8")
    assert dropped(note, *gone) == f"---\nzahl: 007\n{left}\n---\nText"
    assert dropped(note, *gone) == f"---\nzahl: 007\n{left}\n---\nText"


def test_names_that_go_one_after_the_other_are_all_gone(note: Path):
    note.write_text("---\naliases: [a, b, c, d]\n---\n", encoding="utf-8")
    for name in "bda":
        dropped(note, name)
    assert split_frontmatter(note.read_text(encoding="utf-8")).fields["aliases"] == ["c"]


@pytest.mark.parametrize(
    ("names", "fields", "key"),
    [
        (["a"], {"aliases": ["b"]}, "annotate.twice"),
        ([" "], {}, "annotate.no_value"),
        (["a\nb"], {}, "annotate.line_break"),
    ],
)
def test_what_cannot_be_meant_is_refused(note: Path, names, fields, key: str):
    note.write_text("---\naliases: [a]\n---\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as raised:
        dropped(note, *names, **fields)
    assert raised.value.key == key


def test_a_list_that_holds_more_than_names_is_left_to_people(note: Path):
    note.write_text("---\naliases: [Chef, {a: 1}]\n---\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as raised:
        dropped(note, "Chef")
    assert raised.value.key == "annotate.by_hand"
