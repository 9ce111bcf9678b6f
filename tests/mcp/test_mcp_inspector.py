"""MCP Inspector, the reference tool for servers, lists and calls everything."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_speaking import RawStdio, command, environment, rounds

from damals.interfaces.mcp.tools import TOOLS

INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
NO_NPM = "NOT RUN: MCP Inspector has seen no tool, since npx (npm, Node 20 or newer) is missing"
WAIT_S = 240


@pytest.fixture(scope="session")
def inspector() -> str:
    """The installed program; npx fetches it once, and takes a second to find it again."""
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip(NO_NPM)
    found = subprocess.run(
        [npx, "-y", "-p", INSPECTOR, "-c", "command -v mcp-inspector"],
        capture_output=True, text=True, timeout=WAIT_S, check=False,
    )  # fmt: skip
    if found.returncode or not found.stdout.strip():
        pytest.skip(f"{NO_NPM} or could not fetch {INSPECTOR}: {found.stderr[-300:]}")
    return found.stdout.strip()


def inspect(inspector: str, home: Path, server: list[str], *arguments: str) -> dict[str, Any]:
    """What it prints; it ends with an error for an answer that does not fit its schema.

    It hands on little of its environment: ``HOME`` keeps a server that knows nothing else away
    from the archive of whoever runs the tests.
    """
    ran = subprocess.run(
        [inspector, "--cli", *server, *arguments],
        capture_output=True, text=True, timeout=WAIT_S, check=False, cwd=home.parent,
        env={**environment(home), "HOME": str(home.parent)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(ran.stdout)


def stdio(home: Path) -> list[str]:
    """A server to start, and the environment that it is to have."""
    named = ("DAMALS_EMBEDDER", "DAMALS_INDEX_MODE", "DAMALS_CACHE")
    given = {name: value for name, value in environment(home).items() if name in named}
    options = [part for name, value in given.items() for part in ("-e", f"{name}={value}")]
    return [*command("--home", str(home), "--lang", "en"), *options]


def as_words(arguments: dict[str, object]) -> list[str]:
    """Arguments as its command line takes them: what reads as JSON is sent as such."""
    words = (
        f"{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in arguments.items()
    )
    return [part for word in words for part in ("--tool-arg", word)]


@pytest.fixture
def owner(filled) -> Iterator[RawStdio]:
    """Another server that owns the home: those that are started beside it start faster."""
    with RawStdio(filled.path) as raw:
        raw.hello()
        assert raw.call("fact_history", id=filled.third)["isError"] is False
        yield raw
        assert raw.leave() == 0


@pytest.mark.usefixtures("owner")
def test_it_lists_and_calls_every_tool_over_standard_input_and_output(inspector, filled):
    server = stdio(filled.path)
    listed = inspect(inspector, filled.path, server, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]
    for name, given in rounds(filled.first, filled.second, filled.third):
        words = ("--method", "tools/call", "--tool-name", name, *as_words(given))
        answer = inspect(inspector, filled.path, server, *words)
        assert answer["structuredContent"], name
        assert not answer.get("isError"), answer


def test_it_lists_and_calls_every_tool_over_http(inspector, served, tmp_path: Path):
    reach = [served.mcp, "--transport", "http", "--header", f"Authorization: Bearer {served.token}"]
    home = tmp_path / "none"
    listed = inspect(inspector, home, reach, "--method", "tools/list")
    assert [tool["name"] for tool in listed["tools"]] == [tool.name for tool in TOOLS]
    for name, given in rounds(*served.ids):
        words = ("--method", "tools/call", "--tool-name", name, *as_words(given))
        answer = inspect(inspector, home, reach, *words)
        assert answer["structuredContent"], name
        assert not answer.get("isError"), answer


def test_it_reads_resources_and_the_prompt(inspector, filled):
    server = stdio(filled.path)
    words = ("--method", "resources/read", "--uri", f"entry://{filled.third}")
    [entry] = inspect(inspector, filled.path, server, *words)["contents"]
    assert json.loads(entry["text"])["title"] == "Sitz"
    words = ("--method", "prompts/get", "--prompt-name", "memory_pack", "--prompt-args", "lang=de")
    [message] = inspect(inspector, filled.path, server, *words)["messages"]
    assert "überschreibe nie" in message["content"]["text"]
