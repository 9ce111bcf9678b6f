"""Acceptance cases of the time page, typed as a user types them.

Events are imported and asked for with ``list``, ``recall``, ``history`` and ``show``, as JSON.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

OLD = "Hauptstraße 1, 32108 Bad Salzuflen"
NEW = "Industriestraße 7, 32756 Detmold"


class Home:
    """A home folder that is used through the command line only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def run(self, *arguments: str) -> tuple[int, dict]:
        done = subprocess.run(
            [sys.executable, "-m", "damals", "--home", str(self.folder / "home"), "--json",
             *arguments],
            capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout)

    def ask(self, *arguments: str) -> dict:
        code, answer = self.run(*arguments)
        assert code == 0, answer
        return answer

    def replay(self, *events: dict) -> tuple[int, dict]:
        file = self.folder / "events.jsonl"
        file.write_text("\n".join(json.dumps(event) for event in events), encoding="utf-8")
        return self.run("import", str(file))

    def listed(self, as_of: str, known_at: str | None = None, *more: str) -> list[str]:
        known = [] if known_at is None else ["--known-at", known_at]
        page = self.ask("list", "--as-of", as_of, *known, "--limit", "all", *more)
        return sorted(entry["external_id"] for entry in page["entries"])


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    made = Home(tmp_path)
    made.ask("init", "--timezone", "UTC")
    return made


@pytest.fixture
def moved(home):
    """Case 1: a company that moves, as it was recorded."""
    code, report = home.replay(
        {"op": "remember", "recorded_at": "2024-08-20T00:00:00Z", "ref": "v1",
         "title": "Anschrift Müller GmbH", "content": OLD, "valid_from": "2024-09-01"},
        {"op": "update", "recorded_at": "2026-06-01T08:00:00Z", "ref": "v2", "target": "v1",
         "title": "Anschrift Müller GmbH ab 01.06.2026", "content": NEW,
         "valid_from": "2026-06-01", "reason": "Umzug zum 01.06.2026"},
    )  # fmt: skip
    assert (code, report["added"]) == (0, 2)
    return home


def test_case_1_what_holds_on_a_day_and_what_was_known_on_another(moved):
    assert moved.listed("2026-06-15") == ["v2"]
    assert moved.listed("2026-04-01") == ["v1"]
    assert moved.listed("2026-07-01", "2026-05-01") == ["v1"]
    assert moved.listed("2026-05-31T23:59:59.999999Z") == ["v1"]
    assert moved.listed("2026-06-01") == ["v2"]
    assert moved.listed("2024-08-31") == []


def test_case_1_recall_answers_at_both_clocks(moved):
    def answer(*clocks: str) -> str:
        found = moved.ask("recall", "Wo sitzt die Müller GmbH?", *clocks)
        assert len(found["results"]) == 1
        return found["results"][0]["chunk"]["text"]

    assert answer("--as-of", "2026-06-15") == NEW
    assert answer("--as-of", "2026-04-01") == OLD
    assert answer("--as-of", "2026-07-01", "--known-at", "2026-05-01") == OLD


def test_case_1_the_old_address_is_superseded_now_and_was_not_in_april(moved):
    now = moved.ask("show", "v1")["entry"]
    april = moved.ask("show", "v1", "--as-of", "2026-04-01")["entry"]
    assert (now["status"], now["valid_to"]) == ("superseded", "2026-06-01")
    # Nobody had verified it for longer than a window, and nothing had taken over.
    assert (april["status"], april["content"]) == ("decayed", OLD)
    relations = moved.ask("show", "v2", "--as-of", "2026-06-15")["entry"]["relations"]
    assert [(r["type"], r["direction"], r["entry_id"]) for r in relations] == [
        ("supersedes", "out", now["id"])
    ]


def test_case_1_the_history_has_two_rectangles_with_their_reasons(moved):
    versions = moved.ask("history", "v1")["versions"]
    assert [
        (v["valid_from"], v["valid_to"], v["recorded_from"], v["recorded_to"], v["operation"])
        for v in versions
    ] == [
        ("2024-09-01", None, "2024-08-20T00:00:00.000000Z", "2026-06-01T08:00:00.000000Z",
         "remember"),
        ("2024-09-01", "2026-06-01", "2026-06-01T08:00:00.000000Z", None, "update"),
    ]  # fmt: skip
    assert versions[1]["reason"] == "Umzug zum 01.06.2026"


@pytest.mark.parametrize(
    ("start", "end"), [("2024-01-01", "2024-01-01"), ("2024-02-01", "2024-01-01")]
)
def test_case_11_a_period_without_an_instant_is_refused(home, start, end):
    code, answer = home.replay(
        {"op": "remember", "recorded_at": "2024-01-01T00:00:00Z", "ref": "X", "title": "X",
         "valid_from": start, "valid_to": end},
    )  # fmt: skip
    assert (code, answer["error"]["code"]) == (2, "invalid_input")
    assert home.run("show", "X")[0] == 3
    assert home.ask("log")["transactions"] == []


def ended() -> list[dict]:
    return [
        {"op": "remember", "recorded_at": "2024-01-01T00:00:00Z", "ref": "A",
         "title": "Wartungsvertrag", "content": "gilt", "valid_from": "2024-01-01"},
        {"op": "end", "recorded_at": "2024-08-01T00:00:00Z", "target": "A", "at": "2024-07-01",
         "reason": "gekündigt"},
    ]  # fmt: skip


def test_case_13_an_ended_fact_held_until_its_end_and_was_believed_beyond(home):
    assert home.replay(*ended())[0] == 0
    assert home.listed("2024-06-30") == ["A"]
    assert home.listed("2024-07-01") == []
    assert home.listed("2024-07-15", "2024-07-20") == ["A"]


def test_case_14_a_retracted_fact_never_held_and_was_believed_before(home):
    retract = {"op": "retract", "recorded_at": "2024-09-01T00:00:00Z", "target": "A",
               "reason": "Irrtum"}  # fmt: skip
    assert home.replay(*ended(), retract)[0] == 0
    assert home.listed("2024-06-30") == []
    assert home.listed("2024-06-30", "2024-08-31") == ["A"]
    believed = ("--as-of", "2024-06-30", "--known-at", "2024-08-31")
    found = home.ask("recall", "Wartungsvertrag", *believed)
    assert [hit["entry"]["external_id"] for hit in found["results"]] == ["A"]
    assert home.ask("recall", "Wartungsvertrag", "--as-of", "2024-06-30")["results"] == []


def test_case_15_an_erased_fact_is_in_no_answer_and_leaves_a_tombstone(home):
    assert home.replay(*ended())[0] == 0
    entry = home.ask("show", "A")["entry"]["id"]
    told = home.ask("erase", "entry", "A", "--reason", "Verlangen", "--yes")
    assert [tombstone["id"] for tombstone in told["tombstones"]] == [entry]
    for known_at in (None, "2024-07-20"):
        assert home.listed("2024-06-30", known_at) == []
        clocks = ("--as-of", "2024-06-30", *(("--known-at", known_at) if known_at else ()))
        assert home.run("show", entry, *clocks)[0] == 3
        assert home.ask("recall", "Wartungsvertrag", *clocks)["results"] == []
    assert home.run("history", entry)[0] == 3
    told = json.dumps(home.ask("log"))
    assert entry in told
    assert "Wartungsvertrag" not in told


@pytest.mark.parametrize("restore", [False, True])
def test_case_12_a_retraction_keeps_the_cut_unless_it_is_given_back(home, restore):
    p = {"op": "remember", "key": "k", "on_overlap": "replace"}
    code, _ = home.replay(
        p | {"recorded_at": "2026-05-01T00:00:00Z", "ref": "X", "title": "X",
             "valid_from": "2020-01-01"},
        p | {"recorded_at": "2026-06-01T00:00:00Z", "ref": "Y", "title": "Y",
             "valid_from": "2027-01-01"},
    )  # fmt: skip
    assert code == 0
    home.ask("retract", "Y", "--reason", "abgesagt", *(["--restore"] if restore else []))
    assert home.listed("2027-06-01", "2026-07-01") == ["Y"]
    assert home.listed("2027-06-01") == (["X"] if restore else [])
    assert home.listed("2026-12-31") == ["X"]


def test_case_16_a_diff_names_what_began_ended_was_learned_and_corrected(home):
    said = {"op": "remember", "recorded_at": "2024-01-01T00:00:00Z"}
    code, _ = home.replay(
        said | {"ref": "a", "title": "a", "valid_from": "2024-03-01"},
        said | {"ref": "b", "title": "b", "recorded_at": "2024-01-02T00:00:00Z",
                "valid_from": "2024-01-01", "valid_to": "2024-03-01"},
        said | {"ref": "d", "title": "d", "content": "1", "recorded_at": "2024-01-03T00:00:00Z",
                "valid_from": "2024-01-01"},
        said | {"ref": "c", "title": "c", "recorded_at": "2024-02-15T00:00:00Z",
                "valid_from": "2024-01-01"},
        {"op": "correct", "recorded_at": "2024-02-20T00:00:00Z", "target": "d", "content": "2",
         "reason": "Tippfehler"},
    )  # fmt: skip
    assert code == 0
    changes = home.ask("diff", "--from", "2024-02-01", "--to", "2024-04-01")["changes"]
    named = [(c["kind"], (c["after"] or c["before"])["external_id"]) for c in changes]
    assert sorted(named[:2]) == [("began", "a"), ("ended", "b")]
    assert named[2:] == [("learned", "c"), ("corrected", "d")]
    assert (changes[3]["before"]["content"], changes[3]["after"]["content"]) == ("1", "2")


def test_case_24_an_exported_home_gives_the_same_answers_elsewhere(home):
    assert home.replay(*ended())[0] == 0
    for words in (
        ("remember", "--title", "Nachfolger", "--external-id", "B", "--valid-from", "2024-03-01"),
        ("relate", "B", "supersedes", "A"),
        ("contradict", "A", "B", "--reason", "zwei Verträge"),
        ("resolve", "A", "B", "--keep", "b", "--reason", "neuer"),
        ("verify", "B", "--score", "0.5"),
        ("retract", "B", "--restore", "--reason", "nie geschlossen"),
        ("revert", "8", "--reason", "doch"),
        ("archive", "A", "--reason", "alt"),
    ):
        home.ask(*words)
    file = str(home.folder / "all.jsonl")
    written = home.ask("export", file)["transactions"]
    copy = Home(home.folder / "elsewhere")
    copy.folder.mkdir()
    copy.ask("init", "--timezone", "UTC")
    copy.ask("import", file)
    log = home.ask("log")["transactions"]
    assert len(log) == written
    for stored in (log[1], log[-3], log[-1]):
        words = ("list", "--as-of", "2024-06-30", "--known-at", stored["recorded_at"])
        assert copy.ask(*words) == home.ask(*words), words
    for name in ("A", "B"):
        assert copy.ask("history", name) == home.ask("history", name)


def zoned(tmp_path, zone: str) -> Home:
    made = Home(tmp_path / zone.replace("/", "-"))
    made.folder.mkdir()
    made.ask("init", "--timezone", zone)
    return made


def remembered(home: Home, valid_from: str) -> tuple[int, dict]:
    return home.run("remember", "--title", f"Seit {valid_from}", "--valid-from", valid_from)


@pytest.mark.parametrize(
    ("given", "earliest"),
    [
        ("2024-09-01", "2024-08-31T22:00:00.000000Z"),
        ("2024-01-01", "2023-12-31T23:00:00.000000Z"),
        ("20240901", "2024-08-31T22:00:00.000000Z"),
        ("2024-W36-1", "2024-09-01T22:00:00.000000Z"),
    ],
)
def test_case_17_a_day_begins_at_local_midnight_however_it_is_written(tmp_path, given, earliest):
    home = zoned(tmp_path, "Europe/Berlin")
    code, answer = remembered(home, given)
    assert code == 0
    assert answer["entry"]["bounds"]["from"] == {"earliest": earliest, "latest": earliest}
    assert answer["entry"]["valid_from"] == given


@pytest.mark.parametrize("given", ["2025-03-30T02:30", "2025-10-26T02:30"])
def test_case_18_a_time_that_is_missing_or_twice_is_refused_with_its_readings(tmp_path, given):
    code, answer = remembered(zoned(tmp_path, "Europe/Berlin"), given)
    assert (code, answer["error"]["code"]) == (2, "invalid_input")
    assert "+02:00" in answer["error"]["message"]
    assert "+01:00" in answer["error"]["message"]


@pytest.mark.parametrize(
    ("given", "instant"),
    [
        ("2025-10-26T02:30+02:00", "2025-10-26T00:30:00.000000Z"),
        ("2025-10-26T02:30+01:00", "2025-10-26T01:30:00.000000Z"),
    ],
)
def test_case_18_an_offset_says_which_of_the_two_is_meant(tmp_path, given, instant):
    code, answer = remembered(zoned(tmp_path, "Europe/Berlin"), given)
    assert code == 0
    assert answer["entry"]["bounds"]["from"]["earliest"] == instant


def test_case_19_a_day_that_does_not_exist_is_refused(tmp_path):
    code, answer = remembered(zoned(tmp_path, "Pacific/Apia"), "2011-12-30")
    assert (code, answer["error"]["code"]) == (2, "invalid_input")


def test_case_19_a_day_without_midnight_begins_with_its_first_instant(tmp_path):
    code, answer = remembered(zoned(tmp_path, "Africa/Cairo"), "2024-04-26")
    assert code == 0
    assert answer["entry"]["bounds"]["from"]["earliest"] == "2024-04-25T22:00:00.000000Z"


def test_case_20_what_began_nobody_knows_when_is_possible_before_its_end(home):
    code, _ = home.run(
        "remember", "--title", "Alt", "--external-id", "alt",
        "--valid-from", "unknown", "--valid-to", "1984-01-01",
    )  # fmt: skip
    assert code == 0
    [entry] = home.ask("list", "--as-of", "1970-01-01")["entries"]
    assert (entry["certainty"], entry["valid_from"]) == ("possible", None)
    assert entry["bounds"]["from"]["earliest"] is None
    assert home.listed("1970-01-01", None, "--certain") == []
    assert home.listed("1984-01-01") == []


def test_case_21_a_month_as_start_is_possible_within_and_certain_behind_it(home):
    assert home.run(
        "remember", "--title", "Monat", "--external-id", "m", "--valid-from", "2024-09"
    )[0] == 0  # fmt: skip
    assert home.listed("2024-08-31") == []
    september = home.ask("list", "--as-of", "2024-09-15")["entries"]
    october = home.ask("list", "--as-of", "2024-10-01")["entries"]
    assert [e["certainty"] for e in september] == ["possible"]
    assert [e["certainty"] for e in october] == ["certain"]
    assert october[0]["valid_from"] == "2024-09"
    found = home.ask("recall", "Monat", "--as-of", "2024-09-15", "--certain")
    assert found["results"] == []


def test_case_22_saying_the_same_twice_changes_nothing(home):
    arguments = ("remember", "--title", "T", "--content", "Inhalt", "--valid-from", "2024-01-01")
    first = home.ask(*arguments)
    second = home.ask(*arguments)
    assert "unchanged" not in first
    assert second["unchanged"] is True
    assert second["entry"]["id"] == first["entry"]["id"]
    assert len(home.ask("history", first["entry"]["id"])["versions"]) == 1
    assert len(home.ask("log")["transactions"]) == 1


def test_case_22_two_disjoint_periods_of_the_same_statement_are_two_facts(home):
    said = ("remember", "--title", "T", "--content", "Inhalt")
    home.ask(*said, "--valid-from", "2020-01-01", "--valid-to", "2021-01-01")
    later = home.ask(*said, "--valid-from", "2023-01-01")
    assert "unchanged" not in later
    assert len(home.ask("list", "--as-of", "2020-06-01")["entries"]) == 1
    assert len(home.ask("list", "--as-of", "2022-06-01")["entries"]) == 0
    assert len(home.ask("list", "--as-of", "2023-06-01")["entries"]) == 1
