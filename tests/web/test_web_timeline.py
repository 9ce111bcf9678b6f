"""The timeline page: what happened on both clocks, and the state beside each event."""

import pytest


@pytest.fixture
def firm(home):
    """A firm that moves, learned ahead of time."""
    old = home.remember("Sitz Müller", "Hauptstraße 1", valid_from="2023-09-01", key="sitz")
    new = home.update(
        old.id, "Sitz Müller neu", "Industriestraße 7", valid_from="2024-06-01", reason="Umzug"
    )
    return old, new


def steps(shown) -> list[str]:
    return shown.texts("ol.events li")


def test_without_a_topic_the_page_teaches_what_to_type(pages):
    shown = pages.get("timeline")

    assert shown.status == 200
    assert "damals import" in shown.one("section.empty").text


@pytest.mark.usefixtures("firm")
def test_events_stand_in_order_with_what_they_led_to(pages):
    shown = pages.get("timeline", topic="Müller")

    told = steps(shown)
    assert len(told) == 5
    assert [one.split()[0] for one in told][:3] == ["2023-09-01", "2024-06-01", "2024-06-01"]
    assert "Sitz Müller neu" in told[-1]


@pytest.mark.usefixtures("firm")
def test_each_event_shows_the_state_behind_it(pages):
    before = pages.get("timeline", topic="Müller", step=1)
    after = pages.get("timeline", topic="Müller", step=3)

    assert before.texts("article.line h3") == ["Sitz Müller"]
    assert after.texts("article.line h3") == ["Sitz Müller neu"]
    assert after.one("[aria-current=step]").text.startswith("2024-06-01")


@pytest.mark.usefixtures("firm")
def test_one_walks_from_event_to_event_by_links(pages):
    shown = pages.get("timeline", topic="Müller", step=1)
    walked = [shown.one("[aria-current=step]").text]
    while shown.all("a#step-next"):
        shown = pages.get(shown.one("a#step-next")["href"])
        walked.append(shown.one("[aria-current=step]").text)

    assert walked == steps(shown)
    assert not shown.all("a#step-last")


@pytest.mark.usefixtures("firm")
def test_the_slider_is_a_form_that_works_without_scripts(pages):
    form = pages.get("timeline", topic="Müller").form("#step")

    shown = pages.send(form, step="2")

    assert shown.one("[aria-current=step]")["id"] == "event-2"
    assert shown.one("#moment")["data-step"] == "2"


@pytest.mark.usefixtures("firm")
def test_htmx_gets_the_moment_alone(pages):
    part = pages.part("timeline", topic="Müller", step=2)

    assert not part.all("h1")
    assert part.one("#moment")["data-step"] == "2"


@pytest.mark.usefixtures("firm")
def test_the_strip_has_a_mark_for_each_event_that_leads_to_its_step(pages):
    shown = pages.get("timeline", topic="Müller")

    links = [one["href"] for one in shown.all("figure.strip a")]
    assert sorted(links) == sorted(one["href"] for one in shown.all("ol.events a"))
    assert {one["tabindex"] for one in shown.all("figure.strip a")} == {"-1"}


@pytest.mark.usefixtures("firm")
def test_what_was_not_known_then_is_no_event(pages, home):
    before = home.log().transactions[0].recorded_at

    shown = pages.get("timeline", topic="Müller", known_at=before)

    assert len(steps(shown)) == 2
    assert "neu" not in shown.one("#moment").text


@pytest.mark.usefixtures("firm")
def test_one_clock_alone_can_be_looked_at(pages):
    world = pages.get("timeline", topic="Müller", axis="valid")

    assert {one["class"] for one in world.all("ol.events li")} == {"in-world"}


@pytest.mark.parametrize(
    ("asked", "status", "told"),
    [
        ({"topic": "Schrank"}, 404, "Schrank"),
        ({"topic": "Müller", "step": "99"}, 404, "99"),
        ({"topic": "Müller", "as_of": "gestern oder so"}, 400, "gestern oder so"),
        ({"topic": "Müller", "axis": "quer"}, 400, "quer"),
    ],
)
@pytest.mark.usefixtures("firm")
def test_what_cannot_be_shown_is_told_and_what_was_typed_is_kept(pages, asked, status, told):
    shown = pages.get("timeline", **asked)

    assert shown.status == status
    assert told in shown.problem
    assert shown.one("#topic")["value"] == asked["topic"]


def test_a_long_timeline_is_shown_in_pages(pages, home):
    for number in range(40):
        home.remember(f"Regal {number}", valid_from="2023-01-01")

    first = pages.get("timeline", topic="Regal")
    second = pages.get(first.one("a[rel=next]")["href"])

    assert (len(steps(first)), len(steps(second))) == (50, 30)
    assert not second.all("a[rel=next]")
    assert "+" in first.one("figure.strip").text


@pytest.mark.usefixtures("firm")
def test_what_one_may_not_see_leaves_no_event_and_no_number(pages, home):
    home.remember("Sitz Müller geheim", valid_from="2023-01-01", visibility="restricted")
    guest = pages.as_("gast", visibility="internal")

    shown = guest.get("timeline", topic="Müller")

    assert len(steps(shown)) == 5
    assert "geheim" not in shown.text
    assert shown.one("#step")["max"] == "5"


@pytest.mark.usefixtures("firm")
def test_behind_the_last_event_the_way_back_is_shown(pages):
    shown = pages.get("timeline", topic="Müller", after=500)

    assert shown.status == 200
    assert "5" in shown.one("#moment").text
    assert steps(pages.get(shown.one("#moment a")["href"]))


@pytest.mark.usefixtures("firm")
def test_scrubbing_changes_the_state_beside_it(browser_page):
    page = browser_page.go("timeline?topic=Müller")
    page.evaluate("window.same = true")
    slider = page.locator("#step")

    slider.focus()
    slider.press("Home")
    page.locator("#moment[data-step='1']").wait_for()
    assert page.locator("article.line h3").all_inner_texts() == ["Sitz Müller"]
    assert slider.get_attribute("aria-valuetext").startswith("Event 1 of 5: 2023-09-01")

    page.locator("#step-next").click()
    page.locator("#moment[data-step='2']").wait_for()
    page.locator("#step-next").click()
    page.locator("#moment[data-step='3']").wait_for()

    assert page.locator("article.line h3").all_inner_texts() == ["Sitz Müller neu"]
    assert slider.input_value() == "3"
    assert "step=3" in page.url
    assert page.evaluate("window.same")
    assert browser_page.mischief == []


@pytest.mark.usefixtures("firm")
def test_a_mark_of_the_strip_opens_its_event(browser_page):
    page = browser_page.go("timeline?topic=Müller")

    page.locator("figure.strip circle").first.click()

    page.locator("#event-1[aria-current=step]").wait_for()
    assert browser_page.mischief == []
