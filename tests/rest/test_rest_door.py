"""Who gets in, from where, and what they may do there."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from rest_server import TOKEN, Served, serve

from damals.app.door import Door
from damals.interfaces.rest.options import ServerOptions


def filled(served: Served) -> Served:
    served.home.remember("Offen", external_id="open", visibility="public")
    served.home.remember("Geheim", external_id="secret", visibility="restricted", sensitivity=3)
    served.home.create_workspace("other")
    return served


@pytest.fixture
def base(served: Served) -> Served:
    """A home with an entry that everybody may see and one that few may."""
    return filled(served)


@pytest.fixture(scope="module")
def standing(tmp_path_factory) -> Iterator[Served]:
    """Such a home, for tests that leave it as it is."""
    options = ServerOptions(allowed_hosts=("damals.lan",))
    for one in serve(tmp_path_factory.mktemp("door") / "home", Door(TOKEN), options):
        yield filled(one)


@pytest.fixture
def unguarded(tmp_path: Path) -> Iterator[Served]:
    yield from serve(
        tmp_path / "home", Door(open_to_loopback=True), ServerOptions(allowed_hosts=("damals.lan",))
    )


def test_without_a_key_nobody_is_let_in(standing: Served):
    answer = standing.client(None).get("/workspaces")
    assert (answer.status_code, answer.json()["key"]) == (401, "access.no_key")
    assert answer.headers["www-authenticate"] == 'Bearer realm="damals"'


@pytest.mark.parametrize("header", ["Bearer wrong", "bearer wrong", "Bearer  damals_x"])
def test_a_wrong_key_opens_nothing(standing: Served, header: str):
    answer = standing.client(None).get("/workspaces", headers={"Authorization": header})
    assert (answer.status_code, answer.json()["key"]) == (401, "access.unknown_key")
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.mark.parametrize("header", ["Basic b3duZXI6", "Bearer", "token-of-the-owner"])
def test_another_scheme_is_as_no_key(standing: Served, header: str):
    answer = standing.client(None).get("/workspaces", headers={"Authorization": header})
    assert (answer.status_code, answer.json()["key"]) == (401, "access.no_key")


def test_a_key_is_needed_from_the_moment_there_is_one(unguarded: Served):
    nobody = unguarded.client(None, "default")
    assert nobody.post("/entries", json={"title": "Vom Eigentümer"}).status_code == 201
    assert nobody.get(str(nobody.base_url).partition("/v1")[0] + "/metrics").status_code == 200
    secret = unguarded.key("someone")
    assert nobody.get("/entries").status_code == 401
    assert unguarded.client(secret, "default").get("/entries").status_code == 200


def test_taking_the_last_key_away_opens_nothing(unguarded: Served):
    unguarded.home.remember("da")
    secret = unguarded.key("someone")
    unguarded.home.revoke_key("someone")
    for client in (unguarded.client(None, "default"), unguarded.client(secret, "default")):
        assert client.get("/entries").status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Host": "damals.lan"},
    ],
)
def test_what_a_proxy_passes_on_is_not_taken_for_the_owner(unguarded: Served, headers: dict):
    nobody = unguarded.client(None, "default")
    assert nobody.post("/entries", json={"title": "x"}, headers=headers).status_code == 401
    assert nobody.post("/entries", json={"title": "x"}).status_code == 201


def test_a_revoked_key_opens_nothing_from_the_next_request_on(base: Served):
    someone = base.client(base.key("someone"), "default")
    assert someone.get("/entries").status_code == 200
    base.home.revoke_key("someone")
    assert someone.get("/entries").json()["key"] == "access.unknown_key"


def test_a_reader_reads_a_writer_writes_and_an_admin_administers(base: Served):
    clients = {role: base.client(base.key(f"a-{role}", role), "default") for role in
               ("reader", "writer", "admin")}  # fmt: skip
    home = str(base.client().base_url).rstrip("/")
    calls = {
        "reader": [("GET", "/entries", None), ("POST", "/recall", {"query": "x"})],
        "writer": [("POST", "/entries", {"title": "neu"}), ("POST", "/entries/open/pin", {})],
        "admin": [
            ("GET", f"{home}/keys", None),
            ("GET", f"{home}/denials", None),
            ("GET", f"{home}/erasures", None),
            ("GET", f"{home}/doctor", None),
            ("GET", f"{home}/config", None),
            ("GET", "/audit/verify", None),
            ("DELETE", "/entries/open", None),
            ("POST", f"{home}/workspaces", {"name": "third"}),
            ("POST", f"{home}/reindex", {}),
            ("GET", f"{home}/backups", None),
            ("POST", f"{home}/backups", {}),
            ("GET", f"{home.removesuffix('/v1')}/metrics", None),
        ],
    }
    ranks = ("reader", "writer", "admin")
    for needed, asked in calls.items():
        for method, path, body in asked:
            for rank in ranks[: ranks.index(needed)]:
                answer = clients[rank].request(method, path, json=body)
                assert (answer.status_code, answer.json()["key"]) == (403, "access.right"), path
            assert clients[needed].request(method, path, json=body).is_success, path


def test_who_administers_some_workspaces_does_not_administer_the_home(base: Served):
    some = base.client(base.key("some", "admin", workspaces=["default"]))
    calls = [
        ("GET", "/doctor", None),
        ("GET", "/config", None),
        ("POST", "/doctor", {"repair": True}),
        ("POST", "/reindex", {}),
        ("GET", "/backups", None),
        ("POST", "/backups", {}),
        ("POST", "/backups/x/verify", {}),
        ("GET", f"{base.url}/metrics", None),
    ]
    for method, path, body in calls:
        answer = some.request(method, path, json=body)
        assert (answer.status_code, answer.json()["key"]) == (403, "access.home"), path
    assert some.get("/workspaces/default/audit/verify").is_success


def test_an_entry_that_may_not_be_seen_is_answered_as_a_missing_one(base: Served):
    someone = base.client(base.key("someone", "writer"), "default")
    calls = [
        ("GET", "/entries/{}", None),
        ("GET", "/entries/{}/history", None),
        ("POST", "/entries/{}/pin", {}),
        ("POST", "/entries/{}/correct", {"title": "x", "reason": "x"}),
        ("POST", "/entries/{}/correct", {"title": 5, "reason": "x"}),
        ("GET", "/log?entry={}", None),
    ]
    for method, path, body in calls:
        hidden = someone.request(method, path.format("secret"), json=body)
        missing = someone.request(method, path.format("nobody"), json=body)
        assert hidden.status_code == missing.status_code
        assert hidden.text.replace("secret", "nobody") == missing.text, path
    assert [one["title"] for one in someone.get("/entries").json()["entries"]] == ["Offen"]


def test_a_workspace_that_may_not_be_used_is_answered_as_a_missing_one(base: Served):
    someone = base.client(base.key("someone", "writer", workspaces=["default"]))
    calls = [
        ("GET", "/entries", None),
        ("GET", "/entries?colour=red", None),
        ("GET", "/log", None),
        ("GET", "/imports", None),
        ("GET", "/jobs/x", None),
        ("GET", "/export", None),
        ("POST", "/entries", {"title": "x"}),
        ("POST", "/entries", {"title": 5}),
        ("POST", "/recall", {"query": "x"}),
        ("POST", "/imports", {"path": "/"}),
        ("POST", "/transactions", {"operations": [{"op": "pin", "target": "x"}]}),
        ("DELETE", "/entries/open", None),
    ]
    for method, path, body in calls:
        hidden = someone.request(method, f"/workspaces/other{path}", json=body)
        missing = someone.request(method, f"/workspaces/nowhere{path}", json=body)
        assert hidden.status_code == missing.status_code, (path, hidden.text, missing.text)
        assert hidden.text.replace("other", "nowhere") == missing.text, path
        if method != "GET":
            once = {"Idempotency-Key": "k"}
            url = f"/workspaces/nowhere{path}"
            again = someone.request(method, url, json=body, headers=once)
            assert (again.status_code, again.text) == (missing.status_code, missing.text)
    seen = someone.get("/workspaces").json()["workspaces"]
    assert [one["name"] for one in seen] == ["default"]


def test_refused_calls_are_noted_without_their_values(base: Served):
    someone = base.client(base.key("someone", workspaces=["default"]))
    base.client("damals_wrong").get("/workspaces/default/entries?tag=x")
    someone.post("/workspaces/default/entries", json={"title": "Verraten"})
    someone.get("/workspaces/other/entries/anything")
    base.client().get("/workspaces", headers={"Host": "evil.example"})
    noted = base.client().get("/denials").json()["denials"]
    assert [(one["principal"], one["call"], one["problem"]) for one in reversed(noted)] == [
        (None, "GET /v1/workspaces/{workspace}/entries", "access.unknown_key"),
        ("someone", "POST /v1/workspaces/{workspace}/entries", "access.right"),
        ("someone", "GET /v1/workspaces/{workspace}/entries/{id}", "workspace.unknown"),
        (None, "GET *", "request.host"),
    ]
    assert all(one["channel"] == "rest" for one in noted)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "",
        "127.0.0.1.evil.example",
        "[::1",
        "localhost@evil.example",
        "damals.la",
    ],
)
def test_a_server_that_is_asked_under_another_name_refuses(standing: Served, host: str):
    answer = standing.client().get("/health", headers={"Host": host})
    assert answer.status_code in {400, 403}
    assert answer.status_code == 400 or answer.json()["key"] == "request.host"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:1",
        "LOCALHOST",
        "127.0.0.1:9",
        "[::1]:80",
        "damals.lan",
        "DAMALS.lan.:443",
    ],
)
def test_a_server_answers_under_its_own_names(standing: Served, host: str):
    assert standing.client(None).get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://evil.example", 403),
        ("null", 403),
        ("http://localhost:1", 403),
        ("{own}", 200),
    ],
)
def test_pages_from_elsewhere_may_not_ask(standing: Served, origin: str, status: int):
    headers = {"Origin": origin.format(own=standing.url)}
    answer = standing.client().get("/version", headers=headers)
    assert answer.status_code == status
    assert status == 200 or answer.json()["key"] == "request.origin"


def test_answers_are_not_stored_and_not_sniffed(served: Served, api: httpx2.Client):
    for answer in (
        api.post("/entries", json={"title": "x"}),
        api.get("/nowhere"),
        served.client(None).get("/workspaces"),
        served.client(None).get("/health", headers={"Host": "evil.example"}),
    ):
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_key_gives_no_more_than_the_asker_has(base: Served):
    admin = base.client(base.key("a", "admin", workspaces=["default"], visibility="public"))
    for wanted in ({"visibility": "internal"}, {"workspaces": None}, {"sensitivity": 1}):
        body = {"name": "b", "workspaces": ["default"], "visibility": "public"} | wanted
        answer = admin.post("/keys", json=body)
        assert (answer.status_code, answer.json()["key"]) == (403, "key.beyond")
    assert admin.post("/keys", json={"name": "b", "workspaces": ["default"],
                                     "visibility": "public"}).status_code == 201  # fmt: skip


def test_the_owner_token_is_no_key_of_the_home(base: Served):
    assert TOKEN not in base.client().get("/keys").text
