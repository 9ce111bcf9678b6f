"""Imports as jobs: where they may read, who may look at them, what becomes of them."""

import json
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from rest_server import TOKEN, Served, serve

from damals.app.access_results import JobView
from damals.app.door import Door
from damals.app.errors import NotFound
from damals.app.jobs import JobRunner, Order, job_view
from damals.app.results import Progress
from damals.interfaces.rest.options import ServerOptions

NDJSON = {"Content-Type": "application/x-ndjson"}


@pytest.fixture(scope="module")
def vault(tmp_path_factory) -> Path:
    """The folder that the server may import from, with a note; another note lies beside it."""
    place = tmp_path_factory.mktemp("vaults")
    for folder in ("in/notes", "out"):
        (place / folder).mkdir(parents=True)
        (place / folder / "Notiz.md").write_text(f"# {folder}\n", encoding="utf-8")
    (place / "in" / "loop").symlink_to(place / "in")
    (place / "in" / "way-out").symlink_to(place / "out")
    (place / "in" / "notes" / "again").symlink_to(place / "in" / "notes")
    return place / "in"


@pytest.fixture(scope="module")
def served(tmp_path_factory, vault: Path) -> Iterator[Served]:
    options = ServerOptions(roots=(vault,))
    for one in serve(tmp_path_factory.mktemp("jobs") / "home", Door(TOKEN), options):
        one.home.remember("da")
        one.home.create_workspace("events")
        yield one


@pytest.fixture(scope="module")
def api(served: Served) -> httpx2.Client:
    return served.client(workspace="default")


@pytest.fixture(scope="module")
def writer(served: Served) -> httpx2.Client:
    return served.client(served.key("someone", "writer"), "default")


def listed(client: httpx2.Client) -> list[str]:
    return [one["id"] for one in client.get("/imports", params={"limit": "all"}).json()["jobs"]]


def ended(client: httpx2.Client, begun: httpx2.Response) -> dict:
    """A job, when it is over."""
    assert begun.status_code == 202, begun.text
    place = str(client.base_url).partition("/v1")[0] + begun.headers["location"]
    events = client.get(f"{place}/events").text
    name, data = events.strip().split("\n\n")[-1].split("\n")
    job = json.loads(data.removeprefix("data: "))
    assert name == f"event: {job['state']}"
    return job


@pytest.mark.parametrize("path", ["notes", "./notes", "notes/../notes", "{root}/notes"])
def test_a_key_imports_from_the_folders_of_the_server(
    writer: httpx2.Client, vault: Path, path: str
):
    begun = writer.post("/imports", json={"path": path.format(root=vault)})
    report = ended(writer, begun)["result"]
    assert report["added"] + report["unchanged"] + report["changed"] == 1


@pytest.mark.parametrize(
    "path",
    [
        ".", "loop", "{out}/../in", "../out", "notes/../../out", "{out}", "/etc/passwd",
        "way-out", "{out}/nothing", "~",
    ],
)  # fmt: skip
def test_a_key_never_imports_from_elsewhere_and_learns_nothing_of_it(
    writer: httpx2.Client, vault: Path, path: str
):
    answer = writer.post("/imports", json={"path": path.format(out=vault.parent / "out")})
    assert (answer.status_code, answer.json()["key"]) == (403, "import.outside")


def test_the_owner_imports_from_everywhere(api: httpx2.Client, vault: Path):
    begun = api.post("/imports", json={"path": str(vault.parent / "out"), "name": "beside"})
    assert ended(api, begun)["result"]["source"] == "beside"
    missing = api.post("/imports", json={"path": str(vault / "nothing")})
    assert (missing.status_code, missing.json()["key"]) == (404, "path.missing")


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ({}, "operation.missing"),
        ({"path": 5}, "field.text"),
        ({"path": ".", "colour": 1}, "operation.unknown_parameter"),
        ({"path": "a\0b"}, "path.invalid"),
    ],
)
def test_a_wrong_order_begins_no_job(api: httpx2.Client, body: dict, key: str):
    before = listed(api)
    answer = api.post("/imports", json=body)
    assert (answer.status_code, answer.json()["key"]) == (400, key)
    assert listed(api) == before


def test_an_import_makes_a_home_that_was_not_there(tmp_path: Path, vault: Path):
    for served in serve(tmp_path / "home", Door(TOKEN)):
        api = served.client(workspace="default")
        assert api.get("/imports").json()["key"] == "home.missing"
        begun = api.post("/imports", json={"path": str(vault / "notes")})
        assert ended(api, begun)["result"]["added"] == 1


def test_a_reader_imports_nothing(served: Served):
    reader = served.client(served.key("r"), "default")
    for sent in ({"json": {"path": "notes"}}, {"content": b"{}", "headers": NDJSON}):
        answer = reader.post("/imports", **sent)
        assert (answer.status_code, answer.json()["key"]) == (403, "access.right")


def test_events_that_are_sent_are_stored_whole_or_not_at_all(served: Served):
    api = served.client(workspace="events")
    event = {"op": "remember", "title": "Früher", "recorded_at": "2020-01-01T00:00:00Z"}
    line = json.dumps(event).encode() + b"\n"
    job = ended(api, api.post("/imports", content=line + b"{}\n", headers=NDJSON))
    assert (job["state"], job["result"]) == ("failed", None)
    assert job["problem"]["key"] == "events.line"
    assert job["problem"]["values"]["line"] == 2
    assert job["problem"]["values"]["path"] == "events.ndjson"
    assert api.get("/entries").json()["entries"] == []
    assert ended(api, api.post("/imports", content=line, headers=NDJSON))["result"]["added"] == 1
    assert api.post("/imports", content=b"", headers=NDJSON).json()["key"] == "request.empty"
    assert job["request"] == {"source": "events", "bytes": len(line) + 3}


def test_an_import_that_is_sent_again_is_the_same_job(api: httpx2.Client, vault: Path):
    before = len(listed(api))
    key = {"Idempotency-Key": "i"}
    body = {"path": str(vault / "notes")}
    first, again = (api.post("/imports", json=body, headers=key) for _ in range(2))
    assert first.json()["id"] == again.json()["id"]
    assert first.headers["location"] == again.headers["location"]
    assert api.post("/imports", json=body | {"name": "x"}, headers=key).status_code == 422
    headers = NDJSON | {"Idempotency-Key": "e"}
    sent = [api.post("/imports", content=b"{}\n", headers=headers) for _ in range(2)]
    assert sent[0].json()["id"] == sent[1].json()["id"]
    assert len(listed(api)) == before + 2


def test_jobs_are_seen_by_who_asked_for_them_by_the_owner_and_by_who_covers_those(
    served: Served, writer: httpx2.Client, api: httpx2.Client, vault: Path
):
    mine = ended(api, api.post("/imports", json={"path": str(vault / "notes")}))["id"]
    theirs = ended(writer, writer.post("/imports", json={"path": "notes"}))["id"]
    admin = served.client(served.key("a", "admin"), "default")
    lower = served.client(served.key("b", "admin", visibility="public"), "default")
    elsewhere = served.client(served.key("c", "admin", workspaces=["default"]), "default")
    other = served.client(served.key("d", "writer"), "default")
    assert {mine, theirs} <= set(listed(api))
    for client in (writer, admin):
        assert theirs in listed(client)
        assert mine not in listed(client)
    for client in (lower, elsewhere, other):
        assert not {mine, theirs} & set(listed(client))
        assert client.get(f"/jobs/{theirs}/events").status_code == 404
    hidden, missing = writer.get(f"/jobs/{mine}"), writer.get("/jobs/nobody")
    assert hidden.status_code == 404
    assert hidden.text.replace(mine, "nobody") == missing.text


def test_a_key_that_gets_the_name_of_a_revoked_one_does_not_get_its_jobs(served: Served):
    before = served.client(served.key("same", "writer"), "default")
    job = ended(before, before.post("/imports", json={"path": "notes"}))["id"]
    served.home.revoke_key("same")
    after = served.client(served.key("same", "writer"), "default")
    assert listed(after) == []
    assert after.get(f"/jobs/{job}").status_code == 404
    own = ended(after, after.post("/imports", json={"path": "notes"}))["id"]
    assert listed(after) == [own]
    admin = served.client(served.key("over-same", "admin"), "default")
    assert {job, own} <= set(listed(admin))


@pytest.mark.parametrize("role", ["writer", "admin"])
def test_events_that_a_key_sends_are_its_own_doing_within_its_rights(
    served: Served, vault: Path, role: str
):
    served.home.create_workspace(f"by-{role}")
    someone = served.client(served.key(f"e-{role}", role), f"by-{role}")
    said = {"op": "remember", "external_id": "x", "title": "A", "actor": "owner"}
    said |= {"recorded_at": "2020-01-01T00:00:00Z"}
    gone = {"recorded_at": "2020-01-02T00:00:00Z", "ops": [{"op": "erase", "target": "x"}]}
    files = {name: json.dumps(one).encode() + b"\n" for name, one in
             (("said", said), ("gone", gone))}  # fmt: skip
    for name, content in files.items():
        (vault / f"{name}.jsonl").write_bytes(content)
    assert ended(someone, someone.post("/imports", content=files["said"], headers=NDJSON))["result"]
    (first,) = someone.get("/log").json()["transactions"]
    assert first["actor"] == f"e-{role}"
    sent = [
        ended(someone, someone.post("/imports", content=files["gone"], headers=NDJSON)),
        ended(someone, someone.post("/imports", json={"path": "gone.jsonl"})),
    ]
    if role == "admin":
        assert sent[0]["state"] == "done"
        return
    for job in sent:
        assert job["problem"]["code"] == "denied"
        assert job["problem"]["values"]["cause"]["key"] == "access.right"
    assert someone.get("/entries/x").status_code == 200


def test_a_link_that_is_put_in_the_way_of_a_waiting_import_leads_nowhere(
    served: Served, writer: httpx2.Client, vault: Path
):
    folder, hold = vault / "swapped", threading.Event()
    folder.mkdir()
    server_jobs = served.app.state.server.jobs
    server_jobs.start(order(lambda listen: job_view(held) if hold.wait(10) else listen))
    begun = writer.post("/imports", json={"path": "swapped"})
    held = served.app.state.server.jobs.job("default", begun.json()["id"])[0]
    folder.rmdir()
    folder.symlink_to(vault.parent / "out")
    hold.set()
    try:
        problem = ended(writer, begun)["problem"]
    finally:
        folder.unlink()
    assert (problem["key"], problem["values"]) == ("import.outside", {"path": "swapped"})


def test_a_relative_path_is_looked_for_below_each_folder_and_told_as_it_was_given(tmp_path: Path):
    for name in ("one", "two/notes"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "two" / "notes" / "a.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "one" / "bad.jsonl").write_text("{}\n", encoding="utf-8")
    options = ServerOptions(roots=(tmp_path / "one", tmp_path / "two"))
    for served in serve(tmp_path / "home", Door(TOKEN), options):
        served.home.remember("da")
        someone = served.client(served.key("someone", "writer"), "default")
        report = ended(someone, someone.post("/imports", json={"path": "notes"}))["result"]
        assert report["added"] == 1
        missing = someone.post("/imports", json={"path": "nothing"})
        assert (missing.status_code, missing.json()["key"]) == (404, "path.missing")
        assert missing.json()["values"] == {"path": "nothing"}
        wrong = ended(someone, someone.post("/imports", json={"path": "bad.jsonl"}))["problem"]
        assert wrong["values"]["path"] == "bad.jsonl"
        assert str(tmp_path) not in missing.text + json.dumps(wrong)


class Place:
    """A registry of jobs (the two methods that a runner uses), and a clock."""

    def __init__(self) -> None:
        self.stored = {}
        self.now = 0

    def put_job(self, workspace, job) -> None:
        self.stored[workspace, job.id] = job

    def job(self, workspace, id):
        return self.stored.get((workspace, id))

    def registry(self, create):
        del create
        return self

    def clock(self) -> int:
        self.now += 1
        return self.now


def order(work) -> Order:
    return Order("default", "import", "owner", {}, work)


def test_one_job_is_done_after_the_other_and_tells_how_far_it_is():
    place, go, seen = Place(), threading.Event(), []
    runner = JobRunner(place.registry, place.clock)

    def slow(listen):
        listen(Progress("read", 1, 3, "notes"))
        seen.append("slow")
        assert go.wait(10)
        return job_view(first)

    def quick(listen):
        del listen
        seen.append("quick")
        return job_view(first)

    first = runner.start(order(slow))
    second = runner.start(order(quick))
    while runner.job("default", first.id)[1] is None:
        time.sleep(0.001)
    job, progress = runner.job("default", first.id)
    assert (job.done, job.total, progress.stage) == (1, 3, "read")
    assert seen == ["slow"]
    assert runner.running == 2
    go.set()
    while runner.running:
        time.sleep(0.001)
    assert seen == ["slow", "quick"]
    shown = job_view(runner.job("default", first.id)[0])
    assert isinstance(shown, JobView)
    assert (shown.state, shown.done, shown.total) == ("done", 3, 3)
    assert runner.job("default", second.id)[0].state == "done"
    runner.close(1)


def test_what_does_not_end_before_the_server_is_lost_and_cannot_come_back():
    place = Place()
    begun, go, gone = threading.Event(), threading.Event(), threading.Event()
    runner = JobRunner(place.registry, place.clock)

    def slow(listen):
        del listen
        begun.set()
        assert go.wait(10)
        gone.set()
        return job_view(job)

    job = runner.start(order(slow))
    dropped = []
    waiting = runner.start(replace(order(slow), drop=lambda: dropped.append(1)))
    assert begun.wait(10)
    runner.close(0.05)
    assert dropped == [1]
    assert {place.stored["default", one.id].state for one in (job, waiting)} == {"lost"}
    go.set()
    assert gone.wait(10)
    runner._thread.join(10)  # noqa: SLF001 -- its end is what the test waits for
    assert place.stored["default", job.id].state == "lost"


def test_a_job_of_a_process_that_is_gone_is_lost():
    place = Place()
    stuck = threading.Event()
    before = JobRunner(place.registry, place.clock)
    job = before.start(order(lambda listen: job_view(job) if stuck.wait(10) else listen))
    after = JobRunner(place.registry, place.clock)
    assert after.job("default", job.id)[0].state == "lost"
    with pytest.raises(NotFound) as refused:
        after.job("default", "nobody")
    assert refused.value.key == "job.unknown"
    stuck.set()
    before.close(5)


def test_a_job_that_fails_unforeseen_does_not_stop_those_behind_it():
    place = Place()
    runner = JobRunner(place.registry, place.clock)
    broken = runner.start(order(fail_unforeseen))
    missing = runner.start(order(fail))
    while runner.running:
        time.sleep(0.001)
    assert runner.job("default", broken.id)[0].result["code"] == "internal"
    assert runner.job("default", missing.id)[0].result["key"] == "path.missing"
    runner.close(1)


def fail_unforeseen(listen):
    raise ZeroDivisionError(listen)


def fail(listen):
    del listen
    raise NotFound("path.missing", path="nowhere")
