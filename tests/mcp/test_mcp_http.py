"""The protocol over HTTP, against a real server."""

import json
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp_speaking import HELLO, PROTOCOL, QUIET, Failed, RawHttp, rounds

from damals import opening
from damals.app.errors import NotFound
from damals.interfaces.mcp.tools import TOOLS
from mcp import Client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_lists_and_calls_every_tool(served, mode):
    async def converse():
        headers = {"Authorization": f"Bearer {served.token}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(served.mcp, http_client=http), mode=mode) as client,
        ):
            assert [tool.name for tool in (await client.list_tools()).tools] == [
                tool.name for tool in TOOLS
            ]
            for name, given in rounds(*served.ids):
                answer = await client.call_tool(name, given)
                assert not answer.is_error, answer.content
            listed = (await client.list_resources()).resources
            read = await client.read_resource(listed[0].uri)
            assert json.loads(read.contents[0].text)["id"]
            assert (await client.get_prompt("memory_pack", {"lang": "de"})).messages

    anyio.run(converse)


def test_a_raw_client_of_the_protocol_of_june_2025_is_understood(served):
    raw = RawHttp(served.mcp, served.token)
    told = raw.hello()
    assert told["protocolVersion"] == PROTOCOL
    assert raw.headers["Mcp-Session-Id"]
    assert len(raw.ask("tools/list")["tools"]) == len(TOOLS)
    for name, given in rounds(*served.ids):
        answer = raw.call(name, **given)
        assert answer["isError"] is False, answer
        assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]
    assert raw.ask("resources/templates/list")["resourceTemplates"]
    with pytest.raises(Failed) as failed:
        raw.ask("tools/ask")
    assert failed.value.code == -32601
    with pytest.raises(Failed) as failed:
        raw.ask("tools/call", {"arguments": {}})
    assert failed.value.code == -32602


def test_nobody_gets_in_without_a_key_and_a_revoked_one_stops_in_mid_conversation(served):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    for key in (None, "wrong"):
        refused = RawHttp(served.mcp, key).post(hello)
        assert refused.status_code == 401
        assert refused.headers["content-type"].startswith("application/problem+json")
        assert refused.headers["www-authenticate"].startswith("Bearer")
    secret = served.memory.create_key("leser").secret
    raw = RawHttp(served.mcp, secret)
    raw.hello()
    assert raw.call("fact_history", id=served.ids[2])["isError"] is False
    served.memory.revoke_key("leser")
    stopped = raw.post({"jsonrpc": "2.0", "id": 9, "method": "tools/list"})
    assert stopped.status_code == 401


def test_a_key_sees_what_it_may_see_and_does_what_it_may_do(served):
    served.memory.remember("Kapital geheim", "Kapital, streng geheim", visibility="restricted")
    raw = RawHttp(served.mcp, served.memory.create_key("leser").secret)
    raw.hello()
    found = raw.call("recall", query="Kapital", limit=50)["structuredContent"]["results"]
    assert found
    assert "geheim" not in json.dumps(found)
    names = [one["name"] for one in raw.ask("resources/list")["resources"]]
    assert names
    assert "Kapital geheim" not in names
    answer = raw.call("verify_fact", id=served.ids[2])
    assert answer["isError"] is True
    assert any("tools/call" in denial.call for denial in served.memory.denials())


def test_a_workspace_out_of_reach_is_as_one_that_is_not_there_and_the_attempt_is_noted(served):
    served.memory.create_workspace("mandanten")
    secret = served.memory.create_key("leser", workspaces=("default",)).secret
    told = []
    for name in ("mandanten", "gibt-es-nicht"):
        raw = RawHttp(f"{served.mcp}/{name}", secret)
        raw.hello()
        told.append(raw.call("diff_knowledge", **{"from": "2024"})["content"][0]["text"])
    assert told[0].replace("mandanten", "…") == told[1].replace("gibt-es-nicht", "…")
    assert {denial.workspace for denial in served.memory.denials()} >= {"mandanten"}


def test_what_a_writer_says_is_signed_with_its_name_and_its_programs(served):
    secret = served.memory.create_key("kanzlei", roles=("writer",)).secret
    raw = RawHttp(served.mcp, secret)
    raw.hello()
    made = raw.call("remember", title="Sprache", content="Deutsch")["structuredContent"]["entry"]
    entry = served.memory.get(made["id"])
    assert (entry.source.kind, entry.source.name) == ("mcp", "roher-client")
    assert entry.source.session == raw.headers["Mcp-Session-Id"]
    assert served.memory.log(entry=made["id"]).transactions[-1].actor == "kanzlei"


def test_a_session_belongs_to_who_began_it(served):
    first = RawHttp(served.mcp, served.memory.create_key("a").secret)
    first.hello()
    other = RawHttp(served.mcp, served.memory.create_key("b").secret)
    other.headers["Mcp-Session-Id"] = first.headers["Mcp-Session-Id"]
    stolen = other.post({"jsonrpc": "2.0", "id": 5, "method": "tools/list"})
    assert stolen.status_code == 404
    assert first.ask("tools/list")["tools"]


def test_a_call_that_comes_twice_is_done_once(served):
    raw = RawHttp(served.mcp, served.token)
    raw.hello()
    call = {
        "jsonrpc": "2.0", "id": 77, "method": "tools/call",
        "params": {"name": "verify_fact", "arguments": {"id": served.ids[2]}},
    }  # fmt: skip
    before = len(served.memory.log().transactions)
    answers = [raw.post(call).json() for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert len(served.memory.log().transactions) == before + 1
    raw.post({**call, "id": 78})
    assert len(served.memory.log().transactions) == before + 2


def test_another_workspace_has_a_path_of_its_own(served):
    served.memory.create_workspace("mandanten")
    raw = RawHttp(f"{served.mcp}/mandanten", served.token)
    raw.hello()
    raw.call("remember", title="Nur hier", content="x")
    assert [one["name"] for one in raw.ask("resources/list")["resources"]] == ["Nur hier"]
    here = RawHttp(served.mcp, served.token)
    here.hello()
    assert "Nur hier" not in [one["name"] for one in here.ask("resources/list")["resources"]]


def test_answers_speak_the_language_that_a_request_asks_for(served):
    raw = RawHttp(served.mcp, served.token, **{"Accept-Language": "de-DE, en;q=0.5"})
    raw.hello()
    said = raw.call("recall", query="x", nonsense=1)["content"][0]["text"]
    assert said.startswith("recall hat kein Argument")


def test_a_page_of_another_site_is_refused_and_so_is_a_stream_that_would_say_nothing(served):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}
    raw = RawHttp(served.mcp, served.token)
    assert raw.post(hello, Origin="https://elsewhere.example").status_code == 403
    assert raw.post(hello, Host="elsewhere.example").status_code == 403
    assert httpx2.get(served.mcp, headers=raw.headers).status_code == 405
    too_long = {**hello, "params": {**HELLO, "more": "x" * 5_000_000}}
    assert raw.post(too_long).status_code == 413


def test_a_server_that_a_user_starts_speaks_it_beside_rest(tmp_path: Path):
    with opening.served(tmp_path / "home", port=0, **QUIET) as server:
        raw = RawHttp(f"{server.url}/mcp")
        raw.hello()
        assert raw.call("remember", title="A", content="B")["isError"] is False
        listed = raw.ask("resources/list")["resources"]
    assert [one["name"] for one in listed] == ["A"]


def test_a_session_that_was_ended_is_gone_and_one_that_never_was_is_not_there(served):
    raw = RawHttp(served.mcp, served.token)
    raw.hello()
    assert httpx2.delete(served.mcp, headers=raw.headers).status_code == 200
    ping = {"jsonrpc": "2.0", "id": 5, "method": "ping"}
    assert raw.post(ping).status_code == 404
    assert raw.post(ping, **{"Mcp-Session-Id": "0" * 32}).status_code == 404


def test_what_is_refused_here_is_noted_as_refused_here(served):
    served.memory.create_workspace("mandanten")
    RawHttp(served.mcp, "wrong").post({"jsonrpc": "2.0", "id": 1, "method": "initialize"})
    raw = RawHttp(served.mcp, served.memory.create_key("x", workspaces=("mandanten",)).secret)
    raw.hello()
    assert raw.call("recall", query="x")["isError"] is True
    noted = served.memory.denials()
    assert {one.channel for one in noted} == {"mcp"}
    assert {(one.problem, one.workspace) for one in noted} >= {("workspace.unknown", "default")}


def test_no_id_of_a_session_comes_into_the_log(served, caplog):
    with caplog.at_level("DEBUG"):
        raw = RawHttp(served.mcp, served.token)
        raw.hello()
        raw.ask("tools/list")
    ours = [one for one in caplog.records if not one.name.startswith("http")]  # not the client's
    assert raw.headers["Mcp-Session-Id"] not in str([one.getMessage() for one in ours])


def test_a_folder_to_import_from_that_is_not_there_is_refused_at_once(tmp_path: Path):
    missing = tmp_path / "nowhere"
    with (
        pytest.raises(NotFound) as refused,
        opening.served(tmp_path / "home", port=0, roots=str(missing)),
    ):
        pass
    assert refused.value.key == "path.missing"
    assert not (tmp_path / "home").exists()
