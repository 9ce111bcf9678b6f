"""Every route, over a real server: what it does, and that it answers in the documented shape."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import jsonschema_rs
import pytest
from rest_server import TOKEN, Served, serve

from damals.app.door import Door
from damals.interfaces.rest.app import create_app
from damals.interfaces.rest.options import ServerOptions

HERE = "/workspaces/default"


class Checked:
    """A client that compares every answer with the document, and knows the document."""

    def __init__(self, served: Served) -> None:
        self.client = served.client()
        self.document = self.client.get("/openapi.json").json()

    def __call__(self, does: str, status: int = 200, *, body=None, headers=None, **values):
        """Ask what is called ``does``; path parameters by name, all others as the query."""
        method, path, operation = self.operation(does)
        for name in [name for name in values if f"{{{name}}}" in path]:
            path = path.replace(f"{{{name}}}", str(values.pop(name)))
        url = path.replace("{workspace}", "default").removeprefix("/v1")
        if path == "/metrics":
            url = str(self.client.base_url).removesuffix("/v1/") + path
        answer = self.client.request(method, url, json=body, params=values, headers=headers)
        assert answer.status_code == status, answer.text
        self.check(answer, operation)
        return answer

    def operation(self, does: str) -> tuple[str, str, dict]:
        [found] = [
            (method.upper(), path, operation)
            for path, methods in self.document["paths"].items()
            for method, operation in methods.items()
            if operation["operationId"] == does
        ]
        return found

    def check(self, answer, operation) -> None:
        told = operation["responses"][str(answer.status_code)]
        if "$ref" in told:
            told = self.document["components"]["responses"][told["$ref"].rpartition("/")[2]]
        kind = answer.headers.get("content-type", "").partition(";")[0]
        assert list(told.get("content", {})) == ([kind] if kind else [])
        assert all(name in answer.headers for name in told.get("headers", {}))
        if kind == "application/json" or kind.endswith("+json"):
            schema = told["content"][kind]["schema"] | {"components": self.document["components"]}
            jsonschema_rs.validator_for(schema).validate(answer.json())


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    yield from serve(tmp_path_factory.mktemp("rest") / "home", Door(TOKEN), ServerOptions())


@pytest.fixture(scope="module")
def ask(served: Served) -> Checked:
    return Checked(served)


@pytest.fixture
def entry(ask: Checked):
    """Stores an entry and gives its id."""
    return lambda title, **fields: ask("remember", 201, body={"title": title, **fields}).json()[
        "entry"
    ]["id"]


def test_an_entry_is_stored_once_and_found_where_the_answer_says(ask: Checked):
    body = {"title": "Adresse von Müller", "valid_from": "2024", "external_id": "müller/adresse"}
    made = ask("remember", 201, body=body)
    again = ask("remember", 200, body=body)
    assert again.json()["unchanged"] is True
    assert again.headers["location"] == made.headers["location"]
    found = ask.client.get(made.headers["location"].removeprefix("/v1"))
    assert found.json()["entry"] == made.json()["entry"]
    assert found.headers["etag"].startswith(made.headers["etag"].rstrip('"')), "the transaction"


def test_an_external_id_names_an_entry_in_a_path(ask: Checked):
    ask("remember", 201, body={"title": "Rechnung", "external_id": "crm 4711"})
    assert ask("get", id="crm%204711").json()["entry"]["title"] == "Rechnung"


def test_entries_are_listed_a_page_at_a_time_by_type_and_tag(ask: Checked):
    for number in range(3):
        body = {"title": f"Seite {number}", "type": "page", "tags": ["a", f"b/{number}"]}
        ask("remember", 201, body=body)
    first = ask("entries", type="page", limit=2).json()
    rest = ask("entries", type="page", limit=2, cursor=first["next"]).json()
    assert [len(first["entries"]), len(rest["entries"]), rest["next"]] == [2, 1, None]
    both = ask("entries", type=["page", "none"], tag=["a", "b"], limit="all").json()
    assert len(both["entries"]) == 3
    assert ask("entries", type="page", tag=["b/1", "b/2"]).json()["entries"] == []


def test_a_pair_of_instants_is_asked_for_in_the_query(ask: Checked, entry):
    name = entry("Gilt im April", valid_from="2024-04-01", valid_to="2024-05-01")
    assert ask("get", id=name, as_of="2024-04-15").json()["entry"]["id"] == name
    listed = ask("entries", as_of="2024-04-15", certain="true", limit="all").json()["entries"]
    assert name in {one["id"] for one in listed}
    missing = ask("get", 404, id=name, as_of="2024-04-15", known_at="2020")
    assert missing.json()["key"] == "entry.not_then"


def test_what_has_not_changed_is_not_sent_again(ask: Checked, entry):
    name = entry("Unverändert")
    etag = ask("get", id=name).headers["etag"]
    same = ask("get", 304, id=name, headers={"If-None-Match": f'"0", W/{etag}'})
    assert same.content == b""
    ask("get", 200, id=name, headers={"If-None-Match": '"0"'})


def test_what_is_told_otherwise_without_a_change_of_its_own_is_sent_again(ask: Checked, entry):
    base = entry("Grundlage", domain="ai_ml", retrieved_at="2020-01-01")
    name = entry("Darauf gebaut", relations=[{"type": "based_on", "dst": base}])
    first = ask("get", id=name)
    known = {"If-None-Match": first.headers["etag"]}
    ask("get", 304, id=name, headers=known)
    ask("gate", body={"ids": [base], "accept": True})
    again = ask("get", 200, id=name, headers=known)
    assert "caveats" in again.json()
    assert again.json()["entry"]["transaction"] == first.json()["entry"]["transaction"]
    body = {"title": "Neu", "reason": "r"}
    ask("correct", id=name, body=body, headers={"If-Match": first.headers["etag"]})


def test_what_is_not_sent_again_is_no_access(ask: Checked, entry, served: Served):
    name = entry("Unberührt")
    etag = ask("get", id=name, headers={"If-None-Match": '"0"'}).headers["etag"]
    path = served.home.opened.parts.home.path / "ledger.db"
    with closing(sqlite3.connect(path)) as file, file:
        assert file.execute("DELETE FROM accesses").rowcount > 0
    ask("get", 304, id=name, headers={"If-None-Match": etag})
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT COUNT(*) FROM accesses").fetchone() == (0,)


def test_a_change_names_the_state_it_is_about(ask: Checked, entry):
    name = entry("Zuerst")
    etag = ask("get", id=name).headers["etag"]
    body = {"title": "Danach", "reason": "typo"}
    changed = ask("correct", id=name, body=body, headers={"If-Match": etag})
    assert changed.headers["etag"] != etag
    late = ask(
        "correct", 412, id=name, body=body | {"title": "Zu spät"}, headers={"If-Match": etag}
    )
    assert late.json()["key"] == "entry.changed"
    in_body = body | {"title": "Zu spät", "if_transaction": int(etag.strip('"').split("-")[0])}
    assert ask("correct", 409, id=name, body=in_body).json()["key"] == "entry.changed"
    ask("correct", 400, id=name, body=body, headers={"If-Match": "yesterday"})


def test_an_entry_is_updated_ended_retracted_and_archived(ask: Checked, entry):
    name = entry("Sitz: Bonn", valid_from="2020")
    body = {"title": "Sitz: Köln", "content": "", "valid_from": "2024", "reason": "moved"}
    moved = ask("update", id=name, body=body).json()
    assert [one["id"] for one in moved["replaced"]] == [name]
    new = moved["entry"]["id"]
    ended = ask("end", id=new, body={"at": "2026-01", "reason": "closed"})
    assert ended.json()["entry"]["valid_to"] == "2026-01"
    gone = ask("retract", id=new, body={"reason": "wrong", "restore": True}).json()
    assert [one["id"] for one in gone["restored"]] == [name]
    archived = ask("archive", id=name, body={"reason": "old"}).json()["entry"]
    assert archived["status"] == "archived"


def test_an_entry_is_verified_pinned_and_unpinned(ask: Checked, entry):
    name = entry("Geprüft")
    verified = ask("verify", id=name, body={"score": 0.5, "evidence": "asked"}).json()
    assert verified["entry"]["grounding_score"] == 0.5
    assert ask("pin", id=name, body={}).json()["entry"]["pinned"] is True
    assert ask("unpin", id=name, body={"reason": "enough"}).json()["entry"]["pinned"] is False


def test_an_erased_entry_is_gone_and_cannot_be_asked_for(ask: Checked, entry):
    name = entry("Geheim", content="geheimer Inhalt")
    erased = ask("erase", id=name, reason="asked to").json()
    assert erased["erased"] == [name]
    assert ask("get", 404, id=name).json()["key"] == "entry.erased"
    assert "geheimer Inhalt" not in ask("log", limit="all").text
    assert erased["certificate"]["residue"] == []


def test_a_person_is_erased_and_whoever_names_them_is_listed(ask: Checked, entry):
    name = entry("Gertrud Vergessen", type="person")
    other = entry("Brief", content="An Gertrud Vergessen.")
    told = ask("erase_person", id=name).json()
    assert [one["id"] for one in told["certificate"]["mentions"]] == [other]


def test_a_source_and_a_workspace_are_erased_by_name(ask: Checked):
    assert ask("erase_source", 404, name="nirgends").json()["key"] == "erase.no_source"
    ask("create_workspace", 201, body={"name": "kurz"})
    assert ask("erase_workspace", name="kurz", reason="r").json()["erased"] == ["kurz"]
    assert ask("erase_workspace", 404, name="kurz").json()["key"] == "workspace.unknown"


def test_erasures_are_listed_and_their_certificates_told_again(ask: Checked, entry):
    erased = ask("erase", id=entry("Weg damit")).json()
    known = [one["id"] for one in ask("erasures").json()["erasures"]]
    assert known.count(erased["certificate"]["id"]) == 1
    assert ask("certificate", id=erased["certificate"]["id"]).json() == erased
    assert ask("certificate", 404, id="nirgends").json()["key"] == "erase.unknown"


def test_history_is_that_of_an_entry_or_of_a_key(ask: Checked, entry):
    name = entry("Schlüssel", key="rest/key")
    ask("correct", id=name, body={"content": "mehr", "reason": "more"})
    by_entry = ask("history_of_entry", id=name).json()
    by_key = ask("history", key="rest/key").json()
    assert len(by_entry["versions"]) == 2
    assert by_key["versions"] == by_entry["versions"]


def test_a_history_is_told_a_page_at_a_time(ask: Checked, entry):
    name = entry("Stufen", key="rest/steps")
    for number in range(4):
        ask("correct", id=name, body={"content": f"Stufe {number}", "reason": "next"})
    whole = ask("history_of_entry", id=name).json()["versions"]
    for asked, given in (("history_of_entry", {"id": name}), ("history", {"key": "rest/steps"})):
        page = ask(asked, **given, limit=2).json()
        told = page["versions"]
        while "next" in page:
            page = ask(asked, **given, limit=2, cursor=page["next"]).json()
            assert len(page["versions"]) <= 2
            told += page["versions"]
        assert told == whole


def test_the_log_is_told_a_page_at_a_time_and_a_transaction_is_taken_back(ask: Checked, entry):
    name = entry("Im Protokoll")
    ask("correct", id=name, body={"content": "falsch", "reason": "wrong"})
    first = ask("log", entry=name, limit=1).json()
    second = ask("log", entry=name, limit=1, cursor=first["next"]).json()
    assert [one["ops"][0]["op"] for one in first["transactions"]] == ["remember"]
    assert [one["ops"][0]["op"] for one in second["transactions"]] == ["correct"]
    assert second["next"] is None
    number = second["transactions"][0]["number"]
    assert ask("revert", number=number, body={"reason": "was right"}).json()["reverted"] == number
    assert ask("get", id=name).json()["entry"]["content"] == ""


def test_several_operations_are_one_transaction_or_a_preview(ask: Checked):
    operations = [{"op": "remember", "title": "Eins"}, {"op": "remember", "title": "Zwei"}]
    shown = ask("transact", body={"operations": operations, "preview": True}).json()
    assert (shown["transaction"], shown["preview"]) == (None, True)
    done = ask("transact", body={"operations": operations, "reason": "both"}).json()
    assert {one["entry"]["transaction"] for one in done["results"]} == {done["transaction"]}


def test_relations_are_said_and_taken_back(ask: Checked, entry):
    src, dst = entry("Oben"), entry("Unten")
    body = {"src": src, "type": "extends", "dst": dst, "confidence": 0.5}
    assert ask("relate", 201, body=body).json()["relation"]["confidence"] == 0.5
    assert ask("relate", 200, body=body).json()["unchanged"] is True
    ask("unrelate", body={"src": src, "type": "extends", "dst": dst})
    assert ask("get", id=src).json()["entry"]["relations"] == []


def test_a_contradiction_is_recorded_and_decided(ask: Checked, entry):
    a, b = entry("Rot"), entry("Grün")
    ask("contradict", 201, body={"a": a, "b": b, "reason": "colour"})
    decided = ask("resolve", body={"a": a, "b": b, "keep": "a", "reason": "seen"}).json()
    assert {one["id"] for one in decided["entries"]} == {a, b}


def test_a_question_is_answered_at_a_pair_of_instants(ask: Checked, entry):
    name = entry("Die Werkstatt liegt in Hellental", valid_from="2024")
    found = ask("recall", body={"query": "Werkstatt Hellental", "limit": 1, "explain": True})
    [hit] = found.json()["results"]
    assert hit["entry"]["id"] == name
    ask("recall", body={"query": "Werkstatt", "limit": "all", "weights": {"vec": 1.0}})
    ask("recall", body={"query": "Werkstatt", "limit": None, "half_life": "inf"})
    before = ask("recall_at_time", body={"query": "Werkstatt Hellental", "as_of": "2020"}).json()
    assert name not in {one["entry"]["id"] for one in before["results"]}


def test_an_answer_is_given_explained_and_given_again(ask: Checked, entry):
    entry("Anschrift der Werkstatt Hellental", content="Talweg 3, Hellental")
    body = {"question": "Welche Anschrift hat die Werkstatt Hellental?"}
    answer = ask("ask", body=body).json()
    assert ask("why", receipt=answer["receipt"]).json()["question"] == body["question"]
    assert ask("replay", receipt=answer["receipt"]).json() == answer
    ask("replay", receipt=answer["receipt"], recompute="true")
    found = ask("recall", body={"query": "Werkstatt"}).json()
    assert ask("replay", receipt=found["receipt"]).json() == found
    assert "event: answer" in ask("ask_stream", body=body).text


def test_what_changed_is_told_between_two_pairs(ask: Checked, entry):
    name = entry("Neu im Juni", valid_from="2025-06")
    told = ask("diff", **{"from": "2025-05-01", "to": "2025-07-01", "axis": "valid"}).json()
    assert name in {change["entry_id"] for change in told["changes"]}


def test_an_import_is_a_job_that_is_looked_at_and_listened_to(ask: Checked, tmp_path: Path):
    (tmp_path / "Notiz.md").write_text("# Notiz\n\nInhalt.\n", encoding="utf-8")
    begun = ask("import_", 202, body={"path": str(tmp_path), "name": "notes"})
    job = begun.json()["id"]
    assert begun.headers["location"].endswith(f"/v1{HERE}/jobs/{job}")
    told = ask("job_events", id=job).text.strip().split("\n\n")[-1].split("\n")
    assert told[0] == "event: done"
    ended = json.loads(told[1].removeprefix("data: "))
    assert ended["result"]["added"] == 1
    assert ask("job", id=job).json() == ended == ask("import_job", id=job).json()
    assert job in {one["id"] for one in ask("jobs", limit="all").json()["jobs"]}


def test_an_export_gives_the_same_base_when_it_is_sent_to_another_workspace(ask: Checked, entry):
    name = entry("Reist mit", valid_from="2023")
    events = ask("export")
    assert events.headers["content-type"].startswith("application/x-ndjson")
    ask("create_workspace", 201, body={"name": "copy", "timezone": "Europe/Berlin"})
    sent = ask.client.post(
        "/workspaces/copy/imports",
        content=events.content,
        headers={"Content-Type": "application/x-ndjson"},
    )
    listened = ask.client.get(sent.headers["location"].removeprefix("/v1") + "/events")
    assert "event: done" in listened.text
    copied = ask.client.get(f"/workspaces/copy/entries/{name}").json()["entry"]
    assert copied["title"] == "Reist mit"


def test_how_entries_stand_to_each_other(ask: Checked, entry):
    part, whole = entry("Teil"), entry("Ganzes")
    ask("relate", 201, body={"src": part, "type": "part_of", "dst": whole})
    report = ask("derive", body={"dry_run": True}).json()
    assert report["dry_run"] is True
    around = ask("graph", id=part, depth=2).json()
    assert {one["id"] for one in around["nodes"]} == {part, whole}
    person = entry("Ada", type="person")
    assert person in {one["id"] for one in ask("people").json()["people"]}


def test_old_research_is_flagged_and_accepted(ask: Checked, entry):
    name = entry("Grenzen", domain="ai_ml", retrieved_at="2020-01-01")
    asked = {"ids": [name]}
    [found] = ask("gate", body=asked).json()["findings"]
    assert (found["severity"], found["accepted"]) == ("MEDIUM", False)
    assert ask("gate", body=asked | {"accept": True, "reason": "r"}).json()["accepted"] == [name]
    assert ask("gate", body=asked | {"accept": True}).json()["accepted"] == []
    shown = ask("get", id=name).json()
    assert len(shown["caveats"]) == 1
    assert "caveats" not in shown["entry"]
    ask("verify", id=name, body={})
    assert "caveats" not in ask("get", id=name).json()
    ask("gate", 400, body={"ids": name, "query": "x"})


def test_reports_look_at_many_entries(ask: Checked, entry):
    measured = {"name": "gewicht", "value": 3, "unit": "kg"}
    name = entry("Gemessen", type="calibration", properties=measured)
    orphans = ask("hygiene", kind="orphan", limit="all").json()["findings"]
    assert any(name in one["entries"] for one in orphans)
    assert ask("lint", due="true", as_of="2024-01-01").json()["findings"] == []
    assert ask("trace", what=name).json()["entries"][0]["entry"]["id"] == name
    assert ask("patterns", topic="Gemessen").json()["topic"] == "Gemessen"
    line = ask("timeline", topic="Gemessen", step=1, limit="all").json()
    assert (line["step"], line["events"][0]["entry_id"]) == (1, name)
    ask("timeline", 404, topic="Gemessen", step=99)
    ask("timeline", 400, topic="Gemessen", step=0)
    assert ask("calibration", name="gewicht").json()["unit"] == "kg"
    assert ask("span").json()["recorded"]["first"] is not None
    assert ask("planning", 404, folder="wiki").json()["key"] == "planning.missing"


def test_keys_and_workspaces_are_made_and_listed(ask: Checked):
    ask("create_workspace", 201, body={"name": "other"})
    assert "other" in {one["name"] for one in ask("workspaces").json()["workspaces"]}
    made = ask("create_key", 201, body={"name": "listed", "workspaces": ["other"]}).json()
    assert made["key"]["roles"] == ["reader"]
    assert made["secret"] not in ask("keys").text
    assert ask("revoke_key", name="listed").json()["revoked_at"] is not None
    ask("revoke_key", 404, name="listed")


def test_the_parts_are_looked_at_and_mended_and_the_index_is_built_anew(ask: Checked, entry):
    entry("Was geprüft wird")
    assert {one["name"] for one in ask("doctor").json()["checks"]} >= {"ledger", "index"}
    ask("repair", body={"repair": True})
    job = ask("reindex", 202, body={}).json()
    assert "event: done" in ask("job_events", id=job["id"]).text
    assert ask("audit").json()["ok"] is True


def test_backups_are_made_and_checked_as_jobs(ask: Checked, entry):
    entry("Was gesichert wird")
    job = ask("backup", 202, body={"with_index": True}).json()
    assert "event: done" in ask("job_events", id=job["id"]).text
    [made] = ask("backups").json()["backups"]
    assert ask("job", id=job["id"]).json()["result"]["id"] == made["id"]
    job = ask("verify_backup", 202, id=made["id"], body={}).json()
    assert "event: done" in ask("job_events", id=job["id"]).text
    assert ask("backups").json()["backups"][0]["verified"] is True
    ask("backup", 400, body={"recipient": "nobody"})


def test_the_server_tells_that_it_lives_and_what_it_counts(ask: Checked, served: Served):
    ask("remember", 201, body={"title": "Was gezählt wird"})
    ask("recall", body={"query": "gezählt"})  # brings the index up to it
    assert ask("health").json() == {"status": "ok"}
    assert ask("ready").json() == {"status": "ok"}
    assert ask("version").json()["engines"]["sqlite"]
    ask("denials", limit=5)
    ask("sources")
    origins = {one["name"]: one["origin"] for one in ask("config").json()["settings"]}
    assert (origins["embedder"], origins["weight_vec"]) == ("option", "default")
    counted = ask("metrics").text
    assert 'damals_requests_total{method="GET",route="/v1/health",status="200"}' in counted
    assert "damals_outbox_length 0.0" in counted
    nobody = served.client(None)
    assert nobody.get("/health").status_code == nobody.get("/ready").status_code == 200
    assert nobody.get("/version").status_code == 401


def test_every_route_of_the_document_was_asked_here(ask: Checked):
    known = {one["operationId"] for path in ask.document["paths"].values() for one in path.values()}
    # As it is written: the tests of this file may run in several processes.
    asked = set(re.findall(r'ask\(\s*"(\w+)"', Path(__file__).read_text(encoding="utf-8")))
    assert known - asked == set()


def test_two_apps_count_for_themselves(served: Served):
    create_app(served.home, Door(TOKEN))
    create_app(served.home, Door(TOKEN))
