"""Answers, their reasons and replays over HTTP."""

import json

import httpx2
import pytest
from rest_server import TOKEN, Served

from damals import Damals
from damals.errors import InvalidInput

QUESTION = "Welche Anschrift hat die Müller GmbH?"


def stocked(api: httpx2.Client) -> str:
    body = {"title": "Anschrift der Müller GmbH", "content": "Hauptstraße 1, 32108 Bad Salzuflen"}
    return api.post("/entries", json=body).json()["entry"]["id"]


def events(text: str) -> list[tuple[str, dict]]:
    found = []
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_a_question_is_answered_explained_and_answered_again(api: httpx2.Client):
    entry = stocked(api)
    answer = api.post("/answers", json={"question": QUESTION}).json()
    assert answer["abstained"] is False
    assert answer["citations"][0]["entry_id"] == entry
    assert set(answer) >= {
        "question", "understood", "answer", "citations", "reasons", "model", "as_of", "known_at",
        "receipt", "abstained",
    }  # fmt: skip
    why = api.get(f"/answers/{answer['receipt']}").json()
    assert why["answer"] == answer["answer"]
    assert why["reasons"] == answer["reasons"]
    api.post(f"/entries/{entry}/correct", json={"content": "Industriestraße 7", "reason": "r"})
    assert api.get(f"/answers/{answer['receipt']}/replay").json() == answer
    again = api.get(f"/answers/{answer['receipt']}/replay", params={"recompute": True}).json()
    assert isinstance(again.pop("differences"), list)
    assert again == answer


def test_a_ranking_is_replayed_too_and_may_leave_out_its_receipt(api: httpx2.Client):
    stocked(api)
    found = api.post("/recall", json={"query": QUESTION}).json()
    assert api.get(f"/answers/{found['receipt']}/replay").json() == found
    without = api.post("/recall", json={"query": QUESTION, "receipt": False}).json()
    assert without["receipt"] is None


def test_an_unknown_receipt_is_not_found(api: httpx2.Client):
    stocked(api)
    for path in ("/answers/nirgends", "/answers/nirgends/replay"):
        problem = api.get(path)
        assert problem.status_code == 404
        assert problem.json()["key"] == "receipt.unknown"


def test_a_reader_has_receipts_of_its_own_and_names_no_server_of_a_model(
    served: Served, api: httpx2.Client
):
    stocked(api)
    anna, bert = (served.client(served.key(name), "default") for name in ("anna", "bert"))
    receipt = anna.post("/answers", json={"question": QUESTION}).json()["receipt"]
    assert anna.get(f"/answers/{receipt}").status_code == 200
    assert bert.get(f"/answers/{receipt}").status_code == 404
    asked = {"question": QUESTION, "llm": "http://127.0.0.1:9", "model": "m"}
    assert anna.post("/answers", json=asked).status_code == 403


def test_an_answer_comes_as_events_and_so_does_what_went_wrong(api: httpx2.Client):
    stocked(api)
    told = api.post("/answers/stream", json={"question": QUESTION})
    assert told.headers["content-type"].startswith("text/event-stream")
    [(name, answer)] = events(told.text)
    assert name == "answer"
    assert answer["citations"][0]["quote"] == "Hauptstraße 1, 32108 Bad Salzuflen"
    [(name, problem)] = events(api.post("/answers/stream", json={"question": " "}).text)
    assert (name, problem["key"]) == ("failed", "query.empty")


def test_a_client_hears_what_is_told_and_raises_what_went_wrong(served: Served, api: httpx2.Client):
    stocked(api)
    heard: list[str] = []
    with Damals.connect(served.url, TOKEN) as memory:
        answer = memory.ask(QUESTION, listen=heard.append)
        assert memory.replay(answer.receipt) == answer
        with pytest.raises(InvalidInput) as refused:
            memory.ask(" ", listen=heard.append)
    assert refused.value.key == "query.empty"
    assert heard == []  # no model has written
