"""Pages of a log and of a history: where one begins, and what names the place behind it."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from typing import Final
from uuid import UUID

from damals.app.ledger_model import Corner, Found, Stretch, corner_of
from damals.domain.errors import InvalidInput

LAST_NUMBER: Final = 10**18 - 1
"""A number that no transaction reaches, and every store can compare with."""

_LARGEST: Final = 2**63 - 1


def checked_after(after: object) -> int:
    """The number of the transaction behind which a log begins; 0 for its beginning.

    Raises:
        InvalidInput: ``log.after`` for what is no such number.
    """
    if isinstance(after, bool) or not isinstance(after, int) or after < 0:
        raise InvalidInput("log.after", after=after)
    return min(after, LAST_NUMBER)


def stretch_of(limit: int | None, cursor: str | None) -> Stretch:
    """What is read for a page of a history: one more than is shown, if there is one.

    A cursor names the last rectangle of its page by its corner. So pages go on where they
    stopped, whatever was recorded, erased or hidden between them.

    Args:
        limit: how many at most; ``None`` is everything.
        cursor: of the page before.

    Raises:
        InvalidInput: ``cursor.invalid``.
    """
    behind = None if cursor is None else _corner(cursor)
    return Stretch(behind, None if limit is None else limit + 1)


def cursor_behind(found: Found) -> str:
    """The cursor of what comes behind a rectangle."""
    *instants, entry = corner_of(found.version)
    text = ".".join((*map(str, instants), entry.hex))
    return urlsafe_b64encode(text.encode("ascii")).decode("ascii").rstrip("=")


def _corner(cursor: str) -> Corner:
    try:
        text = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode("ascii")
        *instants, entry = text.split(".")
        recorded, earliest, latest = (int(one) for one in instants)
        corner = recorded, earliest, latest, UUID(hex=entry)
    except (AttributeError, TypeError, ValueError, Base64Error):
        raise InvalidInput("cursor.invalid", cursor=cursor) from None
    if max(map(abs, corner[:3])) > _LARGEST:
        raise InvalidInput("cursor.invalid", cursor=cursor)
    return corner
