"""A history with bounded corrections, retroactive and future facts, contradictions and endings.

The questions about it stand in ``temporal_questions.md``, with the pair of instants that each means
and what answers it.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

ZONE = "Europe/Berlin"
NOW = "2026-11-30T12:00:00+01:00"


def _fact(
    recorded: str, ref: str, start: str, title: str, content: str, **more: Any
) -> dict[str, Any]:
    said = {"op": "remember", "recorded_at": f"{recorded}T09:00:00+00:00", "ref": ref}
    return said | {"title": title, "content": content, "valid_from": start, **more}


def _then(recorded: str, op: str, target: str, **more: Any) -> dict[str, Any]:
    return {"op": op, "recorded_at": f"{recorded}T09:00:00+00:00", "target": target, **more}


def _of(key: str) -> dict[str, str]:
    return {"key": key, "on_overlap": "replace"}


HISTORY: list[dict[str, Any]] = sorted(
    [
        # The address: known before it held.
        _fact("2024-09-05", "salzuflen", "2024-09-01", "Anschrift der Müller GmbH",
              "Die Müller GmbH sitzt in der Hauptstraße 1 in Bad Salzuflen.",
              **_of("mueller/sitz")),
        _fact("2026-05-10", "detmold", "2026-06-01", "Anschrift der Müller GmbH",
              "Die Müller GmbH sitzt in der Industriestraße 7 in Detmold.", **_of("mueller/sitz")),
        # Who leads it: a bounded piece that was learned after it was over.
        _fact("2024-01-15", "berger", "2023-01-01", "Geschäftsführung der Müller GmbH",
              "Anna Berger leitet die Müller GmbH als Geschäftsführerin.", **_of("mueller/gf")),
        _fact("2025-02-10", "kast", "2025-03-01", "Geschäftsführung der Müller GmbH",
              "Bruno Kast leitet die Müller GmbH als Geschäftsführer.", **_of("mueller/gf")),
        _fact("2025-12-03", "voss", "2025-08-01", "Geschäftsführung der Müller GmbH",
              "Clara Voss leitet die Müller GmbH als Geschäftsführerin.",
              valid_to="2025-11-01", **_of("mueller/gf")),
        # The rent: raised before anybody knew.
        _fact("2024-01-10", "miete-1800", "2024-01-01", "Miete der Lagerhalle Ost",
              "Die Miete der Lagerhalle Ost beträgt 1800 Euro im Monat.", **_of("halle/miete")),
        _fact("2025-04-20", "miete-1950", "2025-01-01", "Miete der Lagerhalle Ost",
              "Die Miete der Lagerhalle Ost beträgt 1950 Euro im Monat.", **_of("halle/miete")),
        # A contract that had ended when its end was learned.
        _fact("2024-02-02", "wartung", "2024-02-01", "Wartungsvertrag für den Aufzug",
              "Den Aufzug wartet die Firma Lift und Söhne nach Vertrag."),
        _then("2025-08-15", "end", "wartung", at="2025-07-01", reason="gekündigt"),
        # What was never true.
        _fact("2025-01-20", "zertifikat", "2025-01-01", "Umweltzertifikat der Nordlicht AG",
              "Die Nordlicht AG trägt das Umweltzertifikat Blauer Kranich."),
        _then("2025-10-05", "retract", "zertifikat", reason="Verwechslung"),
        # A move that was planned and called off.
        _fact("2024-01-11", "hamburg", "2020-01-01", "Hauptsitz der Nordlicht AG",
              "Die Nordlicht AG hat ihren Hauptsitz in Hamburg.", **_of("nordlicht/sitz")),
        _fact("2026-02-01", "kiel", "2026-10-01", "Hauptsitz der Nordlicht AG",
              "Die Nordlicht AG hat ihren Hauptsitz in Kiel.", **_of("nordlicht/sitz")),
        _then("2026-08-20", "retract", "kiel", restore=True, reason="Umzug abgesagt"),
        # Two notes that contradict each other until one of them is kept.
        _fact("2025-01-08", "koch", "2025-01-01", "Stahl kommt von Koch",
              "Den Stahl für die Gestelle liefert die Firma Koch."),
        _fact("2025-03-12", "weber", "2025-01-01", "Stahl kommt von Weber",
              "Den Stahl für die Gestelle liefert die Firma Weber."),
        {"op": "contradict", "recorded_at": "2025-05-05T09:00:00+00:00", "a": "koch", "b": "weber",
         "reason": "zwei Lieferanten"},
        {"op": "resolve", "recorded_at": "2025-07-20T09:00:00+00:00", "a": "koch", "b": "weber",
         "keep": "b", "reason": "Rechnungen"},
        # English: who looks after a customer, with a bounded piece learned late.
        _fact("2024-03-01", "doe", "2024-01-01", "Account manager of Acme Ltd",
              "Jane Doe is the account manager who looks after Acme Ltd.", **_of("acme/manager")),
        _fact("2025-10-06", "hill", "2025-10-01", "Account manager of Acme Ltd",
              "Tom Hill is the account manager who looks after Acme Ltd.", **_of("acme/manager")),
        _fact("2026-05-01", "stone", "2026-02-01", "Account manager of Acme Ltd",
              "Mary Stone is the account manager who looks after Acme Ltd.",
              valid_to="2026-04-01", **_of("acme/manager")),
        # English: a warranty that was decided long before it held.
        _fact("2024-05-02", "months-24", "2024-05-01", "Warranty period of the pumps",
              "The warranty period of the pumps is 24 months.", **_of("pumps/warranty")),
        _fact("2025-11-15", "months-36", "2026-01-01", "Warranty period of the pumps",
              "The warranty period of the pumps is 36 months.", **_of("pumps/warranty")),
        # English: a rating that the audit in June 2026 corrected back to January.
        _fact("2025-02-01", "rating-a", "2025-01-01", "Credit rating of Borealis Inc",
              "The credit rating of Borealis Inc is A.", **_of("borealis/rating")),
        _fact("2026-06-18", "rating-c", "2026-01-01", "Credit rating of Borealis Inc",
              "The credit rating of Borealis Inc is C.", **_of("borealis/rating")),
        # A price with an offer that was noted weeks after it.
        _fact("2024-06-01", "preis-12", "2024-06-01", "Preis einer Palette",
              "Eine Palette kostet 12 Euro.", **_of("palette/preis")),
        _fact("2025-06-20", "preis-14", "2025-07-01", "Preis einer Palette",
              "Eine Palette kostet 14 Euro.", **_of("palette/preis")),
        _fact("2026-01-10", "preis-9", "2025-11-15", "Preis einer Palette",
              "Eine Palette kostet 9 Euro im Angebot.", valid_to="2025-12-24",
              **_of("palette/preis")),
    ],
    key=lambda event: event["recorded_at"],
)  # fmt: skip
"""Operations as a file of events holds them, in order."""


class Asked(NamedTuple):
    """A question.

    Attributes:
        as_of, known_at: the pair that it means; empty for now.
        top: external id of what answers it best; empty when nothing of it held.
        absent: external ids that must not be among the results, separated by blanks.
    """

    text: str
    as_of: str
    known_at: str
    top: str
    absent: str

    def is_answered_by(self, names: Sequence[str | None]) -> bool:
        """Whether the best of these is the expected one and none is there that must not be."""
        first = names[0] if names else None
        return not set(self.absent.split()) & set(names) and self.top in ("", first)


_ROW = re.compile(r"^\| (.+?\?) \| (.*?) ?\| (.*?) ?\| (.*?) ?\| (.*?) ?\|$", re.MULTILINE)
_TABLES = Path(__file__).with_name("temporal_questions.md").read_text(encoding="utf-8")
QUESTIONS = [Asked(*row.groups()) for row in _ROW.finditer(_TABLES)]
