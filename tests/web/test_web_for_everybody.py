"""Everybody can use the pages: axe, the keyboard alone, and no JavaScript."""

import re
from collections.abc import Iterator

import pytest
from all_pages import Archive
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from served_pages import Look, looking, serving
from visiting import Visit

AXE = Axe()
RULES = {"resultTypes": ["violations"], "iframes": False}
GRAVE = {"serious", "critical"}
LOOKS = {
    "light and wide": {"color_scheme": "light", "viewport": {"width": 1440, "height": 900}},
    "dark and narrow": {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
}
FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
UNREACHED = """(selector) => [...document.querySelectorAll(selector)].filter((one) => {
  const shown = one.checkVisibility({visibilityProperty: true}) && !one.disabled;
  const closed = one.closest("details:not([open])") && one.tagName !== "SUMMARY";
  const same = one.matches("a") && document.querySelector(
    `a[href="${CSS.escape(one.getAttribute("href") || "")}"]:not([tabindex="-1"])`);
  const aside = same || one.matches("a.no") || one.type === "radio"; // reached in other ways
  return shown && !closed && !aside && one.tabIndex < 0;
}).map((one) => one.outerHTML.slice(0, 200))"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
MOVING = """[...document.querySelectorAll("*")].filter(
  (one) => getComputedStyle(one).transitionDuration !== "0s").length"""
UNSEEN = """() => {
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle === "none" && style.boxShadow === "none";
}"""

Served = tuple[str, Visit, Archive]


@pytest.fixture(scope="module")
def served(filled: tuple[Visit, Archive]) -> Iterator[Served]:
    pages, archive = filled
    with serving(pages.home) as url:
        yield url, pages, archive


def one_of_each_kind(archive: Archive, pages: Visit) -> list[str]:
    """Addresses that differ in more than which entry they are about."""
    found: dict[str, str] = {}
    for path in [*archive.addresses(), *archive.repairs(pages)[:1]]:
        if path.startswith(("graph.json", "nowhere", "/w/nothing")):
            continue
        kind = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", path.partition("?")[0])
        names = sorted(re.findall(r"(\w+)=", path.partition("?")[2]))
        found.setdefault(f"{kind} {names}", path)
    return list(found.values())


@pytest.mark.parametrize("name", LOOKS)
def test_axe_finds_nothing_serious_on_any_page(served: Served, chromium: Browser, name):
    url, pages, archive = served
    found = {}
    with looking(chromium, url, pages.home, **LOOKS[name]) as look:
        for path in one_of_each_kind(archive, pages):
            page = look.go(path)
            told = AXE.run(page, options=RULES).response["violations"]
            grave = [
                f"{one['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
                for one in told
                if one["impact"] in GRAVE
                for node in one["nodes"][:2]
            ]
            if grave:
                found[path] = grave
            assert page.evaluate(OVERFLOW) <= 0, f"{path} is wider than the window"
        assert look.mischief == []
    assert found == {}


def test_all_that_can_be_done_is_reached_by_the_keyboard_and_seen_there(
    served: Served, chromium: Browser
):
    url, pages, archive = served
    with looking(chromium, url, pages.home) as look:
        for path in one_of_each_kind(archive, pages):
            page = look.go(path)
            assert page.evaluate(UNREACHED, FOCUSABLE) == [], path
            later = page.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])")
            assert later.count() == 0, f"{path} has an order of its own"
            page.keyboard.press("Tab")
            assert not page.evaluate(UNSEEN), path


def test_an_entry_is_made_changed_and_left_by_the_keyboard_alone(browser_page: Look):
    page = browser_page.go("new")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    _tab_to(page, "#title")
    page.keyboard.type("Anschrift Müller GmbH")
    _tab_to(page, "#content")
    page.keyboard.type("Hauptstraße 1")
    _tab_to(page, "form.change button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/entries/*")
    _tab_to(page, "a[href*='/change/correct']")
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/correct")
    _tab_to(page, "#content")
    page.keyboard.press("Control+A")
    page.keyboard.type("Hauptstraße 11")
    _tab_to(page, "#reason")
    page.keyboard.type("Zahlendreher")
    page.keyboard.press("Enter")
    page.wait_for_url("**done=correct**")
    assert "Hauptstraße 11" in page.inner_text("main")
    (entry,) = browser_page.home.entries()
    assert entry.content == "Hauptstraße 11"


def _tab_to(page, selector: str) -> None:
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(one) => document.activeElement.matches(one)", selector):
            return
    pytest.fail(f"the keyboard does not reach {selector} on {page.url}")


def test_without_javascript_every_page_reads_the_same_and_nothing_waits_for_it(
    served: Served, chromium: Browser
):
    url, pages, archive = served
    with looking(chromium, url, pages.home, java_script_enabled=False) as look:
        for path in one_of_each_kind(archive, pages):
            page = look.go(path)
            assert page.locator("main h1").is_visible(), path
            assert len(page.inner_text("main")) > 40, path
            assert page.locator("main .slider:visible").count() == 0, path
            assert page.locator("[data-print]:visible").count() == 0, path


def test_without_javascript_a_question_is_asked_and_an_entry_is_made(tab):
    look = tab(java_script_enabled=False)
    page = look.go("new")
    page.fill("#title", "Anschrift Müller GmbH")
    page.fill("#content", "Die Müller GmbH sitzt in der Hauptstraße 1.")
    page.click("form.change button")
    assert "/entries/" in page.url
    page = look.go("")
    page.fill("#q", "Wo sitzt die Müller GmbH?")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=Wo+sitzt**")
    assert "Hauptstraße 1" in page.inner_text("#found")


def test_who_wants_less_motion_gets_none(tab):
    page = tab(reduced_motion="reduce").go("")
    assert page.evaluate(MOVING) == 0
