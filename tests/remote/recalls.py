"""Recalls with every option, for all ways to ask."""

from damals.api import Damals as Interface


def latest(memory: Interface) -> str:
    """When the last transaction was recorded: the index's answer is asked as of then."""
    return memory.log().transactions[-1].recorded_at


RECALLED = {
    "recall with every option": lambda memory: memory.recall(
        '"Hauptstraße" -Nirgends', persona="Tel", min_grounding=0.0, diversity=0.5, neighbours=2,
        weights="vec=1,importance=0.5", half_life="inf", explain=True, as_of="2021-06-01",
        known_at=latest(memory), receipt=False,
    ),
    "recall of a literal question": lambda memory: memory.recall(
        "tag:ort -Sitz", literal=True, as_of="2021-06-01", known_at=latest(memory), receipt=False,
    ),
}  # fmt: skip

REFUSED_RECALLS = {
    "nothing but operators": lambda memory: memory.recall("tag:ort"),
    "no instant of an operator": lambda memory: memory.recall("Sitz before:bald"),
    "no persona": lambda memory: memory.recall("Sitz", persona="niemand"),
    "no grounding": lambda memory: memory.recall("Sitz", min_grounding=2),
    "no diversity": lambda memory: memory.recall("Sitz", diversity=-1),
    "no neighbours": lambda memory: memory.recall("Sitz", neighbours=-1),
}
