"""The reference page of the tools, resources and the prompt, generated from what is declared."""

from collections.abc import Iterator
from typing import Final

from damals import messages
from damals.interfaces.mcp.parameters import Parameter
from damals.interfaces.mcp.prompts import MEMORY_PACK
from damals.interfaces.mcp.resources import TEMPLATES
from damals.interfaces.mcp.tool import Tool
from damals.interfaces.mcp.tools import TOOLS

HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint")


def page(lang: str) -> Iterator[str]:
    """Its lines."""
    yield from (f"# {messages.text('reference.mcp.title', lang)}", "")
    yield from (messages.text("reference.generated", lang), "")
    yield from (messages.text("reference.mcp.about", lang), "")
    yield from _overview(lang)
    for tool in TOOLS:
        yield from _tool(tool, lang)
    yield from ("", f"## {messages.text('reference.mcp.resources', lang)}", "")
    yield f"| | | {messages.text('reference.meaning', lang)} |"
    yield "|---|---|---|"
    for kind, (uri, mime_type) in TEMPLATES.items():
        yield f"| `{uri}` | `{mime_type}` | {messages.text(f'mcp.resource.{kind}', lang)} |"
    yield from ("", f"## {messages.text('reference.mcp.prompt', lang)}", "")
    said = messages.text("mcp.prompt.memory_pack", lang)
    yield f"`{MEMORY_PACK}(lang?)`: {said}."


def _overview(lang: str) -> Iterator[str]:
    yield (
        f"| | {messages.text('reference.meaning', lang)} | "
        + " | ".join(f"`{hint}`" for hint in HINTS)
        + " |"
    )
    yield "|---|---|" + "---|" * len(HINTS)
    for tool in TOOLS:
        told = tool.hints.told()
        marks = " | ".join("✓" if told.get(hint) else "" for hint in HINTS)
        link = f"[`{tool.name}`](#{tool.name})"
        yield f"| {link} | {_cell(tool.describe(lang))} | {marks} |"


def _tool(tool: Tool, lang: str) -> Iterator[str]:
    yield from ("", f"## {tool.name}", "", tool.describe(lang), "")
    yield f"| | | {messages.text('reference.meaning', lang)} |"
    yield "|---|---|---|"
    for parameter in tool.parameters:
        said = _cell(tool.explain(parameter, lang) or "")
        yield f"| `{parameter.name}` | {_kind(parameter, lang)} | {said} |"
    names = ", ".join(f"`{name}`" + ("?" if name in tool.optional else "") for name in tool.answer)
    yield from ("", f"{messages.text('reference.mcp.answer', lang)}: {names}")


def _kind(parameter: Parameter, lang: str) -> str:
    """What a value is, and whether one is needed."""
    schema = parameter.schema
    kinds = " \\| ".join(f"`{one}`" for one in schema["enum"]) if "enum" in schema else ""
    shown = kinds or str(schema["type"])
    if "maximum" in schema:
        shown += f" {schema['minimum']}–{schema['maximum']}"
    if parameter.standard is not None:
        shown += f", {messages.text('cli.default', lang, value=parameter.standard)}"
    return f"{shown}, **{messages.text('cli.required', lang)}**" if parameter.required else shown


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
