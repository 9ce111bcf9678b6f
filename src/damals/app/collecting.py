"""How often Python looks for garbage that refers to itself."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

_RARELY: Final = 200_000
"""New objects, beyond those that are gone again, after which it looks; usually it is 700."""


@contextmanager
def collecting_rarely() -> Generator[None]:
    """Look more rarely meanwhile, in the whole process.

    An import makes millions of objects and keeps many until they are written. None of them is part
    of a cycle, but looking through all that are kept, again and again, takes a seventh of its time.
    Of two imports at once, the first to end sets the usual pace again: a matter of speed only.
    """
    usual = gc.get_threshold()
    if not 0 < usual[0] < _RARELY:  # a second import, or somebody who wants it otherwise
        yield
        return
    gc.set_threshold(_RARELY, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
