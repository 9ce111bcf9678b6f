"""Trace: when, by whom and from where a belief entered, what was known before, what was alike."""

import pytest
from insight_home import home

from damals.app.tracing_results import Trace
from damals.app.wire import from_wire, to_wire
from damals.domain.access import Principal
from damals.errors import InvalidInput, NotFound

SEAT = {"key": "mueller/sitz", "valid_from": "2024-01-01"}


def only(found):
    [one] = found.entries
    return one


def test_an_entry_names_who_recorded_it_when_and_from_which_source_and_session(memory, clock):
    clock.to("2024-02-01")
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz", **SEAT, reason="Brief",
                    source={"kind": "call", "session": "s-17", "uri": "mail://42"})  # fmt: skip
    entered = only(memory.trace("sitz")).entered
    assert (entered.operation, entered.actor, entered.reason) == ("remember", "owner", "Brief")
    assert entered.recorded_from == "2024-02-01T00:00:00.000000Z"
    assert (entered.source.session, entered.source.uri) == ("s-17", "mail://42")
    assert entered.transaction == 1


def test_a_belief_that_came_with_a_correction_entered_with_it(memory, clock):
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz", **SEAT)
    clock.to("2024-03-01")
    memory.correct("sitz", content="Industriestraße 7", reason="Umzug verwechselt")
    clock.to("2024-04-01")
    memory.pin("sitz")
    found = only(memory.trace("sitz"))
    assert (found.entered.operation, found.entered.reason) == ("correct", "Umzug verwechselt")
    assert found.entered.recorded_from.startswith("2024-03-01")
    assert [one.content for one in found.before] == ["Hauptstraße 1"]
    assert [one.after.pinned for one in found.changes] == [True]


def test_a_pair_in_the_past_traces_what_was_believed_then(memory, clock):
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz", **SEAT)
    clock.to("2024-03-01")
    memory.correct("sitz", content="Industriestraße 7", reason="r")
    then = only(memory.trace("sitz", known_at="2024-02-01"))
    assert (then.entry.content, then.entered.operation) == ("Hauptstraße 1", "remember")
    assert then.similar_errors == ()


def test_what_was_known_just_before_is_what_the_key_said_and_what_it_took_over_from(memory, clock):
    memory.remember("Alt", "Hauptstraße 1", external_id="alt", **SEAT)
    clock.to("2024-06-01")
    memory.remember("Neu", "Industriestraße 7", external_id="neu", key="mueller/sitz",
                    valid_from="2024-06-01", on_overlap="replace")  # fmt: skip
    found = only(memory.trace("neu"))
    assert [one.external_id for one in found.before] == ["alt"]
    assert found.before[0].valid_to is None  # as it was known then
    memory.update("neu", "Neuer", "Am Markt 3", reason="r", valid_from="2024-07-01")
    newest = memory.history(key="mueller/sitz").versions[-1].id
    clock.to("2024-08-01")
    assert [one.external_id for one in only(memory.trace(newest)).before] == ["neu"]


def test_nothing_was_known_before_the_first(memory):
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz")
    assert only(memory.trace("sitz")).before == ()


def test_what_said_nearly_the_same_is_known_before_where_nothing_else_is(memory, clock):
    memory.remember("Timeout", "Der Timeout beträgt 30 Sekunden.", external_id="a")
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz")
    clock.to("2024-02-01")
    memory.remember("Timeout neu", "Der Timeout beträgt 90 Sekunden.", external_id="b")
    memory.remember("Sitz", "Industriestraße 7", external_id="neu")
    assert [one.external_id for one in only(memory.trace("b")).before] == ["a"]
    assert [one.external_id for one in only(memory.trace("neu")).before] == ["sitz"]
    assert only(memory.trace("a")).before == ()


def test_changes_are_told_since_it_entered_or_between_two_instants(memory, clock):
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz", **SEAT)
    clock.to("2024-03-01")
    memory.verify("sitz", evidence="Register")
    clock.to("2024-05-01")
    memory.end("sitz", "2024-04-01", reason="ausgezogen")
    assert [one.kind for one in only(memory.trace("sitz")).changes] == ["verified", "closed"]
    between = only(memory.trace("sitz", start="2024-02-15", end="2024-03-15"))
    assert [one.kind for one in between.changes] == ["verified"]
    later = only(memory.trace("sitz", start="2024-03-15", end="2024-06-01"))
    assert [(one.kind, one.reason) for one in later.changes] == [("closed", "ausgezogen")]


def test_a_retracted_belief_can_be_traced_and_is_not_its_own_similar_error(memory, clock):
    memory.remember("Falsch", "Die Frist beträgt 30 Tage.", external_id="frist")
    clock.to("2024-02-01")
    memory.retract("frist", reason="aus anderem Vertrag")
    found = only(memory.trace("frist"))
    assert found.entry.content == "Die Frist beträgt 30 Tage."
    assert found.entered.operation == "remember"
    assert found.similar_errors == ()


# --- errors of the same kind


def errors(found) -> list[tuple[str, tuple[str, ...], str, str | None]]:
    return [
        (one.content, one.alike, one.ended_by, one.ended_reason)
        for one in only(found).similar_errors
    ]


def test_what_was_given_back_was_no_error(memory, clock):
    memory.remember("Timeout", "Der Timeout beträgt 30 Sekunden.", external_id="a",
                    valid_from="2024-01-01")  # fmt: skip
    clock.to("2024-02-01")
    memory.update("a", "Timeout", "Der Timeout beträgt 60 Sekunden.", external_id="b",
                  reason="Irrtum?", valid_from="2024-01-15")  # fmt: skip
    clock.to("2024-03-01")
    memory.retract("b", reason="falsch abgelesen", restore=True)
    clock.to("2024-04-01")
    memory.remember("Timeout neu", "Der Timeout beträgt 90 Sekunden.", external_id="c")
    assert [one[0] for one in errors(memory.trace("c"))] == ["Der Timeout beträgt 60 Sekunden."]
    assert errors(memory.trace("b")) == []
    assert [one.external_id for one in only(memory.trace("c")).before] == ["a"]
    clock.to("2024-05-01")
    memory.retract("a", reason="nie wahr")
    told = [one[0] for one in errors(memory.trace("c"))]
    assert told == ["Der Timeout beträgt 30 Sekunden.", "Der Timeout beträgt 60 Sekunden."]


def test_errors_are_alike_in_key_subject_text_or_tag_and_the_most_alike_come_first(memory, clock):
    told = {
        "key": {"title": "Hausnummer", "content": "a", "key": "mueller/sitz"},
        "subject": {"title": "SITZ", "content": "b"},
        "aside": {"title": "Rufnummer", "content": "c", "key": "mueller/telefon"},
        "text": {"title": "Ort", "content": "Die Firma Müller sitzt in der Hauptstraße 9."},
        "tag": {"title": "Konto", "content": "d", "tags": ["kunde/mueller"]},
        "other": {"title": "Wetter", "content": "Es regnet.", "tags": ["wetter"]},
    }
    for number, (name, said) in enumerate(told.items(), start=2):
        clock.to(f"2024-01-{number:02}")
        memory.remember(**said, external_id=name)
        memory.retract(name, reason=f"falsch {name}")
    clock.to("2024-03-01")
    memory.remember(
        "Sitz", "Die Firma Müller sitzt in der Hauptstraße 1.", external_id="sitz",
        tags=["kunde/mueller"], **SEAT,
    )  # fmt: skip
    assert errors(memory.trace("sitz")) == [
        ("a", ("key", "subject"), "retract", "falsch key"),
        ("c", ("subject",), "retract", "falsch aside"),
        ("b", ("subject",), "retract", "falsch subject"),
        (told["text"]["content"], ("text",), "retract", "falsch text"),
        ("d", ("tag",), "retract", "falsch tag"),
    ]


def test_a_parent_tag_is_a_tag(memory):
    memory.remember("A", "x", external_id="a", tags=["kunde/mueller"])
    memory.retract("a", reason="r")
    memory.remember("B", "y", external_id="b", tags=["kunde/meier"])
    assert [alike for _, alike, *_ in errors(memory.trace("b"))] == [("tag",)]


def test_a_corrected_date_or_text_was_an_error_and_an_added_tag_was_none(memory, clock):
    memory.remember("Sitz", "Hauptstraße 1", external_id="sitz", **SEAT)
    clock.days(1)
    memory.correct("sitz", tags=["kunde"], reason="Schlagwort")
    clock.days(1)
    memory.correct("sitz", valid_from="2023-01-01", reason="schon früher")
    clock.days(1)
    memory.correct("sitz", content="Hauptstraße 2", reason="Zahlendreher")
    assert [(c, how, why) for c, _, how, why in errors(memory.trace("sitz"))] == [
        ("Hauptstraße 1", "correct", "Zahlendreher"),
        ("Hauptstraße 1", "correct", "schon früher"),
    ]


def test_what_was_superseded_or_has_ended_was_no_error(memory, clock):
    memory.remember("Sitz", "Hauptstraße 1", external_id="alt", **SEAT)
    clock.to("2024-02-01")
    memory.update("alt", "Sitz", "Hauptstraße 2", reason="Umzug", valid_from="2024-02-01")
    memory.remember("Sitz", "x", external_id="x")
    memory.end("x", "2024-02-02", reason="r")
    memory.verify("alt")
    assert errors(memory.trace("x")) == []


def test_a_note_that_was_edited_or_whose_file_is_gone_was_no_error(memory, tmp_path, clock):
    vault = tmp_path / "v"
    vault.mkdir()
    (vault / "Sitz.md").write_text("Hauptstraße 1", encoding="utf-8")
    memory.import_(vault)
    clock.days(1)
    (vault / "Sitz.md").write_text("Hauptstraße 2", encoding="utf-8")
    memory.import_(vault)
    clock.days(1)
    (vault / "Sitz.md").unlink()
    memory.import_(vault, prune=True)
    memory.remember("Sitz", "Hauptstraße 3", external_id="sitz")
    assert errors(memory.trace("sitz")) == []


def test_what_was_wrong_later_is_not_known_at_an_earlier_instant(memory, clock):
    memory.remember("Sitz", "a", external_id="a")
    memory.remember("Sitz", "b", external_id="b")
    clock.to("2024-06-01")
    memory.retract("a", reason="r")
    assert errors(memory.trace("b", known_at="2024-05-01")) == []
    assert [content for content, *_ in errors(memory.trace("b"))] == ["a"]


def test_an_error_that_was_made_after_a_belief_entered_is_no_earlier_one(memory, clock):
    memory.remember("Satz", "16 Prozent", external_id="davor")
    memory.remember("Satz", "19 Prozent", external_id="satz")
    clock.days(1)
    memory.remember("Satz", "21 Prozent", external_id="danach")
    memory.retract("danach", reason="geraten")
    memory.pin("davor")  # its rectangle is later than the belief, what it says is not
    memory.retract("davor", reason="veraltet")
    assert errors(memory.trace("satz")) == [
        ("16 Prozent", ("subject", "text"), "retract", "veraltet")
    ]
    assert [content for content, *_ in errors(memory.trace("danach"))] == ["16 Prozent"]


# --- by words


def test_words_trace_all_that_say_them_or_once_did_in_the_order_in_which_they_entered(
    memory, clock
):
    memory.remember("Frist", "Die Kündigungsfristen betragen 30 Tage.", external_id="eins")
    clock.days(1)
    memory.remember("Zahlung", "Zahlbar in 14 Tagen.", external_id="zwei")
    memory.remember("Vertrag", "Kündigungsfrist 60 Tage", external_id="drei")
    clock.days(1)
    memory.correct("eins", content="Es gibt keine Frist.", reason="r")
    found = memory.trace("Kündigungsfrist Tage")
    assert [one.entry.external_id for one in found.entries] == ["eins", "drei"]
    limited = memory.trace("Kündigungsfrist Tage", limit=1)
    assert ([one.entry.external_id for one in limited.entries], limited.omitted) == (["eins"], 1)


@pytest.mark.parametrize(
    ("what", "kind", "key"),
    [
        ("", InvalidInput, "field.empty"),
        ("nirgends gesagt", NotFound, "trace.nothing"),
        ("…", NotFound, "trace.nothing"),
        ("00000000-0000-4000-8000-00000000000a", NotFound, "entry.erased"),
    ],
)
def test_what_cannot_be_traced_is_refused(memory, what, kind, key):
    gone = memory.remember("Weg", "x", id="00000000-0000-4000-8000-00000000000a").id
    memory.erase("entry", gone)
    with pytest.raises(kind) as raised:
        memory.trace(what)
    assert raised.value.key == key


def test_what_was_not_known_by_then_cannot_be_traced(memory, clock):
    clock.to("2024-02-01")
    memory.remember("Sitz", "x", external_id="sitz")
    with pytest.raises(NotFound):
        memory.trace("sitz", known_at="2024-01-15")


# --- for others


def test_a_guest_is_told_as_if_hidden_entries_had_never_been(memory, clock, tmp_path):
    def tell(said, *, secret: bool) -> None:
        said.remember("Sitz", "a", external_id="a", id="00000000-0000-4000-8000-00000000000a")
        if secret:
            said.remember("Sitz", "geheim", external_id="s", visibility="restricted")
            said.retract("s", reason="geheim")
        said.retract("a", reason="falsch")
        said.remember("Sitz", "b", external_id="b", id="00000000-0000-4000-8000-00000000000b")

    tell(memory, secret=True)
    guest = memory.under(Principal("bob"))
    with home(tmp_path / "other", clock) as other:
        tell(other, secret=False)
        plain = other.under(Principal("bob"))
        seen, wanted = errors(guest.trace("b")), errors(plain.trace("b"))
    assert seen == wanted == [("a", ("subject", "text"), "retract", "falsch")]
    with pytest.raises(NotFound):
        guest.trace("geheim")


def test_a_trace_can_be_read_back_from_its_json(memory):
    memory.remember("Sitz", "a", external_id="a")
    memory.retract("a", reason="r")
    memory.remember("Sitz", "b", external_id="b")
    found = memory.trace("b")
    assert from_wire(Trace, to_wire(found)) == found
    assert list(to_wire(found)["entries"][0]) == [
        "entry", "entered", "logged_at", "before", "changes", "similar_errors",
    ]  # fmt: skip
