"""What is refused: as a problem, in the words of the rules, whatever was wrong."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
import structlog
from rest_server import TOKEN, Served, serve

from damals import messages
from damals.app.door import Door
from damals.app.errors import OUTCOMES, Conflict, InvalidInput
from damals.app.problems import error_told, told

ENTRY = {"title": "Eintrag"}


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    yield from serve(tmp_path_factory.mktemp("errors") / "home", Door(TOKEN))


@pytest.fixture(scope="module")
def api(served: Served) -> httpx2.Client:
    return served.client(workspace="default")


@pytest.fixture(scope="module")
def stored(api: httpx2.Client) -> str:
    """The id of an entry, in a home that exists."""
    return api.post("/entries", json=ENTRY).json()["entry"]["id"]


def problem(answer: httpx2.Response) -> dict:
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == answer.status_code
    assert {"type", "title", "detail", "code", "key", "values"} <= document.keys()
    assert not document["detail"].startswith(document["key"])
    return document


@pytest.mark.parametrize(
    ("body", "key", "values"),
    [
        ({}, "operation.missing", {"op": "remember", "name": "title"}),
        ({"title": 5}, "field.text", {"name": "title", "value": 5}),
        ({"title": " "}, "field.empty", {"name": "title"}),
        ({"title": "t", "colour": 1}, "operation.unknown_parameter",
         {"op": "remember", "name": "colour"}),
        ({"title": 5, "b": 1, "a": 2}, "operation.unknown_parameter",
         {"op": "remember", "name": "a, b"}),
        ({"title": "t", "importance": "high"}, "field.whole",
         {"name": "importance", "value": "high"}),
        ({"title": "t", "pinned": 1}, "field.flag", {"name": "pinned", "value": 1}),
        ({"title": "t", "properties": []}, "field.mapping", {"name": "properties", "value": "[]"}),
        ({"title": "t", "relations": "x"}, "field.list", {"name": "relations", "value": "x"}),
        ({"title": "t", "persona_weight": "x"}, "field.number",
         {"name": "persona_weight", "value": "x"}),
        ({"title": "t", "visibility": "secret"}, "field.choice",
         {"name": "visibility", "value": "secret", "allowed": "public, internal, restricted"}),
        ({"title": "t", "staleness_risk": "low"}, "field.choice",
         {"name": "staleness_risk", "value": "low", "allowed": "fast_decay, slow_decay, stable"}),
        ({"title": "t", "session": "s"}, "operation.session",
         {"op": "remember", "name": "session"}),
        ({"title": "a\0b"}, "field.not_text", {"name": "title"}),
        ({"title": "t", "id": "x"}, "field.id", {"value": "x"}),
    ],
)  # fmt: skip
def test_a_wrong_body_is_refused_in_the_words_of_the_rules(
    api: httpx2.Client, body: dict, key: str, values: dict
):
    answer = problem(api.post("/entries", json=body))
    assert (answer["status"], answer["code"]) == (400, "invalid_input")
    assert (answer["key"], answer["values"]) == (key, values)


@pytest.mark.parametrize(
    ("content", "kind", "status", "key"),
    [
        (b"{", "application/json", 400, "request.not_json"),
        (b"[]", "application/json", 400, "request.no_object"),
        (b"", "application/json", 400, "request.no_object"),
        (b'"text"', "application/json", 400, "request.no_object"),
        (b"[" * 100_000, "application/json", 400, "request.not_json"),
        (b'{"title": ' + b"9" * 5_000 + b"}", "application/json", 400, "request.not_json"),
        (b'{"title": "\xff"}', "application/json", 400, "request.not_json"),
        (b'{"title": "\\ud800"}', "application/json", 400, "field.not_text"),
        (b'{"title": "t", "properties": {"x": NaN}}', "application/json", 400, "field.not_json"),
        (b'{"title": "t", "importance": 1e999}', "application/json", 400, "field.whole"),
        (b'{"title": "t"}', "text/plain", 415, "request.media_type"),
        (b'{"title": "t"}', "", 415, "request.media_type"),
        (b"title=t", "application/x-www-form-urlencoded", 415, "request.media_type"),
    ],
)
def test_a_body_that_is_none_is_refused(
    api: httpx2.Client, content: bytes, kind: str, status: int, key: str
):
    answer = api.post("/entries", content=content, headers={"Content-Type": kind})
    assert (answer.status_code, problem(answer)["key"]) == (status, key)


@pytest.mark.parametrize(
    ("method", "path", "status", "key"),
    [
        ("GET", "/entries?colour=red", 400, "operation.unknown_parameter"),
        ("GET", "/audit/verify?deep=1", 400, "operation.unknown_parameter"),
        ("GET", "/entries?limit=0", 400, "limit.invalid"),
        ("GET", "/entries?limit=many", 400, "limit.invalid"),
        ("GET", "/entries?cursor=x", 400, "cursor.invalid"),
        ("GET", "/log?cursor=x", 400, "cursor.invalid"),
        ("GET", "/log?cursor=%C3%A4", 400, "cursor.invalid"),
        ("GET", "/entries?certain=perhaps", 400, "field.flag"),
        ("GET", "/entries?as_of=someday", 400, None),
        ("GET", "/diff?from=2024", 400, "operation.missing"),
        ("GET", "/diff?from=2024&to=2025&axis=up", 400, "field.choice"),
        ("GET", "/entries/nobody", 404, "entry.unknown"),
        ("GET", "/jobs/nobody", 404, "job.unknown"),
        ("GET", "/nowhere", 404, "request.path"),
        ("GET", "/entries/", 404, None),
    ],
)
def test_a_wrong_question_is_a_problem(
    api: httpx2.Client, stored: str, method: str, path: str, status: int, key: str | None
):
    del stored
    answer = api.request(method, path)
    document = problem(answer)
    assert answer.status_code == status, document
    assert key is None or document["key"] == key


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/entries", "GET, HEAD, POST"),
        ("HEAD", "/recall", "POST"),
        ("DELETE", "/log", "GET, HEAD"),
        ("TRACE", "/recall", "POST"),
        ("POST", "../../openapi.json", "GET, HEAD"),
    ],
)
def test_a_method_that_is_not_possible_names_those_that_are(
    api: httpx2.Client, method: str, path: str, allowed: str
):
    answer = api.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert method == "HEAD" or problem(answer)["key"] == "request.method"


@pytest.mark.parametrize("path", ["/entries", "/entries/nothing", "/nowhere"])
def test_head_is_answered_as_get_is_without_a_body(served: Served, path: str):
    api = served.client(workspace="default")
    api.post("/entries", json={"title": "t"})
    asked, told = api.head(path), api.get(path)
    assert (asked.status_code, asked.headers.get("etag")) == (
        told.status_code,
        told.headers.get("etag"),
    )
    assert asked.headers["content-type"] == told.headers["content-type"]
    assert asked.content == b""
    assert told.content


def test_what_nobody_foresaw_is_a_problem_without_a_word_of_why(
    served: Served, api: httpx2.Client, stored: str
):
    opened = served.home.opened
    ledger, opened._ledger_open = opened._ledger_open, object()  # noqa: SLF001 -- breaks the home in a way that nobody foresees
    try:
        with structlog.testing.capture_logs() as logged:
            answer = api.get(f"/entries/{stored}")
    finally:
        opened._ledger_open = ledger  # noqa: SLF001 -- as above
    document = problem(answer)
    assert (answer.status_code, document["code"], document["values"]) == (500, "internal", {})
    assert "Traceback" not in answer.text
    failed = next(line for line in logged if line["log_level"] == "error")
    assert (failed["kind"], bool(failed["places"])) == ("AttributeError", True)
    assert all(stored not in str(line) for line in logged)


def test_a_missing_home_is_no_failure(tmp_path: Path):
    for served in serve(tmp_path / "home", Door(TOKEN)):
        answer = served.client(workspace="default").get("/entries")
        assert problem(answer)["key"] == "home.missing"
        assert served.client().get("/ready").status_code == 200


def test_problems_and_caveats_are_told_in_the_language_that_was_asked_for(
    api: httpx2.Client, stored: str
):
    del stored
    german = api.get("/entries/nobody", headers={"Accept-Language": "fr, de-AT;q=0.9, en;q=0.1"})
    english = api.get("/entries/nobody", headers={"Accept-Language": "en, de;q=0.5"})
    assert german.json()["detail"] == messages.render("entry.unknown", {"id": "nobody"}, "de")
    assert english.json()["detail"] == messages.render("entry.unknown", {"id": "nobody"}, "en")
    assert (german.headers["content-language"], english.headers["content-language"]) == ("de", "en")
    assert german.json()["hint"] != english.json()["hint"]
    for lang in ("de", "en"):
        answer = api.post("/recall", json={"query": "x"}, headers={"Accept-Language": lang})
        assert messages.text("recall.without_vectors", lang) in answer.json()["caveats"]


@pytest.mark.parametrize("kind", sorted(OUTCOMES, key=lambda kind: kind.__name__))
def test_an_error_is_the_same_again_after_it_was_told(kind):
    cause = InvalidInput("time.gap", text="x", readings=3)
    error = kind("events.line", path="p", line=2, cause=cause, ratio=float("inf"))
    back = error_told(json.loads(json.dumps(told(error))))
    assert type(back) is kind
    assert (back.key, back.values["line"], back.values["ratio"]) == ("events.line", 2, "inf")
    assert messages.render(back.key, back.values) == messages.render(error.key, error.values)


def test_a_document_that_tells_of_no_error_of_ours_gives_none():
    assert error_told({"code": "internal", "key": "request.failed", "values": {}}) is None
    assert error_told({"status": 502}) is None
    assert error_told({"code": "conflict", "key": 5, "values": {}}) is None
    assert isinstance(error_told({"code": "conflict", "key": "k", "values": {}}), Conflict)
