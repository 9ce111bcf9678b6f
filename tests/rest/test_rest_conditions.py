"""On which state a change is done, what names a request, and who says what is out of range."""

import json

import httpx2
import pytest

from damals.interfaces.rest.guard import is_loopback


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("/entries", {"title": "A", "importance": 9}, "importance"),
        ("/entries", {"title": "A", "sensitivity": 9}, "sensitivity"),
        ("/entries/x/verify", {"score": 2}, "score"),
    ],
)
def test_what_is_out_of_range_is_refused_by_the_rules(
    api: httpx2.Client, path: str, body: dict, name: str
):
    api.post("/entries", json={"title": "X", "external_id": "x"})
    told = api.post(path, json=body, headers={"Accept-Language": "de"}).json()
    assert (told["status"], told["key"], told["values"]["name"]) == (400, "field.range", name)
    assert "zwischen" in told["detail"]


def test_an_empty_key_names_no_request(api: httpx2.Client):
    refused = api.post("/entries", json={"title": "A"}, headers={"Idempotency-Key": ""})
    assert (refused.status_code, refused.json()["key"]) == (400, "request.no_name")


def test_another_condition_is_another_request(api: httpx2.Client):
    made = api.post("/entries", json={"title": "X", "external_id": "x"})
    key = {"Idempotency-Key": "k"}
    body = {"reason": "r"}
    with_tag = key | {"If-Match": made.headers["etag"]}
    first = api.post("/entries/x/pin", json=body, headers=with_tag)
    assert first.status_code == 200
    assert api.post("/entries/x/pin", json=body, headers=with_tag).json() == first.json()
    other = api.post("/entries/x/pin", json=body, headers=key)
    assert (other.status_code, other.json()["key"]) == (422, "request.different")


@pytest.mark.parametrize(
    ("match", "status"),
    [
        ('"1"', 200), ('"7", "1"', 200), ('W/"1", "1"', 200), ("*", 200),
        ('"7"', 412), ('W/"1"', 412), (f'"{"9" * 40}"', 412), ('"a"', 412), ('"7", "8"', 412),
        ("nothing", 400), ('"1" "2"', 400),
    ],
)  # fmt: skip
def test_any_strong_etag_of_a_list_may_match(api: httpx2.Client, match: str, status: int):
    api.post("/entries", json={"title": "X", "external_id": "x"})
    answer = api.post("/entries/x/pin", json={}, headers={"If-Match": match})
    assert answer.status_code == status, answer.text


def test_a_condition_holds_for_a_new_entry_too_and_is_refused_where_it_means_nothing(
    api: httpx2.Client,
):
    old = {"If-Match": '"7"'}
    api.post("/entries", json={"title": "X", "external_id": "x"})
    body = {"title": "Y", "external_id": "x"}
    assert api.post("/entries", json=body, headers=old).status_code == 412
    operations = {"operations": [{"op": "pin", "target": "x"}]}
    for path, said in (("/transactions", operations), ("/recall", {"query": "x"})):
        refused = api.post(path, json=said, headers=old)
        assert (refused.status_code, refused.json()["key"]) == (400, "request.if_match")


def test_a_transaction_without_operations_is_refused(api: httpx2.Client):
    api.post("/entries", json={"title": "X"})
    refused = api.post("/transactions", json={"operations": []})
    assert (refused.status_code, refused.json()["key"]) == (400, "transaction.empty")
    revert = api.post("/transactions/-1/revert", json={"reason": "r"})
    assert (revert.status_code, revert.json()["key"]) == (404, "transaction.unknown")


def test_sent_events_are_told_by_one_name_and_a_failure_in_words(api: httpx2.Client):
    kind = {"Content-Type": "application/x-ndjson", "Accept-Language": "en"}
    good = {"recorded_at": "2024-01-01T00:00:00Z", "op": "remember", "title": "Gesandt"}
    ended = []
    for event in (good, {**good, "recorded_at": "nonsense"}):
        job = api.post("/imports", content=json.dumps(event), headers=kind).json()
        events = api.get(f"/jobs/{job['id']}/events").text
        ended.append(api.get(f"/jobs/{job['id']}").json())
        assert "event: " in events
    assert (ended[0]["state"], ended[1]["state"]) == ("done", "failed"), ended
    assert ended[0]["result"]["source"] == "events.ndjson"
    assert "events.ndjson" in ended[1]["problem"]["detail"]


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True), ("127.0.0.2", True), ("::1", True), ("localhost", True),
        ("127.example.org", False), ("10.0.0.1", False), ("", False),
    ],
)  # fmt: skip
def test_every_loopback_address_is_of_this_machine_and_no_name_that_looks_like_one(
    address: str, own: bool
):
    assert is_loopback(address) is own
