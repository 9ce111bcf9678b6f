"""What looks like a time in a question, and the words that lead to it."""

import re
from typing import Final

from damals.domain.natural import COUNTS, NUMBERS, UNITS, any_of
from damals.domain.natural_asked import (
    BEFORE_THIS,
    DAYS_OF_MONTH,
    HALVES,
    MONTH,
    PRESENT,
    SEASON,
    WEEKDAY,
    WHICH_YEAR,
)
from damals.domain.natural_compound import (
    BEFORE_LAST,
    CUT_YEAR,
    DAY_AGO,
    DAY_OF_WEEK,
    FROM_TODAY,
    PART_OF_YEAR,
    WEEKDAYS_AGO,
    day_of_month,
    of_year,
)
from damals.domain.natural_feasts import FEAST

_D: Final = r"(?:3[01]|[12][0-9]|0?[1-9])"
_YEAR: Final = r"[0-9]{4}"
_NEAR_YEAR: Final = r"(?:1[89]|20)[0-9]{2}"
_M: Final = rf"(?:{MONTH})\.?"
_THAT_YEAR: Final = rf"(?: (?:of |des |im |in )?{WHICH_YEAR}|,? {FROM_TODAY})"
_OF_YEAR: Final = (
    rf"(?:,? (?:(?:of|of the year|des jahres|im jahre?) )?{_YEAR}(?![0-9])|{_THAT_YEAR})"
)
_HOUR: Final = r"[0-9]{1,2}(?:[:.][0-9]{2})? ?(?:uhr(?: [0-9]{2})?|[ap]\.?m\.?)"
_CLOCK: Final = rf"(?:,? (?:um |at |gegen )?(?:{_HOUR}|[0-9]{{1,2}}:[0-9]{{2}}(?::[0-9]{{2}})?))?"
_HOUR_BEFORE: Final = rf"(?:(?:um |at )?{_HOUR},? (?:(?:am|on|des|of|vom) )?)?"
_ON_WEEKDAY: Final = rf"(?:(?:{WEEKDAY}),? (?:(?:den|dem|the) )?)?"
_TURNED_DE: Final = r"(?:letzt|vorletzt|vorig|vergangen|dies|naechst|kommend)e[nrsm]?"
_TURNED_EN: Final = r"(?:last|past|this|next)"
_LONG: Final = (
    r"(?:woche|monate?s?|jahre?s?|quartale?s?|week|month|year|quarter"
    rf"|(?:{SEASON})s?|{WEEKDAY}|(?!(?<=this )(?:may|march)\b)(?:{MONTH}))"
)
_POINTED: Final = rf"(?:{_TURNED_DE} {_LONG}|{_TURNED_EN} {_LONG})"
_TH: Final = r"(?:[1-4]\.|(?:erst|zweit|dritt|viert)e[nrsm]?)"
_NTH: Final = r"(?:1st|2nd|3rd|4th|first|second|third|fourth)"
_OF: Final = r"(?: (?:of|of the year|des jahres|im jahre?|in))?,? "
_QUARTER: Final = rf"(?:{_TH} (?:quartals?|halbjahre?s?)|{_NTH} quarter|q[1-4])"
_QUARTER_YEAR: Final = (
    rf"(?:(?:{_TH} (?:quartals?|halbjahre?s?|haelfte)|{_NTH} (?:quarter|half))"
    rf"(?:{_OF}{_YEAR}|{_THAT_YEAR})"
    rf"|q[1-4]{_THAT_YEAR}|[qh][1-4][ /-]?{_NEAR_YEAR}|{_NEAR_YEAR}[ /-]?q[1-4])"
)
_PART: Final = (
    r"(?:(?:anfang|beginn|mitte|ende)|(?:the )?(?:beginning|start|middle|end) of|early|late|mid)"
    r"[ -](?:(?:des|der|the|dem|in) )?"
    rf"(?:{_M}{_OF_YEAR}?|(?:(?:jahre?s?|year) )?{_NEAR_YEAR}|{_QUARTER_YEAR}|{_QUARTER}"
    rf"|(?:{SEASON})s? {_YEAR}|{_POINTED}"
    r"|(?<=des )(?:jahre?s|monate?s|quartals)|(?<=der )woche"
    r"|(?<=des )vor(?:jahre?s|monate?s|quartals)|(?<=the )(?:year|month|quarter|week))"
)
_DAY_PART: Final = (
    r"(?: (?:frueh|morgen|vormittag|mittag|nachmittag|abend|nacht|morning|afternoon|evening"
    r"|night))?"
)
_WEEK: Final = (
    r"(?:kw ?[0-9]{1,2}|[0-9]{1,2}\. ?(?:kw|kalenderwoche)"
    rf"|(?:calendar week|kalenderwoche) [0-9]{{1,2}})(?:(?:{_OF}|/){_YEAR})?"
)

_NTH_DAY: Final = rf"(?:{_D}(?:\.|st|nd|rd|th|t(?:en|er|e))?|{any_of(DAYS_OF_MONTH)})"
SPELLED: Final = re.compile(any_of(DAYS_OF_MONTH))
"""The day of a month as a word."""
_ISO_DAY: Final = (
    rf"{_ON_WEEKDAY}{_YEAR}-[0-9]{{2}}-[0-9]{{2}}"
    r"(?:[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,6})?)?"
    r"(?: ?(?:z|utc|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
_SEASON: Final = (
    rf"(?:{SEASON})(?: (?:(?:of|des jahres) )?{_YEAR}(?:/(?:[0-9]{{4}}|[0-9]{{2}}))?|{_THAT_YEAR})"
)
_DAY: Final = (
    r"(?:vorgestern|gestern|heute|morgen|uebermorgen|yesterday|today|tomorrow)"
    rf"{_DAY_PART}{_CLOCK}"
)
_SHORT: Final = rf"{_D}\.(?:0?[1-9]|1[0-2])\.(?:[0-9]{{2}})?(?![0-9])"

_PART_OF_YEAR: Final = (
    rf"(?:{_NTH_DAY},? ?(?:of )?{_M}|{_M}(?: {_NTH_DAY})?|{FEAST}|(?:{SEASON})|{_QUARTER})"
)
_SOME_DE: Final = "paar|einigen|wenigen|mehreren|vielen|etlichen"
_SOME_EN: Final = "a couple of|a couple|a few|few|several|some|many"
_VAGUE: Final = (
    r"(?:(?:1[0-9]|20)[0-9]0er(?:n| jahren?)|[2-9]0er jahren?|(?:1[0-9]|20)[0-9]0s"
    r"|(?:zwanz|dreiss|vierz|fuenfz|sechz|siebz|achtz|neunz)iger(?:n| jahren?)"
    rf"|(?:um|around|circa|ca\.?)(?: (?:das jahr|the year))? {_NEAR_YEAR}(?: herum)?"
    rf"(?! (?:uhr|hoeher|niedriger|mehr|weniger|[a-z]*ge[a-z]+|er[a-z]+t)\b)"
    r"|(?:(?:erst|zweit|dritt|viert|letzt)e[nrsm]?|first|second|third|fourth|last)"
    rf" (?:woche|tage?s?|wochenendes?|week|day|weekend|{WEEKDAY})"
    rf" (?:im|in|des|of|of the)(?: (?:jahre?s?|year))? (?:{_M}(?:{_OF_YEAR})?|{_NEAR_YEAR})"
    r"|(?:earlier|later|frueher|spaeter) (?:this|dieses|diesen|in diesem) (?:year|month|jahr|monat)"
    r"|(?:earlier|later|frueher|spaeter) im (?:jahr|monat)"
    rf"|vor (?:ein paar|{_SOME_DE}) (?:{any_of(UNITS)})|(?:{_SOME_EN}) (?:{any_of(UNITS)}) ago"
    rf"|vor (?!(?:anderthalb|eineinhalb) jahren)(?:anderthalb|[a-z]+einhalb) (?:{any_of(UNITS)})"
    r"|vor kurzem|kuerzlich|neulich|vor (?:einiger|laengerer|langer) zeit|recently"
    r"|(?:a while|some time|a long time|long) ago|the other day"
    rf"|(?:{_NTH_DAY}) (?:des monats|of the month)"
    rf"|(?:{_NTH_DAY}|[a-z]+(?:zehnten|zigsten|teenth)) (?:jahrhunderts?|century|centuries)"
    r"|(?:fy|gj) ?(?:20)?[0-9]{2}(?:/[0-9]{2,4})?"
    rf"|(?:fiscal|financial) year {_NEAR_YEAR}(?:/[0-9]{{2,4}})?"
    rf"|(?:{_TURNED_DE}|last|next) {FEAST})"
)
"""Near a time, or somewhere in one: no instant."""

CLOCK_WORDS: Final = (
    rf"(?:(?:um|gegen|kurz vor|kurz nach) (?:dreiviertel|halb|viertel(?: vor| nach)?)"
    rf" (?:{any_of(NUMBERS)}|[0-9]{{1,2}})(?: uhr)?"
    rf"|(?:um|gegen) (?:{any_of(NUMBERS)}) uhr|(?:um|gegen) mitternacht"
    rf"|(?:at|around) (?:half|(?:a )?quarter)(?: past| to)? (?:{any_of(NUMBERS)}|[0-9]{{1,2}})"
    rf"|(?:at|around) (?:{any_of(NUMBERS)}) o['\u2018\u2019]?clock|(?:at|around) (?:noon|midnight)"
    r"|(?<=[0-9] )(?:morgens|vormittags|mittags|nachmittags|abends|nachts"
    r"|(?:in the (?:morning|afternoon|evening)|at night)))"
)
"""Hours in words, which may be those of the morning or of the afternoon."""

STRONG: Final = (
    ("date", rf"{_HOUR_BEFORE}{_ON_WEEKDAY}{_NTH_DAY},? ?(?:of )?{_M}{_OF_YEAR}?{_CLOCK}"),
    ("date", rf"{_HOUR_BEFORE}{_ON_WEEKDAY}{_M} {_NTH_DAY}{_OF_YEAR}?{_CLOCK}"),
    ("date", rf"{_HOUR_BEFORE}{_ON_WEEKDAY}{_D}\. ?[0-9]{{1,2}}\. ?{_YEAR}{_CLOCK}"),
    ("date", _ISO_DAY),
    ("slashes", rf"[0-9]{{1,2}}/[0-9]{{1,2}}/{_NEAR_YEAR}"),
    ("week", rf"{_YEAR}-w[0-9]{{2}}(?:-[1-7])?"),
    ("month", rf"{_NEAR_YEAR}-(?:0[1-9]|1[0-2])"),
    ("month", rf"{_M}{_OF_YEAR}"),
    ("season", _SEASON),
    ("quarter", _QUARTER_YEAR),
    ("part", _PART),
    ("part", PART_OF_YEAR),
    ("week", _WEEK),
    ("week", rf"(?:week|woche) [0-9]{{1,2}}(?:{_OF}|/){_YEAR}"),
    ("date", rf"(?:(?:zu|over) )?{FEAST}{_OF_YEAR}"),
    ("pointed", rf"(?:the )?{BEFORE_LAST}(?! [a-z]+ ago)"),
    ("pointed", day_of_month(_NTH_DAY)),
    ("pointed", of_year(_PART_OF_YEAR)),
    ("pointed", DAY_OF_WEEK),
    ("pointed", _POINTED),
    ("day", _DAY),
    ("ago", DAY_AGO),
    ("vague", _VAGUE),
    ("clock", CLOCK_WORDS),
    ("cut", CUT_YEAR),
    ("ago", rf"vor {COUNTS}|{COUNTS} ago|{COUNTS} from now"),
    ("ago", WEEKDAYS_AGO),
    ("ago", rf"{'|'.join(HALVES)}|half an? [a-z]+ ago"),
    ("ahead", rf"(?:(?:heute|today) )?in {COUNTS}"),
    ("year", rf"(?:jahre?|year) {_YEAR}"),
    ("now", "|".join(sorted(PRESENT, key=len, reverse=True))),
)
"""Times that say so themselves: kind and pattern."""

WEAK: Final = (
    ("short", rf"{_HOUR_BEFORE}{_ON_WEEKDAY}{_SHORT}{_CLOCK}"),
    ("numbers", rf"(?:0?[1-9]|1[0-2])[./]{_NEAR_YEAR}"),
    ("any quarter", _QUARTER),
    ("any week", r"(?:week|woche) [0-9]{1,2}"),
    ("name", rf"{_M}(?! ?[0-9])"),
    ("name", rf"(?:{SEASON})"),
    ("feast", rf"(?:(?:zu|over) )?{FEAST}"),
    ("name", rf"(?:{'|'.join(BEFORE_THIS)})(?:e?s)?"),
    ("name", rf"(?:{WEEKDAY})(?: (?:morgen|abend|vormittag|nachmittag|mittag|nacht))?"),
)
"""Times only behind a word that leads to one: ``im Mai``, ``am 14.3.``."""

YEAR: Final = rf"{_NEAR_YEAR}"
YEARS: Final = rf"{_NEAR_YEAR} ?[-–] ?{_NEAR_YEAR}"

_BEGINS: Final = r"(?<![a-z0-9_§#@\x00])(?<![0-9][.,/:-])(?<![a-z]-)"
_ENDS: Final = r"(?![a-z0-9_\x00])(?!\.[0-9])(?!-[a-z0-9])(?!['’](?!s\b))"
_YEAR_ENDS: Final = r"(?![.,/:–-][0-9])(?! ?[%€$£°§])"


def bounded(pattern: str, *, year: bool = False) -> re.Pattern[str]:
    """The pattern where it is a whole word."""
    return re.compile(rf"{_BEGINS}(?:{pattern}){_ENDS}{_YEAR_ENDS if year else ''}")


_SOFT: Final = (
    r"(?:kurz |unmittelbar |direkt |noch |schon |bereits |erst |spaetestens |shortly |just "
    r"|right )*"
)
_ARTICLE: Final = r"(?: (?:den|dem|der|des|die|das|the))?"
LEADING: Final = re.compile(
    rf"(?:^|(?<=[^a-z0-9_-])){_SOFT}(?:"
    r"(?P<before>vor|vorm|before|prior to|ahead of)"
    r"|(?P<until>bis(?: (?:spaetestens|einschliesslich|inklusive))?"
    r"(?: (?:zu|zum|zur|in|ins|an|am))?"
    r"|until|till|up to|up until|by)"
    r"|(?P<after>nach|after|following)"
    r"|(?P<since>seit|ever since|since)"
    r"|(?P<starts>ab|from|as from|starting(?: in| from| on)?|beginning(?: in| on)?)"
    r"|(?P<spans>zwischen|between)"
    r"|(?P<dated>vom|von|of|dated)"
    r"|(?P<at>in|im|am|an|on|at|per|zum|as of(?: the)?|as at|as on|stand:?|during|waehrend|um"
    r"|around|for the|anno|since the)"
    rf"){_ARTICLE} $"
)
"""What leads to a time, at the end of the text before it."""

COORDINATED: Final = re.compile(
    r" ?(?:und|and|oder|or|bis|to|through|-|–|/|,)(?: (?:im|in|am|on|zum|zu))? ?"
)
RANGED: Final = re.compile(
    rf"(?:(?<![a-z0-9])[0-9]{{1,2}}\.?|(?<![a-z0-9])(?:{MONTH}|{SEASON}|{WEEKDAY})|{_NEAR_YEAR})"
    r" ?(?:bis(?: zu[mr]?| in den)?|-|–|to|and|und|through|until|auf)(?: (?:den|dem|der|the))? ?$"
)
"""The first of two times that are meant together, right before the second."""

EVENT: Final = re.compile(
    rf"(?:^|(?<=[^a-z0-9_-])){_SOFT}(?:"
    r"(?P<before>vor|vorm|before|prior to|ahead of)"
    r"|(?P<until>bis (?:zu|zum|zur|vor)|until|till|up to|up until)"
    r"|(?P<after>nach|after|following)"
    r"|(?P<since>seit|ever since|since))"
    r" (?P<article>(?:der|dem|den|des|the|our|their|its|his|her|my|unsere[rnm]|ihre[rnm]|seine[rnm]"
    r"|einer|einem|a|an) )?(?P<what>(?:[a-z0-9'-]+ ){1,5})$"
)
"""An event at the end of a text, with what leads to it."""

CLAUSE: Final = re.compile(
    r"(?:^|(?<=[^a-z0-9_-]))(?:"
    r"(?:(?P<before>bevor|ehe)|(?P<after>nachdem)|(?P<since>seitdem)) [^,;?!]{0,80}"
    r"|(?:(?P<earlier>before)|(?P<later>after)|(?P<from_then>since)|(?P<to_then>until|till))"
    r" (?:(?:they|we|he|she|it|i|you) [^,;?!]{0,80}"
    r"|(?:[a-z0-9'-]+ ){1,4}?(?:[a-z]+ed|was|were|had|left|came|went|became|took|sold|bought|began)"
    r" (?:[a-z0-9'-]+ ){0,4}))$"
)
"""A clause that says when, up to a time in it: ``before they moved in June``."""

AWAY: Final = re.compile(
    rf"(?:^|(?<=[^a-z0-9]))(?:[0-9]{{1,4}}|einen|{any_of(NUMBERS)}) (?:{any_of(UNITS)}) $"
)
"""How long before or after something, right before the words that lead to it."""
