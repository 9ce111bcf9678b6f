"""The plane in a real browser: pointing, choosing by mouse and by keyboard, and on paper."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page
from served_pages import Look

from damals.local import LocalDamals

USUAL = "svg.only-wide .tip.usual"
HITS = "svg.only-wide a.hit"


@pytest.fixture
def moved(home: LocalDamals) -> str:
    """An entry with two versions of different times; its id."""
    made = home.remember("Address", "Hauptstraße 1", valid_from="2020-01-01")
    home.correct(made.id, valid_from="2021-01-01", valid_to="2024-01-01", reason="read it again")
    return made.id


def told(page: Page) -> list[str]:
    """What the facts above the plane say."""
    shown = page.locator("svg.only-wide .tip").all()
    return [
        one.locator("text").first.text_content() or ""
        for one in shown
        if one.evaluate("it => getComputedStyle(it).visibility") == "visible"
    ]


def test_pointing_at_a_version_and_stepping_to_it_tell_its_facts(browser_page: Look, moved: str):
    page = browser_page.go(f"entries/{moved}?as_of=2022-01-01")
    assert told(page) == ["2 · Address – Hauptstraße 1"]
    page.locator(f"{HITS} .touch").first.hover(position={"x": 5, "y": 5})
    assert told(page) == ["1 · Address – Hauptstraße 1"]
    page.mouse.move(2, 2)
    page.locator(HITS).first.focus()
    assert told(page) == ["1 · Address – Hauptstraße 1"]
    assert browser_page.mischief == []


def test_choosing_a_place_looks_from_there_without_loading_the_page_anew(
    browser_page: Look, moved: str
):
    page = browser_page.go(f"entries/{moved}")
    page.evaluate("document.body.dataset.same = 'yes'")
    box = page.locator("svg.only-wide .ground").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.3, box["y"] + 20)
    page.wait_for_url("**as_of=20*")
    as_of = page.input_value("#as_of")
    assert "2021-01-01" < as_of < "2024-01-01"
    page.wait_for_function(
        "text => document.querySelector('.understood').textContent.includes(text)", arg=as_of
    )
    assert page.text_content("#says") == "What it says there"
    assert page.evaluate("document.body.dataset.same") == "yes"
    assert browser_page.mischief == []


def test_a_version_is_chosen_by_keyboard(browser_page: Look, moved: str):
    page = browser_page.go(f"entries/{moved}")
    page.locator(HITS).first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**known_at=*")
    assert told(page) == ["1 · Address – Hauptstraße 1"]


def test_without_scripts_each_version_is_a_link(tab: Callable[..., Look], moved: str):
    page = tab(java_script_enabled=False).go(f"entries/{moved}")
    page.locator(f"{HITS} .touch").first.click(position={"x": 5, "y": 5})
    assert "known_at=" in page.url
    assert page.locator("svg.only-wide .version.asked").count() == 1


def test_on_a_narrow_screen_the_plane_is_another_picture_and_nothing_runs_out(
    tab: Callable[..., Look], moved: str
):
    look = tab(viewport={"width": 390, "height": 800})
    page = look.go(f"entries/{moved}")
    assert page.locator("svg.only-narrow").is_visible()
    assert not page.locator("svg.only-wide").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert look.mischief == []


def test_on_paper_the_forms_are_gone_and_it_says_where_it_comes_from(
    browser_page: Look, moved: str
):
    page = browser_page.go(f"entries/{moved}")
    page.emulate_media(media="print")
    assert page.locator(".print-only").is_visible()
    for gone in ("form[data-pair]", ".changes", "nav.main", ".history input"):
        assert not page.locator(gone).first.is_visible()
    assert page.locator("svg.only-wide").is_visible()
    assert page.locator(".history tbody tr").count() == 2
