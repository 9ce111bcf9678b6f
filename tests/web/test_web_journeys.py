"""What people come for, from the first page to the last, in a real browser.

With ``DAMALS_PICTURES=/a/folder`` each stop is photographed in all widths and both colours.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from served_pages import Look, looking, serving
from visiting import Visit

PICTURES = os.environ.get("DAMALS_PICTURES")
WIDTHS = (1440, 768, 390)
QUESTION = "Wo sitzt die Müller GmbH?"
OLD, NEW = "Hauptstraße 1", "Industriestraße 7"


@pytest.fixture
def look(chromium: Browser, pages: Visit) -> Iterator[Look]:
    home = pages.home
    with serving(home, pages.client.app.state.server.options) as url:
        options = {"locale": "de-DE"} if PICTURES else {}
        with looking(chromium, url, home, **options) as made:
            yield made
            assert made.mischief == []


@pytest.fixture
def moved(pages: Visit) -> tuple[str, str]:
    """A customer moved in June 2025, and that is known."""
    text = "Die Müller GmbH sitzt in der {}."
    old = pages.home.remember(
        "Anschrift Müller GmbH", text.format(OLD), valid_from="2023-09-01", key="mueller/anschrift"
    ).id
    new = pages.home.update(
        old, "Anschrift Müller GmbH", text.format(NEW), valid_from="2025-06-01",
        reason="Handelsregister",
    ).id  # fmt: skip
    return old, new


expect.set_options(timeout=20_000)


def picture(page: Page, name: str) -> None:
    if not PICTURES:
        return
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            file = Path(PICTURES) / f"{name}-{width}-{scheme}.png"
            page.screenshot(path=file, full_page=True)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})


@pytest.mark.usefixtures("moved")
def test_a_move_is_seen_before_and_after_with_the_slider(look: Look):
    page = look.go("")
    page.fill("#q", QUESTION)
    page.keyboard.press("Enter")
    answer = page.locator("#found")
    expect(answer).to_contain_text(NEW)
    picture(page, "move-after")
    slider = page.locator("input.slider[data-for=as_of]")
    first = page.evaluate("(one) => Date.parse(one.dataset.first)", slider.element_handle())
    day = round((1_743_465_600_000 - first) / 86_400_000)  # 2025-04-01
    slider.fill(str(day))
    slider.dispatch_event("change")
    page.wait_for_url("**as_of=2025-04-01**")
    expect(answer).to_contain_text(OLD)
    assert page.input_value("#as_of") == "2025-04-01"
    picture(page, "move-before")
    page.go_back()
    expect(page.locator("#found")).to_contain_text(NEW)


def test_a_correction_is_made_and_undone(look: Look, moved: tuple[str, str]):
    page = look.go(f"entries/{moved[1]}")
    page.locator("a[href*='/change/correct']").first.click()
    page.fill("#content", "Die Müller GmbH sitzt in der Industriestraße 9.")
    page.fill("#reason", "Zahlendreher")
    picture(page, "correction-form")
    page.click("form.change p button")
    page.wait_for_url("**done=correct**")
    expect(page.locator("main")).to_contain_text("Industriestraße 9")
    picture(page, "correction-made")
    number = look.home.get(moved[1]).transaction
    page = look.go(f"entries/{moved[1]}/change/revert")
    page.fill("[name=transaction]", str(number))
    page.fill("#reason", "war doch richtig")
    page.click("form.change p button")
    page.wait_for_url("**done=revert**")
    assert NEW in look.home.get(moved[1]).content
    expect(page.locator("main")).to_contain_text(NEW)
    assert len(look.home.history(moved[1]).versions) >= 3
    picture(page, "correction-undone")


def test_a_contradiction_is_found_and_decided(look: Look):
    home = look.home
    a = home.remember("Müller zahlt in 14 Tagen", "Laut Vertrag.").id
    b = home.remember("Müller zahlt in 30 Tagen", "Laut Rechnung.").id
    home.contradict(a, b, reason="Beides kann nicht sein")
    page = look.go("hygiene")
    expect(page.locator("main")).to_contain_text("Müller zahlt in 14 Tagen")
    picture(page, "contradiction-found")
    page.locator("a[href*='choice=keep_a']").first.click()
    picture(page, "contradiction-question")
    page.locator("main form[method=post] button").click()
    page.wait_for_url("**/hygiene?**")
    assert [one.id for one in home.entries()] == [a]
    (relation,) = [one for one in home.get(a).relations if one.type == "contradicts"]
    assert relation.resolution != "required"
    picture(page, "contradiction-decided")


def test_an_import_is_watched_to_its_end(look: Look, tmp_path: Path):
    vault = tmp_path / "in" / "notizen"
    vault.mkdir(parents=True)
    for number in range(60):
        (vault / f"Notiz {number}.md").write_text(f"# Notiz {number}\n\nText {number}\n")
    (vault / "kaputt.md").write_bytes(b"\xff\xfe\x00\xd8")
    page = look.go("imports")
    page.fill("[name=path]", str(vault))
    picture(page, "import-form")
    page.locator("form:has([name=path]) button").first.click()
    page.wait_for_url("**/jobs/*")
    expect(page.locator("#job[data-state=done]")).to_be_visible()
    expect(page.locator("#job dl.counts")).to_contain_text("60")
    picture(page, "import-done")
    assert len(look.home.entries(limit=100)) >= 60


def test_an_answer_opened_later_says_what_was_told_then(look: Look, moved: tuple[str, str]):
    page = look.go("")
    page.fill("#q", QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator("#found")).to_contain_text(NEW)
    page.locator("a[href*='/answers/']").first.click()
    page.wait_for_url("**/answers/*")
    address = page.url.removeprefix(look.url)
    look.home.update(
        moved[1], "Anschrift Müller GmbH", "Die Müller GmbH sitzt in der Parkallee 3.",
        valid_from="2026-01-01", reason="Umzug",
    )  # fmt: skip
    page = look.go(address)
    expect(page.locator("main")).to_contain_text(NEW)
    expect(page.locator("main")).not_to_contain_text("Parkallee 3")
    picture(page, "receipt")
    cited = page.locator("main a[href*='quote=']").first
    cited.click()
    expect(page.locator("mark").first).to_be_visible()
    picture(page, "source")
