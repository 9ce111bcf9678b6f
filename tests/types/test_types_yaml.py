"""What ``types.yaml`` may say, and how a wrong one is refused."""

import math
import re
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from wrong_types import WRONG

from damals import messages
from damals.adapters.files.types import TypeFiles
from damals.adapters.files.types_keys import KEYS, SECTIONS
from damals.adapters.vault.frontmatter import MEANINGFUL
from damals.domain.errors import InvalidInput
from damals.domain.fields import RISKS
from damals.domain.types import (
    RESERVED,
    TEMPORAL,
    DeriveRule,
    RelationType,
    is_name,
    relation_name,
)
from damals.interfaces.reference import TYPE_SECTIONS

SEED_TYPES = {
    *("experience", "principle", "value", "goal", "role", "persona", "plan", "project", "journal"),
    *("reference", "translation"),
}
"""Note types that the plan of the archive names."""


@pytest.fixture
def types(tmp_path: Path) -> TypeFiles:
    return TypeFiles(tmp_path / "home")


def say(folder: Path, text: str | bytes) -> Path:
    file = folder / ".damals" / "types.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def refused(types: TypeFiles, folder: Path, text: str | bytes) -> InvalidInput:
    file = say(folder, text)
    with pytest.raises(InvalidInput) as caught:
        types.load(folder)
    assert caught.value.values["path"] == str(file)
    return caught.value


# --- the packaged file


def test_the_packaged_types_are_those_of_the_plan_with_their_risks(types: TypeFiles):
    found = types.load().catalogue
    more = {"fact", "decision", "calibration", "person", "wiki", "note"}
    assert set(found.types) == SEED_TYPES | more
    stable = {name for name, one in found.types.items() if one.staleness_risk == "stable"}
    assert stable == {
        *("experience", "principle", "value", "role", "persona", "person", "journal"),
        *("decision", "translation", "note"),
    }
    principle = found.type("Principle")
    assert (principle.layer, principle.half_life_days) == ("values", math.inf)
    assert found.layers == ("experiences", "values", "goals", "present")
    assert found.type("never heard of").staleness_risk == "slow_decay"


def test_the_packaged_relations_hold_the_four_temporal_ones_and_the_one_of_the_plan(types):
    found = types.load().catalogue.relations
    directions = {name: found[name].symmetric for name in TEMPORAL}
    only = {"extends": False, "revises": False, "supersedes": False, "contradicts": True}
    assert directions == only
    assert found["inspired_by"] == RelationType(
        "inspired_by", 0.6, inverse="inspires", scoring=0.5, min_visibility="internal"
    )
    assert found["links_to"].weight == min(one.weight for one in found.values())
    assert {one.name for one in found.values()} == set(found)


def test_relations_to_persons_are_at_least_internal(types: TypeFiles):
    found = types.load().catalogue.relations
    personal = [
        *("inspired_by", "written_by", "decided_by", "parent_of", "sibling_of", "partner_of"),
        *("friend_of", "works_for", "works_with", "member_of", "has_value", "has_goal"),
    ]
    for name in personal:
        one = found[name]
        assert one.min_visibility == "internal"
        assert found[one.inverse].min_visibility == "internal"


def test_inverses_belong_to_each_other_and_are_as_transitive(types: TypeFiles):
    found = types.load().catalogue.relations
    for one in found.values():
        assert one.directed is not one.symmetric
        if one.inverse is not None:
            other = found[one.inverse]
            assert other.inverse == one.name
            assert other.transitive == one.transitive
            assert (other is one) == one.symmetric


def test_the_packaged_domains_are_the_three_tables_of_half_lives(types: TypeFiles):
    found = types.load().catalogue.domains
    decay = {name: one.decay for name, one in found.items() if one.decay is not None}
    assert decay == {
        "architecture": 365, "audience": 90, "campaign": 30, "ai_ml": 60, "mathematics": math.inf,
    }  # fmt: skip
    research = {name: one.research for name, one in found.items() if one.research is not None}
    assert research == {
        "ai_ml": 90, "security": 30, "cloud": 180, "frameworks": 180, "architecture": 730,
        "foundations": 1825,
    }  # fmt: skip
    checked = {n: one.verification for n, one in found.items() if one.verification is not None}
    assert checked == {
        "api_docs": 30, "preferences": 60, "architecture": 90, "regulatory": 180,
        "proofs": math.inf,
    }  # fmt: skip
    assert {one.risk for one in found.values()} == set(RISKS)


def test_every_key_is_a_field_and_every_field_is_documented_in_both_languages():
    assert set(KEYS) | {"layers"} == set(SECTIONS)
    for section, kind in TYPE_SECTIONS.items():
        names = {field.name for field in fields(kind)} - {"name"}
        assert set(KEYS[section]) == names
        for lang in messages.LANGUAGES:
            for name in (section, *(f"{section}.{name}" for name in names)):
                assert messages.has(f"reference.types.{name}", lang)


def test_no_relation_can_be_called_like_a_field_of_a_frontmatter():
    assert MEANINGFUL <= RESERVED
    assert RESERVED.isdisjoint(TEMPORAL)


# --- putting files together


def test_the_home_wins_over_the_package_and_the_vault_over_the_home(types, tmp_path):
    say(tmp_path / "home", "relations:\n  up: {weight: 0.2}\n  extends: {weight: 0.1}\n")
    say(tmp_path / "vault", "relations:\n  up: {scoring: 0.4}\n  next:\n")
    alone = types.load()
    assert alone.catalogue.relations["extends"].weight == 0.1
    assert "next" not in alone.catalogue.relations
    both = types.load(tmp_path / "vault")
    up = both.catalogue.relations["up"]
    assert (up.weight, up.scoring) == (0.2, 0.4)
    assert both.catalogue.relations["next"] == RelationType("next")
    assert [origin for origin, _ in both.files] == ["packaged", "home", "vault"]
    names = ("up", "next", "extends", "revises")
    assert [both.origins[f"relations.{name}"] for name in names] == [
        "vault", "vault", "home", "packaged",
    ]  # fmt: skip


def test_a_file_can_be_checked_wherever_it_lies(types, tmp_path):
    file = tmp_path / "draft.yaml"
    file.write_text("relations: {up: {}}", encoding="utf-8")
    assert types.load(file).origins["relations.up"] == "vault"


def test_the_home_as_a_vault_is_read_once(types, tmp_path):
    say(tmp_path / "home", "relations: {up: }\n")
    loaded = types.load(tmp_path / "home")
    assert [origin for origin, _ in loaded.files] == ["packaged", "home"]


def test_a_key_that_is_left_out_keeps_its_value_so_that_no_protection_gets_lost(types, tmp_path):
    say(tmp_path, "relations:\n  parent_of: {weight: 0.1}\n")
    found = types.load(tmp_path).catalogue.relations["parent_of"]
    assert found == RelationType("parent_of", 0.1, inverse="child_of", min_visibility="internal")


def test_an_inverse_said_on_one_side_is_said_and_both_are_protected_alike(types, tmp_path):
    say(tmp_path, "relations:\n  up: {inverse: down, min_visibility: restricted}\n  down:\n")
    found = types.load(tmp_path).catalogue.relations
    assert (found["up"].inverse, found["down"].inverse) == ("down", "up")
    assert found["down"].min_visibility == "restricted"


def test_layers_are_added_to_and_rules_are_replaced(types, tmp_path):
    say(
        tmp_path,
        "layers: [body, values]\ntypes: {injury: {layer: body}}\n"
        "derive:\n  - {rule: closure, of: [depends_on], max_hops: 2}\n",
    )
    found = types.load(tmp_path).catalogue
    assert found.layers == ("experiences", "values", "goals", "present", "body")
    assert found.derive == (DeriveRule("closure", ("depends_on",), 2),)
    assert types.load().catalogue.derive != found.derive


def test_the_shape_of_the_documentation_is_accepted_as_it_stands(types, tmp_path):
    say(
        tmp_path,
        """\
types:
  principle: {layer: values, half_life_days: inf, staleness_risk: stable, visibility: internal}
relations:
  inspired_by: {weight: 0.6, directed: true, symmetric: false, transitive: false,
                inverse: inspires, scoring: 0.5, min_visibility: internal}
layers: [experiences, values, goals, present]
domains: {ai_ml: {decay: 60, research: 90, risk: fast_decay}}
derive:
  - {rule: inverse, of: [inspired_by]}
  - {rule: closure, of: [part_of], max_hops: 3, confidence: 0.7}
""",
    )
    found = types.load(tmp_path).catalogue
    assert found.relations == types.load().catalogue.relations
    assert found.derive[1] == DeriveRule("closure", ("part_of",), 3, 0.7)


@pytest.mark.parametrize("text", ["", "# nothing\n", "relations:\n", "---\n", "\ufefflayers: []\n"])
def test_a_file_that_says_nothing_changes_nothing(types, tmp_path, text):
    say(tmp_path, text)
    assert types.load(tmp_path).catalogue == types.load().catalogue


def test_names_and_words_stay_the_text_that_was_written(types, tmp_path):
    say(tmp_path, "relations: {no: {}, führt_zu: {inverse: 'on'}, on: }\n")
    found = types.load(tmp_path).catalogue
    assert found.relation("No").name == "no"
    assert found.relation("Fu\u0308hrt zu").inverse == "on"


@pytest.mark.parametrize("name", ["größer_als", "fu\u0308hrt_zu"])
def test_a_name_of_small_letters_may_hold_any_and_is_kept_as_it_is_compared(types, tmp_path, name):
    said = (
        f"types: {{{name}: {{visibility: public}}}}\n"
        f"relations: {{{name}: {{transitive: true}}, um: {{inverse: {name}, transitive: true}}}}\n"
        f"derive: [{{rule: closure, of: [{name}]}}, {{rule: quote, gives: {name}}}]\n"
    )
    say(tmp_path, said)
    found = types.load(tmp_path).catalogue
    assert found.type(name).visibility == "public"
    assert found.relation(name).inverse == "um"
    assert found.relation("um").inverse == relation_name(name)
    assert found.derive[0].of == (found.derive[1].gives,) == (relation_name(name),)


def test_two_ways_to_write_a_name_are_the_same_name(types, tmp_path):
    error = refused(types, tmp_path, "types:\n  straße: {}\n  strasse: {}\n")
    assert (error.key, error.values["line"]) == ("types.duplicate", 3)
    twice = "relations:\n  fuß:\nderive:\n - {rule: quote, of: [fuß, fuss]}\n"
    error = refused(types, tmp_path, twice)
    assert (error.key, error.values["line"]) == ("types.duplicate", 4)
    error = refused(types, tmp_path, "relations:\n  fuß: {}\n  kopf:\n    inverse: fußß\n")
    assert (error.key, error.values["line"]) == ("types.unknown_name", 4)


@pytest.mark.parametrize("section", ["types", "relations", "domains"])
def test_a_name_that_is_no_text_is_refused_with_what_may_stand_there(types, tmp_path, section):
    error = refused(types, tmp_path, f"{section}:\n  ? [a]\n  : {{}}\n")
    assert (error.key, error.values["line"]) == ("types.value", 2)
    assert "NAME" in str(error.values["allowed"])


def test_types_are_read_anew_each_time(types, tmp_path):
    say(tmp_path, "relations: {up: }\n")
    assert types.load(tmp_path).catalogue.find_relation("up")
    say(tmp_path, "relations: {down: }\n")
    assert types.load(tmp_path).catalogue.find_relation("up") is None


# --- looking up


@pytest.mark.parametrize("written", ["part_of", "Part of", "PART-OF", " part  of "])
def test_a_relation_is_found_however_it_is_written(types, written):
    assert types.load().catalogue.relation(written).name == "part_of"


def test_an_unknown_relation_is_refused_with_the_known_names_and_those_that_are_near(types):
    with pytest.raises(InvalidInput) as caught:
        types.load().catalogue.relation("superseeds")
    error = caught.value
    assert error.key == "relation.unknown_type"
    assert error.values["near"].split(", ")[0] == "supersedes"
    assert set(TEMPORAL) < set(error.values["known"].split(", "))
    with pytest.raises(InvalidInput) as caught:
        types.load().catalogue.relation("zzzz")
    assert caught.value.values["near"] == caught.value.values["known"]


@pytest.mark.parametrize("name", ["", "Up", "a b", "a-b", "1a", "_a", "a" * 61, "a:b", "up\n"])
def test_what_is_no_name_of_a_relation(name: str):
    assert not is_name(name)


def test_a_name_as_it_is_compared_is_a_name():
    assert is_name(relation_name("Führt  zu"))


# --- what is wrong is refused with its line and the legal values


def test_of_a_value_in_quotes_it_is_said_that_the_quotes_are_wrong(types, tmp_path):
    """No schema of JSON can tell ``"inf"`` from ``inf``."""
    error = refused(types, tmp_path, 'types:\n  note:\n    half_life_days: "inf"\n')
    assert (error.key, error.values["value"]) == ("types.quoted", "inf")
    assert "quotes" in messages.render(error.key, error.values, "en")


@pytest.mark.parametrize(("text", "key", "line", "legal"), WRONG)
def test_what_is_wrong_is_refused_with_file_line_and_the_legal_values(
    types, tmp_path, text, key, line, legal
):
    error = refused(types, tmp_path, text)
    assert (error.key, error.values["line"]) == (key, line)
    for lang in messages.LANGUAGES:
        told = messages.render(error.key, error.values, lang)
        told += messages.hint(error.key, lang, error.values) or ""
        assert legal in told
        assert not re.search(r"\{\w+\}", told)
        assert str(line) in told


def test_every_kind_of_refusal_is_shown_here():
    shown = {key for _, key, _, _ in WRONG}
    elsewhere = {"types.unreadable", "types.too_large", "types.limits"}
    own = {k for k in messages.catalogue("en") if k.startswith("types.") and k[-5:] != ".hint"}
    assert own == shown | elsewhere


@pytest.mark.parametrize("where", ["home", "vault"])
def test_the_file_that_is_wrong_is_the_one_that_is_named(types, tmp_path, where):
    say(tmp_path / "home", "relations: {up: }\n")
    say(tmp_path / "vault", "relations: {down: }\n")
    wrong = say(tmp_path / where, "relations:\n  up: {weight: high}\n")
    with pytest.raises(InvalidInput) as caught:
        types.load(tmp_path / "vault")
    assert caught.value.values["path"] == str(wrong)
    assert caught.value.values["value"] == "high"


def test_a_later_file_that_spoils_an_earlier_one_is_the_one_that_is_named(types, tmp_path):
    say(tmp_path / "home", "relations: {up: {inverse: down}, down: }\n")
    error = refused(types, tmp_path / "vault", "\n\nrelations:\n  down: {inverse: has_part}\n")
    assert (error.key, error.values["line"]) == ("types.inverse_taken", 4)


def test_depth_values_and_aliases_are_bounded(types, tmp_path):
    for text in (
        "layers: " + "[" * 30 + "]" * 30,
        "layers: [" + "a, " * 60_000 + "]",
        "layers: [&a x" + ", *a" * 200 + "]",
        "a: &a [x]\n" + "".join(f"b{n}: &b{n} [*a, *a, *a, *a, *a]\n" for n in range(50)),
    ):
        assert refused(types, tmp_path, text).key == "types.limits"


def test_a_file_that_is_too_large_or_no_text_is_refused(types, tmp_path):
    assert refused(types, tmp_path, b"#" * 300_000).key == "types.too_large"
    error = refused(types, tmp_path, b"# a\n# \xff\n")
    assert (error.key, error.values["line"]) == ("types.yaml", 2)
    assert refused(types, tmp_path, "layers: [a\0b]\n").key == "types.yaml"


def test_a_folder_in_the_place_of_the_file_is_refused(types, tmp_path):
    (tmp_path / ".damals" / "types.yaml").mkdir(parents=True)
    with pytest.raises(InvalidInput) as caught:
        types.load(tmp_path)
    assert caught.value.key == "types.unreadable"


def test_the_packaged_file_is_yaml_that_every_reader_understands():
    path = Path(messages.__file__).parents[1] / "types.yaml"
    told = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(told) == set(SECTIONS)
