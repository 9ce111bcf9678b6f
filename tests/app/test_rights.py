"""What an asker may not do is refused by whatever way it comes, and is signed with its name."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.domain.errors import Denied
from damals.local import LocalDamals

WRITER = Principal("scribe", ("writer",))
ADMIN = Principal("boss", ("admin",))


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[LocalDamals]:
    memory = open_home(tmp_path / "home", embedder="none", timezone="UTC", brief=True)
    assert isinstance(memory, LocalDamals)
    with memory:
        yield memory


@pytest.fixture
def events(tmp_path: Path):
    """Writes a file of events: each a transaction of one operation, in someone else's name."""

    def write(*operations: dict) -> Path:
        path = tmp_path / "events.jsonl"
        lines = [
            {"recorded_at": f"2020-01-0{n}T00:00:00Z", "actor": "somebody", "ops": [operation]}
            for n, operation in enumerate(operations, start=1)
        ]
        path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
        return path

    return write


SAID = {"op": "remember", "external_id": "x", "title": "A"}
GONE = {"op": "erase", "target": "x"}


def actors(memory: LocalDamals) -> set[str]:
    return {one.actor for one in memory.log().transactions}


def test_only_the_owner_replays_in_the_name_of_others(owner: LocalDamals, events):
    owner.create_workspace("copy")
    path = events(SAID)
    owner.import_(path)
    assert actors(owner) == {"somebody"}
    copy = owner.under(ADMIN, workspace="copy")
    copy.import_(path)
    assert actors(copy) == {"boss"}


def test_a_vault_is_imported_in_the_name_of_who_imports_it(owner: LocalDamals, tmp_path: Path):
    owner.create_workspace("own")
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "note.md").write_text("# Note\n", encoding="utf-8")
    owner.import_(folder)
    own = owner.under(WRITER, workspace="own")
    own.import_(folder)
    assert (actors(owner), actors(own)) == ({"import"}, {"scribe"})


def test_events_erase_only_for_who_may_erase(owner: LocalDamals, events):
    owner.create_workspace("other")
    path = events(SAID, GONE)
    with pytest.raises(Denied) as refused:
        owner.under(WRITER, workspace="other").import_(path)
    assert refused.value.key == "events.line"
    assert refused.value.values["line"] == 2
    assert refused.value.values["cause"].key == "access.right"
    assert owner.under(ADMIN, workspace="other").log().transactions == ()
    owner.under(ADMIN, workspace="other").import_(path)
    owner.import_(path)
    for name in ("default", "other"):
        assert owner.under(ADMIN, workspace=name).entries().entries == ()


def test_who_administers_some_workspaces_does_not_administer_the_home(owner: LocalDamals):
    owner.remember("A")
    some = owner.under(Principal("some", ("admin",), ("default",)))
    for act in (some.doctor, lambda: some.doctor(repair=True), some.reindex):
        with pytest.raises(Denied) as refused:
            act()
        assert refused.value.key == "access.home"
    everywhere = owner.under(ADMIN)
    assert everywhere.doctor()
    assert everywhere.reindex()
    with pytest.raises(Denied) as lacking:
        owner.under(WRITER).doctor()
    assert lacking.value.key == "access.right"
