"""The protocol over standard input and output, with real processes."""

import json
import subprocess
import threading
from pathlib import Path

import anyio
import pytest
from mcp_speaking import HELLO, PROTOCOL, QUIET, Failed, RawStdio, command, environment, rounds

from damals.bootstrap import open_home
from damals.interfaces.mcp.tools import TOOLS
from mcp import Client, MCPError, StdioServerParameters, stdio_client

NAMES = [tool.name for tool in TOOLS]


def only_protocol(lines: list[bytes]) -> bool:
    """Whether every line is one message of JSON-RPC."""
    return bool(lines) and all(json.loads(line)["jsonrpc"] == "2.0" for line in lines)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_lists_and_calls_every_tool_and_reads_everything(filled, mode):
    program, *arguments = command()
    server = StdioServerParameters(
        command=program, args=arguments, env=environment(filled.path, DAMALS_LANG="de")
    )

    async def converse():
        async with Client(stdio_client(server), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == NAMES
            for name, given in rounds(filled.first, filled.second, filled.third):
                answer = await client.call_tool(name, given)  # checks it against the schema
                assert not answer.is_error, answer.content
                assert json.loads(answer.content[0].text) == answer.structured_content
            listed = (await client.list_resources()).resources
            assert {one.name for one in listed} == {"Sprache", "Sitz"}
            read = await client.read_resource(listed[0].uri)
            assert json.loads(read.contents[0].text)["title"] == listed[0].name
            templates = (await client.list_resource_templates()).resource_templates
            assert {one.uri_template.partition(":")[0] for one in templates} == {"entry", "note"}
            [prompt] = (await client.list_prompts()).prompts
            pack = await client.get_prompt(prompt.name, {"lang": "de"})
            assert "überschreibe nie" in pack.messages[0].content.text
            with pytest.raises(MCPError):
                await client.get_prompt(prompt.name, {"lang": "fr"})

    anyio.run(converse)


def test_a_raw_client_of_the_protocol_of_june_2025_is_understood(filled):
    with RawStdio(filled.path) as raw:
        told = raw.hello()
        assert told["protocolVersion"] == PROTOCOL
        assert told["serverInfo"]["name"] == "damals"
        assert set(told["capabilities"]) == {"tools", "resources", "prompts"}
        assert "update_fact" in told["instructions"]
        assert raw.ask("ping") == {}
        assert [tool["name"] for tool in raw.ask("tools/list")["tools"]] == NAMES
        for name, given in rounds(filled.first, filled.second, filled.third):
            answer = raw.call(name, **given)
            assert answer["isError"] is False, answer
            assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
        listed = raw.ask("resources/list")["resources"]
        assert json.loads(
            raw.ask("resources/read", {"uri": listed[0]["uri"]})["contents"][0]["text"]
        )
        assert len(raw.ask("resources/templates/list")["resourceTemplates"]) == 2
        assert raw.ask("prompts/list")["prompts"][0]["name"] == "memory_pack"
        assert raw.ask("prompts/get", {"name": "memory_pack"})["messages"][0]["role"] == "user"
        assert raw.leave() == 0
        assert only_protocol(raw.lines)


@pytest.mark.parametrize("protocol", ["2024-11-05", "2025-03-26", "2025-11-25"])
def test_older_and_newer_handshakes_are_understood_too(tmp_path: Path, protocol: str):
    with RawStdio(tmp_path / "home") as raw:
        assert raw.ask("initialize", {**HELLO, "protocolVersion": protocol})["protocolVersion"] == (
            protocol
        )
        raw.send("notifications/initialized")
        assert len(raw.ask("tools/list")["tools"]) == len(NAMES)
        answer = raw.call("remember", title="A", content="B")
        assert json.loads(answer["content"][0]["text"])["entry"]["title"] == "A"
        assert raw.leave() == 0


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/ask", None, -32601),
        ("tools/call", {"arguments": {}}, -32602),
        ("tools/call", {"name": "forget_everything"}, -32602),
        ("resources/read", {"uri": "entry://none-of-this-name"}, -32002),
        ("resources/read", {"uri": "note://Ordner/Fehlt.md"}, -32002),
        ("resources/read", {"uri": "file:///etc/passwd"}, -32602),
        ("resources/read", {"uri": "entry://x?limit=3"}, -32602),
        ("resources/read", {}, -32602),
        ("resources/list", {"cursor": "page two"}, -32602),
        ("prompts/get", {"name": "poem"}, -32602),
        ("prompts/get", {"name": "memory_pack", "arguments": {"lang": "fr"}}, -32602),
        ("prompts/get", {"name": "memory_pack", "arguments": {"language": "de"}}, -32602),
    ],
)
def test_what_is_asked_wrongly_is_an_error_of_the_protocol(wrong: RawStdio, method, params, code):
    with pytest.raises(Failed) as failed:
        wrong.ask(method, params)
    assert failed.value.code == code
    assert str(failed.value)


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory):
    """One server for many wrong requests; it survives each of them."""
    home = tmp_path_factory.mktemp("wrong") / "home"
    with open_home(home, **QUIET) as memory:
        memory.remember("A", "B")
    with RawStdio(home) as raw:
        raw.hello()
        yield raw
        assert raw.call("diff_knowledge", **{"from": "2024"})["isError"] is False
        assert raw.leave() == 0
        assert only_protocol(raw.lines)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("kaputt", -32700),
        ('{"jsonrpc": "2.0", "id": 7, "method"', -32700),
        ('{"a": 1}', -32600),
        ('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600),
        ('{"jsonrpc": "2.0", "id": 77, "method": "tools/call", "params": "x"}', -32600),
        ('{"jsonrpc": "2.0", "method": 3}', -32600),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        ('{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"x": "\\ud83d"}}', -32600),
        ('"' + "x" * 9_000_000 + '"', -32700),
    ],
)
def test_a_line_that_is_no_message_is_answered_and_skipped(wrong: RawStdio, line: str, code: int):
    wrong.write(line)
    assert wrong.next()["error"]["code"] == code
    assert wrong.ask("ping") == {}


def test_what_an_assistant_can_mend_is_an_answer_in_its_language(filled):
    with RawStdio(filled.path, "--lang", "de") as raw:
        raw.hello()
        tools = raw.ask("tools/list")["tools"]
        assert tools[0]["description"].startswith("Ein Fakt hat sich geändert")
        answer = raw.call("recall", query="x", limits=3)
        assert answer["isError"] is True
        assert answer["content"][0]["text"].startswith("recall hat kein Argument „limits“")
        assert "structuredContent" not in answer
        unknown = raw.call("fact_history", id="gibt-es-nicht")
        assert "Finde die id mit recall" in unknown["content"][0]["text"]
        assert raw.leave() == 0


def test_a_missing_home_is_no_obstacle_reading_says_so_and_the_first_write_makes_it(tmp_path: Path):
    home = tmp_path / "new"
    with RawStdio(home) as raw:
        raw.hello()
        assert raw.ask("resources/list") == {"resources": []}
        answer = raw.call("recall", query="x")
        assert answer["isError"] is True
        assert "the first remember makes the archive" in answer["content"][0]["text"]
        assert not home.exists()
        assert raw.call("remember", title="A", content="B")["isError"] is False
        assert raw.call("diff_knowledge", **{"from": "2024"})["isError"] is False
        assert raw.leave() == 0
    with open_home(home, **QUIET) as memory:
        assert [entry.title for entry in memory.entries()] == ["A"]


def test_nothing_but_the_protocol_is_on_standard_output_whatever_else_is_said(filled):
    noisy = {"PYTHONWARNINGS": "always", "PYTHONVERBOSE": "1", "DAMALS_DEBUG": "1"}
    with RawStdio(filled.path, **noisy) as raw:
        raw.hello()
        raw.call("remember", title="A", content="B", nonsense=1)
        raw.call("recall", query="Kapital")
        raw.write("no message")
        assert raw.next()["error"]["code"] == -32700
        assert raw.leave() == 0
        assert only_protocol(raw.lines)
        assert "import" in raw.log


def test_a_print_in_the_middle_of_a_call_stays_away_from_the_wire(filled, tmp_path: Path):
    """Also one of a library in C, or of a process that a library starts."""
    noise = (
        "import os, sys\n"
        "from damals.interfaces.mcp import asking\n"
        "inner = asking.fact_history\n"
        "def loud(caller, given):\n"
        "    print('a stray line')\n"
        "    os.write(1, b'another stray line\\n')\n"
        "    os.system('echo a third stray line')\n"
        "    return inner(caller, given)\n"
        "asking.fact_history = loud\n"
    )
    (tmp_path / "sitecustomize.py").write_text(noise, encoding="utf-8")
    with RawStdio(filled.path, PYTHONPATH=str(tmp_path)) as raw:
        raw.hello()
        assert raw.call("fact_history", id=filled.third)["isError"] is False
        assert raw.leave() == 0
        assert only_protocol(raw.lines)
        assert raw.log.count("stray line") == 3


def test_what_was_asked_before_the_client_closed_its_end_is_still_answered(filled):
    with RawStdio(filled.path) as raw:
        raw.send("initialize", HELLO, 1)
        raw.send("notifications/initialized")
        raw.send("tools/call", {"name": "fact_history", "arguments": {"id": filled.third}}, 2)
        raw.send("tools/call", {"name": "verify_fact", "arguments": {"id": filled.third}}, 3)
        assert raw.leave() == 0
        answered = {json.loads(line)["id"] for line in raw.lines}
    assert answered == {1, 2, 3}


@pytest.mark.parametrize("ending", ["leave", "stop"])
def test_the_end_is_gentle_and_the_home_is_free_at_once(filled, ending: str):
    with RawStdio(filled.path) as raw:
        raw.hello()
        raw.call("fact_history", id=filled.third)
        assert getattr(raw, ending)() == 0
    with open_home(filled.path, lock_timeout_s=0.1, **QUIET) as memory:
        assert memory.verify(filled.third)


def test_a_change_in_the_middle_of_which_it_must_go_is_done_or_not_and_the_home_is_sound(filled):
    with RawStdio(filled.path) as raw:
        raw.hello()
        given = {"title": "zuletzt gesagt", "content": "x"}
        raw.send("tools/call", {"name": "remember", "arguments": given}, 50)
        assert raw.stop() == 0
        assert only_protocol(raw.lines)
    with open_home(filled.path, lock_timeout_s=0.1, **QUIET) as memory:
        assert memory.audit().ok
        titles = [entry.title for entry in memory.entries(limit=None)]
    assert titles.count("zuletzt gesagt") <= 1


def test_a_client_that_stops_reading_ends_it_too(filled):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    with subprocess.Popen(
        command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(filled.path)
    ) as process:
        process.stdout.close()
        process.stdin.write(json.dumps(hello).encode() + b"\n")
        process.stdin.flush()
        assert process.wait(60) == 0


def test_nobody_there_at_all_is_an_end_too(tmp_path: Path):
    with RawStdio(tmp_path / "home") as raw:
        assert raw.leave() == 0
        assert raw.lines == []


def test_three_assistants_at_once_on_one_home_lose_nothing(filled):
    def work(raw: RawStdio, name: str, failures: list[object]) -> None:
        try:
            raw.hello()
            for number in range(5):
                made = raw.call("remember", title=f"{name}-{number}", content="zugleich")
                found = raw.call("fact_history", key="mueller/sitz", limit=1)
                failures.extend(one for one in (made, found) if one["isError"])
        except Exception as error:  # noqa: BLE001 -- told by the test
            failures.append(error)

    failures: list[object] = []
    with RawStdio(filled.path) as a, RawStdio(filled.path) as b, RawStdio(filled.path) as c:
        threads = [
            threading.Thread(target=work, args=(raw, name, failures))
            for raw, name in ((a, "a"), (b, "b"), (c, "c"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert [raw.leave() for raw in (a, b, c)] == [0, 0, 0]
        assert all(only_protocol(raw.lines) for raw in (a, b, c))
    with open_home(filled.path, **QUIET) as memory:
        titles = {entry.title for entry in memory.entries(limit=None)}
    assert titles >= {f"{name}-{number}" for name in "abc" for number in range(5)}
