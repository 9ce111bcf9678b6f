"""Pages of a real home: read without a browser (`pages`), or in a real one (`browser_page`)."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from all_pages import Archive, told_archive, with_job
from playwright.sync_api import Browser
from served_pages import Look, begin_chromium, looking, opened, serving
from visiting import Visit, owner_of

from damals.interfaces.rest.options import ServerOptions
from damals.local import LocalDamals


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a module that look with a browser run in one process, one after the other."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group(f"browser {item.path.stem}"))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[LocalDamals]:
    """An empty home, as its owner has it."""
    made = opened(tmp_path / "home")
    yield made
    made.close()


@pytest.fixture
def pages(home: LocalDamals, tmp_path: Path) -> Iterator[Visit]:
    """Its owner, who looks at pages; files may be imported from `tmp_path / "in"`."""
    made = owner_of(home, ServerOptions(roots=(tmp_path / "in",)))
    yield made
    made.close()


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Visit, Archive]]:
    """The owner of a home with a bit of everything, for tests that only look."""
    folder = tmp_path_factory.mktemp("filled")
    home = opened(folder / "home")
    archive = told_archive(home, folder)
    pages = owner_of(home, ServerOptions(roots=(folder / "in",)))
    yield pages, with_job(pages, archive, folder)
    pages.close()
    home.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for all tests of a module.

    Not longer: while it runs, its event loop is this thread's, and tests of other folders that
    the same process runs begin loops of their own.
    """
    yield from begin_chromium()


@pytest.fixture
def browser_page(chromium: Browser, home: LocalDamals) -> Iterator[Look]:
    """A tab on `home`, really served; what is told to `home` is seen there at once."""
    with serving(home) as url, looking(chromium, url, home) as look:
        yield look


@pytest.fixture
def tab(chromium: Browser, home: LocalDamals) -> Iterator[Callable[..., Look]]:
    """More tabs on `home`: `tab(java_script_enabled=False, color_scheme="dark")`."""
    with ExitStack() as stack:
        url = stack.enter_context(serving(home))

        def open_tab(**options: Any) -> Look:
            return stack.enter_context(looking(chromium, url, home, **options))

        yield open_tab
