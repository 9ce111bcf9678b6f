"""Which relations notes state, after an import of a real folder."""

import pytest

from damals.domain.errors import InvalidInput
from damals.domain.types import LINKS_TO


def warned(report) -> list[str]:
    """Message keys and fields, as errors read in tests."""
    return [warning.reason for warning in report.warnings]


# --- ways of stating a relation


@pytest.mark.parametrize(
    "text",
    [
        '---\nextends: "[[b]]"\n---\nText',
        "---\nextends: [[b]]\n---\nText",
        '---\nExtends: ["[[b|x]]"]\n---\nText',
        "extends:: [[b]]",
        "Text [extends:: [[b]]] und mehr",
        "Text (Extends:: [[b]]) und mehr",
        "- extends [[b]]",
        "- EXTENDS [[b]] (ein Grund)",
    ],
)
def test_a_typed_link_is_a_relation_of_its_type_and_no_plain_link(vault, text):
    vault.write("a.md", text)
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {("extends", "b.md")}
    assert vault.properties("a.md") == {}


@pytest.mark.parametrize(
    "text",
    [
        "- Müller [[b]]",
        "Kapitel:: [[b]]",
        "- extends [[b]] um einen Gedanken",
        "Text extends [[b]]",
    ],
)
def test_everything_else_is_a_plain_link(vault, text):
    vault.write("a.md", text)
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {(LINKS_TO, "b.md")}


def test_several_links_in_one_value_are_a_relation_each(vault):
    vault.write("a.md", '---\nextends: ["[[b]], [[c]]", "[[d]]"]\n---\ncontradicts:: [[b]], [[c]]')
    for name in "bcd":
        vault.write(f"{name}.md", name)
    vault.take_in()
    assert vault.relations("a.md") == {
        *(("extends", f"{name}.md") for name in "bcd"),
        *(("contradicts", f"{name}.md") for name in "bc"),
    }


def test_a_plain_link_elsewhere_in_the_note_is_a_relation_of_its_own(vault):
    vault.write("a.md", "---\nextends: [[b]]\n---\nSiehe auch [[b]].")
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {("extends", "b.md"), (LINKS_TO, "b.md")}


def test_only_relations_in_the_text_have_evidence(vault):
    vault.write("a.md", "---\nextends: [[b]]\n---\ncontradicts:: [[b]]")
    vault.write("b.md", "da")
    vault.take_in()
    entry_id = vault.ids()["a.md"]
    with vault.ledger.write("w") as writer:
        rows = {row.relation: row for row in writer.by_id(entry_id).relations}
    assert rows["extends"].evidence == ()
    assert len(rows["contradicts"].evidence) == 1
    assert (rows["extends"].symmetric, rows["contradicts"].symmetric) == (False, True)
    assert all(row.declared for row in rows.values())


def test_an_undeclared_key_stays_a_property_and_a_declared_one_is_none(vault):
    vault.write("a.md", '---\nup: "[[b]]"\nExtends: "[[b]]"\nstatus: archived\n---\nText')
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.properties("a.md") == {"up": "[[b]]", "status": "archived"}
    assert vault.relations("a.md") == {("extends", "b.md"), ("links_to", "b.md")}


def test_what_is_no_link_in_a_relation_is_kept_as_a_property_and_reported(vault):
    vault.write("a.md", '---\nextends: ["[[b]]", "b oder c"]\nsupersedes: b\nrevises:\n---\nText')
    vault.write("b.md", "da")
    report = vault.take_in()
    assert vault.relations("a.md") == {("extends", "b.md")}
    assert vault.properties("a.md") == {"extends": "b oder c", "supersedes": "b"}
    assert [told for told in warned(report) if "vault.relation_text" in told] == warned(report)
    assert len(report.warnings) == 2


def test_a_relation_to_the_note_itself_is_none_and_is_reported(vault):
    vault.write("a.md", "extends:: [[a]]")
    report = vault.run()
    assert vault.relations("a.md") == set()
    assert ["vault.relation_itself" in told for told in warned(report)] == [True]
    assert report.failed == ()


def test_a_template_states_nothing(vault):
    vault.write("a.md", '---\nextends: "[[b]]"\ntitle: "{{title}}"\n---\nextends:: [[b]]')
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == set()


def test_the_inverse_of_a_relation_is_kept_under_its_own_name(vault):
    vault.write("a.md", "has_part:: [[b]]")
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {("has_part", "b.md")}
    assert vault.relations("b.md") == set()


def test_superseded_by_is_no_relation_until_it_is_declared_and_then_cuts_nothing(vault):
    vault.write("a.md", '---\nsuperseded_by: "[[b]]"\n---\nText')
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.properties("a.md") == {"superseded_by": "[[b]]"}
    vault.declare("relations: {superseded_by: {inverse: supersedes}}\n")
    vault.take_in()
    assert vault.relations("a.md") == {("superseded_by", "b.md")}
    assert not vault.superseded("a.md")


# --- which relations are declared


def test_the_types_of_the_vault_say_which_relations_there_are(vault):
    vault.declare("relations:\n  up: {weight: 0.2}\n")
    vault.write("a.md", "---\nUp: [[b]]\n---\n- up [[c]]\nnext:: [[c]]")
    vault.write("b.md", "da")
    vault.write("c.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {("up", "b.md"), ("up", "c.md"), (LINKS_TO, "c.md")}


def test_the_types_of_the_home_count_for_every_vault(vault):
    vault.declare("relations: {up: }\n", at=vault.home)
    vault.write("a.md", "up:: [[b]]")
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {("up", "b.md")}


def test_a_part_of_a_vault_is_read_with_the_types_of_the_whole(vault):
    vault.declare("relations: {up: }\n")
    vault.write("sub/a.md", "up:: [[b]]")
    vault.write("b.md", "da")
    vault.take_in()
    vault.write("sub/c.md", "up:: [[b]]")
    vault.take_in("sub")
    assert vault.relations("sub/c.md") == {("up", "b.md")}


def test_a_vault_with_a_wrong_file_of_types_is_not_imported(vault):
    vault.declare("relations:\n  up: {weight: much}\n")
    vault.write("a.md", "Text")
    with pytest.raises(InvalidInput) as caught:
        vault.run()
    assert (caught.value.key, caught.value.values["line"]) == ("types.value", 2)
    assert vault.head() == 0


# --- resolving and healing


def test_a_typed_link_heals_and_opens_like_a_plain_one(vault):
    vault.write("a.md", '---\nextends: "[[b]]"\n---\n[[b]]')
    vault.take_in()
    assert vault.relations("a.md") == {("extends", None), (LINKS_TO, None)}
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {("extends", "b.md"), (LINKS_TO, "b.md")}
    vault.remove("b.md")
    vault.take_in(prune=True)
    assert vault.relations("a.md") == {("extends", None), (LINKS_TO, None)}


def test_a_relation_follows_its_note_to_another_place(vault):
    vault.write("a.md", "extends:: [[b]]")
    vault.write("b.md", "dieselbe Notiz")
    vault.take_in()
    vault.rename("b.md", "sub/b.md")
    vault.take_in()
    assert vault.relations("a.md") == {("extends", "sub/b.md")}


@pytest.mark.parametrize(
    ("before", "after"),
    [("[[b]]", "extends:: [[b]]"), ("extends:: [[b]]", "[[b]]"),
     ("extends:: [[b]]", "contradicts:: [[b]]")],
)  # fmt: skip
def test_another_type_of_the_same_link_is_another_relation(vault, before, after):
    vault.write("b.md", "da")
    vault.write("a.md", before)
    vault.take_in()
    first = vault.relations("a.md")
    vault.write("a.md", after)
    vault.take_in()
    assert len(first) == len(vault.relations("a.md")) == 1
    assert first != vault.relations("a.md")


def test_links_of_two_types_to_one_target_are_not_confused_when_one_heals(vault):
    vault.write("a.md", "extends:: [[b]]\n\n[[sub/b]]")
    vault.write("sub/b.md", "tief")
    vault.take_in()
    assert vault.relations("a.md") == {("extends", "sub/b.md"), (LINKS_TO, "sub/b.md")}
    vault.write("b.md", "in der Wurzel")
    vault.take_in()
    assert vault.relations("a.md") == {("extends", "b.md"), (LINKS_TO, "sub/b.md")}


# --- relations that cut


@pytest.mark.parametrize("names", [("a.md", "b.md"), ("b.md", "a.md"), ("a/x.md", "y.md")])
@pytest.mark.parametrize("relation", ["supersedes", "revises"])
def test_a_note_takes_over_from_another_whichever_comes_first(vault, names, relation):
    new, old = names
    vault.write(new, f"---\n{relation}: [[{old}]]\nvalid_from: 2020-01-01\n---\nneu")
    vault.write(old, "---\nvalid_from: 2010-01-01\n---\nalt")
    vault.take_in()
    assert vault.relations(new) == {(relation, old)}
    assert (vault.superseded(old), vault.superseded(new)) == (True, False)


def test_a_chain_of_notes_takes_over_one_from_another(vault):
    for number in range(5):
        before = f"supersedes: [[n{number - 1}]]\n" if number else ""
        vault.write(f"n{number}.md", f"---\n{before}valid_from: 201{number}-01-01\n---\n{number}")
    vault.take_in()
    assert [vault.superseded(f"n{number}.md") for number in range(5)] == [True] * 4 + [False]


def test_a_note_that_appears_later_is_taken_over_as_well(vault):
    vault.write("a.md", "---\nsupersedes: [[b]]\nvalid_from: 2020-01-01\n---\nneu")
    vault.take_in()
    vault.write("b.md", "---\nvalid_from: 2010-01-01\n---\nalt")
    vault.take_in()
    assert vault.superseded("b.md")


def test_what_was_taken_over_is_given_back_when_no_note_says_so_any_more(vault):
    vault.write("a.md", "---\nsupersedes: [[b]]\nvalid_from: 2020-01-01\n---\nneu")
    vault.write("b.md", "---\nvalid_from: 2010-01-01\n---\nalt")
    vault.take_in()
    vault.write("a.md", "---\nvalid_from: 2020-01-01\n---\nneu")
    vault.take_in()
    assert vault.relations("a.md") == set()
    assert not vault.superseded("b.md")


def test_of_a_circle_one_relation_is_refused_and_no_note_is_lost(vault):
    vault.write("a.md", "---\nsupersedes: [[b]]\nvalid_from: 2020-01-01\n---\n[[c]]")
    vault.write("b.md", "---\nsupersedes: [[a]]\nvalid_from: 2010-01-01\n---\nText")
    vault.write("c.md", "da")
    report = vault.run()
    assert (report.added, report.failed) == (3, ())
    assert ["relation.cycle" in told for told in warned(report)] == [True]
    said = vault.relations("a.md") | vault.relations("b.md")
    assert (LINKS_TO, "c.md") in said
    assert len(said) == 2
    [told] = [told for told in warned(report) if "relation.cycle" in told]
    assert "a (a.md)" in told
    assert "b (b.md)" in told
    # It is tried again, so that the other note may make room for it.
    again = vault.run()
    assert ["relation.cycle" in told for told in warned(again)] == [True]
    [refused] = [p for p in ("a.md", "b.md") if not vault.relations(p) - {(LINKS_TO, "c.md")}]
    other = {"a.md": "b.md", "b.md": "a.md"}[refused]
    vault.write(other, "---\nvalid_from: 2015-01-01\n---\nnichts mehr")
    assert warned(vault.run()) == []
    assert ("supersedes", other) in vault.relations(refused)
    vault.take_in()
