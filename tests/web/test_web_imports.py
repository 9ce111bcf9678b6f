"""Imports: ordered by a form, watched while they go on, and told to the last file that failed."""

import json
import threading
import time
from pathlib import Path

import pytest
from served_pages import Look
from visiting import Shown, Visit

from damals.app.jobs import Order
from damals.app.results import Progress, VersionInfo
from damals.app.versions import program_versions
from damals.interfaces.web.pages.imports import PAGE_JOBS
from damals.local import LocalDamals

HELD_S = 30.0


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """Two notes, one of which links to the other."""
    folder = tmp_path / "in" / "Notizen"
    folder.mkdir(parents=True)
    (folder / "Müller.md").write_text("# Müller GmbH\n\nSitzt in Lemgo.\n", encoding="utf-8")
    (folder / "Umzug.md").write_text("# Umzug\n\nNach [[Müller]].\n", encoding="utf-8")
    return folder


@pytest.fixture
def events() -> bytes:
    """What an export of another memory wrote."""
    told = {"op": "remember", "title": "Aus Ereignissen", "valid_from": "2020-01-01"}
    head = {"recorded_at": "2024-01-01T00:00:00Z", "ops": [told]}
    return (json.dumps(head) + "\n").encode()


def ended(pages: Visit, shown: Shown) -> Shown:
    """The page of a job when it has ended."""
    for _ in range(int(HELD_S * 20)):
        if shown.one("#job")["data-state"] != "running":
            return shown
        time.sleep(0.05)
        shown = pages.get(shown.path)
    raise AssertionError(shown.text)


def counts(shown: Shown) -> dict[str, str]:
    return {one.one("dt").text: one.one("dd").text for one in shown.all(".counts div")}


def test_a_folder_is_imported_and_its_job_tells_what_came_of_it(
    pages: Visit, home: LocalDamals, vault: Path
):
    begun = pages.send(pages.get("imports").form("#path"), path=str(vault))
    assert begun.path.startswith("/w/default/jobs/")
    shown = ended(pages, begun)
    assert shown.one("#job")["data-state"] == "done"
    assert counts(shown)["new"] == "2"
    assert {entry.title for entry in home.entries()} >= {"Müller GmbH", "Umzug"}


def test_files_that_cannot_be_read_are_listed_with_the_reason(
    pages: Visit, home: LocalDamals, vault: Path
):
    del home
    (vault / "kaputt.md").write_bytes(b"---\ntags: [a\n  b: {\n---\n# Kaputt\n")
    (vault / "null.canvas").write_bytes(b'{"nodes": [')
    shown = ended(pages, pages.send(pages.get("imports").form("#path"), path=str(vault)))
    failed, warned = shown.all("table")
    assert failed.texts("tbody td")[:2] == ["null.canvas", "1"]
    assert warned.texts("tbody td")[:2] == ["kaputt.md", "3"]
    assert "YAML" in warned.one("tbody").text


def test_what_was_chosen_is_passed_on_and_shown(pages: Visit, home: LocalDamals, vault: Path):
    form = pages.get("imports").form("#path")
    begun = pages.send(form, path=str(vault), name="Probe", source="vault", dry_run="yes")
    shown = ended(pages, begun)
    facts = shown.one("#job dl.facts").text
    assert "Probe" in facts
    assert "folder of notes" in facts
    assert "Nothing was stored" in shown.text
    assert not home.entries().entries


def test_a_file_of_events_comes_with_the_form(pages: Visit, home: LocalDamals, events: bytes):
    form = pages.get("imports").form("#file")
    begun = pages.send(form, file=("export.ndjson", events, "application/x-ndjson"))
    assert ended(pages, begun).one("#job")["data-state"] == "done"
    assert [entry.title for entry in home.entries()] == ["Aus Ereignissen"]


def test_a_file_that_is_none_fails_as_a_whole_and_says_where(pages: Visit, home: LocalDamals):
    form = pages.get("imports").form("#file")
    shown = ended(pages, pages.send(form, file=("x.ndjson", b"das ist kein JSON\n")))
    assert shown.one("#job")["data-state"] == "failed"
    assert "events.ndjson" in shown.problem
    assert not home.entries().entries


def test_no_file_and_no_path_are_told_and_begin_nothing(pages: Visit):
    form = pages.get("imports").form("#file")
    shown = pages.send(form)
    assert shown.status == 400
    assert shown.problem
    again = pages.send(pages.get("imports").form("#path"), path=" ", name="Gemerkt")
    assert again.status == 400
    assert again.form("#path").fields["name"] == ["Gemerkt"]
    assert again.all(".empty")


def test_a_path_that_is_not_there_is_told_and_stays_as_it_was_typed(pages: Visit, tmp_path: Path):
    missing = str(tmp_path / "nirgends")
    shown = pages.send(pages.get("imports").form("#path"), path=missing, prune="yes")
    assert shown.status == 404
    assert missing in shown.problem
    kept = shown.form("#path").fields
    assert kept["path"] == [missing]
    assert kept["prune"] == ["yes"]


def test_a_running_job_tells_how_far_it_is_and_looks_again_by_itself(
    pages: Visit, home: LocalDamals
):
    del home
    with Held(pages, Progress("read", 30, 120, "files")) as job:
        shown = pages.get(f"jobs/{job}")
        bar = shown.one("#job progress")
        assert float(bar["value"]) / float(bar["max"]) == pytest.approx(0.25)
        assert "30 / 120" in shown.text
        assert shown.one("#job")["hx-get"] == f"/w/default/jobs/{job}"
        assert "every" in shown.one("#job")["hx-trigger"]
        assert shown.one("noscript meta")["http-equiv"] == "refresh"
        part = pages.part(f"jobs/{job}")
        assert part.one("section#job progress")
        assert not part.all("html, h1")
    done = ended(pages, pages.get(f"jobs/{job}"))
    assert "hx-get" not in done.one("#job")
    assert not done.all("noscript meta")


def test_a_long_list_of_jobs_comes_in_pages(pages: Visit, vault: Path):
    for _ in range(PAGE_JOBS + 2):
        pages.post("imports", path=str(vault), dry_run="yes")
    first = pages.get("imports")
    links = [node["href"] for node in first.all("table a")]
    second = pages.get(first.one("a[rel=next]")["href"])
    rest = [node["href"] for node in second.all("table a")]
    assert (len(links), len(rest)) == (PAGE_JOBS, 2)
    assert not set(links) & set(rest)


def test_a_reader_has_no_form_and_is_refused_all_the_same(pages: Visit, vault: Path):
    reader = pages.as_("lea", "reader")
    assert not reader.get("imports").all("main form")
    assert reader.post("imports", path=str(vault)).status == 403


def test_others_than_the_owner_import_from_the_named_folders_only(pages: Visit, vault: Path):
    writer = pages.as_("willi", "writer", sensitivity=3, visibility="restricted")
    assert str(vault.parent) in writer.get("imports").text
    assert ended(writer, writer.post("imports", path="Notizen")).one("#job")["data-state"] == "done"
    outside = writer.post("imports", path="/etc")
    assert outside.status == 403
    assert "/etc" in outside.problem


def test_jobs_of_others_are_not_there(pages: Visit, vault: Path):
    begun = pages.send(pages.get("imports").form("#path"), path=str(vault))
    ended(pages, begun)
    writer = pages.as_("willi", "writer")
    assert writer.get(begun.path).status == 404
    assert not writer.get("imports").all("table")


def test_a_failed_import_can_be_tried_again_with_the_same_path(pages: Visit, vault: Path):
    first = ended(pages, pages.post("imports", path=str(vault)))
    assert first.one("#job")["data-state"] == "done"
    other = vault.parent / "anders" / "Notizen"
    other.mkdir(parents=True)
    (other / "x.md").write_text("# x\n", encoding="utf-8")
    failed = ended(pages, pages.post("imports", path=str(other)))
    assert "--name" in failed.problem
    again = pages.get(failed.one("#job a.button")["href"])
    assert again.form("#path").fields["path"] == [str(other)]


def test_an_import_is_watched_in_a_browser_until_it_is_done(
    browser_page: Look, home: LocalDamals, vault: Path
):
    page = browser_page.go("imports")
    page.get_by_label("Folder or file").fill(str(vault))
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.locator("#job[data-state=done]").wait_for()
    assert "2" in page.locator(".counts").inner_text()
    page.get_by_role("link", name="Entries").last.press("Enter")
    page.get_by_role("link", name="Müller GmbH").wait_for()
    assert len(home.entries().entries) == 2
    assert browser_page.mischief == []


class Held:
    """A job that has come so far, and goes on when the ``with`` ends."""

    def __init__(self, pages: Visit, progress: Progress) -> None:
        self.go, self.told = threading.Event(), threading.Event()
        self.pages, self.progress = pages, progress

    def __enter__(self) -> str:
        def work(listen) -> VersionInfo:
            listen(self.progress)
            self.told.set()
            assert self.go.wait(HELD_S)
            return program_versions()

        jobs = self.pages.client.app.state.server.jobs
        job = jobs.start(Order("default", "reindex", "owner", {}, work))
        assert self.told.wait(HELD_S)
        return job.id

    def __exit__(self, *error: object) -> None:
        self.go.set()
