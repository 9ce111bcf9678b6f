"""A restored home stands on the ledger that was restored, and on no other one."""

from pathlib import Path

import pytest
from restoring import beside, restored

from damals import Damals, messages
from damals.bootstrap.migrating import migrate_home
from damals.domain.errors import Conflict, InvalidInput
from damals.settings import Loaded
from postgres_server import PASSWORD

SECRET = "Zahnarzttermin von Erika Mustermann"  # noqa: S105 -- what is to be gone


def titles(home: Path) -> set[str]:
    with Damals.open(home) as memory:
        assert memory.audit().ok
        return {entry.title for entry in memory.entries(limit=None)}


def backed_up_file(home: Path) -> str:
    """A ledger in a file, one of whose entries was erased after its backup."""
    with Damals.open(home) as memory:
        gone = memory.remember("Weg", SECRET).id
        memory.remember("Bleibt", "x")
        backup = memory.backup()
        memory.erase("entry", gone)
    return backup.id


class TestABackupOfALedgerInAFile:
    def test_is_refused_where_the_environment_names_a_server(
        self, home: Path, tmp_path: Path, blank, monkeypatch
    ):
        """The home would stand on that ledger, and the erasures would be made in it."""
        backup = backed_up_file(home)
        live = blank()
        monkeypatch.setenv("DAMALS_LEDGER", live)
        with Damals.open(tmp_path / "live") as memory:
            memory.remember("Lebendig", SECRET)
        for to in (None, tmp_path / "new"):
            with pytest.raises(Conflict) as refused:
                restored(home, backup, to)
            assert refused.value.key == "backup.ledger_elsewhere"
            assert refused.value.values["name"] == "DAMALS_LEDGER"
            told = messages.render(f"{refused.value.key}.hint", refused.value.values)
            assert "DAMALS_LEDGER=sqlite" in told
            assert PASSWORD not in f"{told}{refused.value}"
        assert not (tmp_path / "new").exists()
        assert titles(tmp_path / "live") == {"Lebendig"}
        monkeypatch.setenv("DAMALS_LEDGER", "sqlite")
        assert restored(home, backup).erased_again == 1
        assert titles(home) == {"Bleibt"}

    def test_brings_a_home_that_has_moved_to_a_server_back_into_its_file(self, home: Path, blank):
        backup = backed_up_file(home)
        live = blank()
        migrate_home(home, ledger=live)
        with Damals.open(home) as memory:
            memory.remember("Nach dem Umzug", "x")
        done = restored(home, backup)
        assert done.erased_again == 1
        assert Loaded.load(home=home).settings.ledger == "sqlite"
        assert titles(home) == {"Bleibt"}
        assert titles(Path(str(done.before))) == {"Bleibt", "Nach dem Umzug"}

    def test_comes_with_settings_that_named_a_server_and_stands_on_its_file_all_the_same(
        self, home: Path, tmp_path: Path, blank, monkeypatch
    ):
        """When it was made the environment had the last word; in the end only the file is left."""
        home.mkdir(exist_ok=True)
        (home / "config.yaml").write_text(
            f"half_life_days: 30\nledger: {blank()}\n", encoding="utf-8"
        )
        monkeypatch.setenv("DAMALS_LEDGER", "sqlite")
        backup = backed_up_file(home)
        restored(home, backup, tmp_path / "new")
        monkeypatch.delenv("DAMALS_LEDGER")
        assert Loaded.load(home=tmp_path / "new").settings.ledger == "sqlite"
        assert Loaded.load(home=tmp_path / "new").settings.half_life_days == 30
        assert titles(tmp_path / "new") == {"Bleibt"}


class TestABackupOfALedgerOnAServer:
    def test_is_refused_where_no_server_is_named(self, home: Path, blank, monkeypatch):
        monkeypatch.setenv("DAMALS_LEDGER", blank())
        backup = backed_up_file(home)
        monkeypatch.setenv("DAMALS_LEDGER", "sqlite")
        before = beside(home)
        with pytest.raises(InvalidInput) as refused:
            restored(home, backup)
        assert refused.value.key == "backup.no_server"
        assert beside(home) == before

    def test_never_points_back_to_the_ledger_that_it_was_made_of(
        self, home: Path, tmp_path: Path, blank, monkeypatch
    ):
        old, new = blank(), blank()
        home.mkdir(exist_ok=True)
        (home / "config.yaml").write_text(f"ledger: {old}\n", encoding="utf-8")
        backup = backed_up_file(home)
        with Damals.open(home) as memory:
            memory.remember("Im alten", "x")
        monkeypatch.setenv("DAMALS_LEDGER", new)
        restored(home, backup, tmp_path / "new")
        assert titles(tmp_path / "new") == {"Bleibt"}
        monkeypatch.delenv("DAMALS_LEDGER")
        told = Loaded.load(home=tmp_path / "new").settings.ledger
        assert told != old
        assert told.rpartition("/")[2] == new.rpartition("/")[2]
        assert titles(home) == {"Bleibt", "Im alten"}
