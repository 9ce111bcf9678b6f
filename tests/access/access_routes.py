"""Everything that can be read, as plain JSON in which only what differs between homes is evened."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from access_histories import KEYS, WORDS

from damals.app.hygiene.results import HygieneReport
from damals.app.wire import to_wire
from damals.domain.errors import DamalsError
from damals.domain.findings import HYGIENE, Kind
from damals.local import LocalDamals

PAIRS = (
    (None, None), ("2024-02-15", None), ("2024-05-15", None), ("2024-12-15", None),
    ("2024-03-15", "2024-03-15"), ("2024-05-15", "2024-04-15"),
)  # fmt: skip
WAYS = (
    ("2024-01-15", "2024-06-15", None), ("2024-02-15", "2024-09-15", "valid"),
    ("2024-01-15", "2024-08-15", "known"), ("2024-01-02", "2026-01-01", "known"),
    ("2024-09-15", "2024-02-15", "known"),
)  # fmt: skip

FEW = 1e-5
"""Engines compute with seven digits, and scores are made of several such numbers."""

Answers = dict[str, object]

KINDS = [kind.value for kind in HYGIENE if kind is not Kind.BELOW_THRESHOLD]
"""But for what importance decides: it depends on when something was really logged."""


FAR_AHEAD = {"limit": None, "kind": "below_threshold", "as_of": "2124-01-01"}
"""When nothing that decays is important any more, whenever it was logged."""


def unranked(report: HygieneReport) -> HygieneReport:
    """A report without importance."""
    told = (replace(one, importance=0.0) for one in report.findings)
    by_matter = sorted(told, key=lambda one: (one.kind, one.entries, one.part))
    return replace(report, findings=tuple(by_matter))


def unused(report: HygieneReport) -> HygieneReport:
    """A report without importance, and without since when something was not used."""
    told = unranked(report)
    return replace(told, findings=tuple(replace(one, message="") for one in told.findings))


class Asking:
    """Asks a home everything, as somebody, and evens out what only tells homes apart."""

    def __init__(self, home: LocalDamals, owner: LocalDamals, numbers: LocalDamals) -> None:
        self._home = home
        self._told = numbers
        self._at = {one.number: one.recorded_at for one in owner.log().transactions}

    def answers(self, ids: Iterable[str]) -> Answers:
        """The answer of each route, by a name that says what was asked."""
        ids = list(ids)
        routes: Iterator[tuple[str, Callable[[], object]]] = (
            route for part in (self._looking(ids), self._finding()) for route in part
        )
        return {name: self._said(ask) for name, ask in routes}

    def _looking(self, ids: list[str]) -> Iterator[tuple[str, Callable[[], object]]]:
        home, told = self._home, self._told
        yield "log", told.log
        for key in KEYS:
            yield f"history {key}", lambda key=key: home.history(key=key)
            yield f"log {key}", lambda key=key: told.log(key=key)
        for one in ids:
            yield f"history {one}", lambda one=one: home.history(one)
            yield f"log {one}", lambda one=one: told.log(entry=one)
            for as_of, known_at in PAIRS:
                yield (
                    f"get {one} {as_of} {known_at}",
                    lambda one=one, v=as_of, t=known_at: home.get(one, as_of=v, known_at=t),
                )

    def _finding(self) -> Iterator[tuple[str, Callable[[], object]]]:
        home, told = self._home, self._told
        for as_of, known_at in PAIRS:
            at = {"as_of": as_of, "known_at": known_at}
            for status in (None, "superseded", "archived"):
                yield f"entries {status} {at}", lambda a=at, s=status: home.entries(status=s, **a)
            for more in ({"tag": "haus"}, {"certain": True}, {"limit": 2}):
                yield f"entries {more} {at}", lambda a=at, m=more: home.entries(**m, **a)
            yield f"hygiene {at}", lambda a=at: unranked(home.hygiene(limit=None, kind=KINDS, **a))
            yield f"lint {at}", lambda a=at: unranked(home.lint(due=True, limit=None, **a))
            for query in (WORDS[0], f"{WORDS[1]} {WORDS[2]}", "etwas anderes"):
                for limit in (2, None):
                    yield (
                        f"recall {query} {limit} {at}",
                        lambda q=query, n=limit, a=at: told.recall(q, limit=n, **a),
                    )
            yield f"patterns {at}", lambda a=at: told.patterns("haus", **a)
            for word in ("haus", WORDS[0]):
                yield (
                    f"timeline {word} {at}",
                    lambda w=word, a=at: told.timeline(w, limit=None, **a),
                )
                yield (
                    f"timeline {word} from its second event {at}",
                    lambda w=word, a=at: told.timeline(w, step=2, limit=1, **a),
                )
        yield "hygiene far ahead", lambda: unused(home.hygiene(**FAR_AHEAD))
        for word in WORDS[:2]:
            yield f"trace {word}", lambda w=word: told.trace(w, limit=3)
        for start, end, axis in WAYS:
            yield (
                f"diff {start} {end} {axis}",
                lambda s=start, e=end, x=axis: home.diff(start=s, end=e, axis=x),
            )
            if axis is None:
                yield (
                    f"diff known {start} {end}",
                    lambda s=start, e=end: home.diff(
                        start="2024-01-01", end="now", known_from=s, known_to=e
                    ),
                )

    def _said(self, ask: Callable[[], object]) -> object:
        try:
            found = to_wire(ask())
        except DamalsError as error:
            return [type(error).__name__, error.key, str(error.values)]
        return self._even(found)

    def _even(self, value: object) -> object:
        """Numbers of transactions as instants; without who erased what, and what time it is."""
        if isinstance(value, list):
            return [self._even(one) for one in value if not _is_erasure(one)]
        if not isinstance(value, dict):
            return value
        dropped = ("logged_at", "number", "withheld", "receipt")
        made = {name: self._even(one) for name, one in value.items() if name not in dropped}
        if isinstance(made.get("transaction"), int):
            made["transaction"] = self._at[made["transaction"]]
        return made


def unlike(one: object, other: object, at: str = "") -> Iterator[str]:
    """Where answers differ by more than the last digits of scores: engines compute with few."""
    match one, other:
        case dict(), dict():
            for name in one | other:
                here, there = (told.get(name, "(missing)") for told in (one, other))
                yield from unlike(here, there, f"{at}.{name}")
        case list(), list() if len(one) == len(other):
            for place, (here, there) in enumerate(zip(one, other, strict=True)):
                yield from unlike(here, there, f"{at}[{place}]")
        case float(), float() if math.isclose(one, other, abs_tol=FEW):
            pass
        case _ if one != other:
            yield f"{at}: {one!r} is not {other!r}"


def _is_erasure(value: object) -> bool:
    return isinstance(value, dict) and value.get("kind") == "erased"


def everything_told(
    home: LocalDamals, ids: Iterable[str], folder: Path
) -> Iterator[tuple[str, str]]:
    """Every answer as it is sent, an export among them, by what was asked."""
    asking = Asking(home, home, home)
    for name, answer in asking.answers(ids).items():
        yield name, json.dumps(answer, ensure_ascii=False)
    file = folder / "told.jsonl"
    home.export(file)
    yield "export", file.read_text(encoding="utf-8")
