"""Plans where they lie: in a folder, in an imported vault, at any pair of instants, for anybody."""

import json
import shlex

import pytest
from plans import roadmap, vision, written

from afar import open_from_afar
from damals import messages
from damals.app.wire import to_wire
from damals.bootstrap import init_home, open_home
from damals.domain.access import Principal
from damals.domain.errors import DamalsError, InvalidInput, NotFound
from damals.domain.instants import DAY
from damals.interfaces.cli.main import main

START = 1_767_225_600_000_000
"""2026-01-01T00:00Z."""


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> int:
        return self.now

    def to(self, days: float) -> None:
        self.now = START + round(days * DAY)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path, monkeypatch, clock):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    init_home(tmp_path / "home", timezone="UTC")
    with open_home(tmp_path / "home", clock=clock, brief=True) as opened:
        yield opened


def write(folder, vision_note=None, roadmap_note=None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vision.md").write_text(written(vision_note or vision()), encoding="utf-8")
    (folder / "roadmap.md").write_text(written(roadmap_note or roadmap()), encoding="utf-8")


def kinds(found) -> list[str]:
    return [one.kind for one in found.findings]


@pytest.mark.parametrize(
    ("block", "why"),
    [
        ("version: [", "vision.md, line 3: the frontmatter is not valid YAML"),
        ("version: {{version}}", "vision.md: the frontmatter holds placeholders"),
        ("version: " + "[" * 50 + "]" * 50, "too large or too deeply nested"),
    ],
)
def test_fields_that_cannot_be_read_are_not_told_as_missing(memory, tmp_path, block, why):
    write(tmp_path / "wiki")
    (tmp_path / "wiki/vision.md").write_text(f"---\n{block}\n---\nVision", encoding="utf-8")
    [one] = memory.planning().findings
    assert (one.kind, one.repair) == ("planning_field_odd", None)
    assert one.message.startswith("What vision.md in wiki says of itself cannot be read. ")
    assert why in one.message


def test_a_folder_is_read_as_it_lies_without_being_imported(memory, tmp_path, clock):
    write(tmp_path / "wiki")
    clock.to(10)
    found = memory.planning()
    assert (found.folder, kinds(found), found.vision.days) == ("wiki", [], 10)
    assert found.vision.entry_id is None
    clock.to(61)
    found = memory.planning()
    assert kinds(found) == ["roadmap_overdue", "vision_overdue"]
    assert [one.severity for one in found.findings] == ["MEDIUM", "LOW"]
    assert found.findings[1].message == (
        "Vision last reviewed 61 days ago (half-life: 60 days). "
        "Consider damals planning wiki before this session."
    )
    assert found.findings[1].repair == "damals annotate wiki/vision.md --last-reviewed 2026-03-03"


def test_the_repairs_run_as_they_are_printed_and_leave_nothing_to_repair(
    memory, tmp_path, clock, monkeypatch
):
    write(tmp_path / "my wiki", vision(version="1.10"), roadmap(linked_vision_version="1.9"))
    clock.to(40)
    found = memory.planning("my wiki")
    assert kinds(found) == ["roadmap_overdue", "roadmap_behind_vision"]
    monkeypatch.setenv("DAMALS_HOME", str(tmp_path / "home"))
    memory.close()
    for one in found.findings:
        assert one.repair is not None
        assert main(shlex.split(one.repair)[1:]) == 0
    with open_home(tmp_path / "home", clock=clock, brief=True) as again:
        assert kinds(again.planning("my wiki")) == []


def test_without_a_home_a_folder_is_read_all_the_same(tmp_path, monkeypatch, clock):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "wiki")
    with open_home(tmp_path / "none", clock=clock, timezone="UTC", brief=True) as memory:
        assert kinds(memory.planning()) == []
        with pytest.raises(NotFound) as raised:
            memory.planning("nirgends")
    assert raised.value.key == "home.missing"


def test_missing_files_are_findings(memory, tmp_path):
    (tmp_path / "wiki").mkdir()
    found = memory.planning("wiki/")
    assert kinds(found) == ["planning_file_missing"] * 2
    assert found.findings[0].message == (
        "wiki/ has no vision.md. Write one whose frontmatter gives version and last_reviewed."
    )


def test_a_file_that_cannot_be_read_is_a_finding(memory, tmp_path):
    write(tmp_path / "wiki")
    (tmp_path / "wiki" / "vision.md").write_bytes(b"\x00\xff")
    [one] = memory.planning().findings
    assert one.kind == "planning_field_odd"
    assert "vision.md" in one.message


def test_a_folder_that_nobody_knows_is_not_found(memory):
    with pytest.raises(NotFound) as raised:
        memory.planning("nirgends")
    assert raised.value.key == "planning.missing"


# --- in an imported vault


def test_an_imported_vault_answers_at_every_pair_of_instants(memory, tmp_path, clock):
    vault = tmp_path / "notizen"
    write(vault / "wiki")
    memory.import_(vault)
    clock.to(50)
    write(vault / "wiki", vision(version="2", last_reviewed="2026-02-20"))
    memory.import_(vault)
    clock.to(100)
    there = "notizen/wiki"
    now = memory.planning(there)
    assert (now.vision.version, now.vision.last_reviewed) == ("2", "2026-02-20")
    assert now.findings[-1].entries == (now.roadmap.entry_id,)
    before = memory.planning(there, known_at="2026-02-01")
    assert (before.vision.version, before.vision.days) == ("1.0", 100)
    then = memory.planning(there, as_of="2026-01-20", known_at="2026-02-01")
    assert (kinds(then), then.vision.days) == ([], 19)
    clock.to(19)
    assert memory.planning(there, as_of="2026-01-20", known_at="2026-02-01") == then


@pytest.mark.parametrize("name", ["wiki", "notizen/wiki", "./notizen/wiki/", "/wiki"])
def test_a_folder_of_a_vault_is_named_with_or_without_its_source(memory, tmp_path, name, clock):
    write(tmp_path / "irgendwo" / "notizen" / "wiki")
    memory.import_(tmp_path / "irgendwo" / "notizen")
    found = memory.planning(name)
    assert found.vision.file == "wiki/vision.md"
    assert found.findings == ()
    clock.to(70)
    repair = memory.planning(name).findings[0].repair
    path = tmp_path / "irgendwo" / "notizen" / "wiki" / "roadmap.md"
    assert repair == f"damals annotate {path} --last-reviewed 2026-03-12"


def test_a_whole_source_may_be_the_folder(memory, tmp_path):
    write(tmp_path / "a" / "wiki")
    memory.import_(tmp_path / "a" / "wiki")
    assert memory.planning("wiki").vision.file == "vision.md"


def test_a_name_that_means_several_folders_is_refused_with_them(memory, tmp_path):
    for name in ("eins", "zwei"):
        write(tmp_path / "x" / name / "wiki")
        memory.import_(tmp_path / "x" / name)
    with pytest.raises(InvalidInput) as raised:
        memory.planning("wiki")
    assert raised.value.key == "planning.several"
    assert raised.value.values["places"] == "eins/wiki, zwei/wiki"
    assert memory.planning("zwei/wiki").findings == ()


def test_a_folder_that_was_imported_is_read_anew_and_names_its_notes(memory, tmp_path):
    write(tmp_path / "notizen" / "wiki")
    memory.import_(tmp_path / "notizen")
    write(tmp_path / "notizen" / "wiki", vision(version="3"))
    found = memory.planning("notizen/wiki")
    assert found.vision.version == "3"
    assert memory.get(found.vision.entry_id).title == "vision"
    asked = memory.planning("notizen/wiki", as_of="2026-01-01T12:00Z")
    assert asked.vision.version == "1.0"


def test_a_folder_that_was_not_imported_has_no_past(memory, tmp_path):
    write(tmp_path / "wiki")
    with pytest.raises(NotFound) as raised:
        memory.planning("wiki", as_of="2025-01-01")
    assert raised.value.key == "planning.not_imported"


def test_a_roadmap_that_was_called_otherwise_then_is_found_by_its_own_name_then(
    memory, tmp_path, clock
):
    vault = tmp_path / "v"
    write(vault / "wiki")
    memory.import_(vault)
    clock.to(5)
    (vault / "wiki" / "roadmap.md").rename(vault / "wiki" / "plan.md")
    (vault / "wiki" / "vision.md").rename(vault / "wiki" / "ziel.md")
    memory.import_(vault, prune=True)
    assert memory.planning("v/wiki", known_at="2026-01-02").roadmap.file == "wiki/roadmap.md"


# --- on import


def reasons(report) -> list[tuple[str, str]]:
    return [(one.path, one.reason) for one in report.warnings]


BEHIND = (
    "This roadmap was written against vision v1.0. Current vision is v1.10. "
    "Consider damals planning notizen/wiki to check phase alignment."
)


@pytest.fixture
def told_in_english(monkeypatch):
    monkeypatch.setattr(DamalsError, "renderer", messages.render)


@pytest.mark.usefixtures("told_in_english")
def test_an_import_of_a_new_vision_says_that_the_roadmap_is_behind(memory, tmp_path):
    vault = tmp_path / "notizen"
    write(vault / "wiki")
    assert reasons(memory.import_(vault)) == []
    write(vault / "wiki", vision(version="1.10"))
    tried = memory.import_(vault, dry_run=True)
    assert reasons(tried) == reasons(memory.import_(vault)) == [("wiki/roadmap.md", BEHIND)]
    assert reasons(memory.import_(vault)) == []  # it is not said again
    (vault / "wiki" / "vision.md").write_text(
        written(vision(version="1.10")) + "mehr\n", encoding="utf-8"
    )
    assert reasons(memory.import_(vault)) == []  # the vision has changed, its version has not


@pytest.mark.usefixtures("told_in_english")
def test_an_import_of_vision_and_roadmap_together_compares_them_as_they_come(memory, tmp_path):
    vault = tmp_path / "notizen"
    write(vault / "wiki", vision(version="1.10"))
    assert reasons(memory.import_(vault)) == [("wiki/roadmap.md", BEHIND)]
    write(vault / "wiki", vision(version="1.11"), roadmap(linked_vision_version="1.11"))
    assert reasons(memory.import_(vault)) == []


# --- for others


def test_a_guest_opens_no_file_and_sees_only_their_notes(memory, tmp_path):
    vault = tmp_path / "notizen"
    write(vault / "wiki", None, roadmap(visibility="restricted"))
    memory.import_(vault)
    (vault / "wiki" / "vision.md").write_text(written(vision(version="9")), encoding="utf-8")
    guest = memory.under(Principal("bob"))
    found = guest.planning("notizen/wiki")
    assert found.vision.version == "1.0"
    assert found.roadmap is None
    assert kinds(found) == ["planning_file_missing"]
    write(tmp_path / "wiki")
    with pytest.raises(NotFound):
        guest.planning(str(tmp_path / "wiki"))


def test_only_the_owner_learns_where_files_lie(memory, tmp_path, clock):
    vault = tmp_path / "notizen"
    write(vault / "wiki")
    memory.import_(vault)
    clock.to(70)
    mine, theirs = (one.planning("notizen/wiki") for one in (memory, memory.under(Principal("b"))))
    assert {one.repair is None for one in mine.findings} == {False}
    assert [one.repair for one in theirs.findings] == [None] * len(mine.findings)
    assert str(tmp_path) not in str(to_wire(theirs))


def test_commands_name_the_workspace_that_was_asked(memory, tmp_path, clock):
    write(tmp_path / "my wiki")
    memory.create_workspace("b")
    memory.close()
    clock.to(70)
    with open_home(tmp_path / "home", clock=clock, brief=True, workspace="b") as other:
        [roadmap_, vision_] = other.planning("my wiki").findings
    assert "damals planning 'my wiki' --workspace b " in vision_.message
    assert roadmap_.repair == (
        "damals annotate 'my wiki/roadmap.md' --last-reviewed 2026-03-12 --workspace b"
    )


def test_the_program_names_home_and_workspace_as_they_were_named(
    memory, tmp_path, capsys, monkeypatch
):
    write(tmp_path / "my wiki", vision(last_reviewed="2020-01-01", version="2"))
    memory.create_workspace("b")
    memory.close()
    monkeypatch.delenv("DAMALS_HOME", raising=False)
    where = ["--home", str(tmp_path / "home"), "--workspace", "b"]
    assert main(["planning", "my wiki", *where, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    repairs = [one["repair"] for one in found if one["repair"]]
    assert repairs
    for line in repairs:
        words = shlex.split(line)
        assert [words[words.index(option) + 1] for option in where[::2]] == where[1::2]
    asked = f"damals planning 'my wiki' --home {tmp_path / 'home'} --workspace b"
    assert any(asked in one["message"] for one in found)


def test_it_is_asked_over_http_as_it_is_asked_here(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="UTC")
    write(tmp_path / "n" / "wiki")
    with open_from_afar(tmp_path / "home") as memory:
        memory.import_(tmp_path / "n")
        at = {"as_of": "2026-09-01", "known_at": None}
        afar = memory.planning("n/wiki", **at)
        assert kinds(afar) == ["vision_overdue", "roadmap_overdue"]
        assert to_wire(afar)["vision"]["half_life_days"] == 60
