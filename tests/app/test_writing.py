"""A file that is written appears when it is whole, and nothing else of the user's is touched."""

import stat
import sys
from pathlib import Path

import pytest

from damals.app.errors import InvalidInput, NotFound
from damals.app.writing import replaced


def broken(path: Path) -> None:
    with replaced(path) as (_, file):
        file.write(b"half")
        raise ZeroDivisionError


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "export.jsonl"


def test_it_appears_whole_and_leaves_nothing_beside_it(target: Path):
    with replaced(target) as (location, file):
        file.write(b"new")
        assert not target.exists()
    assert location == target
    assert target.read_bytes() == b"new"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_only_this_user_can_read_it(target: Path):
    with replaced(target) as (_, file):
        (draft,) = target.parent.iterdir()
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600
        file.write(b"x")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_failure_leaves_what_was_there(target: Path):
    target.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError):
        broken(target)
    assert list(target.parent.iterdir()) == [target]
    assert target.read_bytes() == b"old"


@pytest.mark.parametrize("fails", [False, True])
def test_files_of_a_like_name_are_the_users_own(target: Path, fails: bool):
    own = target.with_name(f"{target.name}.part")
    own.write_bytes(b"mine")
    if fails:
        with pytest.raises(ZeroDivisionError):
            broken(target)
    else:
        with replaced(target) as (_, file):
            file.write(b"new")
    assert own.read_bytes() == b"mine"


def test_a_link_of_a_like_name_is_not_followed(target: Path, tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    target.with_name(f"{target.name}.part").symlink_to(victim)
    with replaced(target) as (_, file):
        file.write(b"new")
    assert (victim.read_bytes(), target.read_bytes()) == (b"mine", b"new")


def test_two_at_once_do_not_mix(target: Path):
    with replaced(target) as (_, first):
        first.write(b"first ")
        with replaced(target) as (_, second):
            second.write(b"second")
        assert target.read_bytes() == b"second"
        first.write(b"whole")
    assert target.read_bytes() == b"first whole"


def test_where_nothing_can_be_written_is_told_by_the_path_that_was_given(target: Path):
    with pytest.raises(NotFound) as missing, replaced(target / "a" / "b"):
        pass
    assert missing.value.values["path"] == str(target / "a" / "b")
    with pytest.raises(InvalidInput) as folder, replaced(target.parent):
        pass
    assert folder.value.key == "path.unwritable"
