"""Homes that meet faults: opening them, what they answer, what doctor says of them."""

from pathlib import Path

from own_embedder import WordsOfEight

from damals.app.results import Check, Health
from damals.bootstrap import open_home
from damals.local import LocalDamals

TITLES = ("Mietvertrag", "Kündigungsfrist", "Liefertermin", "Anschrift", "Urlaubsplan")


def opened(home: Path, **options: object) -> LocalDamals:
    """A home, with a small embedder of its own."""
    return open_home(home, **{"embedding": WordsOfEight(), "timezone": "UTC", **options})


def answers(home: Path) -> list[list[tuple[str, float]]]:
    """What a home answers, with scores as far as they do not change while time passes."""
    with opened(home) as memory:
        return [
            [
                (one.entry.title, round(one.score, 3))
                for one in memory.recall(title, limit=10).results
            ]
            for title in TITLES
        ]


def doctor(home: Path, *, repair: bool = False) -> Health:
    with opened(home) as memory:
        return memory.doctor(repair=repair)


def check(health: Health, name: str) -> Check:
    return next(one for one in health.checks if one.name == name)
