"""Accretion from end to end: over MCP, over REST, and on the command line."""

import json
from contextlib import redirect_stdout
from io import StringIO

import anyio
import httpx2
import pytest
from accreting import LONGER, SESSION, TIMEOUT

from damals.app.access_model import Once
from damals.app.change_results import Changed
from damals.app.door import Door
from damals.domain.access import OWNER
from damals.interfaces.cli import change_views
from damals.interfaces.cli.globals import GlobalOptions
from damals.interfaces.cli.main import main
from damals.interfaces.cli.session import Session
from damals.interfaces.mcp import changing
from damals.interfaces.mcp.caller import Caller
from damals.interfaces.rest.app import create_app

TOKEN = "owner-" + "t" * 40


@pytest.fixture
def assistant(memory):
    """An assistant in a conversation."""
    return Caller(memory, "en", "client", "conversation-1")


def filed(assistant, title: str, content: str, **more) -> dict:
    return changing.remember(assistant, {"title": title, "content": content, **more})


def test_an_assistant_is_told_what_to_decide_and_by_which_commands(assistant):
    filed(assistant, *TIMEOUT)
    told = filed(assistant, *LONGER)
    assert told["entry"]["status"] == "acquired"
    [caveat] = told["caveats"]
    assert "60 s" in caveat
    kinds = {one["kind"]: one["commands"] for one in told["integration"]["findings"]}
    assert any(one.startswith("damals contradict ") for one in kinds["contradiction"])


def test_an_assistant_that_files_what_it_recalled_is_told_so(assistant):
    first = filed(assistant, *TIMEOUT)
    told = filed(assistant, "Note", TIMEOUT[1])
    assert told["unchanged"] is True
    assert told["entry"]["id"] == first["entry"]["id"]
    assert "insist" in told["caveats"][0]
    assert "unchanged" not in filed(assistant, "Note", TIMEOUT[1], insist=True)


def test_nothing_to_decide_costs_an_assistant_no_token(assistant):
    told = filed(assistant, *TIMEOUT)
    assert "integration" not in told
    assert "caveats" not in told


def test_an_update_of_an_assistant_is_checked_too(assistant):
    first = filed(assistant, *TIMEOUT)
    given = {"target_id": first["entry"]["id"], "update_reason": "again"}
    again = {"new_title": TIMEOUT[0], "new_content": TIMEOUT[1]}
    told = changing.update_fact(assistant, {**given, **again})
    assert (told["unchanged"], told["entry"]["id"]) == (True, first["entry"]["id"])


def test_the_session_of_a_conversation_is_kept(assistant):
    told = filed(assistant, *TIMEOUT)
    assert assistant.memory.get(told["entry"]["id"]).source.session == "conversation-1"


def test_the_same_request_gets_the_same_answer(memory):
    once = Once(b"k" * 32, b"r" * 32)
    memory.remember(*TIMEOUT)
    first = memory.under(OWNER, once=once).remember(*LONGER, **SESSION)
    again = memory.under(OWNER, once=once).remember(*LONGER, **SESSION)
    assert again == first
    assert again.integration.status == "acquired"


@pytest.fixture
def post(memory):
    """Posts to the served memory; gives status and JSON."""
    app = create_app(memory, Door(TOKEN))

    def post(path: str, body: dict, **headers: str) -> tuple[int, dict]:
        async def ask() -> httpx2.Response:
            transport = httpx2.ASGITransport(app=app)
            base = "http://127.0.0.1/v1/workspaces/default"
            head = {"Authorization": f"Bearer {TOKEN}", **headers}
            async with httpx2.AsyncClient(transport=transport, base_url=base) as client:
                return await client.post(path, json=body, headers=head)

        answer = anyio.run(ask)
        return answer.status_code, answer.json()

    return post


def body(title: str, content: str, **more) -> dict:
    return {"title": title, "content": content, "source": {"session": "s-1"}, **more}


def test_over_rest_a_session_is_checked(post):
    assert post("/entries", body(*TIMEOUT))[0] == 201
    status, told = post("/entries", body(*LONGER))
    assert (status, told["entry"]["status"]) == (201, "acquired")
    assert told["integration"]["status"] == "acquired"
    assert told["caveats"]


def test_over_rest_an_echo_is_answered_with_200(post):
    _, first = post("/entries", body(*TIMEOUT))
    status, told = post("/entries", body("Notiz", TIMEOUT[1]))
    assert (status, told["unchanged"]) == (200, True)
    assert told["entry"]["id"] == first["entry"]["id"]
    assert post("/entries", body("Notiz", TIMEOUT[1], insist=True))[0] == 201


def test_over_rest_a_key_gives_the_same_answer(post):
    post("/entries", body(*TIMEOUT))
    key = {"Idempotency-Key": "eins"}
    first = post("/entries", body(*LONGER), **key)
    assert post("/entries", body(*LONGER), **key) == first


def test_over_rest_without_a_session_nothing_is_checked(post):
    post("/entries", body(*TIMEOUT))
    status, told = post("/entries", {"title": "Notiz", "content": TIMEOUT[1]})
    assert status == 201
    assert "integration" not in told


def test_on_the_command_line_people_see_what_to_decide(memory, capsys):
    memory.remember(*TIMEOUT)
    told = Changed.of(memory.remember(*LONGER, **SESSION))
    change_views.changed(Session(GlobalOptions(), "de"), told)
    shown = " ".join(capsys.readouterr().out.split())
    assert "60 s" in shown
    assert f"damals contradict {told.entry.id}" in shown


def test_on_the_command_line_a_session_is_checked(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")

    def damals(*words: str) -> dict:
        with redirect_stdout(StringIO()) as out:
            assert main(["--home", str(tmp_path / "home"), "--json", *words]) == 0
        return json.loads(out.getvalue())

    title, content = TIMEOUT
    damals("remember", "--title", title, "--content", content)
    echo = ["remember", "--title", "Notiz", "--content", content]
    assert "unchanged" in damals(*echo, "--session", "s-1")
    new = damals("remember", "--title", LONGER[0], "--content", LONGER[1], "--session", "s-1")
    assert new["entry"]["status"] == "acquired"
    assert new["entry"]["source"]["session"] == "s-1"
    assert new["integration"]["findings"][0]["commands"]
