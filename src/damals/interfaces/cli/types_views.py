"""How types look to people."""

from collections.abc import Iterable, Sequence

from damals.app.types_model import TypesInForce
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.views import STRONG

RELATION = ("weight", "directed", "transitive", "inverse", "scoring", "min_visibility", "origin")
TYPE = ("layer", "half_life_days", "staleness_risk", "visibility", "origin")
DOMAIN = ("decay", "research", "verification", "risk", "origin")


def in_force(session: Session, result: TypesInForce) -> None:
    """Relations first, then types, domains and rules, at last the files that say so."""
    _section(session, "relations", result.relations, RELATION)
    _section(session, "types", result.types, TYPE)
    _section(session, "domains", result.domains, DOMAIN)
    session.screen.line((session.say("cli.types.layers"), STRONG), "  ", ", ".join(result.layers))
    for rule in result.derive:
        told = ", ".join(rule.of) + ("" if rule.max_hops is None else f"; ≤ {rule.max_hops}")
        told += "" if rule.min_count is None else f"; ≥ {rule.min_count}"
        told += "" if rule.gives is None else f" → {rule.gives}"
        session.screen.line(f"{session.say('cli.types.derive')}: {rule.rule} ({told})")
    session.screen.line("")
    for file in result.files:
        session.screen.line(f"{file.origin}: {file.path}")


def _section(session: Session, name: str, items: Iterable[object], keys: Sequence[str]) -> None:
    """A table under its headline; the headers are the keys of the file, in every language."""
    session.screen.line((session.say(f"cli.types.{name}"), STRONG))
    rows = [
        [str(getattr(item, "name", "")), *(_cell(getattr(item, k)) for k in keys)] for item in items
    ]
    session.screen.table([name, *keys], rows)
    session.screen.line("")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value or "")
