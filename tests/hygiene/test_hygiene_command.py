"""``damals hygiene`` and ``damals lint``: what is printed, and repairs that run as printed."""

import html
import json
import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from damals.interfaces.cli.main import main
from damals.interfaces.hygiene_report import escaped

BIN = Path(sys.executable).parent
OLD = "2020-01-01"
NASTY = "<script>alert(1)</script> `x` [a](javascript:b) | *y* #z"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("DAMALS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("DAMALS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DAMALS_TIMEZONE", "Europe/Berlin")
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_LANG", "en")
    monkeypatch.setenv("PATH", f"{BIN}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


class Program:
    """The program, called in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def text(self, *words: str, code: int = 0) -> str:
        assert main(words) == code
        return self._capsys.readouterr().out

    def json(self, *words: str, code: int = 0) -> dict[str, Any]:
        return json.loads(self.text(*words, "--json", code=code))

    def remember(self, title: str, *words: str) -> str:
        said = self.json("remember", "--title", title, "--valid-from", OLD, *words)
        return said["entry"]["id"]

    def findings(self, kind: str, *words: str) -> list[dict[str, Any]]:
        return self.json("hygiene", "--kind", kind, "--limit", "all", *words)["findings"]


@pytest.fixture
def damals(capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(capsys)


@pytest.fixture
def aged(damals: Program, tmp_path: Path) -> Program:
    """With knowledge that came in long ago, and was replayed."""
    entries = [
        {"recorded_at": "2023-01-10T00:00:00Z", "op": "remember", "ref": "a", "title": "Alt",
         "content": "Der Müllwagen kommt dienstags.", "valid_from": OLD, "importance": 5},
        {"recorded_at": "2023-01-11T00:00:00Z", "op": "remember", "ref": "b", "title": "Uralt",
         "content": "Our lawyer sits in Hamburg.", "valid_from": "2019~"},
        {"recorded_at": "2023-01-12T00:00:00Z", "op": "contradict", "a": "a", "b": "b",
         "reason": "r"},
    ]  # fmt: skip
    file = tmp_path / "alt.jsonl"
    file.write_text("\n".join(map(json.dumps, entries)), encoding="utf-8")
    damals.json("import", str(file), "--source", "events")
    return damals


def run(command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)


def test_repairs_run_as_printed_and_settle_their_findings(aged: Program):
    kinds = ("contradiction", "uncertain_date", "unpinned", "decayed")
    told = {kind: aged.findings(kind)[0] for kind in kinds}
    for kind, one in told.items():
        assert one["repair"] == one["choices"][0]["command"]
        done = run(one["choices"][-1]["command"])
        assert (done.returncode, done.stderr) == (0, ""), kind
        assert one["entries"] not in [left["entries"] for left in aged.findings(kind)]


def test_commands_name_the_home_and_the_workspace_that_were_named(
    damals: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.delenv("DAMALS_HOME")
    where = ("--home", str(tmp_path / "ein Haus"), "--workspace", "b")
    main(["init", *where])
    damals.text("remember", "--title", "X", "--importance", "5", *where)
    [one] = damals.findings("unpinned", *where)
    assert shlex.split(one["repair"])[-4:] == [
        "--workspace", "b", "--home", str(tmp_path / "ein Haus"),
    ]  # fmt: skip
    damals.text("remember", "--title", "Y", "--importance", "5", *where)
    said = damals.text("hygiene", "--kind", "unpinned", "--limit", "1", *where)
    [line] = [line for line in said.splitlines() if "1 more: " in line]
    assert shlex.split(line.partition("more: ")[2])[-4:] == [
        "--home", str(tmp_path / "ein Haus"), "--workspace", "b",
    ]  # fmt: skip
    assert run(one["repair"]).returncode == 0
    assert one["entries"] not in [left["entries"] for left in damals.findings("unpinned", *where)]


def test_yes_carries_out_what_needs_no_decision_each_as_a_transaction_with_a_reason(
    damals: Program,
):
    said = ("--importance", "5", "--staleness-risk", "stable")
    ids = {damals.remember(f"Wichtig {number}", *said) for number in range(3)}
    before = damals.json("log")["transactions"][-1]["number"]
    told = damals.json("hygiene", "--fix", "unpinned", "--yes")
    assert {one["entries"][0] for one in told["done"]} == ids
    assert (told["undecided"], told["failed"]) == (0, [])
    log = damals.json("log")["transactions"]
    new = [one for one in log if one["number"] > before]
    assert [one["reason"] for one in new] == ["hygiene: unpinned"] * 3
    assert [one["transaction"] for one in told["done"]] == [one["number"] for one in new]
    assert damals.findings("unpinned") == []


def test_all_findings_of_one_entry_are_repaired(damals: Program):
    a, b, c = (damals.remember(title) for title in "ABC")
    for kind, other in (("depends_on", b), ("extends", b), ("depends_on", c)):
        damals.text("relate", a, kind, other)
    for other in (b, c):
        damals.text("retract", other, "--reason", "r")
    told = damals.json("hygiene", "--fix", "broken_link", "--yes")
    assert [one["entries"] for one in told["done"]] == [[a]] * 3
    assert (told["failed"], damals.findings("broken_link")) == ([], [])


def test_both_dates_of_an_entry_are_asked_for(damals: Program):
    damals.json("remember", "--title", "X", "--valid-from", "2020~", "--valid-to", "2031?")
    code, shown = typed("damals hygiene --fix uncertain_date", "1\n1\n")
    assert (code, "2 repaired" in shown) == (0, True)
    assert damals.findings("uncertain_date") == []


def test_nothing_is_archived_unasked(tmp_path: Path, damals: Program):
    said = {"recorded_at": "2020-01-10T00:00:00Z", "op": "remember", "title": "Alt",
            "content": "x", "importance": 1, "valid_from": OLD, "domain": "campaign"}  # fmt: skip
    file = tmp_path / "alt.jsonl"
    file.write_text(json.dumps(said), encoding="utf-8")
    damals.json("import", str(file), "--source", "events")
    then = ("--as-of", "2040-01-01")
    [one] = damals.findings("below_threshold", *then)
    assert one["choices"][0]["name"] == "archive"
    assert one["decision"] is True


def test_what_needs_a_decision_is_never_guessed(aged: Program):
    before = aged.json("log")
    told = aged.json("hygiene", "--fix", "contradiction", "--yes")
    assert (told["done"], told["undecided"]) == ([], 1)
    assert aged.json("log") == before
    said = aged.text("hygiene", "--fix", "contradiction", "--yes")
    assert "somebody must decide: 1." in said


def test_what_only_changes_files_of_notes_is_left_with_the_commands_that_do(
    damals: Program, tmp_path: Path
):
    vault = tmp_path / "Mein Vault"
    vault.mkdir()
    for name in "ab":
        text = f"---\naliases: [Chef]\n---\n# {name}\n"
        (vault / f"{name}.md").write_text(text, encoding="utf-8")
    damals.json("import", str(vault))
    for kind, count in (("missing_field", 2), ("ambiguous_alias", 2)):
        told = damals.json("hygiene", "--fix", kind, "--yes")
        assert (told["done"], told["by_hand"], len(told["in_files"])) == ([], 0, count)
        said = damals.text("hygiene", "--fix", kind, "--yes")
        assert "only damals annotate changes the files" in said
        assert all(one in said for one in told["in_files"])
        for one in told["in_files"]:
            assert run(one).returncode == 0
    damals.json("import", str(vault))
    assert damals.findings("ambiguous_alias") == []
    told = damals.findings("missing_field")
    assert all("does not say: tags." in one["message"] for one in told)


def test_what_no_command_can_repair_is_left_and_said(damals: Program):
    damals.remember("Allein")
    assert damals.json("hygiene", "--fix", "orphan", "--yes")["by_hand"] == 1


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--fix", "unpinned"), "--yes"),
        (("--fix", "unpinned", "--json"), "--yes"),
        (("--fix", "unpinned", "--yes", "--as-of", "2024-01-01"), "Leave the instants out"),
        (("--yes",), "Name what is to be repaired"),
        (("--fix", "staub", "--yes"), "staub"),
        (("--format", "pdf"), "markdown"),
    ],
)
def test_what_cannot_be_done_is_refused_with_the_way_out(
    damals: Program, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], hint: str
):
    damals.remember("Wichtig", "--importance", "5")
    assert main(["hygiene", *words]) == 2
    shown = capsys.readouterr()
    assert hint in shown.out + shown.err
    assert "pinned: yes" not in damals.text("list")


def typed(command: str, answers: str) -> tuple[int, str]:
    """What a program shows on a terminal at which somebody types."""
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        shlex.split(command), stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    )
    os.close(theirs)
    os.write(ours, answers.encode())
    shown = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    return started.wait(), shown.decode()


def test_on_a_terminal_each_finding_is_shown_and_asked_for(aged: Program):
    code, shown = typed("damals hygiene --fix contradiction", "vielleicht\na\n")
    assert code == 0
    assert "contradict each other" in shown
    assert "1 repaired" in shown
    assert aged.findings("contradiction") == []
    last = aged.json("log")["transactions"][-1]["ops"][0]
    assert (last["op"], last["keep"]) == ("resolve", "a")


def test_somebody_may_skip_stop_or_take_another_way(damals: Program):
    said = ("--staleness-risk", "stable")
    ids = [damals.remember(f"Wichtig {n}", "--importance", str(n), *said) for n in (5, 4)]
    code, shown = typed("damals hygiene --fix unpinned", "n\ny\n")
    assert (code, "1 repaired, 1 skipped" in shown) == (0, True)
    assert [one["entries"] for one in damals.findings("unpinned")] == [[ids[0]]]
    code, shown = typed("damals hygiene --fix unpinned", "q\n")
    assert (code, "0 repaired, 0 skipped" in shown) == (0, True)


def test_people_read_kinds_why_and_commands(aged: Program):
    said = aged.text("hygiene", "--limit", "1")
    assert "Contradictions that nobody has decided" in said
    assert "damals resolve " in said
    assert "… and 1 more: damals hygiene --kind decayed --limit all" in said
    german = aged.text("hygiene", "--lang", "de")
    assert "Widersprüche, die niemand entschieden hat" in german
    assert "„Alt“ ist verfallen" in german


def test_a_report_is_markdown_whose_titles_are_only_text(damals: Program):
    damals.remember(NASTY, "--importance", "5")
    said = damals.text("hygiene", "--format", "markdown")
    assert said.startswith("# Hygiene report\n")
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(said)
    assert "<script>" not in page
    assert "<a " not in page
    assert "<em>y</em>" not in page
    assert "alert(1)" in page


READ = [*"\\`*_{}[]()<>#+!|~&;$^=:/.-aZ1ä 2026", "&amp;", "1. ", "- "]
LIKE_MARKDOWN = st.lists(st.sampled_from(READ), min_size=1, max_size=30).map("".join)


@given(LIKE_MARKDOWN)
def test_what_is_escaped_is_read_as_what_it_was(said: str):
    plain = " ".join(said.split())
    page = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render
    if plain:
        shown = page(f"* {escaped(said)}\n\n{escaped(said)}\n")
        text = html.escape(plain, quote=False).replace('"', "&quot;")
        assert shown == f"<ul>\n<li>{text}</li>\n</ul>\n<p>{text}</p>\n", escaped(said)


def test_an_address_is_no_link_even_where_bare_ones_are():
    assert escaped("www.a.de, http://b.de") == r"www\.a.de, http:\//b.de"


@pytest.mark.parametrize(
    "plain",
    ["2026-11-30 18:00", "nicht angeheftet.", "fast_decay", "A & B (neu)", "3 + 4 = 7!", "2020~"],
)
def test_what_markdown_does_not_read_is_left_as_it_is(plain: str):
    assert escaped(plain) == plain


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_instants_are_shown_in_the_zone_of_the_workspace_to_the_minute(damals: Program, form: str):
    damals.remember("X")
    said = damals.text("hygiene", "--format", form, "--as-of", "2024-06-01T10:00Z")
    assert "2024-06-01 12:00" in said
    assert "(Europe/Berlin)" in said
    assert "T10:00" not in said


@pytest.mark.parametrize(
    ("lang", "one", "two"),
    [
        ("en", "1 finding in 1 entry.", "2 findings in 2 entries."),
        ("de", "1 Befund in 1 Eintrag.", "2 Befunde in 2 Einträgen."),
    ],
)
def test_one_is_one_and_several_are_several(damals: Program, lang: str, one: str, two: str):
    damals.remember("X")
    assert one in damals.text("hygiene", "--kind", "orphan", "--lang", lang)
    damals.remember("Y", "--content", "ganz anders")
    assert two in damals.text("hygiene", "--kind", "orphan", "--lang", lang)


def test_a_risk_that_there_is_no_more_comes_with_an_own_export_and_is_told(
    damals: Program, tmp_path: Path
):
    said = {"op": "remember", "id": "00000000-0000-4000-8000-00000000000a", "title": "Alt",
            "content": "x", "staleness_risk": "low"}  # fmt: skip
    own = {"recorded_at": "2023-01-10T00:00:00Z", "logged_at": "2023-01-10T00:00:00Z",
           "zone": "UTC", "actor": "owner", "ops": [said]}  # fmt: skip
    file = tmp_path / "alt.jsonl"
    damals.text("init")
    file.write_text(json.dumps({name: own[name] for name in own if name != "logged_at"}), "utf-8")
    assert "fast_decay" in damals.text("import", str(file), "--source", "events", "--json", code=2)
    file.write_text(json.dumps(own), encoding="utf-8")
    damals.json("import", str(file), "--source", "events")
    [one] = damals.findings("risk")
    assert one["message"].startswith("“Alt” is said to age at the rate “low”, which there is not;")
    copy = tmp_path / "neu.jsonl"
    damals.json("export", str(copy))
    assert '"staleness_risk":"low"' in copy.read_text(encoding="utf-8")
    again = ("--home", str(tmp_path / "neu"))
    damals.text("init", *again)
    damals.json("import", str(copy), "--source", "events", *again)
    assert damals.json("show", said["id"], *again)["entry"]["staleness_risk"] == "low"
    assert run(one["repair"]).returncode == 0
    assert damals.findings("risk") == []


def test_a_report_is_a_page_that_needs_nothing_else(damals: Program):
    damals.remember(NASTY, "--importance", "5", "--staleness-risk", "stable")
    for lang, title in (("en", "Hygiene report"), ("de", "Hygienebericht")):
        page = damals.text("hygiene", "--format", "html", "--lang", lang)
        assert page.startswith("<!doctype html>")
        assert f'<html lang="{lang}">' in page
        assert f"<title>{title}</title>" in page
        assert "default-src 'none'" in page
        assert "@media print" in page
        for outside in ("<script", "src=", "href=", "http://", "https://"):
            assert outside not in page
        assert "damals pin " in page


def test_an_instant_of_the_past_is_asked_for_and_shown_back(aged: Program):
    report = aged.json("hygiene", "--as-of", "2023-02-01", "--known-at", "2023-02-01")
    assert report["understood"]["as_of"] == "2023-01-31T23:00:00.000000Z"
    told = [one["kind"] for one in report["kinds"]]
    assert told[0] == "contradiction"
    assert "decayed" not in told


def test_the_linter_has_a_report_of_its_own(aged: Program):
    assert aged.text("lint").startswith("Linter report")
    assert aged.text("lint", "--due").startswith("Linter report: what is due")
    assert "REVIEW “Alt”" in aged.text("lint", "--kind", "review", "--format", "markdown").replace(
        "\\", ""
    )
    assert aged.json("lint", "--due")["due"] is True
    assert "<h1>Linter report</h1>" in aged.text("lint", "--format", "html")


def test_the_shape_of_a_report_is_the_documented_one(aged: Program):
    report = aged.json("hygiene")
    assert {"findings", "kinds", "topic", "entries", "understood"} <= report.keys()
    for one in report["findings"]:
        assert {"kind", "severity", "entries", "message", "repair"} <= one.keys()
        assert one["severity"] in ("LOW", "MEDIUM", "HIGH")
