"""Reports and what knowledge over time tells, as every interface is asked for them."""

from datetime import date

from damals import Damals


def latest(memory: Damals) -> str:
    """When the last transaction was recorded."""
    return memory.log().transactions[-1].recorded_at


REPORTED = {
    "hygiene": lambda memory: memory.hygiene(as_of="2040-01-01", known_at=latest(memory)),
    "hygiene of a topic": lambda memory: memory.hygiene(
        "Orte", as_of=date(2040, 1, 1), kind=["decayed", "orphan"], limit=None
    ).findings,
    "lint": lambda memory: memory.lint(as_of="2040-01-01", limit=1).kinds,
    "lint of what is due": lambda memory: memory.lint(
        True, as_of="2026-01-01", known_at=latest(memory), kind="due"
    ),
    "gate": lambda memory: memory.gate(as_of="2040-01-01", known_at=latest(memory)),
    "gate of entries": lambda memory: memory.gate(["Sitz", "Tel"], as_of=date(2022, 1, 1)).findings,
    "gate of a query": lambda memory: memory.gate(
        query="Hauptstraße", as_of="2022-01-01", known_at=latest(memory)
    ).findings,
    "trace": lambda memory: memory.trace("Sitz", as_of="2021-06-01", known_at=latest(memory)),
    "trace of words": lambda memory: memory.trace(
        "Hauptstraße", start="2020", end="2021", as_of="2021-06-01", known_at=latest(memory)
    ),
    "patterns": lambda memory: memory.patterns(
        "ort", as_of="2021-06-01", known_at=latest(memory)
    ),
    "timeline": lambda memory: memory.timeline(
        "ort", as_of="2021-06-01", known_at=latest(memory)
    ),
    "a step of a timeline": lambda memory: memory.timeline(
        "ort", step=1, limit=1, axis="valid", as_of="2021-06-01", known_at=latest(memory)
    ),
    "a whole timeline": lambda memory: memory.timeline(
        "ort", limit=None, after=1, as_of=date(2021, 6, 1), known_at=latest(memory)
    ),
    "diff of two pairs": lambda memory: memory.diff(
        start="2021", end="2023", known_from="2020", known_to=latest(memory)
    ).changes,
    "the span of what is known, but for the clock": lambda memory: (
        memory.span().valid, memory.span().recorded.first, memory.span().zone,
    ),
}  # fmt: skip

REFUSED_REPORTS = {
    "a gate of entries and a query": lambda memory: memory.gate("Sitz", "Tel"),
    "an acceptance of nothing": lambda memory: memory.gate(accept=True),
    "an acceptance in the past": lambda memory: memory.gate("Sitz", accept=True, as_of="2021"),
    "a gate of nothing known": lambda memory: memory.gate("nirgends"),
    "nothing to trace": lambda memory: memory.trace("nirgends"),
    "an empty trace": lambda memory: memory.trace(""),
    "no pattern": lambda memory: memory.patterns("nirgends"),
    "no timeline": lambda memory: memory.timeline("nirgends"),
    "a timeline of nothing": lambda memory: memory.timeline(""),
    "no such event": lambda memory: memory.timeline("ort", step=99),
    "no step": lambda memory: memory.timeline("ort", step=0),
    "no clock of a timeline": lambda memory: memory.timeline("ort", axis="quer"),
    "an axis and what was known": lambda memory: memory.diff(
        start="2020", end="2021", axis="valid", known_to="2021"
    ),
    "no calibration": lambda memory: memory.calibration("nirgends"),
    "a calibration without a name": lambda memory: memory.calibration(""),
    "no plans": lambda memory: memory.planning("nirgends"),
    "no kind of a finding": lambda memory: memory.hygiene(kind="staub"),
    "no kind of a linter": lambda memory: memory.lint(kind="orphan"),
    "no limit of findings": lambda memory: memory.hygiene(limit=0),
    "a topic without words": lambda memory: memory.hygiene("der und"),
}
