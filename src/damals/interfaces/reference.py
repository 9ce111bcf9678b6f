"""The reference pages of the documentation, generated from the code.

``python -m damals.interfaces.reference docs/reference`` writes ``cli.md``, ``settings.md``,
``types.md``, ``rest.md`` and ``mcp.md`` in English and German, ``openapi.json`` and
``types.schema.json``, the latter into the package too.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from importlib.resources import files
from pathlib import Path
from typing import Final, get_args

from damals import messages
from damals.app.errors import INTERNAL, OUTCOMES
from damals.bootstrap import types_schema
from damals.domain.types import DeriveRule, DomainRule, NoteType, RelationType
from damals.interfaces.cli.help import (
    description,
    examples,
    parameter_help,
    signature,
    summary,
    usage,
)
from damals.interfaces.cli.options import GLOBAL_HELP, Parameter
from damals.interfaces.cli.registry import Command, commands
from damals.interfaces.mcp.reference import page as mcp_page
from damals.interfaces.rest.openapi import published
from damals.interfaces.rest.reference import page as rest_page
from damals.settings import PREFIX, Settings

SCHEMA: Final = "types.schema.json"
"""The schema for editors, which lies in the package too."""

SUFFIXES: Final = {"en": "", "de": ".de"}


def pages() -> Mapping[str, str]:
    """Every page by file name."""
    made: dict[str, str] = {}
    for lang, suffix in SUFFIXES.items():
        made[f"cli{suffix}.md"] = "\n".join(_cli(lang)) + "\n"
        made[f"settings{suffix}.md"] = "\n".join(_settings(lang)) + "\n"
        made[f"types{suffix}.md"] = "\n".join(_types(lang)) + "\n"
        made[f"rest{suffix}.md"] = "\n".join(rest_page(lang)) + "\n"
        made[f"mcp{suffix}.md"] = "\n".join(mcp_page(lang)) + "\n"
    made[SCHEMA] = types_schema()
    made["openapi.json"] = json.dumps(published(), indent=1, ensure_ascii=False) + "\n"
    return made


def _cli(lang: str) -> Iterator[str]:
    yield from (f"# {messages.text('reference.cli.title', lang)}", "")
    yield from (messages.text("reference.generated", lang), "")
    yield from (messages.text("cli.instants", lang), "")
    for command in commands().values():
        yield f"* [`{command.name}`](#damals-{command.name.replace(' ', '-')}): " + summary(
            command, lang
        )
    yield from ("", f"## {messages.text('cli.options_global', lang)}", "")
    yield from _table("", GLOBAL_HELP, lang)
    yield from ("", f"## {messages.text('reference.exit_codes', lang)}", "")
    yield from _exit_codes(lang)
    for command in commands().values():
        yield from _command(command, lang)


def _command(command: Command, lang: str) -> Iterator[str]:
    yield from ("", f"## damals {command.name}", "", description(command, lang), "")
    yield from ("```", usage(command), "```", "")
    if command.parameters:
        yield from _table(command.key, command.parameters, lang)
        yield ""
    yield from (f"{messages.text('cli.examples', lang)}:", "", "```")
    yield from examples(command, lang)
    yield "```"


def _table(key: str, parameters: tuple[Parameter, ...], lang: str) -> Iterator[str]:
    yield f"| | {messages.text('reference.meaning', lang)} |"
    yield "|---|---|"
    for parameter in parameters:
        said = parameter_help(key, parameter, lang)
        yield f"| `{_cell(signature(parameter))}` | {_cell(said)} |"


def _exit_codes(lang: str) -> Iterator[str]:
    yield f"| | `error.code` | {messages.text('reference.meaning', lang)} |"
    yield "|---|---|---|"
    yield f"| 0 | | {messages.text('reference.exit.done', lang)} |"
    for outcome in (INTERNAL, *OUTCOMES.values()):
        said = messages.text(f"reference.exit.{outcome.code}", lang)
        yield f"| {outcome.exit_code} | `{outcome.code}` | {said} |"


def _settings(lang: str) -> Iterator[str]:
    yield from (f"# {messages.text('reference.settings.title', lang)}", "")
    yield from (messages.text("reference.generated", lang), "")
    yield from (messages.text("cli.more.config_show", lang), "")
    headers = ("name", "environment", "default", "meaning")
    yield "| " + " | ".join(messages.text(f"reference.{name}", lang) for name in headers) + " |"
    yield "|---|---|---|---|"
    for name, field in Settings.model_fields.items():
        standard = field.default if field.default_factory is None else None
        shown = (
            f"`{standard}`"
            if standard is not None
            else messages.text(f"reference.default.{name}", lang)
        )
        if name == "lang":
            shown = messages.text("reference.default.lang", lang)
        choices = get_args(field.annotation)
        said = messages.text(f"reference.setting.{name}", lang)
        if choices and all(isinstance(choice, str) for choice in choices):
            said += " (" + ", ".join(f"`{choice}`" for choice in choices) + ")"
        yield f"| `{name}` | `{PREFIX}{name.upper()}` | {shown} | {_cell(said)} |"


TYPE_SECTIONS: Final = {
    "types": NoteType,
    "relations": RelationType,
    "domains": DomainRule,
    "derive": DeriveRule,
}
"""What each entry of a section of ``types.yaml`` becomes; its fields are the keys."""


def _types(lang: str) -> Iterator[str]:
    yield from (f"# {messages.text('reference.types.title', lang)}", "")
    yield from (messages.text("reference.generated", lang), "")
    yield from (messages.text("cli.more.types_check", lang), "")
    for name in ("merging", "temporal", "notes"):
        yield from (messages.text(f"reference.types.{name}", lang), "")
    headers = " | ".join(messages.text(f"reference.{name}", lang) for name in ("name", "default"))
    for section, kind in TYPE_SECTIONS.items():
        yield from (f"## {section}", "", messages.text(f"reference.types.{section}", lang), "")
        yield f"| {headers} | {messages.text('reference.meaning', lang)} |"
        yield "|---|---|---|"
        for field in fields(kind):
            if field.name != "name":
                said = messages.text(f"reference.types.{section}.{field.name}", lang)
                yield f"| `{field.name}` | {_standard(field.default)} | {_cell(said)} |"
        yield ""
    yield from ("## layers", "", messages.text("reference.types.layers", lang), "")
    yield from (f"## {messages.text('reference.types.packaged', lang)}", "", "```yaml")
    packaged = files("damals").joinpath("types.yaml").read_text(encoding="utf-8")
    yield from (*packaged.splitlines(), "```")


def _standard(default: object) -> str:
    """A default as it would be written in YAML; nothing for a key without one."""
    if default is MISSING or default is None:
        return ""
    return f"`{str(default).lower()}`"


def documented_settings() -> frozenset[str]:
    """The settings that the docstrings of ``Settings`` and of its parts explain."""
    told = (kind.__doc__ or "" for kind in Settings.__mro__ if kind.__module__.startswith("damals"))
    return frozenset(re.findall(r"^        (\w+): ", "\n".join(told), re.MULTILINE))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def write(folder: Path) -> None:
    """Write every page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def write_packaged() -> None:
    """Write what lies in the package as well."""
    place = Path(str(files("damals"))) / SCHEMA
    place.write_text(types_schema(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/reference"))
    write_packaged()
