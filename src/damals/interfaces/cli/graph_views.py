"""How graphs and persons look to people."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from damals.app.graph_results import DeriveReport, Graph, GraphEdge, GraphNode, People
from damals.interfaces.cli.output import clean_line
from damals.interfaces.cli.session import Session
from damals.interfaces.cli.times import local
from damals.interfaces.cli.views import FAINT, NAME, STRONG, WARN

INDENT: Final = "  "


def tree(session: Session, result: Graph) -> None:
    """The asked entry, and below each entry where its edges lead."""
    screen, zone = session.screen, result.understood.zone
    clocks = session.say(
        "cli.understood",
        as_of=local(result.understood.as_of, zone),
        known_at=local(result.understood.known_at, zone),
        zone=zone,
    )
    screen.line((clocks, FAINT))
    root = result.nodes[0]
    screen.line((clean_line(root.title), STRONG), f"  {root.id}")
    for level, edge, arrow, node in _branches(result):
        told = clean_line(node.title) or node.id
        derived = session.say("graph.derived", rule=edge.rule or "") if edge.derived else ""
        screen.line(
            INDENT * level, f"{arrow} {edge.type} ", (told, NAME),
            (f"  {edge.confidence:g}" if edge.confidence < 1 else "", FAINT),
            (f"  {derived}" if derived else "", FAINT),
            (_doubt(session, node), WARN),
        )  # fmt: skip
    if len(result.nodes) == 1:
        screen.line(session.say("graph.alone"))
    if result.truncated:
        screen.line((session.say("graph.truncated", count=len(result.nodes)), WARN))


def _doubt(session: Session, node: GraphNode) -> str:
    """What else is to be known of a node."""
    if node.unresolved:
        return f"  {session.say('graph.unresolved')}"
    if node.status not in (None, "active"):
        return f"  {session.say(f'graph.{node.status}')}"
    return f"  {session.say('graph.not_then')}" if node.certainty is None else ""


def _branches(result: Graph) -> Iterator[tuple[int, GraphEdge, str, GraphNode]]:
    """Each edge once: level, edge, arrow as seen from the node above it, and the other end."""
    nodes = {node.id: node for node in result.nodes}
    of: dict[str, list[GraphEdge]] = {node.id: [] for node in result.nodes}
    for edge in result.edges:
        of[edge.src_id].append(edge)
        if edge.dst_id != edge.src_id:
            of[edge.dst_id].append(edge)
    told: set[str] = set()
    below: set[str] = {result.id}
    waiting = [(1, result.id, edge) for edge in reversed(of[result.id])]
    while waiting:
        level, near, edge = waiting.pop()
        if edge.id in told:
            continue
        told.add(edge.id)
        far = edge.dst_id if edge.src_id == near else edge.src_id
        arrow = "→" if edge.src_id == near else "←"
        yield level, edge, "↔" if edge.symmetric else arrow, nodes[far]
        if far not in below and nodes[far].hops > nodes[near].hops:
            below.add(far)
            waiting += [(level + 1, far, one) for one in reversed(of[far])]


def mermaid(session: Session, result: Graph) -> None:
    """A flowchart for Mermaid, which Markdown viewers draw."""
    names = _names(result)
    session.screen.line("flowchart LR")
    for node in result.nodes:
        session.screen.line(f'  {names[node.id]}["{_entities(node.title or node.id)}"]')
    for edge in result.edges:
        line = "-.->" if edge.derived else "-->"
        line = line.replace(">", "") if edge.symmetric else line
        line = {"--": "---", "-.-": "-.-"}.get(line, line)
        ends = names[edge.src_id], names[edge.dst_id]
        session.screen.line(f'  {ends[0]} {line}|"{_entities(edge.type)}"| {ends[1]}')


def dot(session: Session, result: Graph) -> None:
    """A graph for Graphviz."""
    names = _names(result)
    session.screen.line("digraph damals {")
    for node in result.nodes:
        session.screen.line(f"  {names[node.id]} [label={_quoted(node.title or node.id)}];")
    for edge in result.edges:
        marks = [f"label={_quoted(edge.type)}"]
        marks += ["style=dashed"] if edge.derived else []
        marks += ["dir=none"] if edge.symmetric else []
        ends = f"{names[edge.src_id]} -> {names[edge.dst_id]}"
        session.screen.line(f"  {ends} [{', '.join(marks)}];")
    session.screen.line("}")


def _names(result: Graph) -> Mapping[str, str]:
    return {node.id: f"n{number}" for number, node in enumerate(result.nodes)}


def _entities(text: str) -> str:
    """A text inside of Mermaid's quotes: what could end or mark up a label is an entity."""
    return re.sub(r'["#<>&`\[\]{}|\\]', lambda found: f"#{ord(found[0])};", clean_line(text))


def _quoted(text: str) -> str:
    escaped = clean_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


FORMATS: Final[Mapping[str, Callable[[Session, Graph], None]]] = {
    "tree": tree,
    "mermaid": mermaid,
    "dot": dot,
}


def people(session: Session, result: People) -> None:
    """A table of persons."""
    if not result.people:
        session.screen.line(session.say("cli.nothing"))
    else:
        names = ("title", "to_owner", "persona", "relations", "id")
        headers = [session.say(f"people.head.{name}") for name in names]
        yes = session.say("cli.yes")
        rows = [
            [
                one.title,
                session.say(f"people.{one.relation_to_owner}") if one.relation_to_owner else "",
                yes if one.persona else "",
                str(one.relations),
                one.id,
            ]
            for one in result.people
        ]
        session.screen.table(headers, rows)
    for caveat in result.caveats:
        session.screen.line(("! ", WARN), caveat)


def derived(session: Session, result: DeriveReport) -> None:
    """What deriving did, or would do, rule by rule."""
    names = ("rule", "given", "added", "ended")
    if result.rules:
        headers = [session.say(f"derive.head.{name}") for name in names]
        rows = [[str(getattr(one, name)) for name in names] for one in result.rules]
        session.screen.table(headers, rows)
    key = "derive.would" if result.dry_run else "derive.done"
    counts = {"added": result.added, "ended": result.ended, "unchanged": result.unchanged}
    session.screen.line(session.say(key, **counts))
