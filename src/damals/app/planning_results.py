"""What a look at planning artefacts returns; conventions as in ``results.py``."""

from dataclasses import dataclass

from damals.app.results import Result, Understood


@dataclass(frozen=True, slots=True)
class PlanningFinding(Result):
    """Something about a vision or a roadmap that is worth a look; it never blocks.

    Attributes:
        kind: ``vision_overdue``, ``roadmap_overdue``, ``phase_stagnant``,
            ``roadmap_behind_vision``, ``planning_file_missing``, ``planning_field_missing`` or
            ``planning_field_odd``.
        severity: ``LOW`` or ``MEDIUM``.
        entries: ids of the notes it is about; none for a file that was never imported.
        repair: the command that repairs it; ``None`` where a person has to decide.
    """

    kind: str
    severity: str
    entries: tuple[str, ...]
    message: str
    repair: str | None


@dataclass(frozen=True, slots=True)
class PlanView(Result):
    """A vision or a roadmap.

    Attributes:
        file: its path.
        entry_id: of its note; ``None`` for a file that was never imported.
        version: of a vision its own, of a roadmap that of the vision it was written against.
        last_reviewed: a day.
        days: since then.
        half_life_days: after so many days it is due.
    """

    file: str
    entry_id: str | None
    version: str | None
    last_reviewed: str | None
    days: int | None
    half_life_days: int


@dataclass(frozen=True, slots=True)
class Planning(Result):
    """How the vision and the roadmap of a folder stand.

    Attributes:
        folder: as it was asked for.
        findings: what weighs most first.
        vision, roadmap: ``None`` where there is none.
    """

    folder: str
    findings: tuple[PlanningFinding, ...]
    vision: PlanView | None
    roadmap: PlanView | None
    understood: Understood
