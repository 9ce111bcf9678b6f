"""Words that decide whether a number or a name beside them is a time."""

import re
from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NUMBERED: Final = _words(
    "raum zimmer saal halle version nr nummer no number postfach agenda artikel art paragraf"
    " paragraph absatz abs ziffer kapitel seite seiten band bd heft modell typ type serie baureihe"
    " windows office server excel word studio expo em wm euro olympia konto kunde kundennummer"
    " auftrag bestellung ticket projekt linie bus zug flug gleis tor platz plz tel telefon fax"
    " durchwahl code id norm din iso en room building page chapter article section model series"
    " order customer account project box flight line route gate track port apartment suite unit"
    " level hall release update edition ausgabe fassung stufe klasse gruppe level kanal regal akte"
    " aktenzeichen az artikelnummer rfc cve isbn patent formular form anlage anhang anno figure"
    " jahre jahren jahres years saison season spielzeit table tabelle abbildung abb kasse"
    " ral fach buero blatt fehler fehlercode fehlernummer error postleitzahl zip postcode"
    " postal schalke tsv tsg fc sv vfl vfr tus sc spvgg ssv"
    " lager charge los pin peugeot audi bmw vw golf v ver"
)
"""What has numbers: ``Raum 2024``."""

HOUSES: Final = re.compile(
    r"[a-z]{3,}(?:strasse|str|weg|platz|allee|gasse|ring|damm|ufer)|street|avenue|road|lane|drive"
)
"""Before a number, these say that it is that of a house."""

AT_LEAST: Final = re.compile(
    r" (?:or|oder|and|und) (?:more|fewer|less|above|up|over|mehr|weniger|hoeher|darueber|aelter)\b"
)
"""Behind a number, these say that it counts."""

COUNTED: Final = _words(
    "mitarbeiter mitarbeitern mitarbeiterinnen beschaeftigte angestellte euro eur usd chf dollar"
    " franken stueck personen person leute menschen einwohner einwohnern teilnehmer mitglieder"
    " mitgliedern km m cm mm kg g t meter metern kilometer kilometern tonnen liter stimmen seiten"
    " tage tagen stunden minuten sekunden jahre jahren wochen monate einheiten kunden aktien"
    " wohnungen plaetze quadratmeter qm prozent mal watt volt mb gb tb dateien zeilen zeichen"
    " exemplare besucher zuschauer gaeste soldaten tote verletzte autos fahrzeuge haeuser schueler"
    " studenten studierende punkte schritte schrauben teile employees people persons items units"
    " pieces dollars euros users customers votes pages miles meters metres kilometers days hours"
    " minutes seconds years weeks months members inhabitants percent times visitors students cars"
    " lines files parts points steps shares houses soldiers guests copies"
)
"""What is counted: ``2024 Mitarbeiter``."""

MEASURING: Final = _words(
    "als ueber unter rund etwa ca circa knapp fast mindestens hoechstens maximal minimal genau"
    " about over under than roughly nearly approximately exactly almost least most the der die das"
    " den dem ein eine einen einem the a an fuer for plus minus mal bei je pro"
)
"""Before a number alone, these say that it counts something, or that it belongs to a noun."""

DATED: Final = re.compile(
    r"(?:protokolls?|vertrag(?:e?s)?|briefs?|e?mails?|schreibens?|rechnung|berichte?s?|angebote?s?"
    r"|notiz|urteils?|gesetze?s?|beschluss(?:es)?|bescheide?s?|ausgabe|fassung|artikels?|fotos?"
    r"|verordnung|satzung|ordnung|richtlinie|vereinbarung|erklaerung|vermerks?|meldung"
    r"|abschluss|bilanz|plans?|plaene|haushalts?|budgets?|umsatz(?:es)?|gewinns?|strategie|ziele"
    r"|konferenz|messe|wahl|wahlen|kongress|tagung|festivals?|tarifs?|preisliste|liste|katalogs?"
    r"|agenda|jahrgangs?|jahrgaenge|modelljahre?s?|geschaeftsjahre?s?|haushaltsjahre?s?|kalenders?"
    r"|audits?|meisterschaft(?:en)?|turniers?|seminars?|kurse?s?|workshops?|treffens?|fests?"
    r"|weihnachten|ostern|pfingsten|silvester|neujahr|heiligabend|fasching|karneval"
    r"|(?:^|-)(?:reports?|minutes|letters?|contracts?|invoices?|memos?|notes?|decisions?|rulings?"
    r"|agreements?|offers?|versions?|editions?|articles?|photos?|statements?|revenues?|profits?"
    r"|plan|strategy|conference|elections?|cup|games|catalogue|catalog|calendar|statutes|law|act"
    r"|decree|christmas|easter|eve))$"
)
"""Ends of nouns that carry a date as a name: ``Protokoll vom 14. März``, ``Umsatz 2025``."""

ACCORDING: Final = re.compile(
    r"[a-z0-9]*(?:satzung|ordnung|regelung|regel|gesetz|plan|liste|tabelle|bericht|protokoll"
    r"|richtlinie|norm|stand|angaben|aussage|unterlagen|fassung|tarif|vereinbarung|notizen|notiz"
    r"|wissen|recht|vertrag|artikel|beschluss|urteil|meinung|ansicht|auffassung|schema|muster)"
)
"""``nach der Satzung`` names a ground, no time."""

PLACES: Final = re.compile(
    r"[a-z0-9]*(?:haus|haeuser|hause|gebaeude|tuer|gericht|tor|werk|halle|rathaus|bahnhof|kirche|schule"
    r"|eingang|ausschuss|gremium|kammer|court|house|building|door|gate|committee|board|judge|jury"
    r"|station|church|school|publikum|audience|kamera|camera)"
)
"""``vor dem Haus`` is a place, ``before the committee`` an audience."""

NAMED: Final = _words(
    "herr herrn frau dr prof professor familie mr mrs ms miss sir fraeulein onkel tante"
    " minister praesident kanzler doktor lady lord saint st sankt"
)
"""Before a surname: ``Frau Sommer``."""

COMPANY: Final = _words("gmbh ag kg ltd inc ug se ohg gbr eg ev co llc plc corp holding strasse"
    " str street allee platz weg gasse road avenue verlag records")  # fmt: skip
"""Behind a name: ``Mai GmbH``, ``März-Straße``."""

NO_EVENT: Final = _words(
    "ueber about bei mit with for fuer und and or oder wo was wer wie wann where who what when how"
    " wir uns we us i ich you du es it sie they er he she man die das den dem in im on at am an zu"
    " zum zur by von vom dass that ob if whether is are was were war waren ist sind hat had has"
    " have haben hatte galt gilt did does do nicht not laut regarding concerning aus to from"
    " gegen durch ohne unter hinter neben zwischen sass sitzt lag stand arbeitete wohnte lebte"
)
"""Between ``before`` and a time, these say that the time is not that of the event."""

_FUTURE: Final = re.compile(
    r"\b(?:will|shall|won't|going to|wird|werden|wirst|werde|werdet|'ll|kuenftig|zukuenftig"
    r"|uebernimmt|uebernehmen|takes? over"
    r"|wann (?:muss|muessen|darf|duerfen)|when must"
    r"|soll(?:en)?(?![^,;?!]* (?:gewesen|worden|[a-z]+(?:t|en)) (?:sein|haben)\b))\b"
    r"|\bsteh(?:t|en)\b[^,;?!]* an\W*$"
)
_WAS_THEN: Final = re.compile(r"\b(?:war|waren|galt|galten|hatten?|wurden?|was|were|did|had)\b")
_WOULD: Final = re.compile(r"\b(?:would|wuerden?|was going to|were going to|sollten?)\b")
_IS: Final = re.compile(
    r"\b(?:ist|sind|gilt|gelten|sitzt|sitzen|betraegt|kostet|kosten|leitet|leiten|arbeitet|wohnt"
    r"|heisst|zahlen|zahlt|zahle|bekommt|macht|uebernimmt|beginnt|startet|is|are|does|applies|apply"
    r"|kommt|kommen|geht|bleibt|zieht|fuehrt|vertritt|wohnen|muss|muessen|darf|duerfen"
    r"|takes|starts|begins|works|sits|leads|costs|pays|runs)\b"
)
_WAS: Final = re.compile(
    r"\b(?:war|waren|galt|galten|hatten?|wurden?|gewesen|worden|was|were|did|had|been)\b"
    r"|\b(?:[a-z]*ge[a-z]+(?:t|en)|passiert|[a-z]+iert)\W*$"
)
_EVERY: Final = re.compile(
    r"(?:\b(?:(?:jedes|alle) jahre?|jaehrlich|alljaehrlich|(?<!noch )immer|stets|jeweils"
    r"|(?:every|each) year|annually|yearly|jeden|every|each)"
    r"|\balways(?: [a-z]+){0,2}),? $"
)
_OF_EVERY: Final = re.compile(
    r",? (?:(?:eines )?jeden jahres|(?:of )?(?:every|each) year|jedes jahr|annually"
    r"|immer(?! noch))\b"
)
_ASKING: Final = re.compile(
    r"\?|^(?:w(?:o|er|en|em|as|ie|ann|arum|eshalb|ieso|oher|ohin|omit|ofuer|oran|orueber|oraus|elch"
    r"|elche[nrsm]?|essen|ieviel|ovon|obei|ozu)|in welche[nrm]?|who|whom|whose|what|which|where"
    r"|when|why|how|did|does|do|was|were|is|are|had|has|have|could|would|should|can|war|waren|ist|sind"
    r"|hat|hatte|hatten|haben|galt|gilt|gab|gibt|sass|sitzt|arbeitete|arbeitet|wohnte|lebte|seit"
    r"|bis|an|zu|mit|fuer|bei|von|aus|am|im|unter|nach|vor) "
    r"|, (?:was|wo|wer|wen|wem|wie|wann|ob|welche[nrsm]?) "
    r"|^(?:tell|show|remind|explain)(?: me| us)? (?:what|where|who|which|how|when) "
)


def asks_ahead(folded: str) -> bool:
    """Whether a question is about what is to come."""
    return _FUTURE.search(folded) is not None


def is_of_now(folded: str) -> bool:
    """Whether a question is about what is, as far as its verbs say so."""
    return _IS.search(folded) is not None and _WAS_THEN.search(folded) is None


def looks_ahead(folded: str) -> bool:
    """Whether a clause speaks of what was to come then: ``that Anna would leave``."""
    return _WOULD.search(folded) is not None


def is_ahead_from(folded: str) -> bool:
    """Whether ``ab Mai`` in a clause is to come: the clause speaks of what is."""
    return _IS.search(folded) is not None and _WAS.search(folded) is None


def recurs(before: str, behind: str) -> bool:
    """Whether a day or a month between these texts is meant every year."""
    return _EVERY.search(before) is not None or _OF_EVERY.match(behind) is not None


def asks(folded: str) -> bool:
    """Whether a text is a question rather than a list of words."""
    return _ASKING.search(folded) is not None
