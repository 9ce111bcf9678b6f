"""A home at a time that a test says, and what a report tells of it."""

from dataclasses import dataclass

from damals.app.hygiene.results import FindingView, HygieneReport
from damals.domain.instants import DAY
from damals.local import LocalDamals

START = 1_704_067_200_000_000
"""2024-01-01, in UTC."""


@dataclass
class Time:
    """A clock that stands until it is moved on."""

    now: int = START

    def __call__(self) -> int:
        return self.now

    def days(self, number: float) -> None:
        self.now += round(number * DAY)

    def to(self, days: float) -> None:
        """So many days behind the start."""
        self.now = START + round(days * DAY)


def kinds(report: HygieneReport) -> list[str]:
    """The kinds of a report, in its order."""
    return [one.kind for one in report.kinds]


def found(home: LocalDamals, kind: str, **asked: object) -> list[FindingView]:
    """All findings of a kind."""
    return list(home.hygiene(kind=kind, limit=None, **asked).findings)


def titles(home: LocalDamals, kind: str, **asked: object) -> list[tuple[str, ...]]:
    """What the findings of a kind are about."""
    return [one.titles for one in found(home, kind, **asked)]


FAR = {"valid_from": "2020-01-01"}
SECOND = 1 / 86_400
SAID = [
    "Der Müllwagen kommt dienstags.",
    "Die Heizung wird im Herbst gewartet.",
    "Our lawyer sits in Hamburg.",
    "Das Passwort liegt im Safe.",
    "Im Keller steht ein Fahrrad.",
]


def apart(home: LocalDamals, number: int = 0, **fields: object) -> str:
    """An entry that has nothing to do with any other."""
    given = {"type": "fact", **FAR, **fields}
    return home.remember(str(given.pop("title", f"Sache {number}")), SAID[number], **given).id
