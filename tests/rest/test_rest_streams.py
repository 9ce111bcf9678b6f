"""Answers that come bit by bit: whose they are, and what becomes of them without a client."""

import json
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from rest_server import Served

sys.path.append(str(Path(__file__).parents[1] / "answers"))
from model_server import ModelServer, serving

QUESTION = "Welche Anschrift hat die Müller GmbH?"
WITHIN_S = 20


@pytest.fixture
def silent() -> Iterator[ModelServer]:
    """A model that says nothing for as long as the test takes."""
    with serving(ModelServer(pause_s=120, ollama=True)) as model:
        yield model


def stocked(api: httpx2.Client) -> None:
    body = {"title": "Anschrift der Müller GmbH", "content": "Hauptstraße 1, 32108 Bad Salzuflen"}
    assert api.post("/entries", json=body).status_code == 201


def comes_true(condition: Callable[[], object]) -> bool:
    end = time.monotonic() + WITHIN_S
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(condition())


def answering() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "answer"]


def receipts(served: Served) -> int:
    with closing(sqlite3.connect(served.home.opened.parts.home.path / "ledger.db")) as ledger:
        return ledger.execute("SELECT count(*) FROM receipts").fetchone()[0]


def test_a_key_names_one_question_and_is_asked_again(api: httpx2.Client):
    stocked(api)
    key = {"Idempotency-Key": "eins"}
    first = api.post("/answers/stream", json={"question": QUESTION}, headers=key)
    again = api.post("/answers/stream", json={"question": QUESTION}, headers=key)
    assert first.status_code == again.status_code == 200
    told = [json.loads(one.text.split("data: ", 1)[1]) for one in (first, again)]
    assert told[0]["answer"] == told[1]["answer"]
    assert told[0]["receipt"] != told[1]["receipt"], "it was asked again"
    other = api.post("/answers/stream", json={"question": "Und wer?"}, headers=key)
    assert (other.status_code, other.json()["key"]) == (422, "request.different")


def test_the_work_ends_with_the_client_and_leaves_no_receipt(
    served: Served, api: httpx2.Client, silent: ModelServer
):
    stocked(api)
    assert api.post("/answers", json={"question": QUESTION}).status_code == 200
    before = receipts(served)
    asked = {"question": QUESTION, "llm": silent.url, "model": "m"}
    with api.stream("POST", "/answers/stream", json=asked) as answer:
        assert answer.status_code == 200
        assert comes_true(lambda: silent.asked), "the model was asked"
        assert answering()
    assert comes_true(lambda: not answering()), "nobody waits, so nobody works"
    assert before == 1
    assert receipts(served) == before
