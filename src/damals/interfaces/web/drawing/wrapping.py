"""Text in a picture, which does not break its lines by itself."""

from collections.abc import Sequence


def wrapped(text: str, chars: int, most: int) -> Sequence[str]:
    """A text in lines of so many characters, so many at most; what is cut ends in an ellipsis."""
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < most:
        last = len(lines) == most - 1
        if len(rest) <= chars:
            return [*lines, rest]
        cut = chars - 1 if last else rest.rfind(" ", 0, chars + 1)
        cut = cut if cut > 0 else chars
        lines.append(rest[:cut].rstrip() + ("…" if last else ""))
        rest = rest[cut:].lstrip()
    return lines
