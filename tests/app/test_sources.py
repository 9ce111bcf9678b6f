"""Who is told of a source, and what of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from damals.app.sources import MOST_PROBLEMS
from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.errors import InvalidInput, NotFound
from damals.local import LocalDamals
from git_repository import Repository

READER = Principal("kim", ("reader",))
STRANGER = Principal("bob", ("admin",), workspaces=("elsewhere",), visibility="restricted")


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[LocalDamals]:
    memory = open_home(tmp_path / "home", embedder="none", timezone="UTC", brief=True)
    assert isinstance(memory, LocalDamals)
    with memory:
        yield memory


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "Notizen"
    made.mkdir()
    return made


def _write(folder: Path, name: str, *, visibility: str = "internal") -> None:
    text = f"---\nvisibility: {visibility}\n---\n{name}\n"
    (folder / f"{name}.md").write_text(text, encoding="utf-8")


def test_others_are_told_of_the_notes_they_see_and_of_no_result(owner: LocalDamals, folder: Path):
    _write(folder, "offen")
    _write(folder, "geheim", visibility="restricted")
    (folder / "kaputt.md").write_bytes(b"\xff\xfe\xff")
    owner.import_(folder)
    [told] = owner.under(READER).sources()
    assert (told.name, told.entries, told.result) == ("Notizen", 1, None)
    assert owner.sources()[0].entries == 2


def test_what_is_imported_unseen_moves_nothing_for_others(owner: LocalDamals, folder: Path):
    _write(folder, "offen")
    owner.import_(folder)
    before = owner.under(READER).sources()
    _write(folder, "geheim", visibility="restricted")
    owner.import_(folder)
    assert owner.under(READER).sources() == before


def test_a_source_of_which_nothing_is_seen_is_not_told(owner: LocalDamals, folder: Path):
    _write(folder, "geheim", visibility="restricted")
    owner.import_(folder)
    assert list(owner.under(READER).sources()) == []
    with pytest.raises(NotFound) as refused:
        owner.under(STRANGER).sources()
    assert refused.value.key == "workspace.unknown"


def test_an_erasure_forgets_what_imports_told_of_it(owner: LocalDamals, folder: Path):
    _write(folder, "weg")
    _write(folder, "da")
    (folder / "Frau Maier.md").write_bytes(b"\xff\xfe\xff")
    owner.import_(folder)
    assert owner.sources()[0].result is not None
    erased = next(one for one in owner.entries() if one.title == "weg")
    owner.erase("entry", erased.id)
    [told] = owner.sources()
    assert (told.entries, told.result) == (1, None)
    owner.import_(folder)
    assert owner.sources()[0].result is not None
    assert owner.audit().ok


def test_of_many_failures_the_first_are_told_and_the_rest_counted(owner: LocalDamals, folder: Path):
    for number in range(MOST_PROBLEMS + 5):
        (folder / f"{number:04}.md").write_bytes(b"\xff\xfe\xff")
    owner.import_(folder)
    result = owner.sources()[0].result
    assert result is not None
    assert (result.failures, len(result.failed)) == (MOST_PROBLEMS + 5, MOST_PROBLEMS)


def test_an_import_that_fails_leaves_what_the_last_one_gave(owner: LocalDamals, folder: Path):
    _write(folder, "a")
    owner.import_(folder)
    before = owner.sources()
    (folder / ".damals").mkdir()
    (folder / ".damals" / "types.yaml").write_text("types: [", encoding="utf-8")
    with pytest.raises(InvalidInput):
        owner.import_(folder)
    assert owner.sources() == before


def test_an_import_below_a_source_is_one_of_that_source(owner: LocalDamals, folder: Path):
    (folder / "Unterlagen").mkdir()
    _write(folder, "a")
    _write(folder / "Unterlagen", "b")
    owner.import_(folder)
    owner.import_(folder / "Unterlagen")
    [told] = owner.sources()
    assert (told.name, told.entries) == ("Notizen", 2)
    assert Path(told.root) == folder.resolve()


def test_what_a_history_could_not_record_in_its_time_is_told(owner: LocalDamals, folder: Path):
    repository = Repository(folder)
    owner.remember("Something that came before")
    for number in range(3):
        repository.commit(a=f"{number}\n")
    report = owner.import_(folder, history=True)
    assert len(report.late) == 3
    [told] = owner.sources()
    assert told.result.late_commits == 3
    assert told.result.late == report.late
    owner.import_(folder)
    assert owner.sources()[0].result.late_commits == 0
