"""Stories for the acceptance of diffs: one archive in which every kind of change happens.

Each story has a tag of its own, so that a diff can be asked about it alone. They are recorded
between January and March 2024 and told as events.
"""

import json
from pathlib import Path
from typing import Any

Event = dict[str, Any]


def remember(story: str, at: str, ref: str, **more: object) -> Event:
    given = {"title": ref.title(), "content": f"Über {ref}.", "valid_from": "2024-01-01"}
    return {"op": "remember", "recorded_at": at, "ref": ref, "tags": [f"story/{story}"],
            **given, **more}  # fmt: skip


def change(op: str, day: str, /, **more: object) -> Event:
    return {"op": op, "recorded_at": day, "reason": f"{op} wegen {day}", **more}


def update(at: str, target: str, ref: str, **more: object) -> Event:
    said = {"title": ref.title(), "content": f"Über {ref}."}
    return change("update", at, target=target, ref=ref, **said, **more)


CASE_16 = [
    remember("case16", "2024-01-01", "a", valid_from="2024-03-01"),
    remember("case16", "2024-01-02", "b", valid_to="2024-03-01"),
    remember("case16", "2024-01-03", "d", content="1"),
    remember("case16", "2024-02-15", "c"),
    change("correct", "2024-02-20", target="d", content="2"),
]
REPLACED = [
    remember("chain", "2024-01-04", "alt"),
    update("2024-02-05", "alt", "mittel", valid_from="2024-02-01"),
    update("2024-02-06", "mittel", "neu", valid_from="2024-02-15", relation="revises"),
    remember("revised", "2024-01-04", "entwurf"),
    update("2024-02-05", "entwurf", "fassung", valid_from="2024-02-01", relation="revises"),
    remember("lost", "2024-01-04", "verlierer"),
    update("2024-02-05", "verlierer", "irrtum", valid_from="2024-02-01"),
    change("retract", "2024-02-07", target="irrtum"),
    remember("bounded", "2024-01-04", "haus"),
    update("2024-02-05", "haus", "zelt", valid_from="2024-05-01", valid_to="2024-08-01"),
]
STATES = [
    remember("extended", "2024-01-05", "grund"),
    remember("extended", "2024-02-05", "zusatz", relations=[{"type": "extends", "dst": "grund"}]),
    remember("contradicted", "2024-01-05", "dreißig"),
    remember(
        "contradicted",
        "2024-02-05",
        "sechzig",
        relations=[{"type": "contradicts", "dst": "dreißig"}],
    ),
    remember("resolved", "2024-01-05", "links"),
    remember("resolved", "2024-01-06", "rechts"),
    change("contradict", "2024-01-07", a="links", b="rechts"),
    change("resolve", "2024-02-05", a="links", b="rechts", keep="both"),
    remember("retracted", "2024-01-05", "ente"),
    change("retract", "2024-02-05", target="ente"),
    remember("closed", "2024-01-05", "vertrag"),
    change("end", "2024-02-05", target="vertrag", at="2024-03-01"),
    remember("emptied", "2024-01-05", "nichts"),
    change("end", "2024-02-05", target="nichts", at="2024-01-01"),
    remember("verified", "2024-01-05", "messwert"),
    change("verify", "2024-02-05", target="messwert", score=0.8, evidence="Protokoll"),
    remember("archived", "2024-01-05", "akte"),
    change("archive", "2024-02-05", target="akte"),
    remember("erased", "2024-01-05", "geheim"),
    change("erase", "2024-02-05", target="geheim"),
    remember("revived", "2024-01-05", "phönix"),
    change("retract", "2024-01-06", target="phönix"),
    change("correct", "2024-02-05", target="phönix", valid_from="2024-01-01"),
]
CORRECTED = [
    remember(
        "worded", "2024-01-05", "satz", content="Der Satz beträgt 128 EUR je Stunde.\nBrutto."
    ),
    change(
        "correct",
        "2024-02-05",
        target="satz",
        content="Der Satz beträgt 182 EUR je Stunde, netto.\nBrutto.",
    ),
    remember("titled", "2024-01-05", "name", title="Müller GmbH"),
    change("correct", "2024-02-05", target="name", title="Müller AG"),
    remember("moved", "2024-01-05", "umzug"),
    change("correct", "2024-02-05", target="umzug", valid_from="2025-01-01"),
    remember("shifted", "2024-01-05", "schub", valid_from="2024-01-20"),
    change("correct", "2024-02-05", target="schub", valid_from="2024-01-10"),
    remember("ending", "2024-01-05", "frist"),
    change("correct", "2024-02-05", target="frist", valid_to="2024-12-31"),
    remember("passing", "2024-01-05", "gast", content="eins"),
    change("correct", "2024-02-05", target="gast", content="zwei"),
    change("correct", "2024-02-06", target="gast", content="eins"),
    remember("vague", "2024-01-05", "monat", valid_from="2024-02"),
]
LATER = [remember("later", "2024-03-20", "später")]


def events() -> list[Event]:
    """All stories, one transaction after the other; those of one day a second apart."""
    told = [*CASE_16, *REPLACED, *STATES, *CORRECTED, *LATER]
    told = sorted(told, key=lambda event: str(event["recorded_at"]))
    return [
        {**event, "recorded_at": f"{event['recorded_at']}T00:{place // 60:02}:{place % 60:02}Z"}
        for place, event in enumerate(told)
    ]


def write(file: Path) -> Path:
    """The stories as a file of events."""
    file.write_text("\n".join(json.dumps(event) for event in events()), encoding="utf-8")
    return file
