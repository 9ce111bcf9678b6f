"""Forms of one verb meet; nouns and other words that look like one stay what they are."""

from importlib.resources import files

import pytest

from damals.adapters.text.german import GermanLexicalEncoder
from damals.adapters.text.verbs import infinitive

ENCODER = GermanLexicalEncoder()


def stems(text: str) -> list[str]:
    return [stem for stem, _, _ in ENCODER.words(text)]


def meets(question: str, passage: str) -> bool:
    return bool(set(ENCODER.query(question).indices) & set(ENCODER.passage(passage).indices))


def verb(word: str) -> str | None:
    read = infinitive(word.casefold(), large=word[0].isupper())
    return read.infinitive if read else None


class TestGermanVerbs:
    @pytest.mark.parametrize(
        "forms",
        [
            "sitzen sitzt saß saßen sass gesessen säße",
            "gelten gilt galt galten gegolten gälte",
            "liegen liegt lag gelegen läge laege",
            "heißen heißt heisst hieß hiessen geheißen",
            "tragen trägt traegt trägst trug trugen getragen getragenes",
            "wissen wusste wussten gewusst wuesste",
            "nehmen nimmt nimmst nahm nahmen genommen genommene",
            "leiten leitet leitest leitete leiteten geleitet geleitete",
            "liefern liefert lieferte lieferten geliefert gelieferten",
            "handeln handelt handelte gehandelt",
            "wohnen wohnt wohnst wohnte gewohnt",
            "rechnen rechnet rechnete gerechnet",
            "öffnen öffnet oeffnete geöffnet",
            "gehören gehört gehörte",
            "studieren studiert studierte studierten",
        ],
    )
    def test_the_forms_of_a_verb_have_one_stem(self, forms: str):
        assert len(set(stems(forms))) == 1

    @pytest.mark.parametrize(
        "forms",
        [
            "umziehen umzuziehen umgezogen umzog umzieht",
            "übernehmen uebernehmen übernimmt übernahm übernommen",
            "beschließen beschließt beschloss beschlossen beschlossene",
            "enthalten enthält enthielt",
            "vergessen vergisst vergaß",
            "unterschreiben unterschrieb unterschrieben unterzuschreiben",
            "kündigen kündigt kündigte gekündigt",
            "anerkennen anerkannt anzuerkennen",
            "vorbereiten vorbereitet vorzubereiten",
            "wiederherstellen wiederhergestellt wiederherzustellen",
            "ausprobieren ausprobiert auszuprobieren",
        ],
    )
    def test_prefixes_stay_with_their_verb(self, forms: str):
        assert len(set(stems(forms))) == 1

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("bezog", "zog"),
            ("verstanden", "gestanden"),
            ("lief", "lieferte"),
            ("lag", "lagerte"),
            ("gehört", "hört"),
            ("verlegt", "verliegt"),
            ("gelangte", "gelang"),
        ],
    )
    def test_different_verbs_stay_apart(self, one: str, other: str):
        assert stems(one) != stems(other)

    @pytest.mark.parametrize("word", ["Galt", "Trug", "Saß", "Betreute", "Gehört", "Umgezogen"])
    def test_a_verb_that_begins_a_question_is_read(self, word: str):
        assert stems(word) == stems(word.lower())

    def test_a_question_in_the_past_meets_a_note_in_the_present(self):
        assert meets("Wo saß er?", "Er sitzt in Detmold.")
        assert meets("Was galt?", "Es gilt dies.")
        assert not meets("Wo saß er?", "Er liegt in Detmold.")


class TestOtherWords:
    @pytest.mark.parametrize(
        "word",
        [
            *("Aufgaben", "Ausgaben", "Unterlagen", "Anlagen", "Stand", "Bestand", "Verstand"),
            *("Betrag", "Betrug", "Betrieb", "Eintritt", "Zugriff", "Dienst", "Macht", "Band"),
            *(
                "Schloss",
                "Schritt",
                "Stahl",
                "Strich",
                "Wand",
                "Lage",
                "Lagen",
                "Verlag",
                "Sprachen",
            ),
            *("Unterschied", "Verbot", "Ausfuhr", "Gefahren", "Angeboten", "Fortbestand", "Haut"),
            *("Vertrag", "Auftrag", "Antwort", "Zeit", "Geschichte", "Gesicht", "Gerät", "Bericht"),
            *("Meeting", "Training", "Held", "Sold", "LED"),
        ],
    )
    def test_a_noun_is_not_read_as_a_verb(self, word: str):
        assert verb(word) is None

    @pytest.mark.parametrize(
        "word", ["bekannte", "verschiedene", "aufgaben", "stahl", "viertes", "derart", "weiß"]
    )
    def test_what_is_mostly_another_word_is_none_when_written_small_either(self, word: str):
        assert verb(word) is None

    @pytest.mark.parametrize(
        ("word", "read"),
        [("stand", "stehen"), ("lagen", "liegen"), ("betrug", "betragen"), ("griff", "greifen")],
    )
    def test_a_verb_with_a_noun_beside_it_is_read_when_written_small(self, word: str, read: str):
        assert verb(word) == read
        assert verb(word.capitalize()) is None

    @pytest.mark.parametrize("noun", ["Unterlagen", "Bestand", "Betrieb", "Zugriff", "Meeting"])
    def test_a_question_that_writes_all_words_small_still_finds_the_noun(self, noun: str):
        assert ENCODER.query(noun).indices[0] in ENCODER.query(noun.lower()).indices
        assert set(ENCODER.query(noun).indices) <= set(ENCODER.query(noun.lower()).indices)

    def test_stop_words_stay_stop_words(self):
        assert stems("war ist gewesen hatte hätte wurde worden was were been") == []


class TestEnglishVerbs:
    @pytest.mark.parametrize(
        "forms",
        [
            "go goes went gone",
            "hold holds held holding",
            "sell sells sold",
            "lead leads led leading",
            "know knows knew known",
            "approve approves approved approving",
            "stop stops stopped stopping",
            "carry carries carried carrying",
            "agree agrees agreed agreeing",
        ],
    )
    def test_the_forms_of_a_verb_have_one_stem(self, forms: str):
        assert len(set(stems(forms))) == 1


class TestWordsForExplanations:
    def test_what_is_shown_is_what_was_written(self):
        text = "Die Firma saß in Detmold und ist 2026 umgezogen."
        asked = set(stems("Wo sitzt die Firma? Umziehen"))
        shown = [text[start:end] for stem, start, end in ENCODER.words(text) if stem in asked]
        assert shown == ["Firma", "saß", "umgezogen"]


class TestData:
    @pytest.mark.parametrize("name", ["verbs_de.txt", "verbs_de_regular.txt"])
    def test_every_infinitive_is_read_as_itself(self, name: str):
        text = (files("damals.adapters.text") / "data" / name).read_text(encoding="utf-8")
        lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
        told = 1 if name == "verbs_de.txt" else None  # forms follow the infinitive there
        verbs = [word for line in lines for word in line[:told]]
        assert len(set(verbs)) == len(verbs)
        assert [one for one in verbs if verb(one) != one] == []
