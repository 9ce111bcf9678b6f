"""The persons of a workspace, and the default persona."""

import pytest

from damals.bootstrap import init_home, open_home
from damals.domain.access import Principal


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    return tmp_path / "home"


@pytest.fixture
def memory(home):
    with open_home(home) as opened:
        yield opened


def person(memory, name, to_owner=None, **fields):
    properties = {} if to_owner is None else {"relation_to_owner": to_owner}
    memory.remember(name, external_id=name, type="person", properties=properties, **fields)


def test_persons_are_listed_by_title_with_how_they_stand_to_the_owner(memory):
    person(memory, "Zoe", "other")
    person(memory, "Anna", "self")
    person(memory, "Mia")
    memory.remember("Kein Mensch", type="fact")
    memory.relate("Zoe", "friend_of", "Anna")
    found = memory.people()
    assert [(one.title, one.relation_to_owner, one.relations) for one in found.people] == [
        ("Anna", "self", 1),
        ("Mia", None, 0),
        ("Zoe", "other", 1),
    ]
    assert found.caveats == ()


def test_notes_in_a_folder_of_persons_are_persons(memory, tmp_path):
    vault = tmp_path / "vault"
    for path in ("person/lars.md", "Team/Person/eva.md", "personen/nicht.md", "person.md"):
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(f"---\ntype: persona\n---\n# {path}\n", encoding="utf-8")
    memory.import_(vault)
    found = memory.people()
    assert [one.path for one in found.people] == ["person/lars.md", "Team/Person/eva.md"]
    assert [one.type for one in found.people] == ["persona", "persona"]


def test_the_only_one_who_is_the_owner_is_the_default_persona(memory):
    person(memory, "Lars", "self")
    person(memory, "Eva", "other")
    found = memory.people()
    assert [one.title for one in found.people if one.persona] == ["Lars"]
    assert found.persona == memory.get("Lars").id


def test_two_owners_are_reported_and_neither_is_the_persona(memory):
    person(memory, "Lars", "self")
    person(memory, "Eva", " Self ")
    found = memory.people()
    assert found.persona is None
    assert not any(one.persona for one in found.people)
    [caveat] = found.caveats
    assert "Lars" in caveat
    assert "Eva" in caveat


def test_the_setting_names_another_persona(home, monkeypatch):
    monkeypatch.setenv("DAMALS_PERSONA", "Eva")
    with open_home(home) as memory:
        person(memory, "Lars", "self")
        person(memory, "Eva", "other")
        assert [one.title for one in memory.people().people if one.persona] == ["Eva"]


def test_a_persona_that_nobody_knows_is_reported(home, monkeypatch):
    monkeypatch.setenv("DAMALS_PERSONA", "Niemand")
    with open_home(home) as memory:
        person(memory, "Lars", "self")
        found = memory.people()
        assert found.persona is None
        assert "Niemand" in found.caveats[0]


def leave_archived(memory):
    memory.archive("Mia", reason="r")


def leave_retracted(memory):
    memory.retract("Mia", reason="r")


def leave_ended(memory):
    memory.end("Mia", "2021-01-01", reason="r")


@pytest.mark.parametrize("leave", [leave_archived, leave_retracted, leave_ended])
def test_a_chosen_persona_that_does_not_hold_any_more_is_reported(home, monkeypatch, leave):
    monkeypatch.setenv("DAMALS_PERSONA", "Mia")
    with open_home(home) as memory:
        person(memory, "Anna", "self", valid_from="2020-01-01")
        person(memory, "Mia", "other", valid_from="2020-01-01")
        leave(memory)
        found = memory.people()
        assert found.persona is None
        assert "Mia, which is archived or does not hold now" in found.caveats[0]


def test_archived_erased_ended_and_hidden_persons_are_not_listed(memory):
    for name in ("Weg", "Gelöscht", "Früher", "Geheim", "Da"):
        person(memory, name, valid_from="2020-01-01")
    memory.archive("Weg", reason="r")
    memory.erase("entry", "Gelöscht")
    memory.end("Früher", "2021-01-01", reason="r")
    memory.correct("Geheim", visibility="restricted", reason="r")
    guest = memory.under(Principal("gast", visibility="internal"))
    assert [one.title for one in guest.people().people] == ["Da"]
    assert [one.title for one in memory.people().people] == ["Da", "Geheim"]


def test_something_else_than_self_or_other_is_nothing_that_is_known(memory):
    for number, said in enumerate(["ich", 3, ["self"], None]):
        person(memory, f"P{number}", said)
    found = memory.people()
    assert {one.relation_to_owner for one in found.people} == {None}
    assert found.persona is None


def test_an_import_reports_what_a_person_cannot_be(memory, tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    said = "---\ntype: person\nrelation_to_owner: ich\n---\n# Lars\n"
    (vault / "lars.md").write_text(said, encoding="utf-8")
    report = memory.import_(vault)
    [warning] = report.warnings
    assert "relation_to_owner" in warning.reason
    assert "self, other" in warning.reason
    [found] = memory.people().people
    assert found.relation_to_owner is None
