"""What every chunk index must do with phrases, and with what is left out or pinned down."""

import pytest
from index_contract import a_point, an_id, everything, names_of, tokens, vector

from damals.app.index_model import IndexQuery
from damals.app.ports import ChunkIndex
from damals.domain.phrases import folded_text, words_of


class PhrasesContract:
    @pytest.fixture
    def index(self) -> ChunkIndex:
        raise NotImplementedError

    def test_one_of_several_paths_is_enough_and_none_of_others(self, index: ChunkIndex):
        index.upsert([a_point(n, paths=(n, f"{n}/{n}.md")) for n in "abc"])
        assert names_of(index, everything(paths=("a", "c/c.md")), "abc") == {"a", "c"}
        assert names_of(index, everything(no_paths=("a", "c/c.md")), "abc") == {"b"}

    def test_types_and_tags_can_be_left_out(self, index: ChunkIndex):
        index.upsert([a_point("a", type="x", tags=("s", "t")), a_point("b", type="y", tags=("t",))])
        assert names_of(index, everything(no_types=("x", "z")), "ab") == {"b"}
        assert names_of(index, everything(no_tags=("s",)), "ab") == {"b"}
        assert names_of(index, everything(no_tags=("s", "t")), "ab") == set()

    def test_only_the_named_entries_are_found(self, index: ChunkIndex):
        index.upsert([a_point(n) for n in "abc"])
        only = (an_id("entry a"), an_id("entry c"), an_id("entry of nobody"))
        assert names_of(index, everything(only=only), "abc") == {"a", "c"}
        assert names_of(index, everything(only=only, but=(an_id("entry c"),)), "abc") == {"a"}

    def test_a_phrase_is_its_words_one_behind_the_other(self, index: ChunkIndex):
        texts = {"a": "die frist von vier wochen", "b": "vier lange wochen frist", "c": "straße"}
        index.upsert([a_point(name, body=folded_text(text)) for name, text in texts.items()])

        def saying(*phrases: str) -> set[object]:
            folded = tuple(map(folded_text, phrases))
            found = names_of(index, everything(phrases=folded), "abc")
            if len(folded) == 1:
                left = names_of(index, everything(no_phrases=folded), "abc")
                assert left == set("abc") - found or not words_of(folded[0])
            return found

        assert saying("vier Wochen") == {"a"}
        assert saying("Frist") == saying("vier") == {"a", "b"}
        assert saying("Frist", "lange") == {"b"}
        assert saying("wochen vier") == saying("woche") == saying("rist") == set()
        assert saying("STRASSE") == {"c"}
        assert saying("vier, Wochen!") == {"a"}, "signs are the ledger's to check"
        assert saying("!!") == {"a", "b", "c"}

    def test_one_of_two_phrases_is_enough_beside_all_of_the_others(self, index: ChunkIndex):
        texts = {"a": "frist von vier wochen", "b": "drei lange wochen", "c": "frist von tagen"}
        index.upsert([a_point(name, body=body) for name, body in texts.items()])
        either = ("vier wochen", "lange wochen")
        assert names_of(index, everything(either=either), "abc") == {"a", "b"}
        assert names_of(index, everything(either=either, phrases=("frist",)), "abc") == {"a"}
        assert names_of(index, everything(either=("wochen vier",)), "abc") == set()

    def test_a_hit_says_type_and_title(self, index: ChunkIndex):
        index.upsert([a_point("a", type="goal", title="Ziel")])
        hits = index.query(IndexQuery(everything(), vector(1, 0, 0, 0), tokens(1), 10))
        assert [(hit.type, hit.title) for hit in (*hits.dense, *hits.lexical)] == [
            ("goal", "Ziel")
        ] * 2
