"""What was found, as pages show it: each result with its way to the source and its reasons."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast

from damals import messages
from damals.app.answer_results import Answer, Citation, Reason, reasons_of
from damals.app.errors import DamalsError
from damals.app.results import Entry, Explanation, Recall
from damals.domain.entries import Json
from damals.interfaces.web.drawing.bars import Piece, pieces
from damals.interfaces.web.visitor import Visitor

_MARK: Final = re.compile(r"\[(\d+)\]")
"""``[1]`` in an answer."""

MOST_LOOKED_UP: Final = 30
"""Of so many reasons the entries are looked up."""

_LINK: Final = re.compile(r"\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n|]+)\]\]")
"""``[[Note|as it reads]]``; a passage is shown as it reads."""

Pair = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Step:
    """An entry on a way in the graph, and how it was reached; ``relation`` is none for the first.

    Attributes:
        forward: the relation leads here; else it leads away from here.
    """

    title: str
    href: str
    relation: str | None = None
    confidence: float = 1.0
    forward: bool = True


@dataclass(frozen=True, slots=True)
class Find:
    """A result with all its reasons.

    Attributes:
        entry: as of the pair; ``None`` where it is not there any more.
        href: its source, at the passage that was found.
        text: that passage.
        pieces: the parts of its score as a bar.
        ways: through the graph to what it is near to, and to the person that it is seen from.
        contradicts: titles and addresses.
        explanation: more of its reasons, for rankings.
    """

    reason: Reason
    entry: Entry | None
    href: str
    text: str
    pieces: Sequence[Piece]
    ways: tuple[tuple[Step, ...], ...]
    contradicts: tuple[tuple[str, str], ...]
    explanation: Explanation | None = None

    @property
    def layer(self) -> str:
        """What its layer is called; empty for none."""
        return layer_name(self.reason.layer) if self.reason.layer else ""


@dataclass(frozen=True, slots=True)
class Cited:
    """A numbered citation.

    Attributes:
        href: opens its source at the line, with the quote marked.
        line: of the quote in its source; ``None`` for a title.
    """

    citation: Citation
    title: str
    href: str
    line: int | None
    find: Find | None


class Finds:
    """What was found at a pair of instants, with links that keep it."""

    def __init__(
        self,
        visitor: Visitor,
        found: Recall | Answer,
        pair: Pair,
        reasons: Sequence[Reason] | None = None,
    ) -> None:
        """For an answer or a ranking.

        Args:
            visitor: who looks.
            found: what was found.
            pair: stands in the links.
            reasons: of all results, where they are known better than from ``found``.
        """
        self._visitor = visitor
        self._found = found
        self._pair = pair
        own = reasons_of(found) if isinstance(found, Recall) else found.reasons
        self._reasons = own if reasons is None else reasons

    def results(self) -> tuple[Find, ...]:
        """The results, best first."""
        if isinstance(self._found, Recall):
            rows = zip(self._reasons, self._found.results, strict=True)
            return tuple(
                self._find(
                    reason, hit.entry, hit.chunk.text, (hit.chunk.start, hit.chunk.end),
                    hit.explanation,
                )
                for reason, hit in rows
            )  # fmt: skip
        made: list[Find] = []
        for place, reason in enumerate(self._reasons):
            entry = self._entry(reason.entry_id) if place < MOST_LOOKED_UP else None
            made.append(self._find(reason, entry, _passage(entry, reason.line)))
        return tuple(made)

    def _find(
        self,
        reason: Reason,
        entry: Entry | None,
        text: str,
        place: tuple[int | None, int | None] = (None, None),
        explanation: Explanation | None = None,
    ) -> Find:
        chains = [reason.chain, explanation.persona_chain if explanation else ()]
        titles = {one.entry_id: one.title for one in (entry.relations if entry else ())}
        return Find(
            reason=reason,
            entry=entry,
            href=self.to(reason.entry_id, place, reason.line),
            text=_LINK.sub(r"\1", text),
            pieces=pieces(reason.parts),
            ways=tuple(tuple(self._steps(reason.entry_id, one)) for one in chains if one),
            contradicts=tuple((titles.get(one) or one, self.to(one)) for one in reason.contradicts),
            explanation=explanation,
        )

    def cited(self, results: Sequence[Find]) -> tuple[Cited, ...]:
        """The citations of an answer."""
        if isinstance(self._found, Recall):
            return ()
        known = {one.reason.entry_id: one for one in results}
        return tuple(self._cited(one, known.get(one.entry_id)) for one in self._found.citations)

    def _cited(self, citation: Citation, find: Find | None) -> Cited:
        entry = find.entry if find else self._entry(citation.entry_id)
        title = entry.title if entry else (find.reason.title if find else citation.entry_id)
        line = None
        if citation.start is not None:
            line = find.reason.line if find else None
            if entry is not None:
                line = (entry.source.line or 1) + entry.content.count("\n", 0, citation.start)
        href = self.to(citation.entry_id, (citation.start, citation.end), line)
        return Cited(citation, title, href, line, find)

    def to(
        self,
        entry_id: str,
        quote: tuple[int | None, int | None] = (None, None),
        line: int | None = None,
    ) -> str:
        """The page of an entry, at a line, with a quote marked."""
        start, end = quote
        marked = None if start is None or end is None else f"{start}-{end}"
        path = self._visitor.path("entries", entry_id, **self._pair, quote=marked)
        return path if line is None else f"{path}#L{line}"

    def _entry(self, entry_id: str) -> Entry | None:
        found = self._found
        try:
            return self._visitor.memory.get(entry_id, as_of=found.as_of, known_at=found.known_at)
        except DamalsError:
            return None  # gone or hidden meanwhile: its reasons are told all the same

    def _steps(self, start: str, chain: Sequence[Mapping[str, Json]]) -> Iterator[Step]:
        here = start
        for place, edge in enumerate(chain):
            ends = [_end(edge, "from"), _end(edge, "to")]
            forward = ends[0][0] == here
            near, far = ends if forward else reversed(ends)
            if not place:
                yield Step(near[1], self.to(near[0]))
            confidence = edge.get("confidence")
            sure = float(confidence) if isinstance(confidence, int | float) else 1.0
            yield Step(far[1], self.to(far[0]), str(edge["relation"]), sure, forward)
            here = far[0]


def _end(edge: Mapping[str, Json], name: str) -> tuple[str, str]:
    """Id and title of one end of a relation."""
    value = edge[name]
    end = cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {"id": value}
    return str(end["id"]), str(end.get("title") or end["id"])


def _passage(entry: Entry | None, line: int) -> str:
    """The paragraph that begins at a line of the source."""
    if entry is None:
        return ""
    lines = entry.content.split("\n")[max(line - (entry.source.line or 1), 0) :]
    whole: list[str] = []
    for one in lines:
        if not one.strip() and whole:
            break
        whole.append(one)
    return "\n".join(whole).strip()


@dataclass(frozen=True, slots=True)
class Said:
    """A piece of an answer: words, or the mark of a citation."""

    text: str
    cited: Cited | None = None


def said(answer: str, cited: Sequence[Cited]) -> tuple[Said, ...]:
    """An answer in pieces, its marks as links."""
    by_number = {str(one.citation.n): one for one in cited}
    made: list[Said] = []
    place = 0
    for mark in _MARK.finditer(answer):
        source = by_number.get(mark[1])
        if source is not None:
            made += [Said(answer[place : mark.start()]), Said(mark[1], source)]
            place = mark.end()
    return (*made, Said(answer[place:]))


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of explanations, and what of the results belongs to it."""

    name: str
    finds: tuple[Find, ...]


def layers(results: Sequence[Find]) -> tuple[Layer, ...]:
    """The results by layer; those of none come last, and alone they are not told."""
    found: dict[str, list[Find]] = {}
    for one in results:
        found.setdefault(one.reason.layer or "", []).append(one)
    named = sorted(found.items(), key=lambda item: not item[0])
    if [name for name, _ in named] == [""]:
        return ()
    return tuple(Layer(layer_name(name), tuple(finds)) for name, finds in named)


def layer_name(name: str) -> str:
    """What a layer is called, or that there is none; layers of one's own by their name."""
    key = f"web.ask.layer.{name}" if name else "web.ask.layer_none"
    text = messages.text(key)
    return name if text == key else text
