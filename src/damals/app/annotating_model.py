"""What the use case of annotations and the editor of notes say to each other."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from damals.domain.entries import Json


@dataclass(frozen=True, slots=True)
class Value:
    """A value that a field of a frontmatter is to have.

    Attributes:
        text: the value, where it is one.
        items: the values, where it is a list; order does not matter.
        plain: it is a date, a number or a truth, and stands without quotes.
        commas: a text with commas stands for a list in this field.
        without: names that the list is to lose, compared folded; it keeps all others that it has.
    """

    text: str = ""
    items: tuple[str, ...] | None = None
    plain: bool = False
    commas: bool = False
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field that was changed.

    Attributes:
        name: as it is written in the file.
        before, after: its value; ``None`` where there is no such field.
    """

    name: str
    before: Json
    after: Json


Check = Callable[[Mapping[str, Json]], None]
"""Looks at the fields that mean something, as an import would read them."""


def unchecked(fields: Mapping[str, Json]) -> None:
    """Lets everything pass."""
    del fields


class NoteEditor(Protocol):
    """Changes fields of one note's frontmatter and nothing else of it."""

    def edit(
        self,
        path: Path,
        changes: Mapping[str, Value | None],
        *,
        dry_run: bool,
        check: Check = unchecked,
    ) -> Sequence[FieldChange]:
        """Change the fields of a note's frontmatter; the file is replaced in one step.

        Args:
            path: of the note.
            changes: new values by name of the field, as damals reads it; ``None`` takes the field
                away. Names that mean something are compared folded, all others as they are.
            dry_run: only say what would be changed.
            check: refuses what the note would say then, before anything is written.

        Returns:
            What differs from before; nothing when all says so already.

        Raises:
            NotFound: ``path.missing``.
            InvalidInput: ``annotate.…`` or ``vault.…`` for what is no note, or one whose
                frontmatter cannot be changed by itself; ``path.unwritable``.
            Conflict: ``annotate.changed`` when somebody else wrote the file meanwhile.
            Exception: whatever ``check`` raises.
        """
        ...
