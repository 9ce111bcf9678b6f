"""The error tree, and the one table of what each class means outside.

::

    class          code           exit  HTTP
    (unexpected)   internal          1   500
    InvalidInput   invalid_input     2   400
    NotFound       not_found         3   404
    Conflict       conflict          4   409
    Unavailable    unavailable       5   503
    Denied         denied            6   403
    Corrupt        corrupt           7   500
"""

from dataclasses import dataclass
from typing import Final

from damals.domain.errors import (
    Conflict,
    Corrupt,
    DamalsError,
    Denied,
    InvalidInput,
    NotFound,
    Unavailable,
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a class of errors is called outside.

    Attributes:
        code: name in JSON.
        exit_code: of the command line.
        http_status: of REST.
    """

    code: str
    exit_code: int
    http_status: int


INTERNAL: Final = Outcome("internal", 1, 500)

OUTCOMES: Final[dict[type[DamalsError], Outcome]] = {
    InvalidInput: Outcome("invalid_input", 2, 400),
    NotFound: Outcome("not_found", 3, 404),
    Conflict: Outcome("conflict", 4, 409),
    Unavailable: Outcome("unavailable", 5, 503),
    Denied: Outcome("denied", 6, 403),
    Corrupt: Outcome("corrupt", 7, 500),
}


def outcome_of(error: BaseException) -> Outcome:
    """What an error is called outside; everything unexpected is ``internal``."""
    return next((OUTCOMES[kind] for kind in type(error).__mro__ if kind in OUTCOMES), INTERNAL)


__all__ = [
    "INTERNAL",
    "OUTCOMES",
    "Conflict",
    "Corrupt",
    "DamalsError",
    "Denied",
    "InvalidInput",
    "NotFound",
    "Outcome",
    "Unavailable",
    "outcome_of",
]
