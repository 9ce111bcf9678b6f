"""Words that ask for the same, as groups of stems."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files

Words = Callable[[str], Sequence[tuple[str, int, int]]]


@cache
def related(words: Words) -> Mapping[str, frozenset[int]]:
    """By stem, the numbers of the groups that a word is in.

    Args:
        words: gives the stems of a text.
    """
    text = (files("damals.adapters.text") / "data" / "related.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: dict[str, set[int]] = {}
    for number, line in enumerate(lines):
        for stem, _, _ in words(line):
            found.setdefault(stem, set()).add(number)
    return {stem: frozenset(numbers) for stem, numbers in found.items()}
