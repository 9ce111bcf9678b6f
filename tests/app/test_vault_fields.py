"""Fields of a frontmatter that come, change and go: an entry has what its note says of it."""

from dataclasses import fields, replace
from zoneinfo import ZoneInfo

import pytest
from imported_vault import START, Vault

from damals.adapters.vault.annotate import FrontmatterEditor
from damals.app.annotating import Wanted, annotate
from damals.app.history.replay import HistoryImport
from damals.app.indexing import silent
from damals.app.vault.fields import EXPORTED, KINDS, MEANINGFUL, OTHER_NAMES, SAID, USUAL
from damals.app.vault.run import Options
from damals.domain.entries import Attributes
from damals.domain.fields import FIELDS, When
from damals.domain.types import TypeCatalogue
from damals.interfaces.cli.options import NOTE_FIELDS
from git_repository import Repository

VALUES = {
    "created": "2020-01-01",
    "updated": "2020-02-01",
    "retrieved_at": "2020-03-01",
    "last_reviewed": "2020-04-01",
    "pinned": "true",
    "importance": "5",
    "sensitivity": "2",
    "persona_weight": "0.5",
    "tags": "[haus]",
    "acl": "[anna]",
    "type": "principle",
    "lang": "en",
    "lang_original": "fr",
    "domain": "ai_ml",
    "staleness_risk": "stable",
    "visibility": "restricted",
    "source_id": "original",
}
OTHER = VALUES | {
    **dict.fromkeys(("created", "updated", "retrieved_at", "last_reviewed"), "2021-01-01"),
    "importance": "1",
    "sensitivity": "1",
    "persona_weight": "0.25",
    "tags": ["garten"],
    "acl": ["bert"],
    "type": "fact",
    "lang": "it",
    "lang_original": "es",
    "domain": "law",
    "staleness_risk": "fast_decay",
    "visibility": "public",
    "source_id": "other",
}
"""What somebody sets by hand."""


def text(*lines: str, body: str = "Text") -> str:
    return "\n".join(("---", *lines, "---", body, ""))


def attributes(vault: Vault) -> Attributes:
    """Those of the one note, without what changes with every file."""
    [note] = vault.current()
    with vault.ledger.read("w") as reader:
        has = reader.latest_version(note.entry_id, vault.now()).version.attributes
    return replace(has, content="", source=replace(has.source, digest=None, imported_at=None))


def period(vault: Vault) -> tuple[str | None, str | None]:
    [note] = vault.current()
    with vault.ledger.read("w") as reader:
        found = reader.latest_version(note.entry_id, vault.now()).version.period
    return found.start.text, found.end.text


def told(vault: Vault, *lines: str, body: str = "Text") -> None:
    vault.write("a.md", text(*lines, body=body))
    assert vault.take_in().failed == ()


def by_hand(vault: Vault, **params: object) -> None:
    vault.do(**{"op": "correct", **params}, target=str(vault.ids()["a.md"]))


def test_every_field_that_means_something_is_tried_here():
    assert set(VALUES) == set(SAID) <= set(FIELDS)
    assert set(KINDS) < MEANINGFUL == {*KINDS, "valid_until", *EXPORTED}
    assert set(OTHER_NAMES.values()) < set(KINDS)
    assert set(USUAL) == set(SAID) < {one.name for one in fields(Attributes)}


def test_a_risk_that_does_not_exist_is_reported_and_kept_as_a_property(vault: Vault):
    vault.write("a.md", text("staleness_risk: low"))
    report = vault.take_in()
    assert report.failed == ()
    assert "fast_decay, slow_decay, stable" in str(report)
    has = attributes(vault)
    assert (has.staleness_risk, has.properties["staleness_risk"]) == (None, "low")
    told(vault, "staleness_risk: stable")
    assert attributes(vault).staleness_risk == "stable"


@pytest.mark.parametrize("name", VALUES)
def test_a_field_that_is_gone_says_nothing_any_more(vault: Vault, name: str):
    told(vault, "other: 1")
    without = attributes(vault)
    told(vault, f"{name}: {VALUES[name]}", "other: 1")
    assert attributes(vault) != without
    told(vault, "other: 1", body="More")
    assert attributes(vault) == replace(without, source=attributes(vault).source)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("empty", ["", " null", " ''"])
def test_a_field_that_is_emptied_says_nothing_any_more(vault: Vault, name: str, empty: str):
    told(vault, f"{name}:{empty}")
    without = attributes(vault)
    told(vault, f"{name}: {VALUES[name]}")
    told(vault, f"{name}:{empty}", body="More")
    assert attributes(vault) == without


@pytest.mark.parametrize("name", VALUES)
def test_what_was_set_by_hand_stays_when_the_field_goes(vault: Vault, name: str):
    told(vault, f"{name}: {VALUES[name]}")
    by_hand(vault, **{name: False if name == "pinned" else OTHER[name]})
    has = getattr(attributes(vault), name)
    told(vault)
    assert getattr(attributes(vault), name) == has


@pytest.mark.parametrize("name", VALUES)
def test_what_was_set_by_hand_stays_when_the_note_never_said_it(vault: Vault, name: str):
    told(vault)
    by_hand(vault, **{name: VALUES[name] if name not in ("tags", "acl") else OTHER[name]})
    has = attributes(vault)
    told(vault, body="More")
    assert getattr(attributes(vault), name) == getattr(has, name)


@pytest.mark.parametrize("name", VALUES)
def test_what_was_set_by_hand_and_reverted_was_not_set(vault: Vault, name: str):
    told(vault)
    without = attributes(vault)
    told(vault, f"{name}: {VALUES[name]}")
    by_hand(vault, **{name: False if name == "pinned" else OTHER[name]})
    vault.do(op="revert", transaction=vault.head())
    told(vault)
    assert getattr(attributes(vault), name) == getattr(without, name)


@pytest.mark.parametrize("name", VALUES)
def test_what_the_note_says_again_is_what_it_says(vault: Vault, name: str):
    told(vault, f"{name}: {VALUES[name]}")
    said = attributes(vault)
    told(vault)
    told(vault, f"{name}: {VALUES[name]}")
    assert attributes(vault) == said


@pytest.mark.parametrize("name", ["importance", "created", "lang"])
def test_a_field_that_says_nothing_readable_any_more_is_kept_as_a_property(vault: Vault, name: str):
    told(vault)
    usual = getattr(attributes(vault), name)
    told(vault, f"{name}: {VALUES[name]}")
    vault.write("a.md", text(f"{name}: {{a: 1}}"))
    assert [one.path for one in vault.run().warnings] == ["a.md"]
    assert getattr(attributes(vault), name) == usual
    assert vault.properties("a.md")[name] == {"a": "1"}


@pytest.mark.parametrize("pinning", [["unpin", "pin"], ["unpin"]])
def test_pinned_by_hand_is_set_by_hand(vault: Vault, pinning: list[str]):
    told(vault, "pinned: true")
    for op in pinning:
        by_hand(vault, op=op)
    told(vault)
    assert attributes(vault).pinned == (pinning[-1] == "pin")


@pytest.mark.parametrize(
    ("line", "name"), [("Tag: haus", "tags"), ("tag: haus", "tags"), ("TAGS: haus", "tags"),
                       ("Importance: 5", "importance"), ("LANG: en", "lang")],
)  # fmt: skip
def test_a_field_of_another_name_goes_as_well(vault: Vault, line: str, name: str):
    told(vault)
    without = getattr(attributes(vault), name)
    told(vault, line)
    assert getattr(attributes(vault), name) != without
    told(vault)
    assert getattr(attributes(vault), name) == without


@pytest.mark.parametrize("line", ["alias: Anna", "aliases: [Anna]", "last_verified: 2020-01-01",
                                  "status: draft", "anything: else"])  # fmt: skip
def test_a_property_goes_with_its_field(vault: Vault, line: str):
    told(vault, line)
    assert vault.properties("a.md")
    told(vault)
    assert vault.properties("a.md") == {}


def test_a_tag_in_the_text_goes_as_well(vault: Vault):
    told(vault, body="#haus")
    assert attributes(vault).tags == ("haus",)
    told(vault)
    assert attributes(vault).tags == ()


def test_a_title_that_is_gone_is_that_of_the_heading(vault: Vault):
    told(vault, "title: Anders", body="# Kopf")
    assert attributes(vault).title == "Anders"
    told(vault, body="# Kopf")
    assert attributes(vault).title == "Kopf"


FROM, TO = "valid_from: 2023-01-01", "valid_to: 2024-01-01"


@pytest.mark.parametrize(
    ("before", "after", "holds"),
    [
        ((FROM,), (), (None, None)),
        ((TO,), (), (None, None)),
        (("valid_until: 2024-01-01",), (), (None, None)),
        ((FROM, TO), (FROM,), ("2023-01-01", None)),
        ((FROM, TO), (TO,), (None, "2024-01-01")),
        ((FROM, TO), (), (None, None)),
        ((FROM, TO), (FROM, "valid_until: 2024-01-01"), ("2023-01-01", "2024-01-01")),
        ((FROM,), ("valid_from: gestern oder so",), (None, None)),
    ],
)
def test_a_bound_that_is_gone_is_unknown_or_open(vault: Vault, before, after, holds):
    told(vault, *before)
    vault.write("a.md", text(*after, body="More"))
    vault.run()
    assert period(vault) == holds


def test_a_bound_that_was_set_by_hand_stays_when_the_field_goes(vault: Vault):
    told(vault, FROM, TO)
    by_hand(vault, valid_from="2022-01-01")
    told(vault)
    assert period(vault) == ("2022-01-01", None)


def test_an_end_that_was_set_by_hand_stays_when_the_start_changes(vault: Vault):
    told(vault, FROM)
    by_hand(vault, op="end", at="2023-06-01")
    told(vault, "valid_from: 2022-01-01")
    assert period(vault) == ("2022-01-01", "2023-06-01")
    told(vault)
    assert period(vault) == (None, "2023-06-01")


def test_what_took_over_keeps_its_part_when_the_start_changes(vault: Vault):
    told(vault, FROM)
    vault.write("b.md", text("valid_from: 2023-06-01", "supersedes: '[[a]]'"))
    vault.take_in()
    vault.write("a.md", text("valid_from: 2022-01-01"))
    assert vault.take_in().failed == ()
    with vault.ledger.read("w") as reader:
        found = reader.latest_version(vault.ids()["a.md"], vault.now()).version.period
    assert (found.start.text, found.end.text) == ("2022-01-01", "2023-06-01")


def test_with_its_type_goes_the_visibility_of_that_type(vault: Vault):
    vault.declare("types:\n  secret: {visibility: restricted}\n")
    told(vault, "type: secret")
    assert attributes(vault).visibility == "restricted"
    told(vault)
    assert (attributes(vault).type, attributes(vault).visibility) == ("note", "internal")


def test_without_its_visibility_a_note_has_that_of_its_type(vault: Vault):
    vault.declare("types:\n  secret: {visibility: restricted}\n")
    told(vault, "type: secret", "visibility: public")
    told(vault, "type: secret")
    assert attributes(vault).visibility == "restricted"


# --- in a replayed history


def replayed(vault: Vault, repository: Repository) -> None:
    run = HistoryImport(vault.ledger, "w", vault.vaults, vault.tools, Options(history=True))
    assert run.run(repository.root, silent).failed == ()


@pytest.fixture
def repository(vault: Vault) -> Repository:
    return Repository(vault.root)


@pytest.mark.parametrize("at_once", [True, False])
def test_in_a_history_fields_go_as_well(vault: Vault, repository: Repository, at_once: bool):
    repository.commit("2015-01-01", a=text())
    replayed(vault, repository)
    without = attributes(vault)
    lines = [f"{name}: {value}" for name, value in VALUES.items()]
    repository.commit("2015-01-02", a=text(*lines, FROM, TO))
    if not at_once:
        replayed(vault, repository)
        assert all(getattr(attributes(vault), one) != getattr(without, one) for one in VALUES)
    repository.commit("2015-01-03", a=text(body="More"))
    replayed(vault, repository)
    has = attributes(vault)
    assert has == replace(without, source=has.source)
    assert period(vault) == (None, None)


@pytest.mark.parametrize("name", VALUES)
def test_in_a_history_what_was_set_by_hand_stays(vault: Vault, repository: Repository, name: str):
    repository.commit("2015-01-01", a=text(f"{name}: {VALUES[name]}"))
    replayed(vault, repository)
    by_hand(vault, **{name: False if name == "pinned" else OTHER[name]})
    has = getattr(attributes(vault), name)
    repository.commit("2015-01-02", a=text())
    repository.commit("2015-01-03", a=text(body="More"))
    replayed(vault, repository)
    assert getattr(attributes(vault), name) == has


def test_every_field_can_be_written_by_annotate(tmp_path):
    assert set(KINDS) <= {one.field or one.name for one in NOTE_FIELDS}
    file = tmp_path / "a.md"
    file.write_text("Text\n", encoding="utf-8")
    wanted = Wanted({"lang_original": "fr"}, {}, {}, ())
    annotate(FrontmatterEditor(), file, wanted, (When(ZoneInfo("UTC"), START), TypeCatalogue))
    assert file.read_text(encoding="utf-8") == "---\nlang_original: fr\n---\nText\n"
