"""Pages of a really served home, in a real browser that notes all that a page does."""

import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright
from visiting import below, owner_of

from damals.bootstrap import open_home
from damals.interfaces.rest.options import ServerOptions
from damals.local import LocalDamals

ZONE = "Europe/Berlin"

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium")
NO_CHROMIUM = (
    "NOT RUN: no page was looked at with a browser, because there is no chromium here"
    " (apt install chromium, or set CHROMIUM=/path/to/it)"
)
WAIT_MS = 10_000


@dataclass
class Look:
    """A tab of a browser on a served home, and what its pages did."""

    page: Page
    url: str
    home: LocalDamals
    dialogs: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def go(self, path: str) -> Page:
        """Open a page; paths that do not begin with ``/`` lie in the workspace ``default``."""
        self.page.goto(self.url + below(path))
        return self.page

    @property
    def mischief(self) -> list[str]:
        """What no page may do: dialogs, requests elsewhere, errors and refused scripts."""
        return [*self.dialogs, *self.foreign, *self.said]


def opened(folder: Path) -> LocalDamals:
    """A home with an empty workspace; searched by words alone, which needs no model."""
    home = open_home(folder, embedder="none", timezone=ZONE, brief=True)
    assert isinstance(home, LocalDamals)
    home.opened.ledger("default", create=True)
    return home


def begin_chromium() -> Iterator[Browser]:
    """A browser, for the tests of a module; without one they are skipped, loudly."""
    if not CHROMIUM:
        pytest.skip(NO_CHROMIUM)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@contextmanager
def serving(home: LocalDamals, options: ServerOptions | None = None) -> Iterator[str]:
    """The address of a home that is served on a free port."""
    app = owner_of(home, options).client.app
    config = uvicorn.Config(app, port=0, log_config=None, lifespan="on", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(20)
    assert not thread.is_alive()


@contextmanager
def looking(browser: Browser, url: str, home: LocalDamals, **options: Any) -> Iterator[Look]:
    """A tab; ``options`` are those of a browser's context."""
    given = {"viewport": {"width": 1440, "height": 900}, "locale": "en-US", **options}
    context = browser.new_context(**given)
    context.set_default_timeout(WAIT_MS)
    try:
        yield noted(context, context.new_page(), url, home)
    finally:
        context.close()


def noted(context: BrowserContext, page: Page, url: str, home: LocalDamals) -> Look:
    """Note what the pages of a tab do."""
    look = Look(page, url, home)

    def dialog(shown: Any) -> None:
        look.dialogs.append(f"dialog: {shown.message}")
        shown.dismiss()

    def request(made: Any) -> None:
        ours = made.url.startswith((url, "data:", "about:"))
        (look.loaded if ours else look.foreign).append(made.url)

    def said(message: Any) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            look.said.append(message.text)

    page.on("dialog", dialog)
    page.on("console", said)
    page.on("pageerror", lambda error: look.said.append(str(error)))
    context.on("request", request)
    return look
