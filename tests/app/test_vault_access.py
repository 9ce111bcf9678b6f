"""Who may see a note: where its frontmatter is not clear about that, nobody more than before."""

import pytest
from imported_vault import Vault


def text(*lines: str, body: str = "Text") -> str:
    return "\n".join(("---", *lines, "---", body, ""))


def by_hand(vault: Vault, **params: object) -> None:
    vault.do(op="correct", **params, target=str(vault.ids()["a.md"]))


def access(vault: Vault) -> tuple[str, int, tuple[str, ...]]:
    [note] = vault.current()
    with vault.ledger.read("w") as reader:
        has = reader.latest_version(note.entry_id, vault.now()).version.attributes
    return has.visibility, has.sensitivity, has.acl


NOBODY = ("restricted", 3, ("?",))
BROKEN = "title: a: b: c"


def imported(vault: Vault, *lines: str, body: str = "Text") -> tuple[str, int, tuple[str, ...]]:
    """Who may see a note, after an import that may have warned."""
    vault.write("a.md", text(*lines, body=body))
    assert vault.run().failed == ()
    return access(vault)


@pytest.mark.parametrize(
    "lines",
    [
        ("visibility: restricted", BROKEN),
        ("Visibility: restricted", BROKEN),
        ('"acl": [anna]', BROKEN),
        ("{sensitivity: 2, title: [}",),
        ("acl: [anna]", "title: {{title}}"),
        ("visibility: restricted", "Visibility: public"),
        ("visibility: restricted", "visibility: public"),
        ("acl: ['']",),
        ("acl: [null]",),
        ("acl: ' '",),
        ("acl: [' ', '']",),
    ],
)
def test_what_may_say_who_sees_a_note_and_is_not_clear_opens_it_to_nobody(vault: Vault, lines):
    assert imported(vault, *lines) == NOBODY
    assert imported(vault, "other: 1") == ("internal", 0, ())
    assert imported(vault, *lines, body="More") == NOBODY


def test_a_frontmatter_without_its_end_that_says_who_sees_it_opens_it_to_nobody(vault: Vault):
    assert imported(vault, "acl: [anna]") == ("internal", 0, ("anna",))
    vault.write("a.md", "---\nacl: [anna]\nText\n")
    vault.run()
    assert access(vault) == ("restricted", 3, ("anna",))


@pytest.mark.parametrize("broken", [(BROKEN,), ("title: {{title}}",)])
def test_a_frontmatter_that_cannot_be_read_leaves_it_to_whom_it_was(vault: Vault, broken):
    said = ("visibility: restricted", "acl: [anna]", "sensitivity: 2")
    assert imported(vault, *said) == ("restricted", 2, ("anna",))
    for body in ("More", "And more"):
        assert imported(vault, *broken, body=body) == ("restricted", 2, ("anna",))
    assert imported(vault, "other: 1") == ("internal", 0, ())


def test_a_note_that_was_never_hidden_is_not_when_its_frontmatter_cannot_be_read(vault: Vault):
    assert imported(vault, BROKEN) == ("internal", 0, ())


def test_a_type_that_cannot_be_read_any_more_hides_a_note_as_before(vault: Vault):
    vault.declare("types:\n  secret: {visibility: restricted}\n")
    assert imported(vault, "type: secret")[0] == "restricted"
    assert imported(vault, "type: secret", BROKEN)[0] == "restricted"
    assert imported(vault, "type: note")[0] == "internal"


@pytest.mark.parametrize("lines", [(BROKEN,), ("acl: [bert]", BROKEN)])
def test_whom_it_was_given_to_by_hand_keeps_it(vault: Vault, lines):
    imported(vault, "other: 1")
    by_hand(vault, acl=["anna"], sensitivity=1)
    assert imported(vault, *lines)[1:] == (1, ("anna",))
    assert imported(vault, "other: 1")[1:] == (1, ("anna",))


@pytest.mark.parametrize(
    "line", ["acl: {team: yes}", "visibility: restrictd", "visibility: {a: 1}", "sensitivity: high"]
)
def test_who_may_see_it_in_unreadable_words_hides_a_note(vault: Vault, line: str):
    vault.write("a.md", text(line))
    told = vault.run()
    assert [one.path for one in told.warnings] == ["a.md", "a.md"]
    assert access(vault) == NOBODY
    assert imported(vault, "visibility: internal") == ("internal", 0, ())
