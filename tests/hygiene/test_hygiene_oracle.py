"""Hygiene against brute force: what listings, histories and the log tell, counted out plainly.

The oracle knows nothing of snapshots, scenes and lives: it takes what everybody can read, and the
tables of the design, and looks at each entry by itself.
"""

import math
import os
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, combinations, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest
from bench.hygiene_archive import Archive
from hygiene_home import START, Time
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from damals.app.results import Entry
from damals.bootstrap import init_home, open_home
from damals.domain.candidates import compare
from damals.domain.claims import Claim
from damals.domain.instants import DAY, from_datetime
from damals.domain.parsing import parse_end, parse_start
from damals.domain.periods import Period
from damals.domain.zones import load_zone
from damals.errors import DamalsError
from damals.local import LocalDamals

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
SIZE, DAYS = 36, 600
RISK = {"fact": "slow", "reference": "slow", "goal": "slow", "note": "stable",
        "decision": "stable", "journal": "stable"}  # fmt: skip
DOMAINS = {
    "ai_ml": ("fast", 60, None),
    "architecture": ("stable", 365, 90),
    "campaign": ("fast", 30, None),
    "api_docs": ("fast", None, 30),
    "mathematics": ("stable", math.inf, None),
}
"""Risk, half-life of importance, window of verification; ``None`` follows the risk."""
DECAY = {"fast": 60, "slow": 180, "stable": 365}
WINDOW = {"fast": 30, "slow": 180, "stable": math.inf}
CUTS = ("supersedes", "revises")

Told = Counter[tuple[str, tuple[str, ...]]]
"""How often something is told: each relation and each end of a period counts by itself."""
Pairs = set[tuple[str, tuple[str, ...]]]
ALIKE = ("near_duplicate", "possible_contradiction")

PLANTED = {
    "near_duplicate": (
        ("Wartung", "Der Wartungsvertrag mit der Firma Zeppelin läuft Ende März aus."),
        (
            "Wartung Zeppelin",
            "Der Wartungsvertrag mit der Firma Zeppelin läuft bald Ende März aus.",
        ),
    ),
    "possible_contradiction": (
        ("Timeout Xanadu", "Das Timeout beträgt 30 s."),
        ("Timeout Xanadu", "Das Timeout beträgt 60 s."),
    ),
    "neither": (
        ("Parkplatz Ost", "Vor dem Tor stehen zwei Kastanien."),
        ("Archivkeller", "Our lawyer keeps the old maps there."),
    ),
}
"""Pairs of which somebody can tell what they are, told among everything else; the second later."""
LATER = 250


def days_between(since: int, until: int) -> int:
    """Midnights in UTC, where the archive lives."""
    return max(until // DAY - since // DAY, 0)


def instant(text: str) -> int:
    return from_datetime(datetime.fromisoformat(text))


class Oracle:
    """What a hygiene report must say at a pair of instants."""

    def __init__(self, lived: "Lived", as_of: int, known_at: int, pair: dict[str, str]) -> None:
        home = lived.home
        self.as_of, self.known_at, self.home = as_of, known_at, home
        self.held = {one.id: one for one in home.entries(limit=None, **pair)}
        gone = home.entries(limit=None, status="superseded", **pair)
        self.gone = {one.id: one for one in gone if one.id not in self.held}
        self.checks: dict[str, list[int]] = {}
        until = min(as_of, known_at)
        self.used = {
            entry: max(at for at in instants if at <= until)
            for entry, instants in lived.used.items()
            if min(instants) <= until
        }
        for transaction in home.log().transactions:
            at = instant(transaction.recorded_at)
            for op in transaction.ops:
                if op["op"] == "verify" and at <= until:
                    self.checks.setdefault(str(op["target"]), []).append(at)

    def told(self) -> Told:
        found = (self._references(), self._ageing(), self._consistency(), self._relations())
        return Counter(chain(*found)) + Counter(self._contradictions())

    def _ages(self, one: Entry) -> tuple[str, float, float]:
        risk, decay, window = DOMAINS.get(one.domain or "", (RISK[one.type], None, None))
        if one.staleness_risk is not None:
            risk = one.staleness_risk.removesuffix("_decay")
        return risk, decay or DECAY[risk], window or WINDOW[risk]

    def _references(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for old in self.gone:
            by = {
                one.id
                for one in self.held.values()
                for tie in one.relations
                if (tie.direction, tie.entry_id, tie.derived) == ("out", old, False)
                and tie.type not in (*CUTS, "contradicts")
            }
            if by:
                yield "superseded_referenced", (old, *sorted(by))

    def _ageing(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for one in self.held.values():
            risk, _, window = self._ages(one)
            checks = [instant(one.created_at), *self.checks.get(one.id, ())]
            days = days_between(checks[-1], self.as_of)
            decayed = self._decayed(one, risk, window, checks)
            if decayed:
                yield "decayed", (one.id,)
            elif days > window:
                yield "review", (one.id,)
        for one in (*self.held.values(), *self.gone.values()):
            _, decay, _ = self._ages(one)
            since = [instant(one.created_at), *self.checks.get(one.id, ())][-1]
            since = self.used.get(one.id, since)
            days = days_between(since, self.as_of)
            if not one.pinned and one.importance * 2 ** (-days / decay) < 0.2:
                yield "below_threshold", (one.id,)

    def _decayed(self, one: Entry, risk: str, window: float, checks: list[int]) -> bool:
        """Step by step: each check meets what has become of the entry by then."""
        if one.pinned or risk == "stable":
            return False
        rank, allowed = 0, window
        gone = False
        for before, check in pairwise(checks):
            passed = days_between(before, check)
            gone = passed >= allowed
            lapsed = rank == 2 and passed >= window
            rank = 2 if gone or rank or lapsed else 1
            allowed = window * (2 if rank == 2 else 1)
        instant_ = min(self.as_of, self.known_at)
        return days_between(checks[-1], instant_) >= allowed

    def _consistency(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for one in self.held.values():
            risk, decay, _ = self._ages(one)
            low, high = {"fast": (30, 60), "slow": (61, 364), "stable": (365, math.inf)}[risk]
            kept = one.pinned or decay == math.inf
            if (risk != "stable") if kept else not low <= decay <= high:
                yield "risk", (one.id,)
            if one.importance >= 4 and not kept:
                yield "unpinned", (one.id,)
            start = one.bounds.from_.earliest is None or _marked(one.valid_from)
            end = one.valid_to == "unknown" or _marked(one.valid_to)
            yield from [("uncertain_date", (one.id,))] * (start + end)

    def _relations(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for one in self.held.values():
            stated = [tie for tie in one.relations if not tie.derived]
            if not stated:
                yield "orphan", (one.id,)
            for tie in stated:
                if tie.direction == "out" and not self._known(tie.entry_id):
                    yield "broken_link", (one.id,)

    def _contradictions(self) -> Pairs:
        """Each is told once, by whichever of both it is looked at."""
        return {
            ("contradiction", tuple(sorted((one.id, tie.entry_id))))
            for one in self.held.values()
            for tie in one.relations
            if tie.resolution == "required" and not tie.derived and tie.entry_id in self.held
        }

    def _known(self, entry: str) -> bool:
        versions = self.home.history(entry).versions
        return any(
            instant(one.recorded_from) <= self.known_at
            and (one.recorded_to is None or self.known_at < instant(one.recorded_to))
            for one in versions
        )


def _marked(date: str | None) -> bool:
    return date is not None and date.endswith(("~", "?"))


@dataclass
class Lived:
    """A home in which much has happened.

    Attributes:
        used: when each entry was looked at.
        planted: by what they are, the pairs of which that is known.
    """

    home: LocalDamals
    used: dict[str, list[int]] = field(default_factory=dict)
    planted: dict[str, list[str]] = field(default_factory=dict)

    def plant(self, place: int) -> None:
        for kind, pair in PLANTED.items():
            title, text = pair[place]
            made = self.home.remember(title, text, type="fact", valid_from="2020-01-01")
            self.planted.setdefault(kind, []).append(made.id)

    def use(self, rng: random.Random, clock: Time) -> None:
        """Look at some of what holds."""
        for one in self.home.entries(limit=None):
            if rng.random() < 0.05:
                self.home.get(one.id)
                self.used.setdefault(one.id, []).append(clock.now)

    def break_links(self, archive: Archive) -> None:
        """Relations of several kinds to one, which is then retracted, and to another."""
        near, *far = archive.live[-3:]
        for kind, other in (("extends", far[0]), ("depends_on", far[0]), ("extends", far[1])):
            self.home.relate(near, kind, other)
        for one in far:
            archive.live.remove(one)
            self.home.retract(one, reason="falsch")


@contextmanager
def lived(seed: int, clock: Time) -> Iterator[Lived]:
    """A home with an archive in it, at the end of its days."""
    rng = random.Random(seed)
    with TemporaryDirectory() as folder:
        init_home(Path(folder) / "home", timezone="UTC")
        made = open_home(Path(folder) / "home", clock=clock, embedder="none", index_mode="inline")
        with made as home:
            archive, told = Archive(seed, SIZE, DAYS, busy=4), Lived(home)
            told.plant(0)
            for day, said in archive.story():
                clock.to(day)
                for one in said:
                    try:
                        home.transact([one])
                    except DamalsError:
                        continue
                told.use(rng, clock)
                if day >= LATER and len(told.planted["neither"]) == 1:
                    told.plant(1)
                    told.break_links(archive)
                    home.remember("Offen", "Nichts sonst.", valid_from="2019~", valid_to="2090?")
            clock.to(DAYS)
            yield told


def moment(day: float) -> str:
    return datetime.fromtimestamp((START + round(day * DAY)) / 1e6, tz=load_zone("UTC")).isoformat()


@settings(
    max_examples=40 if NIGHTLY else 4,
    deadline=None,
    derandomize=not NIGHTLY,
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 10_000))
@pytest.mark.filterwarnings("ignore")
def test_a_report_is_what_brute_force_finds_at_any_pair_of_instants(seed: int):
    note(f"seed={seed}")
    clock = Time()
    with lived(seed, clock) as told_of:
        home = told_of.home
        for v, t in ((DAYS, DAYS), (DAYS + 300, DAYS), (400, 300), (200, DAYS), (350, 350)):
            pair = {"as_of": moment(v), "known_at": moment(t)}
            v_, t_ = (START + round(day * DAY) for day in (v, t))
            expected = Oracle(told_of, v_, t_, pair).told()
            report = home.hygiene(limit=None, **pair)
            told = Counter((one.kind, one.entries) for one in report.findings)
            alike = {one for one in told if one[0] in ALIKE}
            assert told - Counter(alike) == expected, (v, t)
            _check_alike(home, alike, pair)
            _check_planted(told_of, alike, pair)
            assert report.count == len(report.findings)
            assert len({(one.kind, one.entries, one.part) for one in report.findings}) == len(
                report.findings
            )


def _check_planted(told_of: Lived, told: Pairs, pair: dict[str, str]) -> None:
    """Of what is known what it is, exactly that is told: nothing of it is asked of the product."""
    held = {one.id for one in told_of.home.entries(limit=None, **pair)}
    ours = {entry for ids in told_of.planted.values() for entry in ids}
    expected = {
        (kind, tuple(sorted(ids)))
        for kind, ids in told_of.planted.items()
        if kind in ALIKE and held.issuperset(ids)
    }
    assert {one for one in told if not ours.isdisjoint(one[1])} == expected


def _check_alike(home: LocalDamals, told: Pairs, pair: dict[str, str]) -> None:
    """No pair is missed that has one title, and none is told that is none by itself.

    What a pair is, is the matter of the tests of candidates and of what is planted here; this is
    about finding the pairs among all.
    """
    held = {one.id: one for one in home.entries(limit=None, **pair)}
    claims = {entry: _claim(one) for entry, one in held.items()}
    brute: Pairs = set()
    for a, b in combinations(sorted(claims), 2):
        found = compare(claims[a], claims[b])
        tied = any(
            tie.entry_id == b and not tie.derived and tie.type != "links_to"
            for tie in held[a].relations
        )
        if found is not None and not tied:
            kind = "near_duplicate" if found.kind == "duplicate" else "possible_contradiction"
            brute.add((kind, (a, b)))
    assert told <= brute
    named = {one for one in brute if len({held[entry].title for entry in one[1]}) == 1}
    assert named <= told


def _claim(one: Entry) -> Claim:
    zone = load_zone(one.bounds.zone)
    start = parse_start(one.valid_from, zone=zone, now=instant(one.created_at))
    end = parse_end(one.valid_to, zone=zone, now=instant(one.created_at))
    return Claim(UUID(one.id), one.title, one.content, one.type, Period(start, end), one.key)


def test_a_report_of_a_past_pair_is_the_one_that_was_given_then():
    clock, given_then = Time(), {}
    with TemporaryDirectory() as folder:
        init_home(Path(folder) / "home", timezone="UTC")
        made = open_home(Path(folder) / "home", clock=clock, embedder="none", index_mode="inline")
        with made as home:
            for number, (day, said) in enumerate(Archive(5, 60, 1_500, busy=2).story()):
                clock.to(day)
                for one in said:
                    try:
                        home.transact([one])
                    except DamalsError:
                        continue
                if number % 24 == 5:
                    if number % 48 == 5 and (shown := home.entries(limit=3).entries):
                        home.get(shown[-1].id)
                    clock.to(day + 0.002)
                    given_then[moment(day + 0.002)] = home.hygiene(limit=3), home.lint(due=True)
            clock.to(1_500)
            assert len(given_then) > 3
            for at, (report, lint) in given_then.items():
                pair = {"as_of": at, "known_at": at}
                assert home.hygiene(limit=3, **pair) == report, at
                assert home.lint(due=True, **pair) == lint, at
