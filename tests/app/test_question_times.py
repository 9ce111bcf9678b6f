"""A recall's instants: as given, else as the question says, else now; and what is told of them."""

from collections.abc import Iterator

import pytest

from damals import messages
from damals.api import Damals
from damals.app.errors import InvalidInput
from damals.app.results import Recall
from damals.bootstrap import init_home, open_home
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone

BERLIN = load_zone("Europe/Berlin")
NOW = parse_moment("2026-11-30T12:00", zone=BERLIN)
EARLY = parse_moment("2024-01-10T12:00", zone=BERLIN)
SAID = "Wo saß die Müller GmbH im April 2026?"
APRIL, JULY = "2026-03-31T22:00:00.000000Z", "2026-06-30T22:00:00.000000Z"


class Clock:
    def __init__(self) -> None:
        self.now = EARLY

    def __call__(self) -> int:
        return self.now


@pytest.fixture(scope="module")
def memory(tmp_path_factory) -> Iterator[Damals]:
    """The address of a company: moved on 1 June 2026, which was learned on 10 May."""
    home = tmp_path_factory.mktemp("times") / "home"
    init_home(home, timezone="Europe/Berlin")
    clock = Clock()
    with open_home(home, clock=clock, embedder="none", receipts=False) as opened:
        old = opened.remember("Anschrift der Müller GmbH", "Hauptstraße 1", valid_from="2024-01-01",
                              external_id="old")  # fmt: skip
        clock.now = parse_moment("2026-05-10T09:00", zone=BERLIN)
        opened.update(old.id, "Anschrift der Müller GmbH", "Industriestraße 7", reason="Umzug",
                      valid_from="2026-06-01", external_id="new")  # fmt: skip
        clock.now = NOW
        yield opened


def names(found: Recall) -> list[str | None]:
    return [hit.entry.external_id for hit in found]


def test_a_question_says_when_and_shows_how_it_was_understood(memory):
    found = memory.recall(SAID)
    assert (found.as_of, names(found)) == (APRIL, ["old"])
    told = found.understood
    assert (told.from_text, told.as_of_text, told.known_at_text) == (
        "im April 2026", "im April 2026", None,
    )  # fmt: skip


def test_what_was_known_then_is_asked_of_then(memory):
    found = memory.recall("Was wussten wir am 1. Juli 2026 über die Anschrift der Müller GmbH?")
    assert (found.as_of, found.known_at, names(found)) == (JULY, JULY, ["new"])


def test_both_clocks_in_one_question(memory):
    asked = "Was wussten wir am {} darüber, wo die Müller GmbH im Juli 2026 sitzt?"
    assert names(memory.recall(asked.format("9. Mai 2026"))) == ["old"]
    found = memory.recall(asked.format("11. Mai 2026"))
    assert (found.as_of, names(found)) == (JULY, ["new"])
    assert found.understood.from_text == "am 11. Mai 2026 … im Juli 2026"


def test_a_given_instant_stands_and_the_question_is_told_that_it_says_otherwise(memory):
    found = memory.recall(SAID, as_of="2026-07-01")
    assert (found.as_of, names(found)) == (JULY, ["new"])
    assert found.understood.from_text is None
    assert found.caveats[0] == messages.text(
        "times.given", None, text="im April 2026", axis="as_of"
    )


def test_a_given_instant_that_the_question_says_too_needs_no_word(memory):
    found = memory.recall(SAID, as_of="2026-04-01")
    assert found.understood.notes == ()


def test_the_question_fills_only_the_clock_that_was_not_given(memory):
    found = memory.recall("Wo saß die Müller GmbH im Juli 2026?", known_at="2026-05-01")
    assert (found.as_of, names(found)) == (JULY, ["old"])
    found = memory.recall("Was wussten wir am 1. Mai 2026 über Müller?", as_of="2026-07-01")
    assert (found.as_of, names(found)) == (JULY, ["old"])
    found = memory.recall("Was wussten wir am 1. Mai 2026 über Müller?", known_at="2026-05-11")
    assert found.as_of.startswith("2026-11-30T11:00:00")


@pytest.mark.parametrize(
    "asked",
    [
        SAID,
        "Was wussten wir am 14. März über die Müller GmbH?",
        "what did we believe before the audit in June about Müller?",
        "Was galt für die Müller GmbH von Mai bis Juni?",
        "Müller GmbH am 30. Februar",
    ],
)
def test_no_words_change_an_answer_that_gave_both_instants(memory, asked):
    pair = {"as_of": "2026-07-01", "known_at": "2026-05-20"}
    plain, said = memory.recall("Müller GmbH", **pair), memory.recall(asked, **pair)
    assert (said.as_of, said.known_at, names(said)) == (plain.as_of, plain.known_at, names(plain))


def test_reading_can_be_turned_off(memory):
    found = memory.recall(SAID, times="off")
    assert (found.as_of, names(found)) == (memory.recall("Müller").as_of, ["new"])
    assert (found.understood.from_text, found.understood.notes) == (None, ())


def test_another_switch_is_refused(memory):
    with pytest.raises(InvalidInput) as refused:
        memory.recall(SAID, times="perhaps")
    assert refused.value.key == "times.unknown"


def test_a_period_is_answered_for_its_beginning_and_says_so(memory):
    [said] = memory.recall(SAID).understood.notes
    assert said == messages.text(
        "times.period", None, text="im April 2026", first="2026-04-01", last="2026-04-30",
        end="2026-05-01", axis="valid",
    )  # fmt: skip
    assert memory.recall(SAID).caveats[0] == said
    assert memory.recall("Wo saß die Müller GmbH am 3. April 2026?").understood.notes == ()


def test_of_several_times_none_is_chosen_and_the_answer_names_them(memory):
    found = memory.recall("Wo saß die Müller GmbH von April bis Juni 2026?")
    assert (names(found), found.understood.from_text) == (["new"], None)
    [said] = found.understood.notes
    assert "von April" in said
    assert "damals diff" in said


def test_what_is_no_time_is_named(memory):
    found = memory.recall("Wo saß die Müller GmbH am 30. Februar?")
    assert names(found) == ["new"]
    assert "am 30. Februar" in found.understood.notes[0]


def test_nothing_found_at_an_instant_that_was_read_is_told(memory):
    found = memory.recall("Wo saß die Müller GmbH im März 1999?")
    assert names(found) == []
    assert found.understood.notes[-1] == messages.text("times.nothing", None, text="im März 1999")


def test_an_asked_instant_takes_the_words_that_questions_take(memory):
    for said in ("Ende Juni 2026", "Q3 2026", "im Juli", "KW 27"):
        assert names(memory.recall("Müller", as_of=said)) == ["new"]
    with pytest.raises(InvalidInput):
        memory.remember("Vage", valid_from="Ende Juni")


def test_an_answer_that_read_its_instants_is_the_same_when_it_is_computed_again(memory):
    said = "Was wussten wir im Mai über Müller?"
    found = memory.recall(said, receipt=True)
    assert found.understood.notes
    assert found.receipt is not None
    again = memory.replay(found.receipt, recompute=True)
    assert again.differences == ()
    assert again.understood == found.understood
