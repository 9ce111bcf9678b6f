"""A request that comes twice under one key is done once."""

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest
from rest_server import TOKEN, Served

from damals.app.access_model import Once
from damals.app.door import Door
from damals.app.errors import Conflict
from damals.domain.access import OWNER
from damals.interfaces.rest.caller import Caller
from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.rest.server import Server


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def transactions(api: httpx2.Client) -> int:
    return len(api.get("/log", params={"limit": "all"}).json()["transactions"])


def test_a_change_that_is_sent_again_is_answered_again(api: httpx2.Client):
    body = {"title": "Einmal"}
    first = api.post("/entries", json=body, headers=keyed("a"))
    again = api.post("/entries", json=body, headers=keyed("a"))
    assert (first.status_code, first.text) == (again.status_code, again.text)
    assert transactions(api) == 1


def test_the_answer_is_the_same_also_when_the_entry_has_changed_meanwhile(api: httpx2.Client):
    made = api.post("/entries", json={"title": "A"}, headers=keyed("a")).json()
    name = made["entry"]["id"]
    api.post(f"/entries/{name}/correct", json={"title": "B", "reason": "r"})
    assert api.post("/entries", json={"title": "A"}, headers=keyed("a")).json() == made


def test_another_body_under_the_same_key_is_refused(api: httpx2.Client):
    api.post("/entries", json={"title": "A"}, headers=keyed("a"))
    other = api.post("/entries", json={"title": "B"}, headers=keyed("a"))
    assert (other.status_code, other.json()["key"]) == (422, "request.different")
    assert transactions(api) == 1


def test_another_route_and_another_asker_have_keys_of_their_own(api: httpx2.Client, served: Served):
    api.post("/entries", json={"title": "A"}, headers=keyed("a"))
    someone = served.client(served.key("someone", "writer"), "default")
    assert someone.post("/entries", json={"title": "B"}, headers=keyed("a")).status_code == 201
    answer = api.post("/transactions", json={"operations": [{"op": "remember", "title": "C"}]},
                      headers=keyed("a"))  # fmt: skip
    assert answer.status_code == 200


def test_a_failed_request_leaves_its_key_free(api: httpx2.Client):
    api.post("/entries", json={"title": "A"})
    assert api.post("/entries", json={"title": " "}, headers=keyed("a")).status_code == 400
    assert api.post("/entries", json={"title": "B"}, headers=keyed("a")).status_code == 201


def test_two_requests_at_once_under_one_key_are_one(api: httpx2.Client):
    api.post("/entries", json={"title": "zuerst"})

    def send(number: int) -> str:
        del number
        return api.post("/entries", json={"title": "Zugleich"}, headers=keyed("a")).text

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(send, range(16)))
    assert len(answers) == 1
    assert transactions(api) == 2


def test_an_erasure_that_is_sent_again_is_answered_again(api: httpx2.Client):
    name = api.post("/entries", json={"title": "Weg"}).json()["entry"]["id"]
    first = api.delete(f"/entries/{name}", params={"reason": "r"}, headers=keyed("a"))
    again = api.delete(f"/entries/{name}", params={"reason": "r"}, headers=keyed("a"))
    assert (first.status_code, first.json()) == (200, again.json())
    other = api.delete(f"/entries/{name}", params={"reason": "s"}, headers=keyed("a"))
    assert other.status_code == 422


def test_an_answer_in_which_something_was_erased_is_not_given_again(api: httpx2.Client):
    body = {"title": "Vertraulich"}
    name = api.post("/entries", json=body, headers=keyed("a")).json()["entry"]["id"]
    api.post("/recall", json={"query": "Vertraulich"}, headers=keyed("r"))
    api.delete(f"/entries/{name}")
    again = api.post("/entries", json=body, headers=keyed("a"))
    assert (again.status_code, again.json()["key"]) == (409, "request.forgotten")
    asked = api.post("/recall", json={"query": "Vertraulich"}, headers=keyed("r"))
    assert (asked.status_code, asked.json()["results"]) == (200, [])
    assert name not in again.text + asked.text


PREVIEWED = {"operations": [{"op": "pin", "target": "x"}], "preview": True}


@pytest.mark.parametrize(
    ("path", "body"), [("/recall", {"query": "Vertraulich"}), ("/transactions", PREVIEWED)]
)
def test_what_is_erased_before_an_answer_is_kept_is_not_kept(
    served: Served, api: httpx2.Client, path: str, body: dict
):
    """The work reads, someone erases, the answer comes to be kept."""
    entry = served.home.remember("Vertraulich", external_id="x")
    server = Server(served.home, Door(TOKEN), ServerOptions())
    named = Once(b"k" * 32, b"r" * 32)
    asker = Caller(server, OWNER, "default", named)

    def work() -> tuple[dict, int]:
        answer = api.post(path, json=body)
        assert "Vertraulich" in answer.text
        served.home.erase("entry", entry.id)
        return answer.json(), answer.status_code

    told, _ = asker.kept(work)
    assert "Vertraulich" in str(told)
    kept = server.registry_of().answer("default", named.key)
    assert kept is not None
    assert kept.body is None
    with pytest.raises(Conflict) as refused:
        asker.kept(work)
    assert refused.value.key == "request.forgotten"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/workspaces", {"name": "second"}),
        ("/v1/reindex", {}),
        ("/v1/doctor", {}),
    ],
)
def test_every_post_that_does_something_is_answered_again(
    served: Served, api: httpx2.Client, path: str, body: dict
):
    api.post("/entries", json={"title": "Frage"})
    client = served.client()
    url = served.url + path
    first = client.post(url, json=body, headers=keyed("a"))
    again = client.post(url, json=body, headers=keyed("a"))
    assert first.is_success, first.text
    assert (first.status_code, first.json()) == (again.status_code, again.json())
    other = client.post(url, content=b'{"name": "x", "query": "y"}',
                        headers=keyed("a") | {"Content-Type": "application/json"})  # fmt: skip
    assert other.status_code in {400, 422}


def test_a_new_key_is_made_once_and_its_secret_is_not_kept(served: Served):
    client = served.client()
    first = client.post("/keys", json={"name": "k"}, headers=keyed("a"))
    again = client.post("/keys", json={"name": "k"}, headers=keyed("a"))
    assert first.status_code == 201
    assert (again.status_code, again.json()["key"]) == (409, "request.secret")
    assert first.json()["secret"] not in again.text


def test_a_key_that_is_too_long_is_refused(api: httpx2.Client):
    answer = api.post("/entries", json={"title": "A"}, headers=keyed("k" * 256))
    assert answer.status_code == 400


def test_a_question_under_a_key_makes_no_home(served: Served, api: httpx2.Client):
    answer = api.post("/recall", json={"query": "x"}, headers=keyed("a"))
    assert answer.json()["key"] == "home.missing"
    assert not served.home.opened.parts.home.exists()
    made = served.client().post("/keys", json={"name": "first"}, headers=keyed("b"))
    assert made.status_code == 201
    again = served.client().post("/keys", json={"name": "first"}, headers=keyed("b"))
    assert again.json()["key"] == "request.secret"


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/recall", {"query": "Frage"}),
        ("/transactions", {"operations": [{"op": "remember", "title": "Da"}], "preview": True}),
    ],
)
def test_a_question_that_is_sent_again_is_asked_anew(api: httpx2.Client, path: str, body: dict):
    """What was answered before may be gone, or not be theirs to see any more."""
    api.post("/entries", json={"title": "Eine Frage"})
    first = api.post(path, json=body, headers=keyed("a"))
    api.post("/entries", json={"title": "Frage"})
    again = api.post(path, json=body, headers=keyed("a"))
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() != again.json()
    other = api.post(path, json=body | {"as_of": "2024-01-01"}, headers=keyed("a"))
    assert other.status_code in {400, 422}
