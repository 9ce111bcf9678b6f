"""Addresses of servers as they may be shown and kept: without what opens them."""

import re
from typing import Final

_SECRET: Final = re.compile(r"pass|pwd|key|token|secret|auth|sig", re.IGNORECASE)
"""In the names of parameters of an address whose values open something."""

SHORTEST: Final = 4
"""What is shorter occurs in any text."""

WEB: Final = frozenset({"http", "https"})


def without_secrets(url: str, *, web: bool = False) -> str:
    """An address without passwords and keys.

    Of a database the name of the user stays, which it needs, and parameters that open nothing. Of a
    web server neither stays: a user may be a token, and nobody knows what its parameters mean. A
    password may hold any sign, as people write them: all before the last ``@`` is taken for it.

    Args:
        url: the address.
        web: it is meant to be one of a web server, whatever it begins with.
    """
    scheme, mark, rest = url.strip().partition("://")
    if not mark:
        return "…" if "@" in url or _SECRET.search(url) else url
    user, at, place = rest.rpartition("@")
    place, _, query = place.partition("#")[0].partition("?")
    place = place.rstrip("/")
    if web or scheme.casefold() in WEB:
        return f"{scheme}://{place}"
    name = user.partition(":")[0]
    told = "&".join(one for one in query.split("&") if one and not _is_secret(one))
    return f"{scheme}://{name}{at if name else ''}{place}{'?' if told else ''}{told}"


def _is_secret(parameter: str) -> bool:
    return bool(_SECRET.search(parameter.partition("=")[0]))


def secrets_in(url: str) -> tuple[str, ...]:
    """The parts of an address that nobody is shown, the longest first."""
    _, _, rest = url.partition("://")
    user, _, place = rest.rpartition("@")
    query = place.partition("?")[2]
    values = (one.partition("=")[2] for one in query.split("&"))
    found = {user, *user.split(":", 1), query, *values}
    return tuple(sorted((one for one in found if len(one) >= SHORTEST), key=len, reverse=True))


def cleaned(text: str, url: str, *others: str) -> str:
    """A text without what an address and other secrets open something with."""
    for one in (*secrets_in(url), *filter(None, others)):
        text = text.replace(one, "***")
    return text
