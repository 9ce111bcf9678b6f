"""Notes that are out of use, and notes that were erased, at the next import."""

from imported_vault import Vault

from damals.app.ledger_model import At, EntryFilter

ARCHIVED = "---\nstatus: archived\n---\n# Alt\n\nEin alter Vertrag.\n"
IN_USE = "# Alt\n\nEin alter Vertrag.\n"


def titles(vault: Vault, at: At | None = None, **where: object) -> list[str]:
    with vault.ledger.read("w") as reader:
        found = reader.list_at(at or vault.now(), EntryFilter(**where))
        return sorted(one.version.attributes.title for one in found)


def test_a_note_that_says_so_is_archived_at_once(vault: Vault):
    vault.write("alt.md", ARCHIVED)
    vault.write("neu.md", "# Neu\n")
    vault.take_in()
    assert titles(vault) == ["Neu"]
    assert titles(vault, archived=True) == ["Alt"]


def test_a_note_that_comes_to_say_so_was_in_use_before(vault: Vault):
    vault.write("alt.md", IN_USE)
    vault.take_in()
    before = vault.now()
    vault.write("alt.md", ARCHIVED)
    assert vault.take_in().changed == 1
    assert titles(vault) == []
    assert titles(vault, before) == ["Alt"]


def test_an_archived_note_can_still_be_corrected(vault: Vault):
    vault.write("alt.md", ARCHIVED)
    vault.take_in()
    vault.write("alt.md", ARCHIVED.replace("alter", "uralter"))
    assert vault.take_in().failed == ()
    assert "uralter" in vault.content("alt.md")


def test_a_note_that_no_longer_says_so_stays_archived_and_is_reported(vault: Vault):
    vault.write("alt.md", ARCHIVED)
    vault.take_in()
    vault.write("alt.md", IN_USE)
    report = vault.run()
    assert ["vault.stays_archived" in one.reason for one in report.warnings] == [True]
    assert titles(vault) == []


def test_an_archived_note_whose_file_is_gone_stays_archived(vault: Vault):
    vault.write("alt.md", ARCHIVED)
    vault.take_in()
    vault.remove("alt.md")
    assert vault.take_in(prune=True).failed == ()
    assert titles(vault, archived=True) == ["Alt"]


def test_every_other_status_is_a_property(vault: Vault):
    vault.write("alt.md", ARCHIVED.replace("archived", "entwurf"))
    vault.take_in()
    assert titles(vault) == ["Alt"]
    assert vault.properties("alt.md")["status"] == "entwurf"


def test_an_erased_note_is_not_imported_again_and_the_others_are(vault: Vault):
    vault.write("alt.md", IN_USE)
    vault.take_in()
    vault.do(op="erase", target=str(vault.ids()["alt.md"]))
    vault.write("neu.md", "# Neu\n")
    report = vault.take_in()
    assert [(one.path, "entry.erased_before" in one.reason) for one in report.failed] == [
        ("alt.md", True)
    ]
    assert titles(vault) == ["Neu"]
