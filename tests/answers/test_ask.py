"""Answers in the words of the sources, in both languages, or that there is none."""

from collections.abc import Iterator

import pytest

from damals import Damals, messages
from damals.bootstrap import open_home

GUIDE = """# Werkhandbuch

## Anlauf

Die Presse läuft nach Nr. 7 der Anweisung an, ca. 20 Min. vor der Schicht. Danach folgt die Probe.

- **Öl** prüfen, siehe [[Wartung|die Wartung]]
- Schutzgitter schließen

| Teil | Abstand |
|---|---|
| Kolben | 12 mm |

```
kein Satz, nur Code mit Presse
```
"""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Damals]:
    folder = tmp_path_factory.mktemp("ask") / "home"
    with open_home(folder, embedder="none", timezone="Europe/Berlin", brief=True) as memory:
        memory.remember("Werkhandbuch", GUIDE, external_id="guide")
        memory.remember("Der Pförtner heißt Emil Krause", external_id="titel")
        memory.remember("Farbe des Tores", "Grün.", external_id="tor", valid_from="2020")
        memory.correct("tor", content="Blau.", reason="falsch abgelesen")
        yield memory


def quotes(answer) -> list[str]:
    return [citation.quote for citation in answer.citations]


def test_a_sentence_is_quoted_whole_with_its_abbreviations_and_its_offsets(memory: Damals):
    answer = memory.ask("Wann läuft die Presse vor der Schicht an?")
    sentence = "Die Presse läuft nach Nr. 7 der Anweisung an, ca. 20 Min. vor der Schicht."
    assert quotes(answer)[0] == sentence
    start, end = answer.citations[0].start, answer.citations[0].end
    assert memory.get("guide").content[start:end] == sentence
    assert "[1]" in answer.answer


def test_items_and_rows_of_tables_are_passages_and_links_read_as_their_names(memory: Damals):
    item = memory.ask("Was ist beim Öl zu prüfen, Wartung?")
    assert quotes(item)[0] == "**Öl** prüfen, siehe [[Wartung|die Wartung]]"
    assert "Öl prüfen, siehe die Wartung" in item.answer
    row = memory.ask("Welchen Abstand hat der Kolben?")
    assert "12 mm" in quotes(row)[0]


def test_an_entry_without_text_is_quoted_by_its_title(memory: Damals):
    answer = memory.ask("Wie heißt der Pförtner?")
    assert quotes(answer) == ["Der Pförtner heißt Emil Krause"]
    assert (answer.citations[0].start, answer.citations[0].end) == (None, None)


def test_a_bare_value_is_told_with_what_it_is_the_value_of(memory: Damals):
    answer = memory.ask("Welche Farbe hat das Tor, des Tores Farbe?")
    assert answer.answer.startswith("Farbe des Tores: Blau. [1]")


def test_an_answer_is_one_as_of_its_instants(memory: Damals):
    first = memory.history("tor").versions[0].recorded_from
    answer = memory.ask("Welche Farbe hat das Tor, des Tores Farbe?", known_at=first)
    assert quotes(answer)[0] == "Grün."
    assert answer.known_at == first


@pytest.mark.parametrize(
    "question",
    ["Wie hoch ist der Eiffelturm?", "Who won the world cup?", "?!", "der die das", "x" * 500],
)
def test_what_is_not_known_is_said_in_the_language_that_is_spoken(memory: Damals, question: str):
    for lang in messages.LANGUAGES:
        with messages.speaking(lang):
            answer = memory.ask(question)
            assert answer.abstained
            assert answer.answer == messages.text("answer.abstained", lang)
            assert (answer.citations, answer.model) == ((), None)


def test_every_reason_of_an_answer_says_where_it_is_cited(memory: Damals):
    answer = memory.ask("Wann läuft die Presse vor der Schicht an?")
    cited = {n for reason in answer.reasons for n in reason.cited}
    assert cited == {citation.n for citation in answer.citations}
    for reason in answer.reasons:
        assert sum(reason.parts.to_dict().values()) == reason.score


def test_the_options_of_a_recall_narrow_an_answer(memory: Damals):
    assert memory.ask("Wie heißt der Pförtner?", as_of="1990").abstained
    assert memory.ask("Wie heißt der Pförtner?", type="decision").abstained
