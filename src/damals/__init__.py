"""damals: a knowledge memory with two clocks.

What holds now, what held on any day, and what was known on any day, with reasons::

    from damals import Damals

    with Damals.open("./archiv") as memory:
        memory.remember("Anschrift Müller GmbH", "Hauptstraße 1", valid_from="2024-09-01")
        memory.recall("Wo sitzt die Müller GmbH?", as_of="2026-04-01")
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damals.api import Damals

__all__ = ["Damals"]


def __getattr__(name: str) -> object:
    """Load the interface when it is first asked for: processes that need a part stay small."""
    if name != "Damals":
        raise AttributeError(name)
    from damals.api import Damals  # noqa: PLC0415 -- see above

    return Damals
