"""Times in questions, German and English: which clock, which instant, and what is no time."""

import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from question_tables import BOTH, KNOWN, VALID
from questions_without_times import NO_TIMES, UNREAD

from damals.domain.asking.folding import fold
from damals.domain.asking.question import LONGEST, QuestionTimes, Read, read_question
from damals.domain.instants import DAY
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone

BERLIN = load_zone("Europe/Berlin")
NOW = parse_moment("2026-11-30T12:00", zone=BERLIN)  # a Monday


def read(text: str, now: int = NOW) -> QuestionTimes:
    return read_question(text, now=now, zone=BERLIN)


def at(text: str) -> int:
    return NOW if text == "now" else parse_moment(text, zone=BERLIN)


def instant(one: Read | None) -> int | None:
    return None if one is None else one.instant


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("text", "expected"), VALID)
def test_a_time_is_on_the_valid_axis(text: str, expected: str, form: str):
    times = read(unicodedata.normalize(form, text))
    assert (instant(times.as_of), times.known_at) == (at(expected), None)
    assert (times.unclear, times.unread) == ((), ())


@pytest.mark.parametrize(("text", "expected"), KNOWN)
def test_a_time_beside_words_of_past_knowing_is_on_the_recorded_axis(text: str, expected: str):
    times = read(text)
    assert (times.as_of, instant(times.known_at)) == (None, at(expected))
    assert (times.unclear, times.unread) == ((), ())


@pytest.mark.parametrize(("text", "as_of", "known_at"), BOTH)
def test_a_question_can_name_both_clocks(text: str, as_of: str, known_at: str):
    times = read(text)
    assert (instant(times.as_of), instant(times.known_at)) == (at(as_of), at(known_at))
    assert times.unclear == ()


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("Wo war Anna am 3.5.2026 um halb vier?", "um halb vier"),
        ("Wo war Anna am 3. Mai 2026 gegen viertel nach drei?", "gegen viertel nach drei"),
        ("Wo war Anna um drei Uhr am 3.5.2026?", "um drei Uhr"),
        ("Wo war Anna am 3.5.2026 nachmittags?", "nachmittags"),
        ("Where was Anna on 3 May 2026 at half past three?", "at half past three"),
        ("Where was Anna on 3 May 2026, at three o'clock?", "at three o'clock"),
        ("Where was Anna at noon on 3 May 2026?", "at noon"),
        ("Where was Anna on 3 May 2026 in the evening?", "in the evening"),
    ],
)
def test_the_day_counts_and_an_hour_that_may_be_two_is_told(text: str, hour: str):
    times = read(text)
    assert (instant(times.as_of), times.unread) == (at("2026-05-03"), (hour,))
    assert (times.known_at, times.unclear) == (None, ())


def test_an_hour_in_words_alone_is_no_time():
    assert read("Wer läuft um halb vier?").nothing
    assert read("Was wussten wir am 3.5.2026 um halb vier?").known_at is not None


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_is_no_time_is_not_read_as_one(text: str):
    assert read(text).nothing, read(text)


@pytest.mark.parametrize(
    "text",
    [
        "Was änderte sich von Mai bis Juni?",
        "Was galt zwischen Januar und März 2026?",
        "Was galt vom 1. bis 3. Mai?",
        "What changed from May to June 2025?",
        "What changed between 2024 and 2025?",
        "Ist die Adresse vom April 2026 heute noch gültig?",
        "Wer war im Mai 2025 und im Juni 2025 Chef?",
        "Was wurde von 2000 bis 2005 gebaut?",
        "Wer war von 2019-2021 Chef?",
        "Was galt in der Nacht vom 3. auf den 4. Mai 2026?",
        "Wer war zwischen dem 3. und dem 5. Mai 2026 Chef?",
    ],
)
def test_of_several_times_on_one_clock_none_is_chosen(text: str):
    times = read(text)
    assert (times.as_of, times.known_at) == (None, None)
    assert {one.axis for one in times.unclear} == {"as_of"}


def test_several_times_of_knowing_are_not_chosen_from_either():
    times = read("Was wussten wir zwischen Januar und März?")
    assert (times.as_of, times.known_at) == (None, None)
    assert [one.axis for one in times.unclear] == ["known_at", "known_at"]


def test_a_time_that_is_said_twice_is_one():
    times = read("Wer war 2024 Chef, und wo saß 2024 die Firma?")
    assert instant(times.as_of) == at("2024-01-01")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *UNREAD,
        ("Wer war am 30. Februar Chef?", "am 30. Februar"),
        ("Wer war im Winter 2024 Chef?", "im Winter 2024"),
        ("Who was it on 2025-02-30?", "on 2025-02-30"),
        ("Was galt am 29.03.2026 um 2:30 Uhr?", "am 29.03.2026 um 2:30 Uhr"),
        ("Was galt zwei Wochen vor der Prüfung im Juni?", "zwei Wochen vor der Prüfung im Juni"),
        ("What did we know two weeks before 3 May?", "two weeks before 3 May"),
        ("Where was Anna on 03/04/2026?", "on 03/04/2026"),
    ],
)
def test_what_looks_like_a_time_and_is_none_is_named_and_not_used(text: str, words: str):
    times = read(text)
    assert (times.as_of, times.known_at, times.unread) == (None, None, (words,))


def test_the_words_of_a_time_are_shown_as_they_were_written():
    text = "Was wussten  wir\nam 14.\N{NO-BREAK SPACE}MÄRZ darüber, wo Müller im Januar saß?"
    times = read(text)
    assert times.known_at is not None
    assert times.as_of is not None
    assert times.known_at.text == "am 14.\N{NO-BREAK SPACE}MÄRZ"
    assert text[times.as_of.start : times.as_of.end] == times.as_of.text == "im Januar"


def test_a_period_says_where_it_ends_and_a_day_does_not():
    month, day = read("Was galt im April 2026?").as_of, read("Was galt am 3. April 2026?").as_of
    assert month is not None
    assert day is not None
    assert (month.until, day.until) == (at("2026-05-01"), None)


def test_yesterday_is_yesterday_in_the_zone_that_asks():
    late = parse_moment("2026-11-29T23:30:00Z", zone=BERLIN)
    for name in ("UTC", "Europe/Berlin", "Pacific/Kiritimati"):
        zone = load_zone(name)
        times = read_question("Was galt gestern?", now=late, zone=zone)
        assert instant(times.as_of) == parse_moment(
            {"UTC": "2026-11-28", "Europe/Berlin": "2026-11-29"}.get(name, "2026-11-29"), zone=zone
        )


WORDS = """
am im in on vor nach seit bis before after until since by the der dem und and , . ? ! : ; Mai May
März 14. 14 3.5. 2024 2026-03-14 30. Februar Sommer Ende Anfang Mitte Q3 KW 12 heute gestern now
last letzten Woche year Jahr vor zwei Jahren um 15 Uhr 3 pm was wussten wir did we know dass that
wo where bekannt über about für von zum 2023 '24 des Vorjahres jenes Jahres um ab Woche
immer jedes Archiv sagte wann muss soll unseren Notizen Audit "x y" „a b“
"""
PIECES = WORDS.split()


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join) | st.text(max_size=80))
def test_any_text_is_read_without_failing_and_its_times_lie_inside_it(text: str):
    times = read(text)
    shown = [one for one in (times.as_of, times.known_at, *times.unclear) if one]
    for one in shown:
        assert text[one.start : one.end] == one.text
        assert one.text.strip()
    folded = fold(text)
    assert len(folded.places) == len(folded.text) + 1
    assert list(folded.places) == sorted(folded.places)


@given(st.lists(st.sampled_from(PIECES), max_size=20).map(" ".join), st.integers(-4000, 4000))
def test_any_now_will_do(text: str, days: int):
    read(text, NOW + days * 90 * DAY)


def test_a_text_too_long_for_a_question_is_read_only_at_its_beginning():
    filler = " ".join(random.Random(1).choices(["Wort", "und", "Satz,"], k=LONGEST))
    assert read(f"Was galt im April 2026? {filler}").as_of is not None
    assert read(f"{filler} Was galt im April 2026?").nothing
