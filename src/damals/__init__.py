"""damals: a knowledge memory with two clocks.

What holds now, what held on any day, and what was known on any day, with reasons::

    from damals import Damals

    with Damals.open("./archiv") as memory:
        memory.remember("Anschrift Müller GmbH", "Hauptstraße 1", valid_from="2024-09-01")
        memory.recall("Wo sitzt die Müller GmbH?", as_of="2026-04-01")
"""

from damals.api import Damals

__all__ = ["Damals"]
