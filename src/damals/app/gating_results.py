"""What the research gate returns."""

from dataclasses import dataclass

from damals.app.result import Result


@dataclass(frozen=True, slots=True)
class GateFinding(Result):
    """Research that is older than the half-life of its domain.

    Attributes:
        kind: ``stale_research``.
        severity: ``LOW`` up to twice the half-life, then ``MEDIUM``.
        entries: the id of what was researched.
        message: what to mind.
        repair: the command for when it was looked up anew: it says so, and changes nothing else.
        title: of the entry.
        ratio: its age by the half-life.
        age_days: since it was researched.
        half_life_days: of its domain.
        since: the instant that its age counts from.
        origin: by which account: ``retrieved_at``, ``content``, ``created``, ``valid_from`` or
            ``recorded``.
        account: the same in words.
        accepted: somebody builds on it all the same, and it was not verified since.
    """

    kind: str
    severity: str
    entries: tuple[str, ...]
    message: str
    repair: str | None
    title: str
    ratio: float
    age_days: float
    half_life_days: float
    since: str
    origin: str
    account: str
    accepted: bool


@dataclass(frozen=True, slots=True)
class GateReport(Result):
    """What the gate found; it never blocks.

    Attributes:
        findings: the stalest first, up to the limit.
        flagged: how many there are.
        checked: how many entries were looked at.
        skipped: how many of them are stable or planning artefacts, which research never makes
            stale.
        as_of, known_at: the instants that were asked for.
        accepted: ids of what this call has accepted; what it was built on says so from now on.
        transaction: number of the transaction that recorded that.
    """

    OPTIONAL = frozenset({"accepted", "transaction"})

    findings: tuple[GateFinding, ...]
    flagged: int
    checked: int
    skipped: int
    as_of: str
    known_at: str
    accepted: tuple[str, ...] | None = None
    transaction: int | None = None
