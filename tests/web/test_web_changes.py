"""The forms of changes: each operation, what is wrong with what was typed, and who was faster."""

import pytest
from visiting import Shown, Visit

from damals.app.errors import NotFound
from damals.local import LocalDamals


@pytest.fixture
def office(home: LocalDamals) -> str:
    """An entry; its id."""
    return home.remember(
        "Office", "Hauptstraße 1\n", valid_from="2024-01-01", tags=["address", "b"], key="k"
    ).id


def filled(pages: Visit, id: str, name: str, **said: str | None) -> Shown:
    """Send the form of a change as a browser does, with some fields filled in."""
    form = pages.get(f"entries/{id}/change/{name}").form("[name=if_transaction]")
    return pages.send(form, **said)


def contents(home: LocalDamals, **pair: str) -> list[str]:
    return sorted(one.content for one in home.entries(**pair))


# --- each operation


def test_something_new_is_remembered(pages: Visit, home: LocalDamals):
    form = pages.get("new").form("#title")
    shown = pages.send(
        form,
        title=" Lead ",
        content="Ms Winter\r\n\r\nsince May",
        valid_from="2024-09",
        tags="a, b ,,c/d",
        key="team/lead",
        importance="5",
        reason="told by mail",
    )
    assert shown.heading == "Lead"
    assert "Remembered, in transaction 1" in shown.one("[role=status]").text
    (made,) = home.entries()
    assert made.content == "Ms Winter\n\nsince May"
    assert (made.valid_from, made.tags, made.key) == ("2024-09", ("a", "b", "c/d"), "team/lead")
    assert (made.importance, made.visibility) == (5, "internal")
    assert home.log().transactions[0].ops[0]["reason"] == "told by mail"


def test_the_address_of_the_form_may_say_what_stands_in_it(pages: Visit):
    form = pages.get("new", title="From elsewhere", key="k").form("#title")
    assert form.fields["title"] == ["From elsewhere"]
    assert form.fields["key"] == ["k"]


def test_an_update_takes_over_from_a_day_on(pages: Visit, home: LocalDamals, office: str):
    shown = filled(
        pages,
        office,
        "update",
        content="Industriestraße 7",
        valid_from="2025-06-01",
        reason="moved",
    )
    assert "takes over" in shown.one("[role=status]").text
    assert office not in shown.path, "the new entry is shown"
    assert contents(home, as_of="2025-05-31") == ["Hauptstraße 1\n"]
    assert contents(home, as_of="2025-06-01") == ["Industriestraße 7"]
    assert home.entries(as_of="2025-06-01").entries[0].key == "k", "what it does not say is kept"


def test_an_update_for_a_while_gives_the_rest_back(pages: Visit, home: LocalDamals, office: str):
    filled(
        pages,
        office,
        "update",
        content="Tent",
        valid_from="2025-06-01",
        valid_to="2025-07-01",
        relation="revises",
        reason="water",
    )
    assert contents(home, as_of="2025-06-15") == ["Tent"]
    assert contents(home, as_of="2025-07-01") == ["Hauptstraße 1\n"]


def test_a_correction_says_only_what_differs(pages: Visit, home: LocalDamals, office: str):
    shown = filled(pages, office, "correct", content="Hauptstraße 1a", reason="typo")
    assert "Corrected, in transaction 2" in shown.one("[role=status]").text
    (said,) = home.log().transactions[1].ops
    assert {"content", "reason", "op", "target"} == set(said) - {"if_transaction"}


def test_a_correction_with_nothing_different_changes_nothing(
    pages: Visit, home: LocalDamals, office: str
):
    shown = filled(pages, office, "correct", reason="just looking")
    assert "nothing was changed" in shown.one("[role=status]").text
    assert len(home.log().transactions) == 1


def test_a_field_that_is_emptied_is_empty_afterwards(pages: Visit, home: LocalDamals, office: str):
    filled(pages, office, "correct", tags="", key=" ", content="", reason="all wrong")
    entry = home.get(office)
    assert (entry.tags, entry.key, entry.content) == ((), None, "")


def test_a_text_survives_the_form_byte_for_byte(pages: Visit, home: LocalDamals):
    text = "\n\n  begins with lines\n\ttabs & <tags> ü\n\nends with lines\n\n"
    made = home.remember("Text", text, valid_from="2024")
    shown = filled(pages, made.id, "correct", title="Other", reason="name")
    assert shown.heading == "Other"
    assert home.get(made.id).content == text
    assert "content" not in home.log().transactions[1].ops[0]


def test_an_end_is_learned(pages: Visit, home: LocalDamals, office: str):
    filled(pages, office, "end", at="2025-01-01", reason="closed")
    assert home.get(office).valid_to == "2025-01-01"


def test_what_was_never_true_is_retracted_and_may_give_back(pages: Visit, home: LocalDamals):
    first = home.remember("A", "old", valid_from="2024", key="k")
    second = home.update(first.id, "A", "new", valid_from="2025", reason="moved")
    shown = filled(pages, second.id, "retract", reason="a joke", restore="yes")
    assert "Retracted" in shown.one("[role=status]").text
    assert contents(home, as_of="2025-06-01") == ["old"]


def test_a_transaction_is_taken_back(pages: Visit, home: LocalDamals, office: str):
    home.correct(office, content="wrong", reason="mistake")
    link = pages.get(f"entries/{office}/log").all("a[href*=/change/revert]")[1]
    form = pages.get(link["href"]).form("#transaction")
    assert form.fields["transaction"] == ["2"]
    pages.send(form, reason="undo")
    assert home.get(office).content == "Hauptstraße 1\n"


def test_an_entry_is_verified_pinned_unpinned_and_archived(
    pages: Visit, home: LocalDamals, office: str
):
    filled(pages, office, "verify", score="0.8", evidence="a letter")
    assert home.get(office).grounding_score == 0.8
    filled(pages, office, "pin")
    assert home.get(office).pinned
    assert pages.get(f"entries/{office}").all("a[href$=/change/unpin]")
    filled(pages, office, "unpin")
    assert not home.get(office).pinned
    filled(pages, office, "archive", reason="done with")
    assert contents(home) == []


def test_another_entry_is_found_related_and_the_relation_taken_back(
    pages: Visit, home: LocalDamals, office: str
):
    other = home.remember("Detmold branch", "All about the branch", valid_from="2024")
    search = pages.get(f"entries/{office}/change/relate").form("#find")
    found = pages.send(search, find="branch")
    choice = found.one("input[type=radio][name=other]")
    assert choice["value"] == other.id
    shown = pages.send(found.form("[name=if_transaction]"), type="part_of", other=other.id)
    assert shown.texts(".relations a[href^=/w/default/entries/]")[0] == "Detmold branch"
    there = pages.get(f"entries/{other.id}")
    back = there.one("a[href*=/change/unrelate]")
    pages.send(pages.get(back["href"]).form("[name=if_transaction]"))
    assert not home.get(office).relations


def test_a_contradiction_is_recorded_and_decided(pages: Visit, home: LocalDamals, office: str):
    other = home.remember("Office", "Nebenstraße 2", valid_from="2024", external_id="second")
    filled(pages, office, "contradict", other="second", reason="one of both")
    link = pages.get(f"entries/{other.id}").one(".problem a[href*=/change/resolve]")
    form = pages.get(link["href"]).form("[name=if_transaction]")
    assert form.fields["other"] == [office]
    pages.send(form, keep="a", reason="saw the sign")
    assert contents(home) == ["Nebenstraße 2"]


# --- what is wrong


@pytest.mark.parametrize(
    ("name", "said", "complaint"),
    [
        ("update", {"reason": ""}, "reason"),
        ("update", {"reason": "x", "valid_from": "when pigs fly"}, "when pigs fly"),
        ("update", {"reason": "x", "valid_from": "2020"}, "2024-01-01"),
        ("correct", {"reason": "x", "valid_from": "2030", "valid_to": "2029"}, "2029"),
        ("correct", {"reason": "x", "importance": "9"}, "importance"),
        ("end", {"reason": "x", "at": ""}, "at"),
        ("end", {"reason": "x", "at": "2020-01-01"}, "2020-01-01"),
        ("verify", {"score": "much"}, "much"),
        ("relate", {"type": "part_of", "other": "nobody"}, "nobody"),
        ("relate", {"type": "", "other": "nobody"}, "type"),
        ("contradict", {"reason": "x", "other": ""}, "b"),
        ("resolve", {"reason": "x", "other": "nobody", "keep": "a"}, "nobody"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(
    pages: Visit, home: LocalDamals, office: str, name: str, said: dict[str, str], complaint: str
):
    shown = filled(pages, office, name, **said)
    assert shown.status in (400, 404, 409)
    assert complaint in shown.problem
    fields = shown.form("[name=if_transaction]").fields
    assert {key: fields[key][0] for key in said if fields.get(key)} == {
        key: value for key, value in said.items() if fields.get(key)
    }
    assert len(home.log().transactions) == 1


def test_a_key_that_is_taken_is_told_with_what_stands_there(
    pages: Visit, home: LocalDamals, office: str
):
    shown = pages.send(
        pages.get("new").form("#title"), title="Second", key="k", valid_from="2024-06-01"
    )
    assert shown.status == 409
    assert office in shown.problem
    kept = shown.form("#title")
    assert kept.fields["title"] == ["Second"]
    shown = pages.send(kept, on_overlap="replace")
    assert shown.heading == "Second"
    assert home.get(office, as_of="2024-05-31").valid_to == "2024-06-01"


@pytest.mark.parametrize("name", ["", "remember", "derive", "drop table", "%00"])
def test_there_are_no_other_changes(pages: Visit, office: str, name: str):
    assert pages.get(f"entries/{office}/change/{name}").status in (400, 404)
    assert pages.post(f"entries/{office}/change/{name}").status in (400, 404, 405)


# --- who was faster


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("update", {"content": "mine", "reason": "x"}),
        ("correct", {"content": "mine", "reason": "x"}),
        ("end", {"at": "2025", "reason": "x"}),
        ("retract", {"reason": "x"}),
        ("verify", {"evidence": "mine"}),
        ("pin", {"reason": "mine"}),
        ("archive", {"reason": "x"}),
    ],
)
def test_who_was_overtaken_sees_what_stands_there_now_and_keeps_what_was_typed(
    pages: Visit, home: LocalDamals, office: str, name: str, said: dict[str, str]
):
    form = pages.get(f"entries/{office}/change/{name}").form("[name=if_transaction]")
    home.correct(office, content="theirs", reason="faster")
    shown = pages.send(form, **said)
    assert shown.status == 409
    now = shown.one(".overtaken")
    assert "Somebody was faster" in now.text
    kept = shown.form("[name=if_transaction]")
    assert {key: kept.fields[key] for key in said} == {key: [said[key]] for key in said}
    if "content" in said:
        assert [one.text for one in now.all("del")] == ["theirs"]
        assert [one.text for one in now.all("ins")] == ["mine"]
    assert len(home.log().transactions) == 2, "nothing was stored"
    assert pages.send(kept).status == 200, "once seen, it can be sent again"
    assert len(home.log().transactions) == 3


def test_an_overtaken_correction_does_not_take_back_what_it_did_not_touch(
    pages: Visit, home: LocalDamals, office: str
):
    form = pages.get(f"entries/{office}/change/correct").form("[name=if_transaction]")
    home.correct(office, title="Their title", reason="faster")
    again = pages.send(form, content="mine", reason="x").form("[name=if_transaction]")
    pages.send(again)
    entry = home.get(office)
    assert (entry.title, entry.content) == ("Their title", "mine")


# --- who may


def test_who_may_only_read_gets_no_form_and_changes_nothing(
    pages: Visit, home: LocalDamals, office: str
):
    reader = pages.as_("rita")
    for path in (f"entries/{office}/change/correct", f"entries/{office}/change/erase"):
        assert not reader.get(path).all("form.change, #confirm")
        assert reader.post(path, content="x", reason="x", confirm="Office").status == 403
    assert reader.post("new", title="x").status == 403
    assert len(home.log().transactions) == 1


# --- erasing


def test_erasing_wants_to_be_sure(pages: Visit, home: LocalDamals, office: str):
    form = pages.get(f"entries/{office}/change/erase").form("#confirm")
    for typed in ("", "office", "Offic", office):
        shown = pages.send(form, confirm=typed, reason="asked for")
        assert shown.status == 400
        assert "Office" in shown.problem
        assert shown.form("#confirm").fields["reason"] == ["asked for"]
    assert home.get(office)


def test_an_erasure_shows_its_certificate_which_can_be_looked_up_again(
    pages: Visit, home: LocalDamals, office: str
):
    form = pages.get(f"entries/{office}/change/erase").form("#confirm")
    shown = pages.send(form, confirm="  Office ", reason="asked for")
    assert shown.heading == "Certificate of erasure"
    assert "nothing was found" in shown.one("[role=status]").text
    assert office in shown.text, "the tombstone names its id"
    assert "Hauptstraße" not in shown.answer.text
    assert pages.get(shown.path).text == shown.text
    assert pages.get(f"entries/{office}").status == 404
    with pytest.raises(NotFound):
        home.get(office)


def test_a_long_title_is_confirmed_by_the_start_of_its_id(pages: Visit, home: LocalDamals):
    made = home.remember("A title " * 9, "x", valid_from="2024")
    form = pages.get(f"entries/{made.id}/change/erase").form("#confirm")
    assert pages.send(form, confirm="A title").status == 400
    assert pages.send(form, confirm=made.id[:8]).status == 200


def test_an_erased_person_is_told_with_those_who_mention_them(pages: Visit, home: LocalDamals):
    anna = home.remember("Anna Berg", "", type="person", valid_from="2024")
    home.remember("Meeting", "Anna Berg took the minutes.", valid_from="2024")
    form = pages.get(f"entries/{anna.id}/change/erase").form("#confirm")
    shown = pages.send(form, confirm="Anna Berg", kind="person")
    assert shown.heading == "Certificate of erasure"
    assert "Meeting" in shown.text


def test_who_was_overtaken_erases_nothing(pages: Visit, home: LocalDamals, office: str):
    form = pages.get(f"entries/{office}/change/erase").form("#confirm")
    home.correct(office, content="theirs", reason="faster")
    assert pages.send(form, confirm="Office").status == 409
    assert home.get(office).content == "theirs"


def test_the_certificate_is_for_those_who_may_erase(pages: Visit, home: LocalDamals, office: str):
    told = home.erase("entry", office)
    assert told.certificate.id is not None
    writer = pages.as_("willi", "writer")
    assert writer.get(f"erasures/{told.certificate.id}").status == 403
    assert pages.as_("anna", "admin").get("erasures/unknown").status == 404
