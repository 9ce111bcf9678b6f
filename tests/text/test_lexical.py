"""The lexical encoder: which words meet, what a token weighs, and that no text breaks it."""

import os
import random
import subprocess
import sys
from itertools import pairwise
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.adapters.text.german import GRAM_WEIGHT, GermanLexicalEncoder, stop_words
from damals.app.index_model import SparseVector

ENCODER = GermanLexicalEncoder()


def stems(text: str) -> list[str]:
    return [stem for stem, _, _ in ENCODER.words(text)]


def shared(left: str, right: str) -> float:
    """The score of ``right`` for the question ``left``, without document frequencies."""
    weights = dict(zip(*unpacked(ENCODER.passage(right)), strict=True))
    question = zip(*unpacked(ENCODER.query(left)), strict=True)
    return sum(weight * weights.get(token, 0.0) for token, weight in question)


def unpacked(vector: SparseVector) -> tuple[tuple[int, ...], tuple[float, ...]]:
    return vector.indices, vector.values


class TestWordsThatMeet:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Kündigung", "kuendigung"),
            ("Kündigung", "KÜNDIGUNGEN"),
            ("Straße", "STRASSE"),
            ("Straßen", "strasse"),
            ("Größe", "Groesse"),
            ("STRAẞE", "Straße"),
            ("Häuser", "Haus"),
            ("Über", "über"),
            ("Kündi\u00adgung", "Kündigung"),
            ("ﬁnden", "finden"),
        ],
    )
    def test_spellings_of_a_word_have_one_stem(self, one: str, other: str):
        assert stems(one) == stems(other)

    @pytest.mark.parametrize(
        ("one", "other"), [("Kündigungsfrist", "kuendigungsfrist"), ("Fußgänger", "FUSSGAENGER")]
    )
    def test_spellings_of_a_word_have_the_same_tokens(self, one: str, other: str):
        assert ENCODER.query(one) == ENCODER.query(other)

    @pytest.mark.parametrize("text", ["Übergrößenträger", "Äpfel und Öl", "naïve Café-Besucher"])
    def test_composed_and_decomposed_letters_meet(self, text: str):
        decomposed = normalize("NFD", text)
        assert ENCODER.passage(decomposed) == ENCODER.passage(text)
        assert stems(decomposed) == stems(text)

    def test_a_compound_meets_its_parts_through_grams(self):
        compound = shared("Kündigungsfrist", "Die Frist der Kündigung beträgt drei Monate.")
        assert compound > shared("Kündigungsfrist", "Der Vulkan brach aus.") == 0

    def test_the_same_word_counts_more_than_a_part_of_another(self):
        assert shared("Frist", "eine Frist") > shared("Frist", "eine Kündigungsfrist")

    def test_markdown_emphasis_and_underscores_part_words(self):
        assert stems("_kursiv_ **fett** snake_case") == stems("kursiv fett snake case")


class TestStopWords:
    @pytest.mark.parametrize(
        "text", ["Was ist das?", "und oder für FUER dass", "who is it", "", "…"]
    )
    def test_a_question_of_nothing_else_is_empty(self, text: str):
        assert ENCODER.query(text) == SparseVector((), ())
        assert ENCODER.passage(text) == SparseVector((), ())

    @pytest.mark.parametrize("word", ["Not", "Most", "All", "Kündigung", "2024"])
    def test_german_nouns_that_look_english_are_kept(self, word: str):
        assert stems(word)

    def test_the_lists_hold_words_only(self):
        assert all(word.isalpha() for word in stop_words())
        assert len(stop_words()) > 300


class TestWeights:
    def test_indices_ascend_and_fit_32_bits(self):
        indices, values = unpacked(ENCODER.passage("Zwölf Boxkämpfer jagen Viktor quer " * 9))
        assert all(left < right for left, right in pairwise(indices))
        assert 0 <= indices[0] < indices[-1] < 2**32
        assert all(value > 0 for value in values)

    def test_a_repeated_word_saturates(self):
        once, twice, often = (shared("Frist", "Frist " * n) for n in (1, 2, 50))
        assert once < twice < often < 2.5 * once

    def test_a_longer_passage_weighs_a_word_less(self):
        assert shared("Frist", "Frist") > shared("Frist", "Frist" + " Vulkan" * 100)

    def test_grams_of_a_question_weigh_less_than_its_stem(self):
        _, values = unpacked(ENCODER.query("Vulkan"))
        assert sorted(values) == [GRAM_WEIGHT] * 3 + [1.0]

    def test_short_words_have_no_grams(self):
        assert len(ENCODER.query("Haus").indices) == 1

    def test_tokens_do_not_depend_on_process_or_hash_seed(self):
        text = "Kündigungsfrist nach § 622 BGB"
        code = (
            "from damals.adapters.text.german import GermanLexicalEncoder as E;"
            f"print(E().passage({text!r}))"
        )
        env = {**os.environ, "PYTHONHASHSEED": "1", "PYTHONIOENCODING": "utf-8"}
        result = subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, env=env
        )
        assert result.stdout.decode().strip() == str(ENCODER.passage(text))

    def test_token_ids_are_those_of_the_stored_vectors(self):
        # A change here strands every stored vector: raise the encoder's version with it.
        assert ENCODER.query("Haus").indices == (916657307,)
        assert ENCODER.version.startswith("de2-snowball")


class TestWordsForExplanations:
    def test_offsets_point_at_what_was_written(self):
        text = "Die Ku\u0308ndigungs\u00adfrist 😀 beträgt 3 Monate."
        found = [(stem, text[start:end]) for stem, start, end in ENCODER.words(text)]
        assert [written for _, written in found] == [
            "Ku\u0308ndigungs\u00adfrist",
            "beträgt",
            "3",
            "Monate",
        ]
        assert found[0][0] == stems("Kündigungsfrist")[0]

    @settings(max_examples=50, deadline=None)
    @given(st.text())
    def test_offsets_ascend_inside_any_text(self, text: str):
        ends = [0]
        for _, start, end in ENCODER.words(text):
            assert ends[-1] <= start < end <= len(text)
            ends.append(end)


class TestOddText:
    @settings(max_examples=100, deadline=None)
    @given(st.text(st.characters(exclude_categories=[])))
    def test_no_text_breaks_it(self, text: str):
        indices, values = unpacked(ENCODER.passage(text))
        assert len(indices) == len(values) == len(set(indices))
        # A question also asks by what a word may be instead: "declining" by "to decline".
        assert set(ENCODER.query(text).indices) >= set(indices)

    @pytest.mark.parametrize("separator", ["\x00", "\ud800", "\u2028", "😀", "_"])
    def test_what_is_no_letter_parts_words(self, separator: str):
        assert stems(f"Frist{separator}Vulkan") == stems("Frist Vulkan")

    @pytest.mark.parametrize(
        "text",
        [
            "x" * 1_000_000,
            "Donaudampfschiff " * 60_000,
            "a" + "\u0301\u0316" * 100_000,
            "\ufdfa" * 10_000,
            "知识就是力量" * 20_000,
            "\x00" * 127_000,
            "".join(random.Random(1).choices("abcdefgh", k=127_000)),
        ],
        ids=["x", "words", "combining marks", "U+FDFA", "Chinese", "NUL", "noise"],
    )
    def test_a_huge_line_is_read(self, text: str):
        vector = ENCODER.passage(text)
        assert len(vector.indices) <= 127_000
        assert len(ENCODER.words(text)) <= len(text)

    def test_parts_of_a_long_word_are_found_without_blanks(self):
        text = "知识就是力量" * 50
        assert shared("知识就是力量", text) > 0
