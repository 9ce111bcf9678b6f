"""A visitor without a browser: pages are asked for, read, and their forms sent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import httpx2
from page_tree import Node, tree_of
from starlette.testclient import TestClient

from damals.app.door import Door
from damals.interfaces.rest.app import create_app
from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.web.app import add_pages
from damals.local import LocalDamals

HOME_URL = "http://127.0.0.1:8723"
HERE = ("127.0.0.1", 50_000)
ELSEWHERE = ("192.0.2.7", 50_000)
FRAGMENT = {"HX-Request": "true"}
READS = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@dataclass
class Form:
    """A form as it stands in a page: what it would send."""

    action: str
    method: str
    fields: dict[str, list[str]]
    node: Node

    @property
    def labels(self) -> dict[str, str]:
        """Names of fields, and what their labels say."""
        told = {one.attrs.get("for", ""): one.text for one in self.node.all("label")}
        fields = self.node.all("input[id], select[id], textarea[id]")
        return {one["name"]: told.get(one["id"], "") for one in fields if "name" in one}


@dataclass
class Shown:
    """A page that came back."""

    answer: httpx2.Response

    @property
    def status(self) -> int:
        return self.answer.status_code

    @property
    def path(self) -> str:
        """Where one is after all redirections, with the query."""
        return self.answer.url.raw_path.decode()

    @property
    def headers(self) -> Mapping[str, str]:
        return self.answer.headers

    @cached_property
    def tree(self) -> Node:
        return tree_of(self.answer.text)

    @property
    def main(self) -> Node:
        return self.tree.one("main")

    @property
    def text(self) -> str:
        """What its main part says."""
        return self.main.text

    @property
    def heading(self) -> str:
        return self.tree.one("h1").text

    @property
    def problem(self) -> str:
        """What went wrong, as the page tells it."""
        return self.tree.one("[role=alert]").text

    def all(self, selector: str) -> list[Node]:
        return self.tree.all(selector)

    def one(self, selector: str) -> Node:
        return self.tree.one(selector)

    def texts(self, selector: str) -> list[str]:
        return self.tree.texts(selector)

    def form(self, selector: str = "main form") -> Form:
        """The form that is meant, by a selector of it or of what is in it."""
        node: Node | None = self.tree.one(selector)
        while node is not None and node.tag != "form":
            node = node.parent
        assert node is not None, f"{selector} is in no form"
        own = node.attrs.get("action") or self.path
        return Form(own, node.attrs.get("method", "get").lower(), _fields(node), node)


def _fields(form: Node) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one in form.all("input[name], select[name], textarea[name]"):
        if "disabled" in one:
            continue
        kind = one.attrs.get("type", "text")
        if one.tag == "textarea":
            values = [one.raw.removeprefix("\n")]
        elif one.tag == "select":
            options = one.all("option")
            chosen = [each for each in options if "selected" in each] or options[:1]
            values = [each.attrs.get("value", each.text) for each in chosen]
        elif kind in ("submit", "button", "file"):
            continue
        elif kind in ("checkbox", "radio"):
            values = [one.attrs.get("value", "on")] if "checked" in one else []
        else:
            values = [one.attrs.get("value", "")]
        found.setdefault(one["name"], []).extend(values)
    return found


@dataclass
class Visit:
    """Someone who looks at pages, with cookies of their own.

    Paths that do not begin with ``/`` lie in the workspace ``default``.
    """

    home: LocalDamals
    client: TestClient
    others: "list[Visit]" = field(default_factory=list)

    def get(self, path: str, /, headers: Mapping[str, str] | None = None, **query: object) -> Shown:
        """A page; redirections are followed."""
        given = {name: value for name, value in query.items() if value is not None}
        return Shown(self.client.get(below(path), params=given or None, headers=headers))

    def part(self, path: str, /, **query: object) -> Shown:
        """What htmx would get."""
        return self.get(path, FRAGMENT, **query)

    def send(self, form: Form, **changed: Any) -> Shown:
        """Send a form with some fields filled in; ``None`` leaves one out."""
        sent: dict[str, Any] = {**form.fields, **changed}
        sent = {name: value for name, value in sent.items() if value is not None}
        if form.method == "get":
            return Shown(self.client.get(form.action, params=sent))
        if "multipart" not in form.node.attrs.get("enctype", ""):
            return Shown(self.client.post(form.action, data=sent))
        files = {name: one for name, one in sent.items() if isinstance(one, tuple)}
        rest = {name: one for name, one in sent.items() if name not in files}
        if not files:  # a browser sends an empty part, and so it stays multipart
            files = {one["name"]: ("", b"") for one in form.node.all("input[type=file]")}
        return Shown(self.client.post(form.action, data=rest, files=files))

    def post(self, path: str, /, headers: Mapping[str, str] | None = None, **fields: Any) -> Shown:
        """Send fields with this session's own token, whether or not there is such a form."""
        sent = {"csrf": self.token, **fields}
        return Shown(self.client.post(below(path), data=sent, headers=headers))

    @property
    def token(self) -> str:
        """What stands in the forms of this session."""
        shown = self.get("/sign-in")
        return shown.all("input[name=csrf]")[0]["value"]

    def other(self, secret: str | None = None, came_from: tuple[str, int] = HERE) -> "Visit":
        """Another browser at the same server; with a key, signed in."""
        client = TestClient(self.client.app, base_url=HOME_URL, client=came_from, headers=READS)
        made = Visit(self.home, client)
        self.others.append(made)
        if secret is not None:
            shown = made.send(made.get("/sign-in").form("#key"), key=secret)
            assert shown.status != 401, shown.text
        return made

    def close(self) -> None:
        """End what still runs behind the pages."""
        self.client.app.state.server.close()

    def as_(self, name: str, *roles: str, **fields: Any) -> "Visit":
        """Another browser, signed in with a new key (from then on all need one)."""
        key = self.home.create_key(name, roles=roles or ("reader",), **fields)
        return self.other(key.secret)


def below(path: str) -> str:
    """The whole path of an address."""
    if path.startswith("/"):
        return path
    return f"/w/default/{path}" if path and not path.startswith("?") else f"/w/default{path}"


def owner_of(home: LocalDamals, options: ServerOptions | None = None) -> Visit:
    """The owner, at this machine; nobody needs a key until one is made."""
    app = create_app(home, Door("token-of-tests", open_to_loopback=True), options)
    add_pages(app)
    return Visit(home, TestClient(app, base_url=HOME_URL, client=HERE, headers=READS))
