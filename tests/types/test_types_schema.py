"""The JSON schema of `types.yaml` accepts and refuses what the reader does, as far as it can."""

import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import yaml
from wrong_types import WRONG

from damals import messages
from damals.bootstrap import types_schema
from damals.interfaces.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads(types_schema())
CHECKER = jsonschema.Draft202012Validator(SCHEMA)

BEYOND = {
    "types.duplicate",
    "types.unknown_name",
    "types.yaml",
    *(f"types.inverse_{what}" for what in ("symmetric", "taken", "transitive")),
    *(f"types.derive_{what}" for what in ("inverse", "closure", "symmetric", "open", "temporal")),
}
"""What a schema cannot see: several names together, other files, how something was written."""

WRITTEN = ("directed: yes", "scoring: 0x1", "<<: {")
"""Values that YAML 1.1 reads as other ones, which this test's reader is."""


def accepted(text):
    return CHECKER.is_valid(yaml.safe_load(text))


def test_it_is_a_schema_and_up_to_date_in_the_package_and_among_the_documents():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    packaged = files("damals").joinpath("types.schema.json").read_text(encoding="utf-8")
    written = (ROOT / "docs/reference/types.schema.json").read_text(encoding="utf-8")
    assert packaged == types_schema(), "run `make docs`"
    assert written == types_schema(), "run `make docs`"


def test_the_packaged_file_is_accepted():
    text = files("damals").joinpath("types.yaml").read_text(encoding="utf-8")
    assert accepted(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "relations:\n",
        "relations: {up: }\n",
        (
            "types:\n  principle: {layer: values, half_life_days: inf, staleness_risk: stable,"
            " visibility: internal}\n"
        ),
        "types: {note: {half_life_days: .inf, layer: }}\n",
        (
            "relations:\n  inspired_by: {weight: 0.6, directed: true, symmetric: false,"
            " transitive: false,\n    inverse: inspires, scoring: 0.5, min_visibility: internal}\n"
        ),
        "relations: {supersedes: {weight: 1, directed: true}, contradicts: {symmetric: true}}\n",
        "relations: {größer_als: {weight: 1}}\n",
        "layers: [experiences, values, goals, present]\n",
        "domains: {ai_ml: {decay: 60, research: 90, risk: fast_decay}}\n",
        (
            "derive:\n  - {rule: inverse, of: [inspired_by]}\n"
            "  - {rule: closure, of: [part_of], max_hops: 3, confidence: 0.7}\n"
        ),
        (
            "derive: [{rule: backlink}, {rule: quote, gives: inspired_by},"
            " {rule: co_mention, min_count: 3}]\n"
        ),
    ],
)
def test_what_the_documents_show_is_accepted(text):
    assert accepted(text)


SEEN = [
    text
    for text, key, _, _ in WRONG
    if key not in BEYOND and not any(written in text for written in WRITTEN)
]


@pytest.mark.parametrize("text", SEEN)
def test_what_the_reader_refuses_is_refused(text):
    assert not accepted(text)


def test_every_key_is_explained_to_editors():
    sections = SCHEMA["properties"]
    keys = [
        *sections["types"]["additionalProperties"]["properties"].values(),
        *sections["relations"]["additionalProperties"]["properties"].values(),
        *sections["domains"]["additionalProperties"]["properties"].values(),
        *sections["derive"]["items"]["properties"].values(),
    ]
    assert all(re.match(r"\S", one["description"]) for one in (*sections.values(), *keys))
    known = set(messages.catalogue("en").values())
    assert all(one["description"] in known for one in keys)


def test_the_command_prints_it(capsys):
    assert main(["types", "schema"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
