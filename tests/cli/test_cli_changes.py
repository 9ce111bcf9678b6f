"""Changes on the command line: one document with its shape, and what people read."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from program import Program, home_of_its_own

ROOT = Path(__file__).resolve().parents[2]

RELATION = {
    "id", "type", "direction", "entry_id", "title", "confidence", "derived", "resolution",
    "src_id", "dst_id", "src_title", "dst_title", "symmetric", "evidence", "valid_from",
    "valid_to", "bounds", "flags",
}  # fmt: skip
CERTIFICATE = {
    "removed", "searched", "residue", "rebuilt", "backups", "exports", "unsearched", "shared",
    "mentions", "finished_at", "id", "gone",
}  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, searched by words alone."""
    return home_of_its_own(tmp_path, monkeypatch)


@pytest.fixture
def damals(capsys: pytest.CaptureFixture[str]) -> Program:
    """A home with two offers."""
    made = Program(capsys)
    for year in ("2024", "2025"):
        made.json(
            "remember", "--title", f"Angebot {year}", "--external-id", f"o{year}",
            "--valid-from", f"{year}-01-01",
        )  # fmt: skip
    return made


def test_a_relation_is_one_document_with_all_that_is_known_of_it(damals: Program):
    words = ("--confidence", "0.8", "--valid-from", "2025-02", "--valid-to", "2026-01-01")
    told = damals.json("relate", "o2025", "Part of", "o2024", *words, "--reason", "r")
    assert set(told) == {"relation", "transaction", "entries"}
    relation = told["relation"]
    assert set(relation) == RELATION
    assert (relation["type"], relation["direction"], relation["confidence"]) == (
        "part_of", "out", 0.8,
    )  # fmt: skip
    assert (relation["src_title"], relation["title"]) == ("Angebot 2025", "Angebot 2024")
    assert (relation["valid_from"], relation["valid_to"]) == ("2025-02", "2026-01-01")
    assert relation["bounds"]["from"]["latest"] == "2025-02-28T23:00:00.000000Z"
    again = damals.json("relate", "o2025", "part_of", "o2024", *words)
    assert (again["unchanged"], again["transaction"]) == (True, None)
    gone = damals.json("unrelate", "o2025", "part-of", "o2024", "--if-transaction", "3")
    assert gone["relation"]["id"] == relation["id"]
    assert damals.json("show", "o2025")["entry"]["relations"] == []


def test_a_cutting_relation_shows_what_holds_now_and_what_came_back(damals: Program):
    cut = damals.json("relate", "o2025", "supersedes", "o2024")
    assert [(e["title"], e["valid_to"]) for e in cut["entries"]] == [("Angebot 2024", "2025-01-01")]
    back = damals.json("unrelate", "o2025", "supersedes", "o2024")
    assert [(e["title"], e["valid_to"]) for e in back["entries"]] == [("Angebot 2024", None)]


def test_a_contradiction_is_named_by_both_until_it_is_resolved(damals: Program):
    told = damals.json("contradict", "o2024", "o2025", "--reason", "zwei Preise")
    assert told["relation"]["resolution"] == "required"
    ids = {e["external_id"]: e["id"] for e in damals.json("list")["entries"]}
    [hit, *_] = damals.json("recall", "Angebot 2025", "--limit", "1")["results"]
    other = ids["o2024" if hit["entry"]["external_id"] == "o2025" else "o2025"]
    assert hit["contradicts"] == [other]
    printed = damals.lines("recall", "Angebot 2025", "--limit", "1")
    assert [line for line in printed if "Contradicts" in line and other in line]
    done = damals.json("resolve", "o2025", "o2024", "--keep", "a", "--reason", "neuer")
    assert set(done) == {"transaction", "entries"}
    assert [e["external_id"] for e in done["entries"]] == ["o2025", "o2024"]
    assert done["entries"][1]["status"] == "superseded"
    [hit] = damals.json("recall", "Angebot 2025")["results"]
    assert hit["contradicts"] == []
    again = damals.json("resolve", "o2024", "o2025", "--keep", "b", "--reason", "r")
    assert (again["unchanged"], again["transaction"]) == (True, None)


def test_standing_is_changed_and_shown(damals: Program):
    words = ("--score", "0.7", "--evidence", "Akte", "--reason", "r")
    entry = damals.json("verify", "o2024", *words)["entry"]
    assert entry["grounding_score"] == 0.7
    assert entry["last_verified"] == entry["updated_at"]
    assert damals.json("pin", "o2024")["entry"]["pinned"] is True
    assert damals.json("pin", "o2024")["unchanged"] is True
    assert damals.json("unpin", "o2024")["entry"]["pinned"] is False
    assert damals.json("archive", "o2024", "--reason", "r")["entry"]["status"] == "archived"
    assert damals.json("archive", "o2024", "--reason", "r")["unchanged"] is True
    [left] = damals.json("list")["entries"]
    assert left["external_id"] == "o2025"
    [archived] = damals.json("list", "--status", "archived")["entries"]
    assert archived["external_id"] == "o2024"
    assert damals.json("end", "o2024", "--at", "now", "--reason", "r", code=4)["error"]


def test_a_transaction_is_taken_back_by_number_and_by_instant(damals: Program):
    damals.json("pin", "o2024")
    number = damals.json("show", "o2024")["entry"]["transaction"]
    back = damals.json("revert", str(number), "--reason", "r", "--if-transaction", str(number))
    assert set(back) == {"transaction", "entries", "reverted"}
    assert (back["reverted"], back["entries"][0]["pinned"]) == (number, False)
    taken = damals.json("log")["transactions"][back["transaction"] - 1]
    again = damals.json("revert", taken["recorded_at"], "--reason", "doch")
    assert (again["reverted"], again["entries"][0]["pinned"]) == (back["transaction"], True)
    assert damals.json("revert", "99", "--reason", "r", code=3)["error"]["code"] == "not_found"
    once_more = damals.json("revert", str(number), "--reason", "wieder so, wie es war")
    assert once_more["entries"][0]["pinned"] is False
    assert damals.json("revert", str(number), "--reason", "r", code=4)["error"]
    late = ("revert", "1", "--reason", "r", "--if-transaction", "1")
    assert damals.json(*late, code=4)["error"]["code"] == "conflict"


def test_a_retraction_gives_back_what_it_had_taken_when_asked(damals: Program):
    damals.json("relate", "o2025", "supersedes", "o2024")
    told = damals.json("retract", "o2025", "--restore", "--reason", "nie geschickt")
    assert [(e["external_id"], e["valid_to"]) for e in told["restored"]] == [("o2024", None)]


def test_an_erasure_leaves_a_tombstone_and_says_what_it_did(damals: Program, tmp_path: Path):
    entry = damals.json("show", "o2024")["entry"]["id"]
    told = damals.json("erase", "entry", "o2024", "--reason", "Verlangen", "--yes")
    assert set(told) == {"erased", "tombstones", "certificate", "transaction"}
    assert told["erased"] == [entry]
    assert [(set(t), t["id"], t["actor"]) for t in told["tombstones"]] == [
        ({"id", "erased_at", "actor"}, entry, "owner")
    ]
    assert set(told["certificate"]) == CERTIFICATE
    assert {"entries": 1, "versions": 1}.items() <= told["certificate"]["removed"].items()
    assert told["certificate"]["residue"] == []
    for words in (("show", entry), ("history", entry), ("erase", "entry", entry, "--yes")):
        assert damals.json(*words, code=3)["error"]["code"] == "not_found"
    damals.json("export", str(tmp_path / "all.jsonl"))
    for text in (json.dumps(damals.json("log")), (tmp_path / "all.jsonl").read_text("utf-8")):
        assert "Angebot 2025" in text
        assert "Angebot 2024" not in text
        assert "o2024" not in text


def test_erasures_are_listed_and_their_certificates_shown_again(damals: Program):
    assert damals.json("erasures") == {"erasures": []}
    told = damals.json("erase", "entry", "o2024", "--reason", "Verlangen", "--yes")
    damals.json("workspace", "create", "zweites-reich")
    gone = damals.json("erase", "workspace", "zweites-reich", "--yes")
    listed = damals.json("erasures")["erasures"]
    assert [one["id"] for one in listed] == [one["certificate"]["id"] for one in (gone, told)]
    assert damals.json("erasures", listed[1]["id"]) == told
    again = damals.json("erasures", listed[0]["id"])
    assert again["certificate"] == gone["certificate"]
    assert [one["id"] for one in again["tombstones"]] == [listed[0]["id"]]
    assert damals.json("erasures", "nirgends", code=3)["error"]["code"] == "not_found"
    said = damals.text("erasures") + damals.text("erasures", listed[0]["id"])
    said += damals.text("erasures", listed[1]["id"]) + json.dumps([listed, again])
    for name in ("Angebot 2024", "o2024", "Verlangen", "zweites-reich"):
        assert name not in said


def test_an_erasure_that_leaves_something_says_so_and_exits_7(damals: Program, home: Path):
    damals.json("remember", "--title", "Akte", "--content", "Ein Satz, der bleibt.",
                "--external-id", "akte")  # fmt: skip
    (home / "eigene-notiz.txt").write_text("Ein Satz, der bleibt.", encoding="utf-8")
    told = damals.json("erase", "entry", "akte", "--yes", code=7)
    certificate = told["certificate"]
    assert certificate["gone"] is False
    assert [one["file"] for one in certificate["residue"]] == ["eigene-notiz.txt"]
    assert [one["residue"] for one in damals.json("erasures")["erasures"]] == [1]
    assert damals.json("erasures", certificate["id"], code=7) == told
    shown = damals.text("erasures", certificate["id"], code=7)
    assert "Erased bytes are left in eigene-notiz.txt" in shown
    assert "Not everything is gone" in shown


@pytest.mark.parametrize("lang", ["en", "de"])
def test_people_read_what_was_done_and_what_is_in_force(damals: Program, lang: str):
    german = lang == "de"
    said = ("--lang", lang)
    cut = damals.lines("relate", "o2025", "supersedes", "o2024", *said)
    stored = "Gespeichert" if german else "Stored"
    assert cut[0] == f"{stored}: Angebot 2025 → supersedes → Angebot 2024"
    assert ("jetzt:" if german else "now:") in cut[2]
    assert "2024-01-01 – 2025-01-01" in cut[2]
    back = damals.lines("retract", "o2025", "--restore", "--reason", "r", *said)
    assert back[0].startswith("Zurückgenommen:" if german else "Taken back:")
    assert ("gilt wieder:" if german else "holds again:") in back[2]
    open_ = damals.lines("contradict", "o2024", "o2025", "--reason", "r", *said)
    assert open_[0] == f"{stored}: Angebot 2024 ↔ contradicts ↔ Angebot 2025"
    assert "damals resolve " in open_[2]
    shown = damals.lines("show", "o2024", *said)
    assert any(("nicht entschieden" if german else "undecided") in line for line in shown)
    done = damals.lines("resolve", "o2024", "o2025", "--keep", "both", "--reason", "r", *said)
    assert done[0] == ("Widerspruch entschieden" if german else "Contradiction resolved")
    assert len(done) == 4
    checked = damals.lines("verify", "o2024", "--score", "0.5", *said)
    assert ("belegt mit 0.50" if german else "grounded by 0.50") in checked[2]
    number = damals.json("show", "o2024")["entry"]["transaction"]
    undone = damals.lines("revert", str(number), "--reason", "r", *said)
    assert undone[0].startswith("Transaktion" if german else "Transaction")
    assert damals.lines("pin", "o2024", *said)[0].startswith("Angeheftet" if german else "Pinned")
    assert damals.lines("archive", "o2024", "--reason", "r", *said)[0].startswith("Archiv")
    gone = damals.lines("erase", "entry", "o2024", "--yes", *said)
    assert gone[0].startswith("Gelöscht:" if german else "Erased:")
    log = "\n".join(damals.lines("log", *said))
    assert ("(gelöscht)" if german else "(erased)") in log
    assert "Angebot 2024" not in log


def test_an_unknown_relation_names_what_is_near(damals: Program):
    for words in (
        ("relate", "o2025", "partof", "o2024"),
        ("remember", "--title", "x", "--relate", "partof o2024"),
        ("update", "o2024", "--title", "x", "--content", "", "--reason", "r", "--relate",
         "partof o2024"),
        ("correct", "o2024", "--reason", "r", "--relate", "partof o2025"),
    ):  # fmt: skip
        error = damals.json(*words, code=2)["error"]
        assert (error["code"], "part_of" in error["message"]) == ("invalid_input", True), words
    assert len(damals.json("log")["transactions"]) == 2


def on_a_terminal(answer: str, *words: str) -> tuple[int, str]:
    """Run the program on a terminal, answer its question, and say what it showed."""
    ours, theirs = os.openpty()
    done = subprocess.Popen(
        [sys.executable, "-m", "damals", *words],
        env=os.environ | {"PYTHONPATH": str(ROOT / "src"), "TERM": "xterm"},
        stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # how Linux says that the other end was closed
        pass
    os.close(ours)
    return done.wait(), re.sub(r"\x1b\[[\d;]*m", "", shown.decode())


@pytest.mark.skipif(os.name == "nt", reason="terminals are others there")
def test_erasing_asks_on_a_terminal(damals: Program):
    code, shown = on_a_terminal("n", "erase", "entry", "o2024")
    assert code == 2, shown
    assert "“Angebot 2024”" in shown
    assert damals.json("show", "o2024")["entry"]["title"] == "Angebot 2024"
    code, shown = on_a_terminal("yes", "erase", "entry", "o2024")
    assert code == 0, shown
    assert "Erased:" in shown
    assert on_a_terminal("y", "erase", "entry", "o2024")[0] == 3
