"""Feasts as days of a year."""

from datetime import date

import pytest

from damals.domain.natural_feasts import easter, feast_of, named_feast


@pytest.mark.parametrize(
    "day",
    [
        *("1818-03-22", "1943-04-25", "1981-04-19", "2000-04-23", "2008-03-23", "2019-04-21"),
        *("2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2038-04-25", "2285-03-22"),
    ],
)
def test_easter_is_the_sunday_of_the_tables(day: str):
    assert easter(date.fromisoformat(day).year) == date.fromisoformat(day)


def test_easter_is_a_sunday_between_its_two_limits():
    for year in range(1, 9999):
        found = easter(year)
        assert found.weekday() == 6
        assert date(year, 3, 22) <= found <= date(year, 4, 25)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("karfreitag 2025", "2025-04-18"),
        ("ostermontag 2025", "2025-04-21"),
        ("christi himmelfahrt 2025", "2025-05-29"),
        ("pfingstmontag 2025", "2025-06-09"),
        ("fronleichnam 2025", "2025-06-19"),
        ("rosenmontag 2025", "2025-03-03"),
        ("ash wednesday 2025", "2025-03-05"),
        ("boxing day 2025", "2025-12-26"),
        ("neujahr 2025", "2025-01-01"),
        ("sylvester 2025", "2025-12-31"),
    ],
)
def test_each_feast_has_its_day(text: str, day: str):
    name, year = named_feast(text) or ("", 0)
    assert feast_of(name, year or 0) == date.fromisoformat(day)
