"""What types of entries, relations and domains there are, and what each brings with it.

Pure values. They are read from ``types.yaml`` (``adapters/files/types.py``), where the packaged
file, that of a home and that of a vault are put together.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Final, Literal, TypeVar

from damals.domain.errors import InvalidInput
from damals.domain.fields import FIELDS
from damals.domain.names import fold

RULES: Final = ("inverse", "closure", "backlink", "quote", "co_mention")
DEFAULT_RISK: Final = "slow_decay"
USUAL: Final = "internal"
"""Visibility of an entry when neither it nor its type names one."""

LINKS_TO: Final = "links_to"
"""Relation of a plain link between notes."""

LINKED_FROM: Final = "linked_from"
"""Relation of a note to those that link to it."""

GIVES: Final = {"backlink": LINKED_FROM, "quote": "inspired_by", "co_mention": "related_to"}
"""The rules that give a relation of their own, and which one they give unless they say so."""

MAX_HOPS: Final = range(2, 11)
MIN_COUNTS: Final = range(2, 101)
MAX_NAME: Final = 60

TEMPORAL: Final = ("extends", "revises", "supersedes", "contradicts")
"""The relations with an effect on what holds. They are always there, whatever a file says."""

SYMMETRIC_TEMPORAL: Final = frozenset({"contradicts"})

RESERVED: Final = frozenset(
    [
        *FIELDS,
        *("id", "external_id", "aliases", "alias", "tag", "status", "last_verified"),
        *("valid_from", "valid_to", "valid_until", "grounding_score"),
        *("damals_key", "damals_external_id", "damals_properties", "damals_history"),
    ]
)
"""Fields of an entry or a frontmatter, which mean something else: no relation may be called so."""

_NAME: Final = re.compile(r"[^\W\d_]\w*")
_JOINT: Final = re.compile(r"[\s-]+")
_NEAR: Final = 3

RuleName = Literal["inverse", "closure", "backlink", "quote", "co_mention"]


@dataclass(frozen=True, slots=True)
class NoteType:
    """A type of entries.

    Attributes:
        layer: of explanations; ``None`` for a type that belongs to none.
        half_life_days: after which recency has halved; infinite for timeless things, ``None`` for
            the half-life of the settings.
        staleness_risk: one of :data:`damals.domain.fields.RISKS`.
        visibility: of an entry that names none.
    """

    name: str
    layer: str | None = None
    half_life_days: float | None = None
    staleness_risk: str = DEFAULT_RISK
    visibility: str = USUAL


@dataclass(frozen=True, slots=True)
class RelationType:
    """A type of relations.

    Attributes:
        weight: how near it brings its ends, 0 to 1.
        directed: it reads from one end to the other; the opposite of ``symmetric``.
        symmetric: each end has it to the other.
        transitive: it holds along chains of itself.
        inverse: what it is called from the other end; a symmetric one is its own inverse.
        scoring: factor of its part in the graph context of a score, 0 to 1.
        min_visibility: an edge of this type is hidden from those who may see less.
    """

    name: str
    weight: float = 0.5
    directed: bool = True
    symmetric: bool = False
    transitive: bool = False
    inverse: str | None = None
    scoring: float = 1.0
    min_visibility: str = "public"

    @property
    def temporal(self) -> bool:
        """Whether it has an effect on what holds."""
        return self.name in TEMPORAL


@dataclass(frozen=True, slots=True)
class DomainRule:
    """How fast knowledge of a domain ages. A half-life that is ``None`` follows the risk.

    Attributes:
        decay, research, verification: days; infinite for never.
        risk: one of :data:`damals.domain.fields.RISKS`.
    """

    name: str
    decay: float | None = None
    research: float | None = None
    verification: float | None = None
    risk: str = DEFAULT_RISK


@dataclass(frozen=True, slots=True)
class DeriveRule:
    """A rule that adds edges to those that are said.

    Attributes:
        of: the relations it looks at.
        max_hops: length of the longest chain that a closure joins.
        confidence: factor of an added edge's, beside those of the edges that it follows from, 0
            to 1.
        gives: the relation of an added edge; ``None`` for an inverse or a closure, where it
            follows from ``of``.
        min_count: in how many chunks two entries are mentioned together, at least.
    """

    rule: RuleName
    of: tuple[str, ...]
    max_hops: int = 3
    confidence: float = 1.0
    gives: str | None = None
    min_count: int = 2


@dataclass(frozen=True, slots=True)
class TypeCatalogue:
    """Everything that ``types.yaml`` declares, by name."""

    types: Mapping[str, NoteType] = field(default_factory=dict[str, NoteType])
    relations: Mapping[str, RelationType] = field(default_factory=dict[str, RelationType])
    layers: tuple[str, ...] = ()
    domains: Mapping[str, DomainRule] = field(default_factory=dict[str, DomainRule])
    derive: tuple[DeriveRule, ...] = ()

    def overlaid(self, vaults: "Iterable[TypeCatalogue]") -> "TypeCatalogue":
        """The same with what vaults declare otherwise than this one; of two of them the later.

        Rules stay what they are.
        """
        types, relations, domains = dict(self.types), dict(self.relations), dict(self.domains)
        layers = dict.fromkeys(self.layers)
        for vault in vaults:
            types |= _otherwise(vault.types, self.types)
            relations |= _otherwise(vault.relations, self.relations)
            domains |= _otherwise(vault.domains, self.domains)
            layers |= dict.fromkeys(vault.layers)
        return replace(
            self, types=types, relations=relations, layers=tuple(layers), domains=domains
        )

    def find_relation(self, name: str) -> RelationType | None:
        """The relation that a name means, however it is written; ``None`` for an unknown one."""
        return self.relations.get(relation_name(name))

    def relation(self, name: str) -> RelationType:
        """As :meth:`find_relation`.

        Raises:
            InvalidInput: ``relation.unknown_type``, with the names that there are.
        """
        found = self.find_relation(name)
        if found is None:
            known = ", ".join(self.relations)
            near = near_names(relation_name(name), self.relations)
            raise InvalidInput("relation.unknown_type", name=name, near=near or known, known=known)
        return found

    def find_type(self, name: str) -> NoteType | None:
        """The type of this name, or ``None``."""
        return self.types.get(fold(name.strip()))

    def type(self, name: str) -> NoteType:
        """The type of this name; an unknown one has the defaults."""
        return self.find_type(name) or NoteType(name)


_Rule = TypeVar("_Rule")


def _otherwise(said: Mapping[str, _Rule], before: Mapping[str, _Rule]) -> dict[str, _Rule]:
    return {name: one for name, one in said.items() if before.get(name) != one}


def visibilities_of(types: TypeCatalogue) -> dict[str, str]:
    """The types whose entries have another visibility than ``internal`` unless they name one."""
    own = ((name, one.visibility) for name, one in types.types.items())
    return {name: visibility for name, visibility in own if visibility != USUAL}


def relation_name(written: str) -> str:
    """A relation's name as it is compared: ``Part of`` and ``part-of`` are ``part_of``."""
    return _JOINT.sub("_", fold(written.strip()))


def is_name(text: str) -> bool:
    """Whether something declared may be called so: as it is compared, and no more than a word."""
    sound = _NAME.fullmatch(text) is not None and len(text) <= MAX_NAME
    return sound and text == relation_name(text)


def near_names(name: str, known: Iterable[str]) -> str:
    """The known names that a wrong one may have meant, best first; empty when none is near."""
    return ", ".join(get_close_matches(name, list(known), _NEAR))
