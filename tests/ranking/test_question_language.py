"""Phrases and operators of a question decide which entries may answer, exactly."""

import pytest
from ranked_memory import titles

from damals import Damals
from damals.domain.access import Principal
from damals.errors import InvalidInput

LONG = "\n\n".join(f"## Teil {n}\n\n" + "Ruhe und Stille im Haus. " * 40 for n in range(4))


@pytest.fixture
def archive(memory: Damals) -> Damals:
    with memory.transaction() as several:
        several.remember("Mietvertrag", "Die Frist beträgt vier\nWochen zum Monatsende.",
                         tags=["recht/miete"], type="note")  # fmt: skip
        several.remember("Kaufvertrag", "Die Frist beträgt lange vier Monate, nicht Wochen.",
                         tags=["recht"], type="reference", updated="2020-05-01")  # fmt: skip
        several.remember(
            "Kündigungsfrist", "Der Vertrag nennt C++ und E-Mail. STRASSE.", type="note"
        )
        several.remember(
            "Langer Vertrag", f"{LONG}\n\n## Schluss\n\nGurken sind grün.", type="note"
        )
    return memory


def found(memory: Damals, query: str, **options: object) -> set[str]:
    return set(titles(memory.recall(query, limit=None, **options)))


def test_a_phrase_must_stand_there_word_by_word(archive: Damals):
    assert found(archive, '"vier Wochen" Frist') == {"Mietvertrag"}
    assert found(archive, 'Frist "VIER   wochen"') == {"Mietvertrag"}
    assert found(archive, '"Wochen vier" Frist') == set()
    assert found(archive, '"Straße" Vertrag') == {"Kündigungsfrist"}
    assert found(archive, '"C++" Vertrag') == {"Kündigungsfrist"}
    assert found(archive, '"C" Vertrag') == {"Kündigungsfrist"}


def test_a_title_is_part_of_what_an_entry_says(archive: Damals):
    assert found(archive, '"Langer Vertrag"') == {"Langer Vertrag"}
    assert found(archive, "+Mietvertrag Frist") == {"Mietvertrag"}


def test_wanted_words_may_stand_in_different_parts_of_an_entry(archive: Damals):
    assert found(archive, "+Gurken +Ruhe Vertrag") == {"Langer Vertrag"}


def test_an_unwanted_word_excludes_the_entry_wherever_it_stands(archive: Damals):
    assert found(archive, "Ruhe im Haus -Gurken") & {"Langer Vertrag"} == set()
    assert "Langer Vertrag" in found(archive, "Ruhe im Haus -Tomaten")
    assert found(archive, 'Frist -"vier Wochen"') == {
        "Kaufvertrag", "Kündigungsfrist", "Langer Vertrag"
    }  # fmt: skip


def test_a_word_is_exact_and_no_part_of_another(archive: Damals):
    assert "Kündigungsfrist" in found(archive, "Vertrag -Frist")
    assert found(archive, "+Frist Vertrag") == {"Mietvertrag", "Kaufvertrag"}


def test_tags_types_paths_and_instants_narrow(archive: Damals, tmp_path):
    vault = tmp_path / "vault" / "Recht und Gesetz"
    vault.mkdir(parents=True)
    (vault / "Pacht.md").write_text("# Pacht\n\nEin Vertrag mit Frist.\n")
    archive.import_(tmp_path / "vault")
    assert found(archive, "Frist tag:recht") == {"Mietvertrag", "Kaufvertrag"}
    assert found(archive, "Frist tag:recht -tag:recht/miete") == {"Kaufvertrag"}
    assert found(archive, "Frist type:reference") == {"Kaufvertrag"}
    assert found(archive, "Frist type:reference type:note", type="reference") == {"Kaufvertrag"}
    assert found(archive, "Frist type:reference", type="note") == set()
    assert "Kaufvertrag" not in found(archive, "Frist -type:reference")
    assert found(archive, 'Frist path:"Recht und Gesetz"') == {"Pacht"}
    assert "Pacht" not in found(archive, 'Frist -path:"Recht und Gesetz/Pacht.md"')
    assert found(archive, "Frist before:2021") == {"Kaufvertrag"}
    assert found(archive, "Frist after:2020-05-01 before:2020-05-02") == {"Kaufvertrag"}
    assert "Kaufvertrag" not in found(archive, 'Frist after:"2. Mai 2020"')
    assert found(archive, "Frist before:2021", until="2020-01-01") == set()


def test_operators_are_shown_and_are_no_words_of_the_question(archive: Damals):
    told = archive.recall('Frist tag:recht -Haus "vier Wochen"', explain=True)
    assert told.operators == ("tag:recht", "-Haus", '"vier Wochen"')
    assert told.query == 'Frist tag:recht -Haus "vier Wochen"'
    [hit] = told
    assert set(hit.explanation.matched) == {"Frist", "vier", "Wochen"}


def test_nothing_is_an_operator_in_a_literal_question(archive: Damals):
    told = archive.recall("Frist -Wochen tag:recht", literal=True)
    assert told.operators == ()
    assert "Mietvertrag" in titles(told)


@pytest.mark.parametrize(
    "sentence",
    ["Wer schrieb die E-Mail um 10:30 Uhr?", "-5 Grad", "C++ oder C#?", 'das "Haus', "a: b - c +",
     "Personen und -organisationen", "(+)", '""', "„Haus“ -", "tag: type: path:"],
)  # fmt: skip
def test_a_natural_question_breaks_nothing(archive: Damals, sentence):
    told = archive.recall(sentence)
    assert told.operators == ()


@pytest.mark.parametrize(
    ("query", "key", "named"),
    [
        ("Frist before:irgendwann", "query.operator_instant", "before:irgendwann"),
        ("tag:recht type:note", "query.only_operators", "tag:recht"),
        ("Frist -after:2020", "query.operator_sign", "-after:2020"),
    ],
)
def test_errors_name_the_operator(archive: Damals, query, key, named):
    with pytest.raises(InvalidInput) as error:
        archive.recall(query)
    assert error.value.key == key
    assert named in str(error.value)


def test_pages_are_full_however_rare_a_phrase_is(memory: Damals):
    with memory.transaction() as several:
        for number in range(400):
            rare = "Der seltene Fall. " if number % 40 == 7 else ""
            several.remember(f"Akte {number}", f"{rare}Frist im Vertrag und Ruhe.")
    for query in ('Frist im Vertrag "seltene Fall"', '"seltene Fall" +Frist +Akte Vertrag'):
        assert len(memory.recall(query, limit=10).results) == 10
    assert len(memory.recall("Frist im Vertrag -seltene", limit=None).results) == 390


def test_a_hidden_entry_that_says_it_is_not_found_and_changes_nothing(archive: Damals):
    guest = archive.under(Principal("gast", visibility="internal"))

    def told(memory: Damals) -> list[tuple[str, float]]:
        found = memory.recall('"vier Wochen" Frist', as_of="2100-01-01")
        return [(hit.entry.id, hit.score) for hit in found]

    before = told(guest)
    archive.remember("Geheim", "vier Wochen Frist, Frist, Frist", visibility="restricted")
    assert told(guest) == before
    assert len(told(archive)) == 2


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ('Frist -"§ 5"', {"Absatz 5", "Sprache"}),
        ("Frist -C++", {"Absatz 5", "Paragraf"}),
        ('Frist -"in c"', {"Absatz 5", "Paragraf", "Sprache"}),
        ("Frist -c", {"Absatz 5", "Paragraf"}),
    ],
)
def test_what_is_unwanted_is_so_letter_by_letter(memory: Damals, query: str, left: set[str]):
    memory.remember("Absatz 5", "Die Frist steht in Absatz 5.")
    memory.remember("Paragraf", "Die Frist steht in § 5.")
    memory.remember("Sprache", "Die Frist für C++ ist kurz.")
    assert set(titles(memory.recall(query))) == left


@pytest.mark.parametrize(
    "query",
    ['Vertrag mit Müller "im April 2024"', 'Wo saß Müller "im Jahr 1990"?', "Müller +gestern"],
)
def test_what_is_wanted_letter_by_letter_is_no_time(memory: Damals, query: str):
    memory.remember("Müller", "Vertrag mit Müller im April 2024, gestern, im Jahr 1990.")
    found = memory.recall(query)
    assert found.understood.from_text is None
    assert titles(found) == ["Müller"]


def test_diversity_among_all_ends(memory: Damals):
    with memory.transaction():
        for number in range(450):
            memory.remember(f"Notiz {number}", f"Frist {number % 7} und {number % 5}")
    found = memory.recall("Frist", diversity=0.5, limit=None)
    assert len(found.results) == 450
