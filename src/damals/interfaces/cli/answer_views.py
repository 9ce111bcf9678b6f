"""How answers and their reasons look to people."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from damals.app.answer_results import Answer, Citation, Reason, Reasons
from damals.app.results import Recall, Understood
from damals.domain.entries import Json
from damals.interfaces.cli import views
from damals.interfaces.cli.heard import heard
from damals.interfaces.cli.output import Span, clean_line
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local

QUOTE_CHARS: Final = 160
FAINT, STRONG, NAME, WARN = views.FAINT, views.STRONG, views.NAME, views.WARN


def answer(session: Session, result: Answer) -> None:
    """An answer, what it stands on, and what limits it."""
    screen = session.screen
    _clocks(session, result.understood)
    screen.line()
    screen.line((result.answer, WARN if result.abstained else STRONG))
    rest_of_answer(session, result)


def rest_of_answer(session: Session, result: Answer) -> None:
    """What an answer that was read already stands on, and what limits it."""
    screen = session.screen
    _citations(session, result.citations, result.reasons)
    for caveat in result.caveats:
        screen.line(("! ", WARN), caveat)
    if result.model:
        screen.line((session.say("cli.model", model=result.model), FAINT))
    if result.receipt:
        screen.line((session.say("cli.receipt", id=result.receipt), FAINT))


def _clocks(session: Session, understood: Understood) -> None:
    zone = understood.zone
    as_of, known_at = (local(one, zone) for one in (understood.as_of, understood.known_at))
    clocks = session.say("cli.understood", as_of=as_of, known_at=known_at, zone=zone)
    session.screen.line((clocks, FAINT))
    if said := heard(session, understood):
        session.screen.line((said, FAINT))


def _citations(session: Session, citations: Sequence[Citation], reasons: Sequence[Reason]) -> None:
    by_id = {one.entry_id: one for one in reasons}
    if citations:
        session.screen.line()
    for one in citations:
        said = clean_line(one.quote)
        quote = said if len(said) <= QUOTE_CHARS else said[: QUOTE_CHARS - 1] + "…"
        reason = by_id.get(one.entry_id)
        title = reason.title if reason else one.entry_id
        session.screen.line((f"[{one.n}] ", NAME), (title, STRONG), (f"  {_where(reason)}", FAINT))
        session.screen.line(f"    {quote}")


def _where(reason: Reason | None) -> str:
    """Where an entry came from."""
    if reason is None or reason.provenance.path is None:
        return ""
    source = reason.provenance
    return f"{source.name or source.kind}/{source.path}:{reason.line}"


def why(session: Session, result: Reasons) -> None:
    """Question, clocks, weights, then each contribution by layer."""
    screen = session.screen
    screen.line((result.question, STRONG))
    _clocks(session, result.understood)
    at = local(result.created_at, result.understood.zone)
    if result.transaction is None:
        screen.line((session.say("cli.why.asked_by", at=at), FAINT))
    else:
        said = session.say("cli.why.asked", at=at, number=result.transaction)
        screen.line((said, FAINT))
    shown = ((name, value) for name, value in result.weights.items() if value)
    weights = ", ".join(f"{name}={value:g}" for name, value in shown)
    screen.line((session.say("cli.why.weights", weights=weights), FAINT))
    engines = ", ".join(str(value) for value in result.engines.values() if value)
    screen.line((session.say("cli.why.engines", engines=engines), FAINT))
    if result.answer is not None:
        screen.line()
        screen.line(result.answer)
        _citations(session, result.citations, result.reasons)
    for layer in result.layers:
        if layer or len(result.layers) > 1:
            said = session.say("cli.why.layer", layer=layer) if layer else None
            screen.line()
            screen.line((said or session.say("cli.why.layer_none"), STRONG))
        for reason in result.reasons:
            if (reason.layer or "") == layer:
                _reason(session, reason)
    for caveat in result.caveats:
        screen.line(("! ", WARN), caveat)


def _reason(session: Session, reason: Reason) -> None:
    screen = session.screen
    screen.line()
    screen.line((f"{reason.rank}. ", NAME), (reason.title, STRONG), f"  {reason.entry_id}")
    screen.line("   ", *_score(session, reason))
    if reason.cited:
        marks = ", ".join(f"[{n}]" for n in reason.cited)
        screen.line("   ", session.say("cli.why.cited", marks=marks))
    if reason.matched:
        screen.line("   ", session.say("cli.matched", words=", ".join(reason.matched)))
    for step in reason.chain:
        screen.line("   ", session.say("cli.why.chain", chain=_step(step)))
    where = _where(reason)
    if where:
        screen.line("   ", (where, FAINT))
    for caveat in reason.caveats:
        screen.line(("   ! ", WARN), caveat)


def _step(step: Mapping[str, Json]) -> str:
    """``Note → relation (confidence) → Note``."""
    start, relation, to = (_named(step.get(name)) for name in ("from", "relation", "to"))
    sure = step.get("confidence")
    said = f" ({sure:g})" if isinstance(sure, int | float) else ""
    return f"{start} → {relation}{said} → {to}"


def _named(value: Json) -> str:
    if isinstance(value, dict):
        value = value.get("title") or value.get("id") or ""
    return clean_line(str(value))


def _score(session: Session, reason: Reason) -> Sequence[Span]:
    parts = ((name, value) for name, value in reason.parts.to_dict().items() if value)
    shown = " + ".join(f"{session.say(f'cli.part.{name}')} {value:.3f}" for name, value in parts)
    return ((f"{reason.score:.3f}", STRONG), (f" = {shown}" if shown else "", FAINT))


def replayed(session: Session, result: Recall | Answer) -> None:
    """The answer as it was told, and what is different by now."""
    if isinstance(result, Answer):
        answer(session, result)
    else:
        views.recall(session, result)
    if result.differences is None:
        return
    screen = session.screen
    screen.line()
    if not result.differences:
        screen.line((session.say("cli.replay.same"), views.GOOD))
        return
    said = session.say("cli.replay.differs", count=len(result.differences))
    screen.line((said, WARN))
    for one in result.differences:
        about = f" {one['entry_id']}" if one.get("entry_id") else ""
        before, after = (_short(one.get(name)) for name in ("before", "after"))
        screen.line(f"  {one.get('what')}{about}: {before} → {after}")


def _short(value: Json) -> str:
    if isinstance(value, dict) and "rank" in value and "score" in value:
        return f"{value['rank']}. ({value['score']:.3f})"
    text = clean_line(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= QUOTE_CHARS else text[: QUOTE_CHARS - 1] + "…"
