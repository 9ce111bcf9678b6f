"""Pairs of claims whose titles do not say that they are about the same, as ``pairs_of_claims``."""

from typing import Final

D, K, N = "duplicate", "contradiction", None

OFFICE = "Das Büro liegt in der Hauptstraße 5 in Detmold."
HEATING = "Die Heizung im Keller wurde von der Firma Krause gewartet."
LIGHT = "Photosynthese wandelt Licht in chemische Energie um."
LOGIN = "The gateway in Frankfurt requires two factors for every user."
EXPORTS = "The quarterly revenue grew because of exports to Japan."
CAT = "Die Katze sitzt auf der Matte im Flur und schläft."
MAINE = "The cabin in Maine has a wood stove and sleeps six guests."

OTHER_TITLES: Final = (
    (D, ("Same1", HEATING), ("Wartung", HEATING)),
    (D, ("Alpha", LIGHT), ("Omega", LIGHT)),
    (D, ("Report A", EXPORTS), ("Report B", EXPORTS)),
    (D, ("Duplikat", CAT), ("Duplikat zwei", CAT)),
    (D, ("Login", LOGIN), ("Security", LOGIN.replace("for every", "for each and every"))),
    (D, ("Ort", OFFICE), ("Adresse", f"Laut Mietvertrag: {OFFICE[:-1]}")),
    (D, ("Notiz", "Das Ticket kostet 12 Euro"), ("Preis", "Das Ticket kostet 12 Euro")),
    (D, ("Wo wir sitzen", OFFICE), (OFFICE, "")),
    (D, ("Holiday", MAINE), ("Rental", MAINE)),
    (
        D,
        ("Technik", "Die Pumpe im Schacht läuft mit 60 Hz und 5 bar Druck."),
        ("Anlage", "Die Pumpe im Schacht läuft mit 60 Hz und 5 bar Druck"),
    ),
    (K, ("Ort", OFFICE), ("Adresse", OFFICE.replace("5", "7"))),
    (K, ("Ort", OFFICE), ("Neg", OFFICE.replace("liegt", "liegt nicht"))),
    (K, ("Login", LOGIN), ("Security", LOGIN.replace("requires", "does not require"))),
    (K, ("Login", LOGIN), ("Security", LOGIN.replace("two", "three"))),
    (K, ("Holiday", MAINE), ("Rental", MAINE.replace("six", "eight"))),
    (
        K,
        ("Akte", "Der Vertrag mit Müller läuft am 31.12.2024 aus."),
        ("Frist", "Der Vertrag mit Müller läuft am 31.12.2025 aus."),
    ),
    (
        K,
        ("Renewal", "The lease with Baker Street Ltd ends on May 1, 2026."),
        ("Landlord", "The lease with Baker Street Ltd ends on June 1, 2026."),
    ),
    (K, ("Wartung", HEATING), ("Handwerker", HEATING.replace("Krause", "Maier"))),
    (K, ("Notiz", "Das Ticket kostet 12 Euro"), ("Preis", "Das Ticket kostet 15 Euro")),
    (
        K,
        ("Chef", "Anna Schulz leitet die Firma seit Mai 2021"),
        ("Chef", "Bernd Maier leitet die Firma seit Juni 2024"),
    ),
    (
        K,
        ("CEO", "Jane Doe leads the company since May 2021."),
        ("CEO", "John Smith leads the company since June 2024."),
    ),
    (
        K,
        ("Geschäftsführer der ACME", "Anna Berg ist Geschäftsführerin der ACME."),
        ("Geschäftsführer der ACME", "Jonas Klein ist Geschäftsführer der ACME."),
    ),
    (
        N,
        ("Mitarbeiter", "Anna Schulz arbeitet bei der Firma seit Mai 2021"),
        ("Mitarbeiter", "Bernd Maier arbeitet bei der Firma seit Juni 2024"),
    ),
    (
        N,
        ("Krause", "Die Firma 17 hat ihren Sitz in der Hauptstraße 18 in Detmold."),
        ("Maier", "Die Firma 19 hat ihren Sitz in der Hauptstraße 20 in Detmold."),
    ),
    (
        N,
        ("Lieferant", "Die Firma Krause hat ihren Sitz in der Hauptstraße 18 in Detmold."),
        ("Kunde", "Die Firma Maier hat ihren Sitz in der Hauptstraße 20 in Detmold."),
    ),
    (
        N,
        ("Supplier", "Acme Tools keeps its stock in the Baker Street depot, hall 4."),
        ("Customer", "Zenith Foods keeps its stock in the Baker Street depot, hall 5."),
    ),
    (N, ("Kapitel 1", CAT), ("Kapitel 2", CAT)),
    (N, ("Bericht 2023", EXPORTS), ("Bericht 2024", EXPORTS)),
    (N, ("Server Alpha", "Der Server hat 16 GB."), ("Server Beta", "Der Server hat 16 GB.")),
    (
        N,
        ("Server Alpha", "Der Server im Keller von Haus Nord hat 16 GB RAM."),
        ("Server Beta", "Der Server im Keller von Haus Nord hat 32 GB RAM."),
    ),
    (
        N,
        ("Anna Berg", "Sie leitet den Vertrieb in Detmold und Lemgo."),
        ("Clara Klein", "Sie leitet den Vertrieb in Detmold und Lemgo."),
    ),
    (
        N,
        ("Anna Berg", "Arbeitet im Vertrieb in Detmold seit 2020."),
        ("Clara Klein", "Arbeitet im Vertrieb in Detmold seit 2021."),
    ),
    (N, ("Mietvertrag", "Der Vertrag endet 2026."), ("Leasing", "Der Vertrag endet 2027.")),
    (N, ("Mietvertrag", "Der Vertrag endet 2026."), ("Leasing", "Der Vertrag endet 2026.")),
    (N, ("Kran", "Kostet 500 € im Monat."), ("Bagger", "Kostet 600 € im Monat.")),
    (N, ("Fähre", "Das Ticket kostet 12 Euro."), ("Museum", "Das Ticket kostet 15 Euro.")),
    (N, ("Ort", OFFICE), ("Möbel", "Das Büro in Detmold hat 5 Schreibtische und einen Drucker.")),
    (N, ("Wartung", HEATING), ("Reparatur", "Die Firma Krause hat das Dach vom Keller gemacht.")),
    (N, ("Paris", "It has many old stone bridges."), ("Rome", "It has many old stone bridges.")),
    (N, ("Login", LOGIN), ("Exports", EXPORTS)),
)
