"""Everything that the OpenAPI document promises, asked with drawn requests and along its links.

The document is narrowed for this: names of workspaces and entries are drawn from those that are
there and a few that are not, since nobody draws them by chance.
"""

import copy
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from rest_server import TOKEN, Served, serve
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)

from damals.app.door import Door
from damals.domain.access import OWNER
from damals.interfaces.rest.openapi import published
from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.rest.routes.entries import LINKS
from damals.local import LocalDamals

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    negative_data_rejection,
    unsupported_method,
    allow_header_conformance,
]
HOW = settings(
    max_examples=200 if NIGHTLY else 5,
    stateful_step_count=20 if NIGHTLY else 6,
    deadline=None,
    derandomize=not NIGHTLY,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
OWN_KEY = "all-but-owner"
NAMES = {
    "workspace": ["default", "default", "second", "nowhere"],
    "id": ["a", "b", "c", "nobody"],
    "number": ["1", "2", "3", "999"],
}


_ENTRIES = NAMES["id"]
_INSTANTS = ["2024", "2024-09-01", "2025-03-14T10:00:00Z", "yesterday"]
_WORDS = ["Eins", "Zwei", "Drei"]
SENSIBLE = {
    **dict.fromkeys(("src", "dst", "a", "b", "entry"), _ENTRIES),
    **dict.fromkeys(("valid_from", "valid_to", "created", "updated", "at"), _INSTANTS),
    **dict.fromkeys(("retrieved_at", "last_reviewed", "imported_at"), _INSTANTS),
    **dict.fromkeys(("as_of", "known_at", "since", "until", "from", "to"), _INSTANTS),
    **dict.fromkeys(("title", "content", "reason", "key", "tags"), _WORDS),
    "on_overlap": ["reject", "replace", "fill"],
    "relation": ["supersedes", "revises"],
    "path": [".", "Notiz.md", "../elsewhere"],
    "source": ["auto", "vault", "events"],
    "timezone": ["Europe/Berlin", "UTC", "Nowhere"],
    "external_id": ["a", "b", "other"],
}
"""What parameters are drawn from where requests should lead somewhere, one after the other."""


LEFT_OUT = {
    "id", "if_transaction", "relations", "source", "lang", "lang_original", "properties", "acl",
    "persona_weight", "source_id", "staleness_risk", "domain", "type", "visibility",
}  # fmt: skip
"""What would fail more often than not, or let nobody see what was just stored."""


def sensible(document: dict[str, Any]) -> dict[str, Any]:
    """The document with such values, so that changes of entries succeed now and then."""
    narrow = narrowed(document)
    for methods in narrow["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and parameter["name"] == "id":
                    parameter["schema"] = {"type": "string"}  # links fill it in
                if parameter["in"] == "query" and parameter["name"] in SENSIBLE:
                    parameter["schema"] = {"enum": SENSIBLE[parameter["name"]]}
            told = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if told and "properties" in told["schema"]:
                _draw_sensibly(told["schema"])
    for schema in narrow["components"]["schemas"].values():
        if schema.get("additionalProperties") is False:  # a body, not an answer
            _draw_sensibly(schema)
    return narrow


def _draw_sensibly(schema: dict[str, Any]) -> None:
    properties = schema["properties"]
    for name in properties.keys() & SENSIBLE.keys():
        if "$ref" not in properties[name]:
            properties[name] = {"enum": SENSIBLE[name]}
    for name in (properties.keys() & LEFT_OUT) - set(schema.get("required", ())):
        del properties[name]


def narrowed(document: dict[str, Any]) -> dict[str, Any]:
    narrow = copy.deepcopy(document)
    for methods in narrow["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "path" and parameter["name"] in NAMES:
                    names = list(dict.fromkeys(NAMES[parameter["name"]]))
                    parameter["schema"] = {"type": "string", "enum": names}
    return narrow


@pytest.fixture(scope="module")
def served(tmp_path_factory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("schemathesis")
    options = ServerOptions(roots=(folder / "in",), requests_per_minute=10**9)
    (folder / "in").mkdir()
    (folder / "in" / "Notiz.md").write_text("# Notiz\n", encoding="utf-8")
    for one in serve(folder / "home", Door(TOKEN), options):
        fill(one.home)
        one.home.create_workspace("second")
        yield one


def fill(memory: LocalDamals) -> None:
    for name in ("a", "b", "c"):
        memory.remember(f"Eintrag {name}", external_id=name, valid_from="2024", key=name)


@pytest.fixture(scope="module")
def secret(served: Served) -> str:
    """A key that may do everything but read any file: the owner might import the whole disk."""
    return served.key(OWN_KEY, "admin", visibility="restricted", sensitivity=3)


@schemathesis.serializer("application/x-ndjson")
def _lines(context, value) -> bytes:
    del context
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "backslashreplace")


SCHEMA = schemathesis.openapi.from_dict(narrowed(published()))


@SCHEMA.parametrize()
@HOW
def test_every_operation_keeps_to_the_document(case, served: Served, secret: str):
    headers = {"Authorization": f"Bearer {secret}"}
    case.call_and_validate(base_url=served.url, headers=headers, checks=CHECKS)


@dataclass
class Seen:
    """How often each operation was answered with each status, and what was not as promised."""

    reached: Counter[tuple[str, int]] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)


def chain(served: Served, secret: str, seen: Seen) -> type:
    """Requests that follow the declared links, each chain in a workspace of its own."""
    document = schemathesis.openapi.from_dict(sensible(published()))
    document.config.phases.stateful.inference.algorithms = []
    document.config.generation.update(modes=[schemathesis.GenerationMode.POSITIVE])
    checks = [check for check in CHECKS if check is not negative_data_rejection]
    numbers = count()

    class Machine(document.as_state_machine()):
        def setup(self):
            # The same requests find the same base again, as the drawing of requests needs it.
            self.workspace = f"run-{next(numbers)}"
            served.home.create_workspace(self.workspace)
            fill(served.home.under(OWNER, workspace=self.workspace))

        def get_call_kwargs(self, case):
            parameters = case.path_parameters or {}
            if parameters.get("workspace") in {"default", "second"}:
                parameters["workspace"] = self.workspace
            if parameters.get("name") == OWN_KEY:
                parameters["name"] = "nobody"  # what asks here must not revoke its own key
            headers = {"Authorization": f"Bearer {secret}"}
            return {"base_url": served.url, "headers": headers}

        def validate_response(self, response, case, additional_checks=None, **how):
            del additional_checks
            name = case.operation.definition.raw["operationId"]
            seen.reached[name, response.status_code] += 1
            try:
                case.validate_response(
                    response, checks=checks, transport_kwargs=how, recorder=self.recorder
                )
            except BaseExceptionGroup as found:
                # Another run would meet another base: what was found is told at the end.
                seen.broken.extend(f"{name}: {one}" for one in found.exceptions)

    return Machine


def test_what_links_promise_holds_one_request_after_the_other(served: Served, secret: str):
    seen = Seen()
    chain(served, secret, seen).run(settings=settings(HOW, max_examples=500 if NIGHTLY else 30))
    assert not seen.broken, "\n\n".join(seen.broken)
    followed = {name for name, status in seen.reached if status == HTTPStatus.OK}
    assert len(followed & set(LINKS)) >= 3, seen.reached
