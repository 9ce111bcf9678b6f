"""The tools: one line of ``TOOLS`` for each, and its texts in ``messages/*/mcp.toml``.

A new capability becomes a tool here: its parameters, what it answers, what it does. The whole
list is kept under a budget of tokens, which a test counts.
"""

from typing import Final

from damals.interfaces.mcp import asking, changing
from damals.interfaces.mcp.parameters import (
    RELATIONS,
    STRING,
    Parameter,
    Schema,
    choice,
    count,
    flag,
    instant,
    limit,
    must,
    nullable,
    number,
    share,
    text,
    texts,
)
from damals.interfaces.mcp.tool import READS, Body, Hints, Tool

OBJECT: Final[Schema] = {"type": "object"}
OBJECTS: Final[Schema] = {"type": "array", "items": {"type": "object"}}
TEXTS: Final[Schema] = {"type": "array", "items": {"type": "string"}}

Answer = tuple[Schema, frozenset[str]]

CHANGED: Final[Answer] = (
    {
        "entry": OBJECT,
        "unchanged": {"type": "boolean"},
        "replaced": OBJECTS,
        "restored": OBJECTS,
        "caveats": TEXTS,
        "integration": OBJECT,
    },
    frozenset({"unchanged", "replaced", "restored", "caveats", "integration"}),
)
CHANGED_ENTRIES: Final[Answer] = (
    {"entries": OBJECTS, "transaction": {"type": "integer"}, "unchanged": {"type": "boolean"}},
    frozenset({"transaction", "unchanged"}),
)
RECALLED: Final[Answer] = (
    {
        "understood": OBJECT,
        "results": OBJECTS,
        "caveats": TEXTS,
        "index_lag": {"type": "integer"},
        "withheld": {"type": "integer"},
        "receipt": STRING,
    },
    frozenset({"caveats", "index_lag", "withheld", "receipt"}),
)
ANSWERED: Final[Answer] = (
    {
        "understood": OBJECT,
        "answer": STRING,
        "abstained": {"type": "boolean"},
        "citations": OBJECTS,
        "caveats": TEXTS,
        "model": STRING,
        "receipt": STRING,
    },
    frozenset({"citations", "caveats", "model", "receipt"}),
)
HISTORY: Final[Answer] = (
    {"id": STRING, "versions": OBJECTS, "next": STRING},
    frozenset({"next"}),
)
DIFF: Final[Answer] = (
    {"from": OBJECT, "to": OBJECT, "zone": STRING, "changes": OBJECTS, "next": STRING},
    frozenset({"next"}),
)

HYGIENE: Final[Answer] = (
    {
        "understood": OBJECT,
        "entries": {"type": "integer"},
        "kinds": OBJECTS,
        "findings": OBJECTS,
        "caveats": TEXTS,
    },
    frozenset({"caveats"}),
)

ID: Final = must(text("id"))
REASON: Final = must(text("reason"))
VALIDITY: Final = (instant("valid_from"), instant("valid_to"))
FIELDS: Final = (text("type"), texts("tags"), nullable("key"))
NARROWING: Final = (texts("type"), texts("tag"))
RANKING: Final = (
    *(number("min_grounding"), text("persona"), text("half_life"), number("diversity")),
    *(count("neighbours"), flag("literal"), flag("explain")),
)
"""How results are chosen; weights are for settings, not for an assistant."""


def _tool(name: str, hints: Hints, answer: Answer, body: Body, *parameters: Parameter) -> Tool:
    shape, optional = answer
    return Tool(name, parameters, shape, optional, hints, body)


TOOLS: Final = (
    _tool(
        "update_fact",
        Hints(),
        CHANGED,
        changing.update_fact,
        must(text("target_id")),
        must(text("new_title")),
        must(text("new_content")),
        must(text("update_reason")),
        *VALIDITY,
    ),
    _tool(
        "recall_at_time",
        READS,
        RECALLED,
        asking.recall_at_time,
        must(text("query")),
        must(instant("as_of")),
        instant("known_at"),
        limit(5, 50),
    ),
    _tool(
        "remember",
        Hints(idempotent=True),
        CHANGED,
        changing.remember,
        must(text("title")),
        text("content"),
        *FIELDS,
        *VALIDITY,
        RELATIONS,
        text("external_id"),
        choice("on_overlap", "refuse", "replace", "fill"),
        text("reason"),
        flag("insist"),
    ),
    _tool(
        "recall",
        READS,
        RECALLED,
        asking.recall,
        must(text("query")),
        limit(5, 50),
        *NARROWING,
        text("path"),
        instant("since"),
        instant("until"),
        flag("certain"),
        *RANKING,
    ),
    _tool(
        "ask",
        READS,
        ANSWERED,
        asking.ask,
        must(text("question")),
        instant("as_of"),
        instant("known_at"),
        limit(10, 50),
        *NARROWING,
    ),
    _tool(
        "correct_fact",
        Hints(idempotent=True),
        CHANGED,
        changing.correct_fact,
        ID,
        REASON,
        text("title"),
        text("content"),
        *FIELDS,
        *VALIDITY,
    ),
    _tool(
        "close_fact",
        Hints(destructive=True, idempotent=True),
        CHANGED,
        changing.close_fact,
        ID,
        must(choice("how", "end", "retract", "archive")),
        instant("at"),
        REASON,
    ),
    _tool(
        "resolve_contradiction",
        Hints(destructive=True, idempotent=True),
        CHANGED_ENTRIES,
        changing.resolve_contradiction,
        must(text("a")),
        must(text("b")),
        must(choice("keep", "a", "b", "both")),
        REASON,
    ),
    _tool(
        "verify_fact",
        Hints(),
        CHANGED,
        changing.verify_fact,
        ID,
        share("score"),
        text("evidence"),
    ),
    _tool(
        "fact_history",
        READS,
        HISTORY,
        asking.fact_history,
        text("id"),
        text("key"),
        limit(20, 100),
        text("cursor"),
    ),
    _tool(
        "diff_knowledge",
        READS,
        DIFF,
        asking.diff_knowledge,
        must(instant("from")),
        Parameter("to", instant("to").schema, instant("to").read, standard="now"),
        text("topic"),
        choice("axis", "valid", "known"),
        text("entry"),
        *NARROWING,
        limit(20, 100),
        text("cursor"),
    ),
    _tool(
        "hygiene",
        READS,
        HYGIENE,
        asking.hygiene,
        text("topic"),
        texts("kind"),
        instant("as_of"),
        instant("known_at"),
        limit(5, 50),
    ),
)
"""All tools, in the order in which an assistant reads them."""
