"""What is returned of one entry that somebody looks at: as it is, and what is to be minded."""

from dataclasses import dataclass, fields

from damals.app.results import Entry, Result


@dataclass(frozen=True, slots=True)
class SeenEntry(Entry):
    """An entry that is looked at.

    Attributes:
        caveats: what is to be minded before it is relied on; ``None`` for nothing.
    """

    SHAPE = Entry

    caveats: tuple[str, ...] | None = None

    @classmethod
    def of(cls, entry: Entry, caveats: tuple[str, ...] | None) -> "SeenEntry":
        """An entry with what is to be minded."""
        has = {field.name: getattr(entry, field.name) for field in fields(Entry)}
        return cls(**has, caveats=caveats or None)


@dataclass(frozen=True, slots=True)
class Seen(Result):
    """The answer of an interface to who looks at an entry. ``caveats`` only with any."""

    OPTIONAL = frozenset({"caveats"})

    entry: Entry
    caveats: tuple[str, ...] | None = None

    @classmethod
    def of(cls, entry: SeenEntry) -> "Seen":
        """The answer for an entry that is looked at."""
        return cls(entry, entry.caveats)
