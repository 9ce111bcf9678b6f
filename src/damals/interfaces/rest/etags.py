"""ETags of entries: the last transaction, and of an entry that is shown, what is told of it.

A change is done on a state of the ledger, so it minds the transaction alone. What is told of an
entry also follows from the clock, from other entries and from the language, so who asks whether
anything has changed is told by all of it.
"""

import hashlib
import re
from typing import Final

from damals.app.errors import Conflict, InvalidInput
from damals.domain.fields import MAX_WHOLE

ANY: Final = "*"
_DIGITS: Final = 16
_ETAG: Final = re.compile(r'(W/)?"([^"]*)"|([0-9]+)')
_ETAGS: Final = re.compile(rf"(?:{_ETAG.pattern})(?:\s*,\s*(?:{_ETAG.pattern}))*")
_NUMBER: Final = re.compile(rf"([0-9]{{1,19}})(?:-[0-9a-f]{{{_DIGITS}}})?")


def etag_of(transaction: int, told: bytes | None = None) -> str:
    """The ETag of an entry.

    Args:
        transaction: number of its last one.
        told: what is answered of it, where that may change without a transaction.
    """
    if told is None:
        return f'"{transaction}"'
    return f'"{transaction}-{hashlib.sha256(told).hexdigest()[:_DIGITS]}"'


def is_known(known: str, etag: str) -> bool:
    """Whether an ``If-None-Match`` names an ETag; weak comparison, as RFC 9110 asks."""
    listed = {one.strip().removeprefix("W/") for one in known.split(",")}
    return etag in listed or ANY in listed


def expected_by(match: str | None) -> tuple[int, ...] | None:
    """The numbers of transactions that an ``If-Match`` names; ``None`` for none and ``*``.

    Raises:
        InvalidInput: ``request.etag`` for what is no list of ETags.
        Conflict: ``request.unmatched`` when none of them can be that of an entry: weak ones never
            match, as RFC 9110 has it.
    """
    if match is None or match.strip() == ANY:
        return None
    if not _ETAGS.fullmatch(match.strip()):
        raise InvalidInput("request.etag", etag=match)
    strong = ("".join(found[1:]) for found in _ETAG.findall(match) if not found[0])
    read = (_NUMBER.fullmatch(one) for one in strong)
    numbers = dict.fromkeys(int(one[1]) for one in read if one)
    possible = tuple(one for one in numbers if one <= MAX_WHOLE)
    if not possible:
        raise Conflict("request.unmatched", etag=match)
    return possible
