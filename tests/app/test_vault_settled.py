"""What a vault's import does when nothing changed since the last one."""

from dataclasses import replace
from pathlib import Path

import pytest
from imported_vault import START, Vault

from damals.adapters.files.readings import ReadingsFile
from damals.app.index_model import AccessFilter
from damals.app.record import Request, record
from damals.bootstrap import init_home, open_home

NOTES = {
    "a.md": "# A\n\nSee [[b]] and [[missing]].\n",
    "folder/b.md": "---\nsupersedes: '[[a]]'\nvalid_from: 2025-01-01\n---\n# B\n\n#tag\n",
    "folder/c.md": "---\nid: own-name\nstatus: archived\n---\n# C\n",
}


class LookedAt(ReadingsFile):
    """The readings of a home, which remember how often they were asked and for what.

    Only who looks at more than digests asks for the last reading.
    """

    looked = 0
    asked = 0
    kept = 0

    def get(self, source):
        self.looked += 1
        return super().get(source)

    def settled(self, folder):
        self.asked += 1
        return super().settled(folder)

    def settle(self, folder, settled):
        self.kept += 1
        super().settle(folder, settled)


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    vault = Vault(tmp_path / "vault")
    vault.vaults = replace(vault.vaults, readings=LookedAt(vault.home / "cache"))
    for path, text in NOTES.items():
        vault.write(path, text)
    return vault


def looked(vault: Vault, **options) -> bool:
    """Whether an import looks at more than digests."""
    readings = vault.vaults.readings
    before = readings.looked
    vault.run(**options)
    return readings.looked > before


def test_an_unchanged_folder_costs_its_digests_alone(vault: Vault):
    assert looked(vault)
    head, report = vault.head(), vault.run()
    assert not looked(vault)
    assert vault.head() == head
    assert (report.unchanged, report.added, report.changed) == (3, 0, 0)
    assert report.source == "vault"


def test_a_dry_run_of_an_unchanged_folder_says_the_same(vault: Vault):
    vault.run()
    assert vault.run(dry_run=True).unchanged == 3


@pytest.mark.parametrize("change", ["written", "added", "renamed"])
def test_whatever_changed_of_the_files_is_looked_at(vault: Vault, change: str):
    vault.run()
    match change:
        case "written":
            vault.write("a.md", "# A\n\nOther text.\n")
        case "added":
            vault.write("missing.md", "# Missing\n")
        case _:
            vault.rename("folder/b.md", "b.md")
    assert looked(vault)
    assert not looked(vault)


def test_a_file_that_is_gone_is_told_each_time_until_it_is_pruned(vault: Vault):
    vault.run()
    vault.remove("a.md")
    assert [vault.run().removed, vault.run().removed] == [1, 1]
    assert vault.run(prune=True).removed == 1
    assert vault.run().removed == 0


def test_a_file_that_cannot_be_read_is_told_each_time(vault: Vault):
    vault.write("broken.md", b"\xff\xfe\x00")
    assert [len(vault.run().failed), len(vault.run().failed)] == [1, 1]


def test_after_a_note_was_touched_everything_is_looked_at(vault: Vault):
    vault.run()
    target = str(vault.ids()["folder/b.md"])
    with vault.ledger.write("w") as writer:
        record(writer, vault.tools, Request(({"op": "retract", "target": target},), "anna"))
    head = vault.head()
    vault.run()
    assert vault.head() > head
    assert "folder/b.md" in vault.places()


def test_what_others_store_beside_it_leaves_a_folder_settled(vault: Vault):
    vault.run()
    for title in ("missing", "b", "c"):
        vault.do(op="remember", title=title, external_id=title)
        assert not looked(vault)
    vault.do(op="update", target="b", title="b anew", content="")
    vault.do(op="relate", src="c", type="supports", dst="missing")
    vault.do(op="retract", target="c")
    assert not looked(vault)
    assert vault.run().unchanged == 3


def test_after_anything_was_erased_everything_is_looked_at(vault: Vault):
    vault.run()
    vault.do(op="remember", title="c", external_id="c")
    vault.do(op="erase", target="c")
    assert looked(vault)
    assert not looked(vault)


@pytest.mark.parametrize("touching", [True, False])
def test_what_others_touch_while_a_folder_is_looked_at_is_looked_at_next(
    vault: Vault, touching: bool
):
    vault.run()
    target = str(vault.ids()["folder/b.md"])
    vault.declare("relations:\n  cites:\n    symmetric: true\n")
    quiet = vault.vaults

    class Meanwhile(LookedAt):
        """Readings that are asked for in the middle of an import, when somebody writes."""

        def get(self, source):
            if touching:
                vault.do(op="retract", target=target)
            else:
                vault.do(op="remember", title="Beside")
            return super().get(source)

    vault.vaults = replace(quiet, readings=Meanwhile(vault.home / "cache"))
    vault.run()
    vault.vaults = quiet
    assert looked(vault) == touching
    assert not looked(vault)


def test_with_other_types_everything_is_looked_at(vault: Vault):
    vault.run()
    assert not looked(vault)
    vault.declare("relations:\n  cites:\n    symmetric: true\n")
    assert looked(vault)


@pytest.mark.parametrize("whose", ["vault", "home"])
def test_when_types_ask_for_more_of_readers_everything_is_looked_at(vault: Vault, whose: str):
    asking = "relations:\n  supports:\n    min_visibility: {}\n"
    vault.declare(asking.format("restricted"))
    vault.run()
    assert not looked(vault)
    if whose == "vault":
        vault.declare(asking.format("internal"))
    else:
        vault.declare(asking.format("restricted"), at=vault.home)
    assert looked(vault)
    assert not looked(vault)


def test_who_does_not_see_everything_is_never_told_that_nothing_changed(vault: Vault):
    vault.run()
    before = vault.vaults.readings.asked
    vault.run(access=AccessFilter(max_sensitivity=1))
    assert vault.vaults.readings.asked == before


def test_in_another_ledger_nothing_is_settled(vault: Vault, tmp_path: Path):
    vault.run()
    other = Vault(tmp_path / "other")
    other.root, other.vaults = vault.root, vault.vaults
    assert other.run().added == 3


def test_a_restored_ledger_is_another_one_also_where_the_clock_was_set_back(
    vault: Vault, tmp_path: Path
):
    restored = Vault(tmp_path / "restored")
    restored.root, restored.vaults = vault.root, vault.vaults
    for one in (vault, restored):  # a first transaction of the future sets the time of the next
        one.set_clock(2 * START)
        one.do(op="remember", title="Before")
    vault.set_clock(START)
    restored.set_clock(START + 60_000_000)
    vault.run()
    restored.do(op="remember", title="After")
    with vault.ledger.read("w") as one, restored.ledger.read("w") as other:
        assert one.head().recorded_at == other.head().recorded_at
    assert restored.run().added == 3


def test_of_a_part_of_a_source_nothing_is_settled(vault: Vault):
    vault.run()
    kept = vault.vaults.readings.kept
    assert vault.run("folder").unchanged == 2
    assert vault.run("a.md").unchanged == 1
    assert vault.vaults.readings.kept == kept
    assert not looked(vault)


def test_the_same_vault_has_the_same_ids_in_every_home(vault: Vault, tmp_path: Path):
    seen = []
    for name in ("one", "two"):
        init_home(tmp_path / name, timezone="Europe/Berlin")
        with open_home(tmp_path / name, embedder="none") as memory:
            memory.import_(vault.root)
            hits = memory.recall("see tag", limit=100).results
        seen.append(sorted((hit.entry.id, hit.chunk.id, hit.chunk.line) for hit in hits))
    assert seen[0] == seen[1]
    assert seen[0]


def save_while_listed(vault: Vault, monkeypatch: pytest.MonkeyPatch, path: str, text: str):
    """Somebody saves a note when it has been listed and is not yet read."""
    scan = vault.reader.scan

    def saving(root: Path):
        files = list(scan(root))
        vault.write(path, text)
        return files

    monkeypatch.setattr(vault.reader, "scan", saving)


def test_a_note_that_is_saved_while_it_is_imported_is_known_by_what_was_read(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    before = NOTES["a.md"]
    with monkeypatch.context() as saving:
        save_while_listed(vault, saving, "a.md", "# A\n\nOther text.\n")
        vault.run()
    assert vault.run().unchanged == 3
    vault.write("a.md", before)
    vault.run()
    assert vault.content("a.md") == before


def test_a_note_that_is_saved_when_it_is_read_once_more_is_read_by_the_next_run(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    vault.run()
    vault.write("missing.md", "# Missing\n")
    with monkeypatch.context() as saving:
        save_while_listed(vault, saving, "a.md", "# A\n\nNo links.\n")
        vault.run()
    vault.write("a.md", NOTES["a.md"])
    vault.run()
    assert vault.links("a.md") == {"folder/b.md", "missing.md"}


def test_a_folder_that_was_saved_into_meanwhile_is_not_settled(
    vault: Vault, monkeypatch: pytest.MonkeyPatch
):
    save_while_listed(vault, monkeypatch, "a.md", "# A\n\nOther text.\n")
    kept = vault.vaults.readings.kept
    vault.run()
    assert vault.vaults.readings.kept == kept
