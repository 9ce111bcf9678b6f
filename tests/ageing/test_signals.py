"""When a text was researched, from dates, versions of models and syntax of APIs in it."""

from datetime import UTC, datetime

import pytest

from damals.domain.instants import FOREVER, SECOND, from_datetime
from damals.domain.signals import estimated
from damals.domain.zones import load_zone

UTC_ZONE = load_zone("UTC")


def day(text: str) -> int:
    return from_datetime(datetime.fromisoformat(text).replace(tzinfo=UTC))


def read(text: str, before: str = "2026-01-01") -> tuple[str, str] | None:
    found = estimated(text, day(before), UTC_ZONE)
    if found is None:
        return None
    date = datetime.fromtimestamp(found.at / 1_000_000, UTC).date()
    return date.isoformat(), found.kind


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Checked on 2024-03-05.", "2024-03-05"),
        ("Geprüft am 05.03.2024", "2024-03-05"),
        ("Stand 5. März 2024", "2024-03-05"),
        ("Prices of 5 March 2024", "2024-03-05"),
        ("Prices of March 5, 2024", "2024-03-05"),
        ("Limits as of March 2024", "2024-03-01"),
        ("Grenzen, Stand 2024-03", "2024-03-01"),
        ("Stand: 03/2024", "2024-03-01"),
        ("as of 2024 it costs 5 €", "2024-01-01"),
        ("Stand 2024", "2024-01-01"),
        ("uses gpt-4o-2024-08-06 by default", "2024-08-06"),
        ("claude-3-opus-20240229 answers", "2024-02-29"),
        ("header anthropic-version: 2023-06-01", "2023-06-01"),
        ("https://x.example/api?api-version=2023-05-15", "2023-05-15"),
        ("Stand 2024/03/05", "2024-03-05"),
        ("Prices of Q3 2022", "2022-07-01"),
        ("Umsatz im 1. Quartal 2023", "2023-01-01"),
        ("Zahlen für 2021-Q4", "2021-10-01"),
        ("Zahlen Quartal 2/2021", "2021-04-01"),
    ],
)
def test_a_date_in_the_text_says_when_it_was_researched(text: str, date: str):
    assert read(text) == (date, "date")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("GPT-4 reads 8k tokens", "2023-03-14"),
        ("gpt-3.5-turbo is cheap", "2022-11-30"),
        ("GPT-4 costs more than GPT-3.5", "2023-03-14"),
        ("We compared Claude 3 Opus and Llama 2", "2024-03-04"),
        ("Claude 3.5 Sonnet writes", "2024-06-20"),
        ("Gemini 1.5 Pro has a long window", "2024-02-15"),
    ],
)
def test_the_newest_version_of_a_model_says_what_it_is_no_older_than(text: str, date: str):
    assert read(text) == (date, "model")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("call openai.ChatCompletion.create(model=…)", "2023-11-06"),
        ("with tf.Session() as session:", "2019-09-30"),
        ("componentWillMount() runs first", "2018-03-29"),
        ("from sklearn.externals import joblib", "2019-12-03"),
        ("import urllib2", "2020-01-01"),
    ],
)
def test_the_syntax_of_an_api_says_until_when_it_was_written_so(text: str, date: str):
    assert read(text) == (date, "syntax")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("see https://blog.example/2018/03/14/why.html", "2018-03-14"),
        ("see https://blog.example/2018/03/why", "2018-03-01"),
        ("[so](https://blog.example/2018/03)", "2018-03-01"),
        ("© 2017 Example", "2017-01-01"),
        ("Copyright (c) 2015-2019, all rights reserved", "2019-01-01"),
        ("(c) 2012", "2012-01-01"),
    ],
)
def test_the_date_of_a_source_says_what_it_is_no_older_than(text: str, date: str):
    assert read(text) == (date, "source")
    assert read(f"{text} and GPT-4o") == ("2024-05-13", "model")
    assert read(f"{text}, Stand 2020-02-01") == ("2020-02-01", "date")


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("the print statement of Python 2.7", "2020-01-01"),
        ("Python 2.7.18 or Python 3", "2020-01-01"),
        ("Läuft auf Ubuntu 18.04. 2019 kam es heraus.", "2023-05-31"),
        ("Ubuntu 18.04.6 with Python 3.6.9", "2023-05-31"),
        ("needs Node.js 14.2", "2023-04-30"),
        ("PHP 5.6 on CentOS 7.9", "2024-06-30"),
    ],
)
def test_a_version_says_until_when_it_was_in_use(text: str, date: str):
    assert read(text) == (date, "version")


def test_versions_say_nothing_where_one_of_them_was_still_in_use_when_it_was_recorded():
    assert read("Python 3.12 prints otherwise than Python 2.7") is None
    assert read("Ubuntu 18.04 and Python 3.8", "2024-01-01") is None
    assert read("Ubuntu 24.04 instead of Ubuntu 18.04") is None


@pytest.mark.parametrize(
    "text",
    [
        "SQL Server 2019",
        "Windows Server 2022 and Office 2016",
        "ISO 9001:2015, ES2015, CVE-2021-44228",
        "zuletzt aktualisiert 2022.1.3",
        "PyCharm 2021.3 and May 2021.3",
        "Agenda 2010",
        "Python 2000 and Python 27",
        "192.168.2017.1/2018/99",
        "Q5 2022, FAQ3 2022, Q3 20221",
        "copyright of 2017 songs",
        "a/2018/3 of 2018/03",
    ],
)
def test_the_number_of_a_version_or_a_standard_is_no_year(text: str):
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Der Turm wurde 1892 gebaut.",
        "In 2019 we moved.",
        "Version 2.0.1 of the library",
        "Call 2024-13-45 or 99.99.2024",
        "IP 10.2024.1.1 and order 20241301",
        "order AB20240229X",
        "GPT-4.7 and GPT-45 are no versions that we know",
        "the session of tensorflow",
        "May was cold, march on!",
    ],
)
def test_what_says_nothing_for_sure_gives_nothing_away(text: str):
    assert read(text) is None


def test_of_several_dates_the_newest_counts_that_is_not_behind_the_recording():
    text = "First seen 2021-05-01, checked 2023-02-01, valid until 2027-01-01."
    assert read(text) == ("2023-02-01", "date")
    assert read(text, "2021-12-31") == ("2021-05-01", "date")
    assert read(text, "2020-01-01") is None


def test_a_named_day_wins_over_what_a_version_lets_one_guess():
    assert read("GPT-4, as of 2022-12-24") == ("2022-12-24", "date")
    assert read("GPT-4o, checked 2030-01-01") == ("2024-05-13", "model")


def test_the_signal_is_told_as_it_stands_in_the_text():
    found = estimated("Limits as of March 2024", FOREVER - 1, UTC_ZONE)
    assert found is not None
    assert found.text == "March 2024"


def test_a_long_text_is_read_at_once():
    for part in ("1999-99-99 GPT ", "© 2017", "/2018/03/", "Python 2.", "a/2018/99/", "(c) 1999,"):
        estimated(part * 100_000, FOREVER - 1, UTC_ZONE)
    assert estimated("1999-99-99 GPT " * 100_000, FOREVER - 1, UTC_ZONE) is None


@pytest.mark.parametrize("text", ["as of 2024-03-05", "Stand 03/2024", "GPT-4", "urllib2"])
def test_a_day_is_a_day_of_the_zone_that_is_meant(text: str):
    text = f"import {text}"
    there, here = (estimated(text, FOREVER - 1, load_zone(one)) for one in ("Asia/Tokyo", "UTC"))
    assert there is not None
    assert here is not None
    assert here.at - there.at == 9 * 3600 * SECOND, "midnight comes earlier in the east"
