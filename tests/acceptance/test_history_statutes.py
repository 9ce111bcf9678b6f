"""Ten years of German statutes, 69 commits, replayed: what was known is what Git shows."""

import re
import subprocess
from pathlib import Path

import pytest

from damals.bootstrap import open_home

pytestmark = pytest.mark.xdist_group("history of statutes")

STATUTES = ("bgb", "burlg", "stgb", "gg", "arbzg", "kschg", "arbgg", "urhg", "jgg", "pangv")
DATES = ("2012-08-04", "2012-08-10", "2012-10-17", "2013-02-01", "2022-02-02")


@pytest.fixture(scope="module")
def statutes(data, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("statutes") / "gesetze"
    bundle = data / "gesetze.bundle"
    subprocess.run(
        ["git", "clone", "--quiet", "--branch", "main", str(bundle), str(folder)], check=True
    )
    return folder


@pytest.fixture(scope="module")
def replayed(statutes, tmp_path_factory):
    """A home in which the whole history was replayed, searched by words alone."""
    home = tmp_path_factory.mktemp("home")
    with open_home(home, embedder="none", timezone="UTC") as memory:
        report = memory.import_(statutes, history=True)
        assert (report.added, report.failed, report.late) == (150, (), ())
        assert report.changed > 700
        yield memory


def shown_by_git(statutes: Path, path: str, date: str) -> str:
    """The text of a file in the last commit by a date."""
    asked = ["git", "-C", str(statutes), "rev-list", "-1", f"--before={date}T00:00:00Z", "HEAD"]
    commit = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()
    asked = ["git", "-C", str(statutes), "show", f"{commit}:{path}"]
    return subprocess.run(asked, check=True, capture_output=True).stdout.decode()


@pytest.fixture(scope="module")
def entries(replayed):
    """The id of each statute by its name."""
    pages = replayed.pages(limit=100)
    return {one.source.path.split("/")[-2]: one for page in pages for one in page.entries}


def test_every_commit_is_a_transaction_in_order(replayed, statutes):
    asked = ["git", "-C", str(statutes), "rev-list", "--reverse", "--format=%cI", "HEAD"]
    told = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.splitlines()
    dates = [line[:19] for line in told if not line.startswith("commit")]
    assert len(dates) == 69
    assert [one.recorded_at[:19] for one in replayed.log().transactions] == dates


@pytest.mark.parametrize("statute", STATUTES)
def test_the_text_of_a_date_is_that_of_the_last_commit_by_then(
    replayed, statutes, entries, statute
):
    entry = entries[statute]
    texts = set()
    for date in DATES:
        whole = shown_by_git(statutes, entry.source.path, date)
        known = replayed.get(entry.id, known_at=date, as_of=date)
        assert whole.endswith(known.content)
        assert known.title in whole
        assert len(whole) - len(known.content) < 1_000  # the frontmatter
        texts.add(known.content)
    assert texts


def changed(memory, entry, since: str, until: str):
    return memory.diff(start=since, end=until, axis="known", entry=entry.id).changes


def test_the_diff_of_the_bgb_names_what_was_put_in(replayed, entries):
    [change] = changed(replayed, entries["bgb"], "2012-08-10", "2013-02-01")
    assert change.kind == "corrected"
    new = "".join(part.text for part in change.text if part.op != "delete")
    before, _, _ = new.partition("6a. die Zustellung der Anmeldung zu einem Musterverfahren")
    assert re.findall(r"^#+ § (\w+)", before, re.MULTILINE)[-1] == "204"
    put_in = [part for part in change.text if part.op == "insert"]
    [number] = [part for part in put_in if "6a. die Zustellung" in part.text]
    assert number.section[-1].startswith("§ 204 Hemmung")
    assert number.section[0] == "Bürgerliches Gesetzbuch (BGB)"
    assert any("Beschneidung des männlichen" in part.text for part in put_in)
    named = {part.section[-1] for part in put_in}
    for heading in ("Anwendung des Kaufrechts", "Reisevertrag"):
        assert any(heading in one for one in named)


def test_nothing_was_learned_of_the_burlg_in_that_winter(replayed, entries):
    assert changed(replayed, entries["burlg"], "2012-08-10", "2013-02-01") == ()


def test_ten_years_later_the_burlg_has_changed(replayed, entries):
    [change] = changed(replayed, entries["burlg"], "2012-08-10", "2022-02-02")
    assert change.kind == "corrected"


def test_recall_answers_from_the_statutes_as_they_were(replayed, entries):
    then, now = (
        replayed.recall("Urlaubsanspruch Werktage Kalenderjahr", limit=3, **asked)
        for asked in ({"known_at": "2012-08-10"}, {})
    )
    assert entries["burlg"].id in {hit.entry.id for hit in then}
    assert entries["burlg"].id in {hit.entry.id for hit in now}
    for hit in then:
        assert hit.entry.recorded_from <= "2012-08-10"


def test_a_second_replay_and_a_plain_import_find_everything_unchanged(replayed, statutes):
    before = replayed.log(after=60).transactions
    for history in (True, False):
        report = replayed.import_(statutes, history=history)
        counts = (report.added, report.changed, report.moved, report.removed)
        assert (counts, report.unchanged) == ((0, 0, 0, 0), 150)
    assert replayed.log(after=60).transactions == before
