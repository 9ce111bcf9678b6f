"""Findings about notes of a vault: fields that were filled, links to nothing, names of several."""

import shlex
from pathlib import Path

import pytest
from hygiene_home import found, titles

from damals.domain.access import Principal
from damals.interfaces.cli.main import main
from damals.local import LocalDamals

WHOLE = "---\ntitle: {title}\ntype: reference\ntags: [a]\n---\n{body}\n"


def write(folder: Path, **notes: str) -> None:
    for name, text in notes.items():
        path = folder / f"{name.replace('__', '/')}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def whole(title: str, body: str, *fields: str) -> str:
    return WHOLE.format(title=title, body=body).replace("tags:", "\n".join((*fields, "tags:")))


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return tmp_path / "Mein Vault"


def test_required_fields_that_were_filled_are_told_and_those_that_were_given_are_not(home, vault):
    write(vault, bare="Nur Text.", tagged="# Kopf\n\nMit #thema.", full=whole("Voll", "x"))
    home.import_(vault)
    told = {one.titles[0]: one for one in found(home, "missing_field")}
    assert sorted(told) == ["Kopf", "bare"]
    assert (
        told["bare"].message
        == "“bare” (bare.md) does not say: title, type, tags. It was filled in."
    )
    assert "does not say: title, type." in told["Kopf"].message


def test_what_was_filled_can_be_written_into_the_note(home, vault, monkeypatch):
    write(vault, bare="Nur Text.")
    home.import_(vault)
    [one] = found(home, "missing_field")
    words = shlex.split(one.repair or "")
    assert words == [
        "damals", "annotate", str(vault / "bare.md"), "--title", "bare", "--type", "note",
    ]  # fmt: skip
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    assert main(words[1:]) == 0
    home.import_(vault)
    assert "does not say: tags." in found(home, "missing_field")[0].message


def test_a_note_that_gains_its_fields_is_not_told_any_more(home, vault, clock):
    write(vault, bare="Nur Text.")
    home.import_(vault)
    clock.days(1)
    write(vault, bare=whole("Nun", "Nur Text."))
    home.import_(vault)
    assert found(home, "missing_field") == []


def test_a_link_to_nothing_is_broken_until_the_note_is_there(home, vault, clock):
    write(vault, a=whole("A", "Siehe [[Fehlt]] und [[b]]."), b=whole("B", "x"))
    home.import_(vault)
    [one] = found(home, "broken_link")
    assert one.message == "“A” (a.md) links to “Fehlt”, and nothing is known under that name."
    assert one.repair is None
    clock.days(1)
    write(vault, Fehlt=whole("Da", "x"))
    home.import_(vault)
    assert found(home, "broken_link") == []


def test_a_note_without_links_is_an_orphan(home, vault):
    write(vault, a=whole("A", "Siehe [[b]]."), b=whole("B", "x"), c=whole("C", "[[Fehlt]]"))
    home.import_(vault)
    assert titles(home, "orphan") == [("C",)]


def test_an_alias_that_several_notes_have_is_ambiguous(home, vault):
    write(
        vault,
        a=whole("A", "x", "aliases: [Firma, Haus]"),
        b=whole("B", "y", "aliases: [firma]"),
        c=whole("C", "z", "aliases: [Andere]"),
    )
    home.import_(vault)
    [one] = found(home, "ambiguous_alias")
    assert sorted(one.titles) == ["A", "B"]
    assert "firma" in one.message
    kept = {shlex.split(way.command)[2]: shlex.split(way.command)[3:] for way in one.choices}
    assert kept == {
        str(vault / "a.md"): ["--drop-alias", "Firma"],
        str(vault / "b.md"): ["--drop-alias", "firma"],
    }


@pytest.mark.parametrize("said", ["[Chef, Boss, 'Last One', Eigen]", "Chef, Boss, Last One, Eigen"])
def test_each_printed_repair_of_a_note_leaves_what_the_others_did(home, vault, said):
    fields = f"aliases: {said}"
    write(vault, a="# A", b=whole("B", "y", fields), c=whole("C", "z", fields))
    write(vault, a="---\n" + fields + "\n---\n# A\n")
    home.import_(vault)
    note = str(vault / "a.md")
    kinds = ["ambiguous_alias", "missing_field"]
    report = home.hygiene(kind=kinds, limit=None).findings
    lines = [way.command for one in report for way in one.choices if note in way.command]
    assert len(lines) == 5 + ("," in said[:5])  # the whole text is a name too
    for line in lines:
        assert main(shlex.split(line)[1:]) == 0
    left = (vault / "a.md").read_text(encoding="utf-8")
    assert not any(name in left for name in ("Chef", "Boss", "Last One", "Eigen"))
    assert "title: A" in left
    assert "type: note" in left
    home.import_(vault)
    assert "A" not in [name for one in titles(home, "ambiguous_alias") for name in one]


def test_only_the_owner_is_told_where_files_lie(home, vault):
    write(vault, a=whole("A", "x", "aliases: [Firma]"), b=whole("B", "y", "aliases: [firma]"))
    write(vault, bare="Nur Text.")
    home.import_(vault)
    asked = {"kind": ["ambiguous_alias", "missing_field"], "limit": None}
    told = home.under(Principal("gast", roles=("administrator",))).hygiene(**asked)
    assert len(told.findings) == len(home.hygiene(**asked).findings) == 2
    assert str(vault) in str(home.hygiene(**asked))
    assert str(vault) not in str(told)
    assert [one.choices for one in told.findings] == [(), ()]


def test_a_name_that_several_sources_have_is_ambiguous_inside_of_each(home, vault, tmp_path):
    other = tmp_path / "anderes"
    for folder in (vault, other):
        write(folder, a=whole("A", "x", "aliases: [Firma]"), b=whole("B", "y", "aliases: [firma]"))
        home.import_(folder)
    home.remember("Firma", "gesagt")
    home.remember("Firma", "in einer Sitzung gesagt", source={"session": "s", "name": "chat"})
    told = found(home, "ambiguous_alias")
    assert [sorted(one.titles) for one in told] == [["A", "B"], ["A", "B"]]
    assert len({one.entries for one in told}) == 2
    assert all(str(folder) in str(told) for folder in (vault, other))


def test_so_is_an_alias_that_is_the_name_of_another_note(home, vault):
    write(vault, a=whole("A", "x", "aliases: [B]"), b=whole("Bee", "y"))
    home.import_(vault)
    assert [sorted(one) for one in titles(home, "ambiguous_alias")] == [["A", "Bee"]]


def test_a_link_that_may_mean_several_notes_is_told_where_it_stands(home, vault):
    write(vault, x__n=whole("Eins", "x"), y__n=whole("Zwei", "y"), a=whole("A", "[[n]]"))
    home.import_(vault)
    [one] = found(home, "ambiguous_alias")
    assert one.titles[0] == "A"
    assert sorted(one.titles[1:]) == ["Eins", "Zwei"]


def test_two_notes_of_one_file_name_that_nobody_links_by_it_are_fine(home, vault):
    write(vault, x__n=whole("Eins", "[[y/n]]"), y__n=whole("Zwei", "y"))
    home.import_(vault)
    assert found(home, "ambiguous_alias") == []


def test_a_home_that_is_asked_by_nobody_in_particular_tells_of_all(home: LocalDamals):
    assert home.hygiene().entries == 0
    assert home.hygiene().findings == ()
