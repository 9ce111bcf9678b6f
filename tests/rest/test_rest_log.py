"""What a server notes of its requests, and what it never does."""

import logging
import time
from collections.abc import Callable

import httpx2
import pytest
import structlog
from rest_server import TOKEN, Served

SECRETS = ("Vertrauliches", "suchwort", "x-geheim", TOKEN, "damals_")


def answered(logged: list) -> list:
    """The lines about answered requests."""
    return [line for line in logged if line["event"] == "answered"]


def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds; what it is about to tell tells why it does not."""
    deadline = time.monotonic() + 10
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)


def test_a_line_tells_of_a_request_without_its_values(served: Served, api: httpx2.Client):
    secret = served.key("someone", "writer")
    someone = served.client(secret, "default")
    with structlog.testing.capture_logs() as logged:
        someone.post("/entries", json={"title": "Vertrauliches"})
        someone.post("/recall", json={"query": "suchwort"})
        someone.get("/entries", params={"tag": "suchwort"})
        someone.get("/entries/x-geheim", headers={"Idempotency-Key": "x-geheim"})
        someone.get("/x-geheim")
        api.post("/entries", content=b"Vertrauliches", headers={"Content-Type": "text/plain"})
        served.client("damals_wrong").get("/workspaces")
        until(lambda: len(answered(logged)) == 7)  # a line comes after its answer
    lines = answered(logged)
    assert [(line["method"], line["route"], line["status"], line["asker"]) for line in lines] == [
        ("POST", "/v1/workspaces/{workspace}/entries", 201, "someone"),
        ("POST", "/v1/workspaces/{workspace}/recall", 200, "someone"),
        ("GET", "/v1/workspaces/{workspace}/entries", 200, "someone"),
        ("GET", "/v1/workspaces/{workspace}/entries/{id}", 404, "someone"),
        ("GET", "*", 404, None),
        ("POST", "/v1/workspaces/{workspace}/entries", 415, "owner"),
        ("GET", "/v1/workspaces", 401, None),
    ]
    told = str(logged)
    assert not [word for word in (*SECRETS, secret) if word in told]


@pytest.fixture(autouse=True)
def _every_line():
    """Also lines that are not worth one where nobody asked for them."""
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.INFO))
    yield
    structlog.configure(wrapper_class=before)


@pytest.mark.parametrize("path", ["/v1/nowhere/a", "/v1/nowhere/b"])
def test_what_is_counted_has_no_values_either(served: Served, path: str):
    client = served.client()
    client.get(served.url + path)
    served.home.remember("da")
    counted = client.get(f"{served.url}/metrics").text
    assert 'damals_requests_total{method="GET",route="*",status="404"} 1.0' in counted
    assert "nowhere" not in counted


def test_a_method_that_nobody_has_is_not_counted_by_its_name(served: Served):
    client = served.client()
    client.request("BREW", f"{served.url}/v1/health")
    served.home.remember("da")
    counted = client.get(f"{served.url}/metrics").text
    assert "BREW" not in counted
