"""The errors that damals raises on purpose, for programs that catch them."""

from damals.app.errors import (
    Conflict,
    Corrupt,
    DamalsError,
    Denied,
    InvalidInput,
    NotFound,
    Unavailable,
)

__all__ = [
    "Conflict",
    "Corrupt",
    "DamalsError",
    "Denied",
    "InvalidInput",
    "NotFound",
    "Unavailable",
]
