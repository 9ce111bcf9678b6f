"""Numbers and dates in texts: what they mean, however they are written."""

from datetime import date
from itertools import pairwise

import pytest

from damals.domain.figures import differing, figures


def one(text: str):
    [found] = figures(text)
    return found


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("60 s", "1 min"),
        ("60 Sekunden", "60s"),
        ("1.000 €", "1,000 EUR"),
        ("1.234,56 km", "1234.56 km"),
        ("5 km", "5.000 m"),
        ("16 GB", "16.000 MB"),
        ("1,5 Mio. €", "1.500.000 Euro"),
        ("$5 million", "5,000,000 dollars"),
        ("100/min", "100 pro Minute"),
        ("6000 per hour", "100/min"),
        ("drei Monate", "3 months"),
        ("2 Wochen", "14 Tage"),
        ("50 %", "50 Prozent"),
        ("20 °C", "20 Grad"),
        ("01.05.2026", "2026-05-01"),
        ("1. Mai 2026", "May 1, 2026"),
        ("1 May 2026", "1.5.2026"),
        ("9 Uhr", "9:00"),
        ("2024-05", "im Mai 2024"),
        ("Q1 2024", "1. Quartal 2024"),
        ("2024", "01.07.2024"),
        ("1 Monat", "30 Tage"),
        ("-5 °C", "−5 Grad"),
    ],
)
def test_both_may_mean_the_same(first, second):
    assert one(first).agrees(one(second))
    assert one(second).agrees(one(first))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("60 s", "60 min"),
        ("5 km", "5 m"),
        ("5 kg", "5 h"),
        ("1.000 €", "1,5 €"),
        ("100/min", "100/h"),
        ("01.05.2026", "05.01.2026"),
        ("2023", "2024"),
        ("Q1 2024", "Q2 2024"),
        ("9 Uhr", "10 Uhr"),
        ("heute", "gestern"),
        ("1.2.3", "1.2.4"),
        ("5 °C", "-5 °C"),
    ],
)
def test_both_mean_something_else(first, second):
    assert not one(first).agrees(one(second))


def test_a_year_is_a_date_and_a_count_is_none():
    assert one("im Jahr 2000").kind == "date"
    assert one("2000 Mitarbeiter").kind == "number"
    assert one("2000 €").kind == "number"


def test_a_date_is_its_first_and_last_day():
    found = one("Mai 2026")
    assert (found.low, found.high) == (date(2026, 5, 1).toordinal(), date(2026, 5, 31).toordinal())


def test_a_day_that_does_not_exist_is_no_date():
    assert all(found.kind != "date" for found in figures("30.02.2026 oder 2026-13-01"))


def test_a_number_behind_its_label_tells_which():
    assert one("Rechnung 4711").label
    assert not one("4711 €").label


def test_names_with_digits_are_no_numbers():
    assert not figures("v2, gpt-4o und Zimmer 12a")


def test_figures_do_not_share_a_letter():
    found = figures("Am 01.05.2026 um 10:00 Uhr kosten drei Karten 5-7 € oder 100/min.")
    ends = [(figure.start, figure.end) for figure in found]
    assert all(end <= start for (_, end), (start, _) in pairwise(ends))


def test_what_only_one_says_is_told_for_each_side():
    left, right = differing(figures("5 € und 3 Tage"), figures("3 Tage und 7 €"))
    assert ([f.text for f in left], [f.text for f in right]) == (["5 €"], ["7 €"])
