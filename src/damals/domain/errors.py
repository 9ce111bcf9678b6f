"""The error tree.

::

    DamalsError
    ├── InvalidInput   wrong usage, or a value that cannot mean what it should
    ├── NotFound       an id, a workspace or a path that does not exist
    ├── Conflict       overlap, concurrent change, later changes
    ├── Unavailable    the home is held, a server is down
    ├── Denied         the asker may not
    └── Corrupt        a broken chain, a damaged file

An error carries the *key* of its message in the catalogues and the values to fill in; the text
itself lives in ``damals/messages``. Exit codes and HTTP statuses hang on the class (see
``app/errors.py``), never on the text.
"""

from collections.abc import Callable

Renderer = Callable[[str, dict[str, object]], str]


class DamalsError(Exception):
    """Root of every error that damals raises on purpose.

    Attributes:
        key: name of the message in the catalogues, for example ``update.outside``.
        values: what the message's placeholders stand for.
    """

    renderer: Renderer | None = None

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key, values)
        self.key = key
        self.values = values

    def __str__(self) -> str:
        """The message in English, once the catalogues are loaded; else key and values."""
        render = DamalsError.renderer
        if render is not None:
            return render(self.key, self.values)
        return f"{self.key}: {self.values}" if self.values else self.key

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross process borders (worker, server), keywords included."""
        return (_rebuild, (type(self), self.key, self.values))


def _rebuild(cls: type[DamalsError], key: str, values: dict[str, object]) -> DamalsError:
    return cls(key, **values)


class InvalidInput(DamalsError):
    """Wrong usage, or a value that cannot mean what it should."""


class NotFound(DamalsError):
    """An id, a workspace or a path that does not exist."""


class Conflict(DamalsError):
    """What was asked contradicts what holds, or someone changed it meanwhile."""


class Unavailable(DamalsError):
    """Something needed does not answer: a held home, a server that is down."""


class Denied(DamalsError):
    """The asker may not do or see this."""


class Corrupt(DamalsError):
    """Stored bytes are not what was stored."""
