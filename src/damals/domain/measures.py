"""Units of measurement, and words for thousands, in German and English."""

from fractions import Fraction
from typing import Final


def _units(rows: str) -> dict[str, tuple[str, Fraction]]:
    """Units by word: ``base factor words`` a line."""
    found: dict[str, tuple[str, Fraction]] = {}
    for row in rows.strip().splitlines():
        base, factor, *words = row.split()
        found |= dict.fromkeys(words, (base, Fraction(factor)))
    return found


UNITS: Final = _units("""
s 0.001 ms millisekunde millisekunden millisecond milliseconds
s 1 s sek sec sekunde sekunden second seconds
s 60 min minute minuten minutes mins
s 3600 h std stunde stunden hour hours hrs
s 86400 d tag tage tagen day days
s 604800 woche wochen week weeks
month 1 monat monate monaten month months
month 3 quartal quartale quartalen quarters
month 12 jahr jahre jahren year years
m 0.001 mm millimeter
m 0.01 cm zentimeter centimeter centimeters
m 1 m meter metern metre metres meters
m 1000 km kilometer kilometern kilometre kilometres kilometers
g 0.001 mg milligramm
g 1 g gramm gram grams
g 1000 kg kilo kilogramm kilogram kilograms
g 1000000 t tonne tonnen ton tons
l 0.001 ml milliliter
l 1 l liter litern litre litres liters
eur 1 € eur euro euros
eur 0.01 cent ct cents
usd 1 $ usd dollar dollars
gbp 1 £ gbp pfund pounds
chf 1 chf franken
% 1 % prozent percent
degc 1 °c grad celsius
degf 1 °f fahrenheit
b 1 byte bytes
b 1000 kb kilobyte kilobytes
b 1000000 mb megabyte megabytes
b 1000000000 gb gigabyte gigabytes
b 1000000000000 tb terabyte terabytes
kwh 1 kwh
kw 1 kw kilowatt
w 1 watt
v 1 v volt
m2 1 m² qm quadratmeter
hz 1 hz
hz 1000000 mhz
hz 1000000000 ghz
""")
"""What is measured in what, and how much of its base a unit is."""
BASES: Final = frozenset(base for base, _ in UNITS.values())

SCALES: Final = {
    "tsd": 10**3, "tausend": 10**3, "thousand": 10**3, "k": 10**3,
    "mio": 10**6, "million": 10**6, "millionen": 10**6, "millions": 10**6,
    "mrd": 10**9, "milliarde": 10**9, "milliarden": 10**9, "billion": 10**9,
}  # fmt: skip
"""How many a word behind a number makes of it."""


def is_unit(word: str) -> bool:
    """Whether a word behind a number is its unit, or how many thousands of it."""
    small = word.casefold()
    return small in UNITS or small in SCALES
