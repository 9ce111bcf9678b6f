"""The SentencePiece Unigram tokenizer of the model, as a file and as code.

Written in Python because the common library keeps this vocabulary of 250,000 pieces in 280 MB and
takes 0.6 s to load it, while words repeat: with the pieces of a word remembered, nothing is gained
by a faster search. ``tests/embedders`` compare both piece by piece.

Unigram: of all ways to cut a text into pieces the one with the highest sum of log probabilities
(Kudo 2018, arXiv:1804.10959), found by the Viterbi algorithm. No piece reaches over a blank, so
each word is cut by itself.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

from damals.adapters.embedders.weights import Vocabulary

MAX_TOKENS: Final = 512
"""What the network reads at most, the two special tokens included."""

_WORDS_REMEMBERED: Final = 50_000
_LONGEST_REMEMBERED: Final = 64
_UNKNOWN_PENALTY: Final = 10.0
"""How much less likely than the rarest piece an unknown character is (SentencePiece's value)."""
_BLANK: Final = "▁"


def write(vocabulary: Vocabulary, path: Path) -> None:
    """Write the tokenizer to ``path``, some 7 MB of JSON."""
    content = {
        "pieces": list(vocabulary.pieces),
        "scores": [round(score, 6) for score in vocabulary.scores],
        "special": [vocabulary.bos, vocabulary.eos, vocabulary.unk],
        "characters": _beyond_nfkc(vocabulary.character_map),
    }
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


def _beyond_nfkc(character_map: Mapping[int, str]) -> dict[str, str]:
    """What is left of the character map for a text in form NFKC: controls and odd blanks."""
    return {
        chr(code_point): replacement
        for code_point, replacement in sorted(character_map.items())
        if replacement != normalize("NFKC", chr(code_point))
    }


def load(path: Path) -> "Tokenizer":
    """Read what :func:`write` wrote."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    bos, eos, unknown = content["special"]
    return Tokenizer(
        content["pieces"],
        content["scores"],
        special=(bos, eos, unknown),
        characters=content["characters"],
    )


class Tokenizer:
    """Cuts text into the ids of pieces. Safe to share between threads."""

    def __init__(
        self,
        pieces: Sequence[str],
        scores: Sequence[float],
        *,
        special: tuple[int, int, int],
        characters: Mapping[str, str],
    ) -> None:
        self._bos, self._eos, self._unknown = special
        self._ids = {piece: number for number, piece in enumerate(pieces)}
        # A text that says <s> (struck-through HTML) means these characters, not a token.
        for name in ("<s>", "</s>", "<pad>", "<unk>", "<mask>"):
            self._ids.pop(name, None)
        self._scores = scores
        self._unknown_score = min(scores) - _UNKNOWN_PENALTY
        self._longest = max(map(len, pieces))
        self._characters = dict(characters)
        self._mapped = re.compile(f"[{re.escape(''.join(characters))}]")
        self._remembered = lru_cache(_WORDS_REMEMBERED)(self._cut)

    def blank_out(self, text: str) -> str:
        """A text in form NFKC as the model reads it: no controls, single blanks between words."""
        mapped = self._mapped.sub(lambda match: self._characters[match[0]], text)
        return " ".join(part for part in mapped.split(" ") if part)

    def encode(self, text: str) -> list[int]:
        """The ids of a text that went through :meth:`blank_out`, special tokens around them.

        At most :data:`MAX_TOKENS`; what is beyond them is not read.
        """
        ids = [self._bos]
        for word in text.split(" "):
            cut = self._remembered if len(word) <= _LONGEST_REMEMBERED else self._cut
            ids.extend(cut(_BLANK + word))
            if len(ids) >= MAX_TOKENS:
                break
        del ids[MAX_TOKENS - 1 :]
        ids.append(self._eos)
        return ids

    def _cut(self, word: str) -> Sequence[int]:
        """The most likely pieces of a word (Viterbi); neighbouring unknown ones count as one."""
        size = len(word)
        best = [0.0] + [-math.inf] * size
        came_from = [0] * (size + 1)
        ids, scores = self._ids, self._scores
        for start in range(size):
            so_far = best[start]
            for end in range(start + 1, min(start + self._longest, size) + 1):
                piece = ids.get(word[start:end])
                if piece is not None:
                    score = so_far + scores[piece]
                elif end == start + 1:
                    score = so_far + self._unknown_score
                else:
                    continue
                if score > best[end]:
                    best[end] = score
                    came_from[end] = start
        return self._pieces_back(word, came_from)

    def _pieces_back(self, word: str, came_from: Sequence[int]) -> Sequence[int]:
        found: list[int] = []
        end = len(word)
        while end:
            start = came_from[end]
            piece = self._ids.get(word[start:end], self._unknown)
            if piece != self._unknown or not found or found[-1] != self._unknown:
                found.append(piece)
            end = start
        return tuple(reversed(found))
