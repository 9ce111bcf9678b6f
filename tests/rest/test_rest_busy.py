"""While others write for long: a key ends at once, and what is ordered waits for its turn."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from rest_server import TOKEN, Served, serve

from damals.app.door import Door
from damals.interfaces.rest.options import ServerOptions


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "Notiz.md").write_text("# Notiz\n", encoding="utf-8")
    options = ServerOptions(roots=(tmp_path / "vault",))
    for one in serve(tmp_path / "home", Door(TOKEN), options):
        one.home.remember("da")
        yield one


@contextmanager
def long_write(served: Served) -> Iterator[None]:
    """Somebody has the turn and the write lock."""
    with served.home.transaction():
        served.home.remember("lang")
        yield


def wait_until(true: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if true():
            return
        time.sleep(0.01)
    pytest.fail("it did not happen")


def test_a_key_that_is_revoked_during_a_long_write_opens_nothing_from_then_on(served: Served):
    leaked = served.client(served.key("leaked", "reader"))
    owner, answers = served.client(), []
    assert leaked.get("/workspaces").status_code == 200

    def revoke() -> None:
        answers.append(owner.delete("/keys/leaked", headers={"Idempotency-Key": "stop"}))

    revoking = threading.Thread(target=revoke)
    with long_write(served):
        revoking.start()
        wait_until(lambda: leaked.get("/workspaces").status_code == 401)
        shown = {one["name"]: one["revoked_at"] for one in owner.get("/keys").json()["keys"]}
        assert shown["leaked"] is not None
        assert not answers  # nothing says that it is stored before it is
    revoking.join()
    assert (answers[0].status_code, answers[0].json()["name"]) == (200, "leaked")
    assert leaked.get("/workspaces").status_code == 401


def test_an_admin_learns_nothing_of_a_key_beyond_it_that_is_just_ending(served: Served):
    served.home.create_workspace("garden")
    served.key("wide", "reader")
    admin = served.client(served.key("gardener", "admin", workspaces=["garden"]))
    owner = served.client()

    def ended() -> bool:
        listed = owner.get("/keys").json()["keys"]
        return any(one["name"] == "wide" and one["revoked_at"] for one in listed)

    revoking = threading.Thread(target=owner.delete, args=("/keys/wide",))
    with long_write(served):
        revoking.start()
        wait_until(ended)
        refused = admin.delete("/keys/wide")
        assert (refused.status_code, refused.json()["key"]) == (404, "key.missing")
    revoking.join()


@pytest.mark.parametrize("kind", ["path", "events"])
def test_an_import_is_accepted_while_another_one_writes_and_is_done_afterwards(
    served: Served, kind: str
):
    served.home.create_workspace("fresh")
    writer = served.client(served.key("someone", "writer"), "fresh")

    def order(name: str) -> httpx2.Response:
        headers = {"Idempotency-Key": name}
        if kind == "path":
            return writer.post("/imports", json={"path": "."}, headers=headers)
        at = {"first": "2020-01-01T00:00:00Z", "second": "2020-01-02T00:00:00Z"}[name]
        event = f'{{"op": "remember", "title": "{name}", "recorded_at": "{at}"}}\n'
        headers["Content-Type"] = "application/x-ndjson"
        return writer.post("/imports", content=event, headers=headers)

    def jobs() -> dict[str, str]:
        return {one["id"]: one["state"] for one in writer.get("/imports").json()["jobs"]}

    with long_write(served):
        ordered = [order(name) for name in ("first", "second")]
        assert [one.status_code for one in ordered] == [202, 202]
        ids = [one.json()["id"] for one in ordered]
        assert list(jobs().items()) == [(ids[1], "running"), (ids[0], "running")]
        assert writer.get(f"/jobs/{ids[1]}").json()["state"] == "running"
        again = order("first")
        assert (again.status_code, again.json()["id"]) == (202, ids[0])
    wait_until(lambda: "running" not in jobs().values())
    assert jobs() == {ids[1]: "done", ids[0]: "done"}
    assert order("second").json()["id"] == ids[1]
