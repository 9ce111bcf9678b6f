"""The command line on a real archive: shapes, exit codes, absent and null, people's output."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from program import Program, home_of_its_own

from damals.adapters.files.lock import HomeLock

ROOT = Path(__file__).resolve().parents[2]
OLD, NEW = "Hauptstraße 1, 32108 Bad Salzuflen", "Industriestraße 7, 32756 Detmold"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, in Berlin's zone, searched by words alone."""
    return home_of_its_own(tmp_path, monkeypatch)


class Archive(Program):
    """The program, with what is typed most."""

    def remember(self, title: str, *words: str) -> dict[str, Any]:
        return self.json("remember", "--title", title, *words)["entry"]

    def address(self) -> str:
        words = ("--content", OLD, "--key", "mueller/anschrift", "--valid-from", "2024-09-01")
        return self.remember("Anschrift Müller GmbH", *words)["id"]


@pytest.fixture
def damals(capsys: pytest.CaptureFixture[str]) -> Archive:
    return Archive(capsys)


def test_a_move_keeps_the_old_address_for_its_time(damals: Archive):
    old = damals.address()
    words = ("--title", "Anschrift Müller GmbH", "--content", NEW, "--valid-from", "2026-06-01")
    moved = damals.json("update", old, *words, "--reason", "Umzug zum 01.06.2026")
    assert moved["entry"]["content"] == NEW
    assert [entry["id"] for entry in moved["replaced"]] == [old]
    assert damals.json("show", old, "--as-of", "2026-04-01")["entry"]["content"] == OLD
    assert damals.json("show", moved["entry"]["id"])["entry"]["valid_from"] == "2026-06-01"
    versions = damals.json("history", "--key", "mueller/anschrift")["versions"]
    assert [version["operation"] for version in versions] == ["remember", "update", "update"]
    answer = damals.json("recall", "Anschrift Müller", "--as-of", "2026-06-15", "--limit", "1")
    assert answer["results"][0]["entry"]["content"] == NEW
    assert answer["understood"]["zone"] == "Europe/Berlin"


def test_the_home_is_made_by_the_first_write(damals: Archive, home: Path):
    assert not home.exists()
    damals.remember("x")
    assert (home / "ledger.db").exists()


def test_init_makes_a_workspace_once(damals: Archive, home: Path):
    made = damals.json("init", "--timezone", "Europe/Zurich")
    assert made["created"]
    assert made["home"] == str(home)
    assert made["workspace"]["timezone"] == "Europe/Zurich"
    assert not damals.json("init")["created"]
    assert damals.json("init", "--timezone", "UTC", code=4)["error"]["code"] == "conflict"
    assert damals.json("init", "--timezone", "Nowhere", code=2)["error"]["code"] == "invalid_input"


def test_absent_is_not_null(damals: Archive):
    absent = damals.remember("a")
    assert absent["valid_from"] is not None
    null = damals.remember("b", "--valid-from", "", "--valid-to", "")
    assert null["valid_from"] is None
    assert null["valid_to"] is None
    unknown = damals.remember("c", "--valid-from", "unknown", "--valid-to", "unknown")
    assert unknown["valid_from"] is None
    assert unknown["valid_to"] == "unknown"
    told = damals.remember("d", "--valid-from", "2024-09", "--valid-to", "open")
    assert told["valid_from"] == "2024-09"
    assert told["valid_to"] is None


def test_a_correction_changes_what_is_given_and_nothing_else(damals: Archive):
    words = ("--key", "k", "--tag", "a", "--tag", "b", "--pinned", "--property", "x=1=2")
    entry = damals.remember("t", *words, "--importance", "5")
    assert entry["tags"] == ["a", "b"]
    assert entry["properties"] == {"x": "1=2"}
    kept = damals.json("correct", entry["id"], "--content", "new", "--reason", "r")["entry"]
    assert (kept["key"], kept["tags"], kept["pinned"], kept["importance"]) == (
        "k", ["a", "b"], True, 5,
    )  # fmt: skip
    assert damals.remember("--json", "--content", "--home")["content"] == "--home"
    words = ("--key", "", "--tag", "", "--no-pinned", "--content", "")
    emptied = damals.json("correct", entry["id"], *words, "--reason", "r")["entry"]
    assert (emptied["key"], emptied["tags"], emptied["pinned"]) == (None, [], False)
    assert emptied["content"] == ""


def test_every_field_of_an_entry_can_be_given(damals: Archive):
    other = damals.remember("other", "--external-id", "other")
    entry = damals.remember(
        "t", "--type", "decision", "--domain", "audit", "--staleness-risk", "fast_decay",
        "--created", "2024-01-01", "--updated", "2024-02-01", "--retrieved-at", "2024-03-01",
        "--last-reviewed", "2024-04-01", "--persona-weight", "0.5", "--entry-lang", "en",
        "--lang-original", "fr", "--source-id", "s", "--visibility", "restricted",
        "--sensitivity", "2", "--acl", "lead", "--relate", "extends other", "--reason", "why",
        "--external-id", "mine", "--on-overlap", "refuse",
    )  # fmt: skip
    assert entry["created"] == "2023-12-31T23:00:00.000000Z"
    assert (entry["lang"], entry["lang_original"]) == ("en", "fr")
    assert (entry["persona_weight"], entry["sensitivity"], entry["acl"]) == (0.5, 2, ["lead"])
    assert [(r["type"], r["entry_id"]) for r in entry["relations"]] == [("extends", other["id"])]
    assert damals.json("show", "mine")["entry"]["id"] == entry["id"]


@pytest.mark.parametrize("words", [["--content", "-"], ["-"]])
def test_content_comes_from_standard_input(
    damals: Archive, monkeypatch: pytest.MonkeyPatch, words: list[str]
):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Grüße\r\nzwei\n".encode())))
    assert damals.remember("t", *words)["content"] == "Grüße\nzwei"


def test_what_is_known_already_is_said_so(damals: Archive):
    damals.address()
    words = ("--content", OLD, "--key", "mueller/anschrift", "--valid-from", "2024-09-01")
    again = damals.json("remember", "--title", "Anschrift Müller GmbH", *words)
    assert again["unchanged"] is True
    assert len(damals.json("log")["transactions"]) == 1


def test_ending_and_retracting_leave_what_was_known(damals: Archive):
    entry = damals.address()
    ended = damals.json("end", entry, "--at", "2025-01-01", "--reason", "r")["entry"]
    assert ended["valid_to"] == "2025-01-01"
    damals.json("retract", entry, "--reason", "never")
    assert damals.json("list")["entries"] == []
    operations = [v["operation"] for v in damals.json("history", entry)["versions"]]
    assert operations == ["remember", "end"]


def test_exit_codes_of_what_cannot_be(damals: Archive):
    entry = damals.address()
    assert damals.json("show", "nobody", code=3)["error"]["code"] == "not_found"
    assert damals.json("list", "--workspace", "no", code=3)["error"]["code"] == "not_found"
    assert damals.json("history", "--key", "nothing", code=3)["error"]["code"] == "not_found"
    overlap = ("remember", "--title", "y", "--key", "mueller/anschrift")
    assert damals.json(*overlap, code=4)["error"]["code"] == "conflict"
    late = ("end", entry, "--at", "2025-01-01", "--reason", "r", "--if-transaction", "99")
    assert damals.json(*late, code=4)["error"]["code"] == "conflict"
    early = ("end", entry, "--at", "2020-01-01", "--reason", "r")
    assert damals.json(*early, code=2)["error"]["code"] == "invalid_input"
    for wrong in (
        ("list", "--as-of", "irgendwann"),
        ("recall", ""),
        ("recall", "x", "--weights", "vec=viel"),
        ("recall", "x", "--half-life", "0"),
        ("history",),
        ("history", entry, "--key", "k"),
        ("list", "--cursor", "nonsense"),
        ("remember", "--title", "x", "--on-overlap", "maybe"),
        ("remember", "--title", "x", "--importance", "9"),
        ("remember", "--title", "x", "--visibility", "secret"),
        ("update", entry, "--title", "t", "--content", "c", "--reason", "r", "--relation", "x"),
        ("remember", "--title", "x", "--valid-from", "2025-01-02", "--valid-to", "2025-01-01"),
        ("import", ".", "--source", "telepathy"),
    ):
        error = damals.json(*wrong, code=2)["error"]
        assert error["code"] == "invalid_input", wrong
        assert " " in error["message"], wrong


def test_listing_goes_on_behind_a_cursor_and_ends(damals: Archive):
    for number in range(5):
        damals.remember(f"t{number}")
    seen: list[str] = []
    words: list[str] = []
    while True:
        page = damals.json("list", "--limit", "2", *words)
        seen += [entry["title"] for entry in page["entries"]]
        if page["next"] is None:
            break
        words = ["--cursor", page["next"]]
    assert sorted(seen) == [f"t{number}" for number in range(5)]
    assert len(damals.json("list", "--limit", "all")["entries"]) == 5


def test_a_log_and_a_history_go_on_where_a_page_stopped(damals: Archive):
    entry = damals.address()
    damals.json("correct", entry, "--content", "x", "--reason", "r")
    page = damals.json("log", "--limit", "1")
    assert ([one["number"] for one in page["transactions"]], page["next"]) == ([1], 1)
    rest = damals.json("log", "--after", str(page["next"]))
    assert ([one["number"] for one in rest["transactions"]], "next" in rest) == ([2], False)
    assert "--after 1" in damals.text("log", "--limit", "1")
    first = damals.json("history", entry, "--limit", "1")
    second = damals.json("history", entry, "--cursor", first["next"])
    whole = damals.json("history", entry)
    assert first["versions"] + second["versions"] == whole["versions"]
    assert f"--cursor {first['next']}" in damals.text("history", entry, "--limit", "1")
    assert damals.json("log", "--after", "-1", code=2)["error"]["code"] == "invalid_input"


def test_filters_may_be_repeated(damals: Archive):
    damals.remember("a", "--type", "note", "--tag", "x")
    damals.remember("b", "--type", "fact", "--tag", "x/y")
    damals.remember("c", "--type", "idea")
    found = damals.json("list", "--type", "note", "--type", "fact", "--tag", "x")["entries"]
    assert {entry["title"] for entry in found} == {"a", "b"}


def vault(folder: Path, **notes: str) -> str:
    folder.mkdir()
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return str(folder)


def test_importing_exporting_and_rebuilding(damals: Archive, tmp_path: Path):
    first = vault(tmp_path / "one", a="# A\n\nEins.", b="# B\n\n[[a]]")
    second = vault(tmp_path / "two", c="# C\n\nDrei.")
    assert damals.json("import", first, "--dry-run")["added"] == 2
    report = damals.json("import", first, second)
    assert (report["source"], report["added"]) == ("one, two", 3)
    assert damals.json("import", first)["unchanged"] == 2
    exported = damals.json("export", str(tmp_path / "all.jsonl"))
    assert exported["transactions"] == len(damals.json("log")["transactions"])
    assert damals.json("reindex")["points"] >= 3
    health = damals.json("doctor")
    assert health["ok"], health
    words = ("--home", str(tmp_path / "copy"))
    damals.json(*words, "import", str(tmp_path / "all.jsonl"), "--source", "events")
    copied = damals.json(*words, "list")["entries"]
    assert {entry["id"] for entry in copied} == {e["id"] for e in damals.json("list")["entries"]}


def test_people_see_words_in_their_language_and_times_in_their_zone(damals: Archive):
    entry = damals.address()
    shown = damals.text("show", entry, "--lang", "de")
    assert "Gilt" in shown
    assert "2024-09-01 – offen · sicher" in shown
    assert OLD in shown
    assert damals.text("list").splitlines()[1].startswith("Anschrift Müller GmbH  fact")
    answer = damals.text("recall", "Anschrift", "--lang", "de", "--explain")
    assert "(Europe/Berlin)" in answer
    assert "1. Anschrift Müller GmbH  2024-09-01 – offen  sicher" in answer
    assert "Wörter" in answer
    assert "Europe/Berlin" in damals.text("history", entry)
    assert "remember Anschrift Müller GmbH" in damals.text("log")
    assert damals.text("doctor").startswith("ok")
    assert "\x1b" not in answer


def test_what_is_stored_cannot_steer_the_terminal(damals: Archive):
    entry = damals.remember("title \x1b[31m", "--content", "[bold]x[/bold] \x1b]0;evil\x07")
    shown = damals.text("show", entry["id"])
    assert "\x1b" not in shown
    assert "[bold]x[/bold]" in shown


def test_a_held_home_exits_5_and_names_its_holder(
    damals: Archive, home: Path, monkeypatch: pytest.MonkeyPatch
):
    damals.remember("x")
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "0.05")
    with HomeLock(home, command="damals serve"):
        error = damals.json("list", code=5)["error"]
    assert error["code"] == "unavailable"
    assert str(os.getpid()) in error["message"]
    assert "damals serve" in error["message"]


def program(*words: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "damals", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # In the background of a shell SIGINT is ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- one thread
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGPIPE")
def test_a_reader_that_goes_away_ends_a_listing_quietly(damals: Archive):
    damals.remember("x")
    listing = program("list")
    assert listing.stdout is not None
    assert listing.stderr is not None
    listing.stdout.close()
    assert listing.stderr.read() == ""
    assert listing.wait() == 141


@pytest.mark.skipif(os.name == "nt", reason="signals are others there")
def test_an_interruption_ends_it_with_130_and_nothing_stored(damals: Archive, home: Path):
    damals.remember("x")
    (home / "damals.lock").touch()
    with HomeLock(home):
        waiting = program("remember", "--title", "y")
        wait_until_open(waiting.pid, home / "damals.lock")
        waiting.send_signal(signal.SIGINT)
        _, told = waiting.communicate()
    assert waiting.returncode == 130
    assert "Traceback" not in told
    assert len(damals.json("list")["entries"]) == 1


def wait_until_open(pid: int, path: Path) -> None:
    """Wait until a process has opened a file."""
    folder = Path(f"/proc/{pid}/fd")
    if not folder.exists():
        pytest.skip("needs /proc to see when the program waits")
    while not any(_leads_to(link, path) for link in list(folder.iterdir())):
        time.sleep(0.02)


def _leads_to(link: Path, path: Path) -> bool:
    try:
        return link.readlink() == path
    except OSError:
        return False


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
def test_a_full_disk_under_standard_output_is_said_in_one_line(damals: Archive):
    damals.remember("x")
    env = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "damals", "list"],
            env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


@pytest.mark.model
def test_standard_output_is_one_document_also_while_the_model_is_built(tmp_path: Path):
    env = os.environ | {"DAMALS_EMBEDDER": "e5", "PYTHONPATH": str(ROOT / "src")}
    for words in (["remember", "--title", "Anschrift"], ["recall", "Wo?"]):
        command = [sys.executable, "-m", "damals", *words, "--json"]
        done = subprocess.run(command, env=env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        json.loads(done.stdout)
    assert (tmp_path / "cache").exists()
