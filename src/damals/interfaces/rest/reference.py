"""The page about REST of the reference, made from the OpenAPI document."""

from collections.abc import Iterator
from typing import Any, Final, cast

from damals import messages
from damals.interfaces.rest.openapi import published

SECTIONS: Final = ("keys", "workspaces", "problems", "etags", "once", "pages", "jobs", "limits")
"""What is said of all routes."""

REF: Final = "$ref"


def page(lang: str) -> Iterator[str]:
    """The lines of the page."""
    document = published()
    yield from (f"# {messages.text('reference.rest.title', lang)}", "")
    yield from (messages.text("reference.generated", lang), "")
    yield from (messages.text("reference.rest.about", lang), "")
    for name in SECTIONS:
        yield from (f"**{messages.text(f'reference.rest.{name}.title', lang)}** ", "")
        yield from (messages.text(f"reference.rest.{name}", lang), "")
    area = None
    for path, methods in cast("dict[str, dict[str, Any]]", document["paths"]).items():
        for method, operation in methods.items():
            [tag] = operation["tags"]
            if tag != area:
                area = tag
                yield from (f"## {messages.text(f'reference.rest.area.{tag}', lang)}", "")
            yield from _operation(f"{method.upper()} {path}", operation, document, lang)


def _operation(
    call: str, operation: dict[str, Any], document: dict[str, Any], lang: str
) -> Iterator[str]:
    does = operation["operationId"]
    yield from (f"### {call}", "")
    yield from (f"`{does}` · {messages.text(f'rest.{does}', lang)}", "")
    rows = [*_parameters(operation), *_fields(operation, document)]
    if rows:
        names = ("parameter", "place", "kind")
        headers = (messages.text(f"reference.rest.{name}", lang) for name in names)
        yield "| " + " | ".join(headers) + " |"
        yield "|---|---|---|"
        for name, place, kind, required in rows:
            star = f" ({messages.text('reference.rest.required', lang)})" if required else ""
            where = messages.text(f"reference.rest.in.{place}", lang)
            yield f"| `{name}`{star} | {where} | {kind} |"
        yield ""
    yield from (f"{messages.text('reference.rest.answers', lang)}: {_answers(operation)}", "")


Row = tuple[str, str, str, bool]


def _parameters(operation: dict[str, Any]) -> Iterator[Row]:
    for one in operation.get("parameters", ()):
        yield one["name"], one["in"], _kind(one["schema"]), bool(one["required"])


def _fields(operation: dict[str, Any], document: dict[str, Any]) -> Iterator[Row]:
    content = operation.get("requestBody", {}).get("content", {})
    for media_type, told in content.items():
        schema = told["schema"]
        if REF in schema:
            schema = document["components"]["schemas"][schema[REF].rpartition("/")[2]]
        properties: dict[str, Any] = schema.get("properties", {})
        needed: list[str] = schema.get("required", [])
        for name in dict.fromkeys([*needed, *properties]):
            yield name, "body", _kind(properties[name]), name in needed
        if not properties and media_type != "application/json":
            yield media_type, "body", _kind(schema), False


def _kind(schema: dict[str, Any]) -> str:
    """The kind of a value, as short as it can be said."""
    if REF in schema:
        return str(schema[REF].rpartition("/")[2])
    if "anyOf" in schema:
        kinds = dict.fromkeys(_kind(arm) for arm in schema["anyOf"])
        return ", ".join(kinds)
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"[{_kind(schema['items'])}]"
    return str(schema.get("type", "JSON"))


def _answers(operation: dict[str, Any]) -> str:
    told: list[str] = []
    for status, answer in operation["responses"].items():
        if int(status) < 400:  # noqa: PLR2004 -- from here on all are problems
            kinds = [
                _kind(one["schema"]) if kind == "application/json" else f"`{kind}`"
                for kind, one in answer.get("content", {}).items()
            ]
            told.append(" ".join([f"**{status}**", *kinds]))
    refused = [status for status in operation["responses"] if int(status) >= 400]  # noqa: PLR2004 -- as above
    return " · ".join([*told, ", ".join(refused)])
