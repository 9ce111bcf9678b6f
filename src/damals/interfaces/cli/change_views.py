"""How changes look to people: what was done, and what is in force now."""

from collections.abc import Iterable
from typing import Final

from damals.app.change_results import (
    Changed,
    ChangedEntries,
    ChangedRelation,
    RelationDetail,
    Updated,
)
from damals.app.results import Entry
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import FAINT, GOOD, STRONG, WARN, bound, period

ARROW: Final = "→"
BOTH_WAYS: Final = "↔"


def changed(session: Session, result: Changed) -> None:
    """What a change did."""
    _head(session, session.say("cli.stored"), result)


def retracted(session: Session, result: Changed) -> None:
    """What a retraction did."""
    _head(session, session.say("cli.retracted"), result)
    for entry in result.restored or ():
        _now(session, session.say("cli.restored"), entry)


def updated(session: Session, result: Updated) -> None:
    """What an update did."""
    said = Changed(result.entry, result.unchanged, result.caveats, integration=result.integration)
    _head(session, session.say("cli.stored"), said)
    for old in result.replaced:
        _now(session, session.say("cli.replaced"), old)


def verified(session: Session, result: Changed) -> None:
    """How an entry is grounded now."""
    _head(session, session.say("cli.verified"), result)
    entry = result.entry
    at = local(entry.last_verified, entry.bounds.zone)
    score = f"{entry.grounding_score or 0:.2f}"
    session.screen.line("  ", session.say("cli.grounding", score=score, at=at))


def pinned(session: Session, result: Changed) -> None:
    """An entry that does not decay."""
    _head(session, session.say("cli.pinned"), result)


def unpinned(session: Session, result: Changed) -> None:
    """An entry that decays again."""
    _head(session, session.say("cli.unpinned"), result)


def archived(session: Session, result: Changed) -> None:
    """An entry that is out of use."""
    _head(session, session.say("cli.archived"), result)
    session.screen.line("  ", (session.say("cli.archived_where"), FAINT))


def _head(session: Session, what: str, result: Changed) -> None:
    entry = result.entry
    said = session.say("cli.unchanged") if result.unchanged else what
    session.screen.line((f"{said}: ", GOOD), (entry.title, STRONG), f"  {period(session, entry)}")
    number = session.say("cli.transaction_n", number=entry.transaction)
    session.screen.line("  ", (entry.id, FAINT), f"  {number}")
    for caveat in result.caveats or ():
        session.screen.line(("  ! ", WARN), caveat)
    for found in result.integration.findings if result.integration else ():
        if found.kind == "relation":
            session.screen.line("  ? ", found.message)
        for one in found.commands:
            session.screen.line("      ", (one, FAINT))


def _now(session: Session, what: str, entry: Entry) -> None:
    """An entry that a change was also about, as it is now."""
    held = period(session, entry)
    if entry.recorded_to is not None:
        held = session.say("cli.nothing_holds")
    session.screen.line("  ", what, " ", (entry.title, STRONG), f"  {held}  ", (entry.id, FAINT))


def related(session: Session, result: ChangedRelation) -> None:
    """A relation that stands now."""
    _relation(session, session.say("cli.stored"), result)


def unrelated(session: Session, result: ChangedRelation) -> None:
    """A relation that stands no longer."""
    _relation(session, session.say("cli.unrelated"), result)


def contradicted(session: Session, result: ChangedRelation) -> None:
    """A contradiction, and how it is decided."""
    _relation(session, session.say("cli.stored"), result)
    relation = result.relation
    a, b = relation.src_id, relation.dst_id
    if relation.direction == "in":
        a, b = b, a
    session.screen.line("  ", (session.say("cli.undecided", a=a, b=b), WARN))


def _relation(session: Session, what: str, result: ChangedRelation) -> None:
    screen, relation = session.screen, result.relation
    said = session.say("cli.unchanged") if result.unchanged else what
    arrow = BOTH_WAYS if relation.symmetric else ARROW
    screen.line(
        (f"{said}: ", GOOD), (relation.src_title or relation.src_id, STRONG),
        f" {arrow} {relation.type} {arrow} ", (relation.dst_title or relation.dst_id, STRONG),
    )  # fmt: skip
    facts = list(_facts(session, result))
    if facts:
        screen.line("  ", " · ".join(facts))
    for entry in result.entries:
        _now(session, session.say("cli.now"), entry)


def _facts(session: Session, result: ChangedRelation) -> Iterable[str]:
    relation = result.relation
    if result.transaction is not None:
        yield session.say("cli.transaction_n", number=result.transaction)
    if relation.confidence < 1:
        yield session.say("cli.confidence", value=f"{relation.confidence:g}")
    if relation.valid_from is not None or relation.valid_to is not None:
        yield _relation_period(session, relation)


def _relation_period(session: Session, relation: RelationDetail) -> str:
    zone = relation.bounds.zone
    start = bound(relation.valid_from, zone) or session.say("cli.unknown")
    return f"{start} – {bound(relation.valid_to, zone) or session.say('cli.open')}"


def resolved(session: Session, result: ChangedEntries) -> None:
    """A contradiction that was decided."""
    _entries(session, session.say("cli.resolved"), result)


def reverted(session: Session, result: ChangedEntries) -> None:
    """A transaction that was taken back."""
    _entries(session, session.say("cli.reverted", number=result.reverted), result)


def _entries(session: Session, what: str, result: ChangedEntries) -> None:
    said = session.say("cli.unchanged") if result.unchanged else what
    session.screen.line((said, GOOD))
    if result.transaction is not None:
        session.screen.line("  ", session.say("cli.transaction_n", number=result.transaction))
    for entry in result.entries:
        _now(session, session.say("cli.now"), entry)
