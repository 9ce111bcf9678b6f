"""How the reasons of a result look to people."""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from damals.app.results import Explanation, Hit, Recall
from damals.domain.entries import Json
from damals.interfaces.cli.output import clean_line
from damals.interfaces.cli.session import Session

Chain = Sequence[Mapping[str, Json]]


def chain_line(start: str, chain: Chain) -> str:
    """``Note → relation (confidence) → Note``; an edge that is walked backwards points back.

    Args:
        start: id of the entry that the walk begins at.
        chain: the edges in the order of the walk, each with its own ends.
    """
    said: list[str] = []
    here = start
    for edge in chain:
        src, dst = _end(edge, "from"), _end(edge, "to")
        forward = src[0] == here
        near, far = (src, dst) if forward else (dst, src)
        if not said:
            said.append(near[1])
        relation = f"{clean_line(str(edge['relation']))} ({_number(edge['confidence'])})"
        said.append(f"→ {relation} →" if forward else f"← {relation} ←")
        said.append(far[1])
        here = far[0]
    return " ".join(said)


def _end(edge: Mapping[str, Json], name: str) -> tuple[str, str]:
    """Id and title of one end."""
    value = edge[name]
    end = cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {"id": value}
    name_of = str(end["id"])
    return name_of, clean_line(str(end.get("title") or name_of))


def _number(value: Json) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def reasons(session: Session, hit: Hit) -> Iterator[str]:
    """Lines: the words that matched, the paths in the graph, layer, age and grounding."""
    because = hit.explanation
    if because is None:
        return
    if because.matched:
        yield session.say("cli.matched", words=", ".join(because.matched))
    if because.chain:
        yield session.say("cli.reason.chain", chain=chain_line(hit.entry.id, because.chain))
    if because.persona_chain:
        line = chain_line(hit.entry.id, because.persona_chain)
        yield session.say("cli.reason.persona", chain=line)
    yield session.say("cli.reason.rest", rest="; ".join(_rest(session, because)))


def _rest(session: Session, because: Explanation) -> Iterator[str]:
    if because.layer:
        yield session.say("cli.reason.layer", layer=_layer(session, because.layer))
    half_life = because.half_life_days
    shown = session.say("cli.reason.never") if half_life is None else f"{half_life:g}"
    yield session.say("cli.reason.age", days=f"{because.age_days:.0f}", half_life=shown)
    if because.grounding is not None:
        yield session.say("cli.reason.grounding", grounding=f"{because.grounding:.2f}")


def layers(session: Session, result: Recall) -> Iterator[str]:
    """One line a layer: which results belong to it, by their place."""
    place = {hit.entry.id: number for number, hit in enumerate(result.results, start=1)}
    for layer, ids in (result.layers or {}).items():
        numbers = ", ".join(str(place[str(one)]) for one in cast("list[Json]", ids))
        yield f"{_layer(session, layer)}: {numbers}"


def _layer(session: Session, layer: str) -> str:
    key = f"cli.layer.{layer}"
    said = session.say(key)
    return clean_line(layer) if said == key else said
