"""By what erased texts are recognised in files, without keeping them.

A text is looked for as UTF-8, as UTF-16 in both orders, and as JSON writes it. Of each form short
ones are one piece; of longer ones there are pieces at fixed distances, so that a remainder on a
page of its own is found, too. A piece is kept as a hash of its first bytes, which is rolled over
files, and a keyed digest of all of it. Hash and digest have a salt that goes with them.
"""

import base64
import hashlib
import json
import secrets
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from damals.domain.ids import parse_uuid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LEAST_BYTES: Final = 12
"""Shorter texts are everywhere; they are counted, not searched for."""
PIECE_BYTES: Final = 32
WHOLE_BYTES: Final = 48
"""Up to here, a text is one piece."""
STRIDE_BYTES: Final = 16
MOST_PIECES: Final = 400_000
"""With more, the distance between pieces grows."""

_SALT: Final = 16
_DIGEST: Final = 8
_BITS: Final = (12, 22)
"""Least and most of the table in which hashes are looked up first."""
_SPARSE_BITS: Final = 4
_SLICE: Final = 1 << 18
"""So much is hashed at once: it stays in the processor's cache."""
_BLOCK: Final = 1 << 20
_ODD: Final = 0x9E3779B1
_PLACES: Final = 16
_DATE: Final = ("-", ":", "T", "Z", ".", "+")


@dataclass(frozen=True, slots=True)
class Pieces:
    """What there is of texts to search for.

    Attributes:
        salt: of hashes and digests.
        hashes: of first bytes, ascending; ``digests`` and ``lengths`` belong to them.
        short: how many texts are too short.
        shared: how many pieces are part of what survives.
    """

    salt: bytes
    hashes: "NDArray[np.uint32]"
    digests: "NDArray[np.uint64]"
    lengths: "NDArray[np.uint8]"
    short: int = 0
    shared: int = 0

    def written(self) -> str:
        """As one text."""
        arrays = (self.hashes, self.digests, self.lengths)
        told = {
            "salt": self.salt.hex(),
            "short": self.short,
            "pieces": [base64.b85encode(one.tobytes()).decode() for one in arrays],
        }
        return json.dumps(told)


def read(text: str) -> Pieces:
    """What :meth:`Pieces.written` gave."""
    import numpy as np  # noqa: PLC0415 -- only erasures pay for it

    told: dict[str, Any] = json.loads(text)
    hashes, digests, lengths = (base64.b85decode(one) for one in told["pieces"])
    return Pieces(
        bytes.fromhex(told["salt"]),
        np.frombuffer(hashes, np.uint32),
        np.frombuffer(digests, np.uint64),
        np.frombuffer(lengths, np.uint8),
        told["short"],
    )


def fingerprints(texts: Iterable[str]) -> Pieces:
    """What some texts can be found by."""
    import numpy as np  # noqa: PLC0415 -- only erasures pay for it

    salt = secrets.token_bytes(_SALT)
    short, forms = 0, dict[bytes, None]()
    for one in {piece: None for text in texts for piece in _said(text)}:
        if len(one.encode()) < LEAST_BYTES:
            short += 1
        else:
            forms |= dict.fromkeys(_forms(one))
    total = sum(map(len, forms))
    stride = max(STRIDE_BYTES, -(-total // MOST_PIECES))
    pieces = list({piece: None for form in forms for piece in _pieces(form, stride)})
    first = b"".join(piece[:LEAST_BYTES] for piece in pieces)
    table = np.frombuffer(first, np.uint8).reshape(-1, LEAST_BYTES)
    hashes = _rolled(table.T, salt)[0] if pieces else np.empty(0, np.uint32)
    digests = np.array([_digest(piece, salt) for piece in pieces], np.uint64)
    lengths = np.array([len(piece) for piece in pieces], np.uint8)
    order = np.argsort(hashes, kind="stable")
    return Pieces(salt, hashes[order], digests[order], lengths[order], short)


def _said(text: str) -> Iterator[str]:
    """What a text says: all texts in a document, or itself; no ids and no dates, which stay."""
    stripped = text.strip()
    if stripped[:1] in ("{", "["):
        try:
            yield from filter(_tells, _leaves(json.loads(stripped)))
        except ValueError:
            pass
        else:
            return
    if _tells(stripped):
        yield stripped


def _leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, list):
        for one in value:  # pyright: ignore[reportUnknownVariableType] -- whatever JSON holds
            yield from _leaves(one)  # pyright: ignore[reportUnknownArgumentType] -- as above
    elif isinstance(value, dict):
        for name, one in value.items():  # pyright: ignore[reportUnknownVariableType] -- as above
            yield from _leaves(name)  # pyright: ignore[reportUnknownArgumentType] -- as above
            yield from _leaves(one)  # pyright: ignore[reportUnknownArgumentType] -- as above


def _tells(text: str) -> bool:
    if not text or parse_uuid(text) is not None:
        return False
    bare = text
    for mark in _DATE:
        bare = bare.replace(mark, "")
    return not bare.isdigit()


def _forms(text: str) -> Iterator[bytes]:
    yield text.encode()
    yield text.encode("utf-16-le")
    yield text.encode("utf-16-be")
    yield json.dumps(text)[1:-1].encode()
    yield json.dumps(text, ensure_ascii=False)[1:-1].encode()


def _pieces(form: bytes, stride: int) -> Iterator[bytes]:
    if len(form) <= WHOLE_BYTES:
        yield form
        return
    for start in range(0, len(form) - PIECE_BYTES, stride):
        yield form[start : start + PIECE_BYTES]
    yield form[-PIECE_BYTES:]


def _digest(piece: bytes, salt: bytes) -> int:
    made = hashlib.blake2b(piece, digest_size=_DIGEST, key=salt).digest()
    return int.from_bytes(made, "little")


def _rolled(data: "NDArray[np.uint8]", salt: bytes) -> "NDArray[np.uint32]":
    """The hash of the twelve bytes from each place on: a polynomial modulo 2**32, by doubling.

    Args:
        data: bytes along the first axis; several texts stand side by side.
        salt: the base of the polynomial.
    """
    import numpy as np  # noqa: PLC0415 -- only erasures pay for it

    base = int.from_bytes(salt[:4], "little") | 1
    powers = [np.uint32(pow(base, n, 1 << 32)) for n in (1, 2, 4)]
    one = data.astype(np.uint32)
    one += np.uint32(1)
    two = one[:-1] * powers[0] + one[1:]
    four = two[:-2] * powers[1] + two[2:]
    eight = four[:-4] * powers[2] + four[4:]
    return eight[: len(data) - LEAST_BYTES + 1] * powers[2] + four[8:]


@dataclass
class Search:
    """Finds pieces (port ``Sought``).

    Attributes:
        pieces: what is searched for.
        dropped: places of those that are searched for no longer.
    """

    pieces: Pieces
    dropped: set[int] = field(default_factory=set[int])

    @cached_property
    def _bits(self) -> int:
        least, most = _BITS
        return min(max(len(self.pieces.hashes).bit_length() + _SPARSE_BITS, least), most)

    @cached_property
    def _mask(self) -> "NDArray[np.bool_]":
        """Which slots hold a hash."""
        import numpy as np  # noqa: PLC0415 -- only erasures pay for it

        made = np.zeros(1 << self._bits, np.bool_)
        made[self._slot(self.pieces.hashes)] = True
        return made

    def _slot(self, hashes: "NDArray[np.uint32]") -> "NDArray[np.uint32]":
        import numpy as np  # noqa: PLC0415 -- only erasures pay for it

        return (hashes * np.uint32(_ODD)) >> np.uint32(32 - self._bits)

    @property
    def longest(self) -> int:
        """The length of the longest piece, bytes."""
        return int(self.pieces.lengths.max()) if len(self.pieces.lengths) else 0

    def drop_surviving(self, texts: Iterable[str]) -> None:
        """Search no longer for what is a part of these texts."""
        if not self.longest:
            return
        for block in _blocks(texts, self.longest):
            self.dropped.update(place for _, place in self._found(block))

    def places(self, data: bytes) -> Sequence[int]:
        """Where pieces begin in some bytes, ascending; the first ones."""
        found: list[int] = []
        for at, place in self._found(data):
            if place not in self.dropped:
                found.append(at)
                if len(found) == _PLACES:
                    break
        return found

    def _found(self, data: bytes) -> Iterator[tuple[int, int]]:
        if not len(self.pieces.hashes):
            return
        for start in range(0, len(data), _SLICE):
            piece = data[start : start + _SLICE + LEAST_BYTES - 1]
            if len(piece) < LEAST_BYTES or piece.count(0) == len(piece):
                continue
            for at, hash_ in self._maybe(piece):
                for place in self._of_hash(hash_):
                    if self._is(place, data, start + at):
                        yield start + at, place

    def _maybe(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where a hash is one of ours, and the hash."""
        import numpy as np  # noqa: PLC0415 -- only erasures pay for it

        rolled = _rolled(np.frombuffer(data, np.uint8), self.pieces.salt)
        maybe = np.flatnonzero(self._mask[self._slot(rolled)])
        hashes = self.pieces.hashes
        nearest = np.searchsorted(hashes, rolled[maybe]).clip(max=len(hashes) - 1)
        maybe = maybe[hashes[nearest] == rolled[maybe]]
        return zip(maybe.tolist(), rolled[maybe].tolist(), strict=True)

    def _is(self, place: int, data: bytes, at: int) -> bool:
        end = at + int(self.pieces.lengths[place])
        same = int(self.pieces.digests[place])
        return end <= len(data) and _digest(data[at:end], self.pieces.salt) == same

    def _of_hash(self, hash_: int) -> Iterator[int]:
        hashes = self.pieces.hashes
        place = bisect_left(hashes, hash_, key=int)
        while place < len(hashes) and int(hashes[place]) == hash_:
            yield place
            place += 1


def _blocks(texts: Iterable[str], overlap: int) -> Iterator[bytes]:
    """Texts in pieces of bearable size; what stands across two of them stands in one as well."""
    waiting: list[bytes] = []
    size = 0
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        while len(data) > _BLOCK:
            yield data[:_BLOCK]
            data = data[_BLOCK - overlap :]
        waiting.append(data)
        size += len(data)
        if size >= _BLOCK:
            yield b"\n".join(waiting)
            waiting, size = [], 0
    if waiting:
        yield b"\n".join(waiting)
