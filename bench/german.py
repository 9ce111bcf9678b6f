"""How well German questions find their paragraph: words, vectors, and both fused.

The German part of XQuAD (Artetxe et al. 2020): 240 paragraphs as documents, 1,190 questions, one
right paragraph each, nDCG@10. Every leg is computed in memory as the index does it, so this
measures embedder, encoder and fusion, not an engine. Run with ``python -m bench.german``.
"""

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs
from numpy.typing import NDArray

from damals.adapters.embedders.e5 import E5Embedder
from damals.adapters.text.german import GermanLexicalEncoder
from damals.app.index_model import SparseVector
from damals.app.ports import Embedder, LexicalEncoder
from damals.domain.chunks import embedded_text

Scores = NDArray[np.float64]
"""One row a question, one column a document."""

DEPTH = 10
CANDIDATES = 100
VECTOR_WEIGHT = 0.6


@dataclass(frozen=True, slots=True)
class RetrievalTest:
    """Documents, questions, and for each question the number of its document."""

    documents: Sequence[str]
    questions: Sequence[str]
    answers: Sequence[int]


def xquad_path() -> Path:
    """Where the data set is expected."""
    default = Path(__file__).resolve().parents[1] / "../shared/data"
    return Path(os.environ.get("DAMALS_DATA", default)) / "xquad.de.json"


def model_dir() -> Path:
    """Where the model's files are kept."""
    cache = os.environ.get("DAMALS_CACHE") or platformdirs.user_cache_dir("damals")
    return Path(cache) / "models"


def load_xquad(path: Path) -> RetrievalTest:
    """Paragraphs titled by their article and a running number, as they would be indexed."""
    documents: list[str] = []
    questions: list[str] = []
    answers: list[int] = []
    for article in json.loads(path.read_text(encoding="utf-8"))["data"]:
        for number, paragraph in enumerate(article["paragraphs"], 1):
            for asked in paragraph["qas"]:
                questions.append(asked["question"])
                answers.append(len(documents))
            title = f"{article['title']} {number}"
            documents.append(embedded_text(title, (), paragraph["context"]))
    return RetrievalTest(documents, questions, answers)


def dense_scores(test: RetrievalTest, embedder: Embedder) -> Scores:
    """Cosine of every question and every document."""

    def matrix(vectors: list[bytes]) -> NDArray[np.float32]:
        return np.frombuffer(b"".join(vectors), "<f4").reshape(-1, embedder.dimension)

    documents = matrix([embedder.passage(text) for text in test.documents])
    questions = matrix([embedder.query(text) for text in test.questions])
    return (questions @ documents.T).astype(np.float64)


def lexical_scores(test: RetrievalTest, encoder: LexicalEncoder) -> Scores:
    """Dot product with the index's inverse document frequency."""
    documents = [encoder.passage(text) for text in test.documents]
    idf = inverse_document_frequency(documents)
    postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for number, document in enumerate(documents):
        for token, weight in zip(document.indices, document.values, strict=True):
            postings[token].append((number, weight * idf[token]))
    scores = np.zeros((len(test.questions), len(documents)))
    for row, text in zip(scores, test.questions, strict=True):
        question = encoder.query(text)
        for token, weight in zip(question.indices, question.values, strict=True):
            for number, part in postings.get(token, ()):
                row[number] += weight * part
    return scores


def inverse_document_frequency(documents: Sequence[SparseVector]) -> dict[int, float]:
    """``ln(1 + (N - df + 0.5) / (df + 0.5))``, as Qdrant's modifier ``idf`` computes it."""
    frequency = Counter(token for document in documents for token in document.indices)
    total = len(documents)
    return {
        token: float(np.log1p((total - count + 0.5) / (count + 0.5)))
        for token, count in frequency.items()
    }


def fused(dense: Scores, lexical: Scores, vector_weight: float = VECTOR_WEIGHT) -> Scores:
    """Min-max of the cosine over a question's best 100, plus the share of the best word score."""
    ordered = np.sort(dense, axis=1)[:, ::-1]
    best = ordered[:, :1]
    least = ordered[:, min(CANDIDATES, dense.shape[1]) - 1][:, None]
    vector = np.clip((dense - least) / np.maximum(best - least, 1e-12), 0, 1)
    text = lexical / np.maximum(lexical.max(axis=1, keepdims=True), 1e-12)
    return vector_weight * vector + (1 - vector_weight) * text


def ndcg(scores: Scores, answers: Sequence[int]) -> float:
    """Mean of ``1 / log2(rank + 1)`` where the one right document is among the first ten."""
    right = np.asarray(answers)[:, None]
    own = np.take_along_axis(scores, right, axis=1)
    earlier = np.arange(scores.shape[1])[None, :] < right
    rank = 1 + ((scores > own) | ((scores == own) & earlier)).sum(axis=1)
    return float(np.where(rank <= DEPTH, 1 / np.log2(rank + 1), 0).mean())


def measure(test: RetrievalTest, embedder: Embedder, encoder: LexicalEncoder) -> dict[str, float]:
    """nDCG@10 of each method."""
    dense = dense_scores(test, embedder)
    lexical = lexical_scores(test, encoder)
    scores = {"words": lexical, "vectors": dense, "fused": fused(dense, lexical)}
    return {method: ndcg(found, test.answers) for method, found in scores.items()}


def main() -> int:
    """Print the table."""
    path = xquad_path()
    if not path.is_file():
        print(f"{path} is missing; set DAMALS_DATA", file=sys.stderr)
        return 1
    test = load_xquad(path)
    embedder, encoder = E5Embedder(model_dir()), GermanLexicalEncoder()
    print(f"{len(test.documents)} documents, {len(test.questions)} questions")
    print(f"{embedder.model} {embedder.version}, {encoder.version}\n")
    print("method    nDCG@10")
    for method, value in measure(test, embedder, encoder).items():
        print(f"{method:8}  {value:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
