"""What the documentation tells people to write works as it stands."""

import json
import re
from pathlib import Path

import pytest
from mcp_speaking import RawStdio

from damals.interfaces.mcp.tools import TOOLS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "mcp.md").read_text(encoding="utf-8")
BLOCKS = [
    json.loads(block)
    for block in re.findall(r"^```json\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
]
SERVERS = [block.get("mcpServers", block.get("servers"))["damals"] for block in BLOCKS]


def test_there_is_a_configuration_for_each_way():
    assert [("command" in one, one.get("type")) for one in SERVERS] == [
        (True, None),
        (True, "stdio"),
        (False, "http"),
    ]


@pytest.mark.parametrize("server", [one for one in SERVERS if "command" in one])
def test_a_configuration_that_starts_a_program_starts_it(server: dict, tmp_path: Path):
    assert server["command"] == "damals"
    first, *rest = server["args"]
    assert first == "mcp"
    with RawStdio(tmp_path / "home", *rest) as raw:  # the home of the page is only named
        assert raw.hello()["serverInfo"]["name"] == "damals"
        assert raw.leave() == 0


@pytest.mark.parametrize("name", ["mcp.md", "mcp.de.md"])
def test_every_tool_and_every_parameter_is_in_the_reference(name: str):
    text = (DOCS / "reference" / name).read_text(encoding="utf-8")
    for tool in TOOLS:
        section = text.partition(f"\n## {tool.name}\n")[2].partition("\n## ")[0]
        assert section
        assert all(f"| `{one.name}` |" in section for one in tool.parameters), tool.name


def test_the_links_of_the_page_lead_somewhere():
    targets = re.findall(r"\]\((?!https?:)([^)]+)\)", PAGE)
    assert targets
    assert [target for target in targets if not (DOCS / target).exists()] == []
