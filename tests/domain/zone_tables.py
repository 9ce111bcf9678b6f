"""What texts about time mean in five zones: the tables of ``test_values_by_zone.py``.

Everything here is UTC and written by hand.
"""

from datetime import UTC, date, datetime, timedelta

from damals.domain.instants import FOREVER

ZONES = ("Europe/Berlin", "Pacific/Apia", "Africa/Cairo", "Asia/Kathmandu", "UTC")
Table = dict[str, list[int | str]]
"""What each text means in each of ``ZONES``, in their order: an instant, or a refusal's key."""


def utc(text: str) -> int:
    """``2024-09-01T06:30`` and the like, read as UTC, in whole numbers."""
    return from_epoch(datetime.fromisoformat(text).replace(tzinfo=UTC))


def from_epoch(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def rows_of(text: str) -> Table:
    """Reads a table of a text and, for each zone, an instant in UTC or what it is refused for."""
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    assert all(len(line) == 1 + len(ZONES) for line in lines)
    return {first: [meaning_of(cell) for cell in row] for first, *row in lines}


def meaning_of(cell: str) -> int | str:
    if cell == "forever":
        return FOREVER
    return utc(cell) if cell[0].isdigit() else f"time.{cell}"


def by_zone(table: Table) -> list[tuple[str, str, int | str]]:
    """One case for each text and zone."""
    return [
        (text, zone, cell)
        for text, row in table.items()
        for zone, cell in zip(ZONES, row, strict=True)
    ]


DAYS = rows_of("""
#          Berlin          Apia            Cairo           Kathmandu       UTC
2024-09-01 20240831T2200   20240831T1100   20240831T2100   20240831T1815   20240901T0000
2024-01-01 20231231T2300   20231231T1100   20231231T2200   20231231T1815   20240101T0000
# Monday of the week that begins after the 1st.
2024-W36-1 20240901T2200   20240901T1100   20240901T2100   20240901T1815   20240902T0000
# Cairo has no midnight on this day: it begins at 01:00.
2024-04-26 20240425T2200   20240425T1100   20240425T2200   20240425T1815   20240426T0000
# The day behind the one that was 25 hours long in Cairo, its last hour being lived twice.
2024-11-01 20241031T2300   20241031T1100   20241031T2200   20241031T1815   20241101T0000
# Apia jumps from 00:00 to 01:00.
2010-09-26 20100925T2200   20100926T1100   20100925T2100   20100925T1815   20100926T0000
# Apia crosses the date line: from the 29th to the 31st.
2011-12-29 20111228T2300   20111229T1000   20111228T2200   20111228T1815   20111229T0000
2011-12-30 20111229T2300   day_missing     20111229T2200   20111229T1815   20111230T0000
2011-12-31 20111230T2300   20111230T1000   20111230T2200   20111230T1815   20111231T0000
# Kathmandu jumps from 00:00 to 00:15.
1986-01-01 19851231T2300   19860101T1100   19851231T2200   19851231T1830   19860101T0000
# Apia crosses the date line the other way: this day is 48 hours long.
1892-07-04 18920703T230632 18920703T112656 18920703T215451 18920703T181844 18920704T0000
1892-07-05 18920704T230632 18920705T112656 18920704T215451 18920704T181844 18920705T0000
# The edges of the calendar.
0001-01-01 out_of_range    out_of_range    out_of_range    out_of_range    00010101T0000
0001-01-02 00010101T230632 00010101T112656 00010101T215451 00010101T181844 00010102T0000
9999-12-31 99991230T2300   99991230T1100   99991230T2200   99991230T1815   99991231T0000
""")
NOTATIONS = {
    "2024-09-01": ("20240901", "2024-W35-7", "2024W357", "2024-245", "01.09.2024", 20240901),
    "2024-W36-1": ("2024W361", "2024-09-02", "20240902", "2.9.2024"),
    "2011-12-30": ("20111230", "2011-W52-5", "2011-364", "30.12.2011"),
    "2024-04-26": ("20240426", "2024-W17-5", "2024-117", "26.4.2024", date(2024, 4, 26)),
}
"""Other ways to write these days."""

CLOCKS = rows_of("""
#                Berlin          Apia            Cairo           Kathmandu       UTC
2024-09-01T08:30 20240901T0630   20240831T1930   20240901T0530   20240901T0245   20240901T0830
# Gaps: in Berlin, in Apia (the missing day), in Cairo, in Kathmandu.
2025-03-30T02:30 gap             20250329T1330   20250330T0030   20250329T2045   20250330T0230
2011-12-30T12:00 20111230T1100   gap             20111230T1000   20111230T0615   20111230T1200
2024-04-26T00:30 20240425T2230   20240425T1130   gap             20240425T1845   20240426T0030
1986-01-01T00:10 19851231T2310   19860101T1110   19851231T2210   gap             19860101T0010
# Folds, in the same order.
2025-10-26T02:30 fold            20251025T1330   20251025T2330   20251025T2045   20251026T0230
2021-04-04T03:30 20210404T0130   fold            20210404T0130   20210403T2145   20210404T0330
2024-10-31T23:30 20241031T2230   20241031T1030   fold            20241031T1745   20241031T2330
1919-12-31T23:50 19191231T2250   19200101T1120   19191231T2150   fold            19191231T2350
""")

REFUSED = [
    (
        "Europe/Berlin",
        "2025-03-30T02:30",
        "2025-03-30T02:00+01:00 2025-03-30T03:00+02:00",
        "2025-03-30T01:30+01:00 2025-03-30T03:30+02:00",
    ),
    (
        "Pacific/Apia",
        "2011-12-30T12:00",
        "2011-12-30T00:00-10:00 2011-12-31T00:00+14:00",
        "2011-12-29T12:00-10:00 2011-12-31T12:00+14:00",
    ),
    (
        "Pacific/Apia",
        "2020-09-27T03:30",
        "2020-09-27T03:00+13:00 2020-09-27T04:00+14:00",
        "2020-09-27T02:30+13:00 2020-09-27T04:30+14:00",
    ),
    (
        "Africa/Cairo",
        "2024-04-26T00:30",
        "2024-04-26T00:00+02:00 2024-04-26T01:00+03:00",
        "2024-04-25T23:30+02:00 2024-04-26T01:30+03:00",
    ),
    (
        "Asia/Kathmandu",
        "1986-01-01T00:10",
        "1986-01-01T00:00+05:30 1986-01-01T00:15+05:45",
        "1985-12-31T23:55+05:30 1986-01-01T00:25+05:45",
    ),
    ("Europe/Berlin", "2025-10-26T02:30", "", "2025-10-26T02:30+02:00 2025-10-26T02:30+01:00"),
    ("Pacific/Apia", "2021-04-04T03:30", "", "2021-04-04T03:30+14:00 2021-04-04T03:30+13:00"),
    ("Pacific/Apia", "1892-07-04T06:00", "", "1892-07-04T06:00+12:33:04 1892-07-04T06:00-11:26:56"),
    ("Africa/Cairo", "2024-10-31T23:30", "", "2024-10-31T23:30+03:00 2024-10-31T23:30+02:00"),
    ("Asia/Kathmandu", "1919-12-31T23:50", "", "1919-12-31T23:50+05:41:16 1919-12-31T23:50+05:30"),
]
"""Zone, text, the two sides of a gap (nothing: a fold), both readings."""

OFFSETS = [
    ("2025-10-26T02:30+02:00", "2025-10-26T00:30"),
    ("2025-10-26T02:30+01:00", "2025-10-26T01:30"),
    ("2021-04-04T03:30+14:00", "2021-04-03T13:30"),
    ("2021-04-04T03:30+13:00", "2021-04-03T14:30"),
    ("2024-10-31T23:30+03:00", "2024-10-31T20:30"),
    ("2024-10-31T23:30+02:00", "2024-10-31T21:30"),
    ("1919-12-31T23:50+05:41:16", "1919-12-31T18:08:44"),
    ("1919-12-31T23:50+05:30", "1919-12-31T18:20"),
    ("2025-03-30T02:30+01:00", "2025-03-30T01:30"),
    ("2011-12-30T12:00-10:00", "2011-12-30T22:00"),
    ("2024-04-26T00:30+02:00", "2024-04-25T22:30"),
    ("2024-09-01T06:30Z", "2024-09-01T06:30"),
    ("20240901T063000,5Z", "2024-09-01T06:30:00.500000"),
]
"""Texts with an offset, and what they mean in every zone."""

FIRST = rows_of("""
#                     Berlin          Apia            Cairo           Kathmandu       UTC
2024-09               20240831T2200   20240831T1100   20240831T2100   20240831T1815   20240901T0000
2024                  20231231T2300   20231231T1100   20231231T2200   20231231T1815   20240101T0000
2024-10               20240930T2200   20240930T1100   20240930T2100   20240930T1815   20241001T0000
2024-W36              20240901T2200   20240901T1100   20240901T2100   20240901T1815   20240902T0000
# A year that ends, and one that begins, without midnight in Kathmandu.
1985                  19841231T2300   19850101T1100   19841231T2200   19841231T1830   19850101T0000
1986-01               19851231T2300   19860101T1100   19851231T2200   19851231T1830   19860101T0000
# The month with the missing day in Apia, and ranges that end or begin with that day.
2011-12               20111130T2300   20111201T1000   20111130T2200   20111130T1815   20111201T0000
2011-12-29/2011-12-30 20111228T2300   20111229T1000   20111228T2200   20111228T1815   20111229T0000
2011-12-30/2011-12-31 20111229T2300   20111230T1000   20111229T2200   20111229T1815   20111230T0000
# Behind the last day there is nothing.
9999                  99981231T2300   99981231T1100   99981231T2200   99981231T1815   99990101T0000
9999-12               99991130T2300   99991130T1100   99991130T2200   99991130T1815   99991201T0000
""")

BEHIND = rows_of("""
#                     Berlin          Apia            Cairo           Kathmandu       UTC
2024-09               20240930T2200   20240930T1100   20240930T2100   20240930T1815   20241001T0000
2024                  20241231T2300   20241231T1100   20241231T2200   20241231T1815   20250101T0000
2024-10               20241031T2300   20241031T1100   20241031T2200   20241031T1815   20241101T0000
2024-W36              20240908T2200   20240908T1100   20240908T2100   20240908T1815   20240909T0000
1985                  19851231T2300   19860101T1100   19851231T2200   19851231T1830   19860101T0000
1986-01               19860131T2300   19860201T1100   19860131T2200   19860131T1815   19860201T0000
2011-12               20111231T2300   20111231T1000   20111231T2200   20111231T1815   20120101T0000
2011-12-29/2011-12-30 20111230T2300   20111230T1000   20111230T2200   20111230T1815   20111231T0000
2011-12-30/2011-12-31 20111231T2300   20111231T1000   20111231T2200   20111231T1815   20120101T0000
9999                  forever         forever         forever         forever         forever
9999-12               forever         forever         forever         forever         forever
""")

SPANS = [
    (text, zone, begin, end)
    for text, row in FIRST.items()
    for zone, begin, end in zip(ZONES, row, BEHIND[text], strict=True)
]
"""Text, zone, the first instant of the span and the first behind it."""

SEPTEMBER = [case[1:] for case in SPANS if case[0] == "2024-09"]
