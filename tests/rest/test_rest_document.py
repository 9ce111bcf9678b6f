"""The OpenAPI document: complete, as committed, and told by the reference."""

import json
import re
from pathlib import Path

import pytest
from rest_server import TOKEN

from damals.api import Damals
from damals.app.access_results import JobView
from damals.app.change_results import ChangedEntry
from damals.app.door import Door
from damals.app.results import Bounds, Hit
from damals.bootstrap import open_home
from damals.interfaces.rest.app import create_app
from damals.interfaces.rest.areas import AREAS
from damals.interfaces.rest.openapi import published
from damals.interfaces.rest.shapes import Shapes

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"
OWN = {
    "recall_at_time", "history_of_entry", "repair", "job", "jobs", "import_job", "job_events",
    "ask_stream", "erase_source", "erase_person", "erase_workspace",
    "health", "ready", "version", "metrics",
}  # fmt: skip
"""Routes that stand for no method of their own."""
ELSEWHERE = {"open", "close", "connect", "transaction", "pages"}
"""Methods that are about the client itself."""


def operations() -> dict[str, dict]:
    return {
        one["operationId"]: one for path in published()["paths"].values() for one in path.values()
    }


def test_the_published_document_is_the_one_that_is_served(tmp_path: Path):
    home = open_home(tmp_path, embedder="none")
    served = create_app(home, Door(TOKEN)).openapi()
    assert {**served, "info": None} == {**published(), "info": None}


def test_the_committed_document_is_up_to_date():
    committed = json.loads((REFERENCE / "openapi.json").read_text(encoding="utf-8"))
    assert committed == published(), "run `make docs`"


def test_every_method_has_a_route_that_is_named_after_it():
    methods = {name for name in dir(Damals) if not name.startswith("_")} - ELSEWHERE
    assert operations().keys() - OWN == methods


@pytest.mark.parametrize("name", sorted(operations()))
def test_every_route_says_what_it_does_and_what_can_come_back(name: str):
    told = operations()[name]
    assert told["summary"]
    assert {"400", "404", "500", "503"} <= told["responses"].keys()
    assert told.get("security") == [] or {"401", "403"} <= told["responses"].keys()
    assert "HTTPValidationError" not in json.dumps(told)
    for status, answer in told["responses"].items():
        assert answer.get("$ref") == f"#/components/responses/Problem{status}" or int(status) < 400


def test_every_error_is_a_problem():
    answers = published()["components"]["responses"]
    assert answers
    for answer in answers.values():
        assert list(answer["content"]) == ["application/problem+json"]


def test_every_post_and_delete_takes_an_idempotency_key():
    for path, methods in published()["paths"].items():
        for method, told in methods.items():
            names = {one["name"] for one in told.get("parameters", ())}
            assert ("Idempotency-Key" in names) == (method != "get"), path


@pytest.mark.parametrize("page", ["rest.md", "rest.de.md"])
def test_every_route_and_every_parameter_is_in_the_reference(page: str):
    text = (REFERENCE / page).read_text(encoding="utf-8")
    for path, methods in published()["paths"].items():
        for method, told in methods.items():
            section = text.partition(f"\n### {method.upper()} {path}\n")[2].partition("\n### ")[0]
            assert f"`{told['operationId']}`" in section, path
            for parameter in told.get("parameters", ()):
                assert f"`{parameter['name']}`" in section, (path, parameter["name"])


def test_every_link_leads_to_an_operation_and_names_its_parameters():
    known = operations()
    for told in known.values():
        for answer in told["responses"].values():
            for link in answer.get("links", {}).values():
                target = known[link["operationId"]]
                names = {one["name"] for one in target["parameters"]}
                assert link["parameters"].keys() <= names


def test_shapes_are_those_of_the_answers():
    shapes = Shapes()
    for kind in (ChangedEntry, Hit, Bounds, JobView):
        shapes.of(kind)
    known = shapes.schemas
    assert "ChangedEntry" not in known
    assert known["Changed"]["required"] == ["entry"]
    assert known["Changed"]["properties"]["unchanged"] == {"type": "boolean"}
    assert list(known["Bounds"]["properties"]) == ["from", "to", "zone"]
    assert known["Hit"]["properties"]["explanation"] == {"$ref": "#/components/schemas/Explanation"}
    assert known["Entry"]["properties"]["key"] == {"type": ["string", "null"]}
    assert known["JobView"]["properties"]["total"] == {"type": ["integer", "null"]}


def test_paths_are_built_alike():
    for area in AREAS:
        for route in area.router.routes:
            assert re.fullmatch(r"(/v1(/[a-z-]+|/\{[a-z]+\})+|/metrics)", route.path), route.path
