"""An archive in which everything occurs once, and the address of each page that shows it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from visiting import Visit

from damals.interfaces.web.areas import AREAS
from damals.interfaces.web.pages.change_forms import FORMS
from damals.local import LocalDamals

NOTE = """---
title: Vertrag Müller
tags: [vertrag, kunden/mueller]
---
# Vertrag Müller

Der Vertrag läuft bis **2027**, siehe [[Preisliste]] und <https://example.org/preise>.

| Posten | Preis |
|---|---|
| Wartung | 40 € |

> [!warning] Kündigung
> drei Monate vorher

```python
print("kein HTML: <b>")
```
"""
TEXT = "Die Müller GmbH sitzt in der {street}.\n\n* Telefon: 05231 17\n* Ansprechpartnerin: Jana"
PAST = "2025-04-01"
UNREADABLE = "known_at=vorx"
NOT_KNOWN_YET = "known_at=2020-01-01"

Says = Callable[[str], str]


@dataclass(frozen=True)
class Archive:
    """The ids of what is in it."""

    old: str
    new: str
    claim: str
    counter: str
    note: str
    person: str
    erasure: str
    answer: str
    ranking: str
    job: str
    questions: Sequence[str] = ("Wo sitzt die Müller GmbH?",)

    def addresses(self) -> list[str]:
        """Every page, in each of its kinds, below ``/w/default`` unless it begins with ``/``."""
        return [*self._asked(), *self._of_entries(), *self._over_time(), *self._house()]

    def _asked(self) -> list[str]:
        found = ["", "?q=Unbekanntes+Wort&mode=recall"]
        for one in map(quote, self.questions):
            found += [f"?q={one}", f"?q={one}&mode=recall&as_of={PAST}", f"?q={one}&{UNREADABLE}"]
        found += [f"answers/{self.answer}", f"answers/{self.answer}?recompute=1"]
        return [*found, f"answers/{self.ranking}"]

    def _of_entries(self) -> list[str]:
        found = ["entries", "entries?status=superseded", "entries?tag=kunden", "entries?type=xx"]
        for one in (self.old, self.new, self.claim, self.note, self.person):
            found += [f"entries/{one}", f"entries/{one}/log", f"entries/{one}/compare"]
        found += [f"entries/{self.old}?as_of={PAST}", f"entries/{self.new}?{NOT_KNOWN_YET}"]
        found += [f"entries/{self.note}?quote=0-20", f"entries/{self.new}?view=lines", "new"]
        names = [name for name in FORMS if name != "remember"]
        found += [f"entries/{self.claim}/change/{name}" for name in (*names, "erase")]
        which = f"type=contradicts&other={self.counter}&way=out"
        found += [f"entries/{self.claim}/change/unrelate?{which}", "entries/nowhere"]
        return [*found, f"entries/{self.claim}/change/relate?find=M%C3%BCller"]

    def _over_time(self) -> list[str]:
        topic = quote("Müller")
        found = ["timeline", f"timeline?topic={topic}", f"timeline?topic={topic}&step=1"]
        found += ["diff", f"diff?from={PAST}&to=now", f"diff?from={PAST}&to=now&axis=known"]
        found += ["hygiene", "hygiene?view=lint", "hygiene?view=due&kind=conflict"]
        found += ["graph", f"graph?id={self.claim}&depth=2", f"graph?id={self.new}&type=xx"]
        return [*found, f"graph.json?id={self.claim}&depth=2"]

    def _house(self) -> list[str]:
        found = ["imports", f"jobs/{self.job}", f"erasures/{self.erasure}", "workspaces"]
        found += ["settings", "settings/health", "settings/sources", "settings/keys"]
        return [*found, "settings/backups", "/", "/sign-in", "/w/nothing", "nowhere"]

    def repairs(self, pages: Visit) -> list[str]:
        """The pages of repairs that the pages of findings lead to."""
        shown = [pages.get("hygiene"), pages.get("hygiene", view="lint")]
        links = {link["href"] for one in shown for link in one.all("main a[href*=hygiene/repair]")}
        return sorted(links)


def routes() -> list:
    """The routes of all pages."""
    return [route for area in AREAS for route in area.router.routes]


def plain(text: str) -> str:
    return text


def told_archive(home: LocalDamals, folder: Path, says: Says = plain) -> Archive:
    """Tell a home a bit of everything; each text goes through ``says``."""
    old = home.remember(
        says("Anschrift Müller GmbH"), says(TEXT.format(street="Hauptstraße 1")),
        valid_from="2023-09-01", key=says("mueller/anschrift"), external_id=says("anschrift 1"),
        tags=[says("kunden/mueller")], reason=says("Brief vom Mai"),
    ).id  # fmt: skip
    new = home.update(
        old, says("Anschrift Müller GmbH"), says(TEXT.format(street="Industriestraße 7")),
        valid_from="2025-06-01", reason=says("Handelsregister"),
        tags=[says("kunden/mueller")],
    ).id  # fmt: skip
    home.correct(new, content=says(TEXT.format(street="Industriestraße 9")), reason=says("Fehler"))
    claim = home.remember(says("Müller zahlt in 14 Tagen"), says("Frist"), valid_from="2024-06").id
    counter = home.remember(says("Müller zahlt in 30 Tagen"), says("Frist"), type="claim").id
    home.contradict(claim, counter, reason=says("Beides kann nicht sein"))
    person = home.remember(says("Jana Müller"), says("Ansprechpartnerin"), type="person").id
    home.relate(claim, "about_person", person)
    home.relate(new, "extends", claim)
    home.verify(new, score=0.5, evidence=says("Anruf"), reason=says("gefragt"))
    home.pin(claim, reason=says("wichtig"))
    gone = home.remember(says("Falsch"), says("nie wahr")).id
    home.retract(gone, reason=says("Verwechslung"))
    erased = home.remember(says("Wird gelöscht"), says("weg")).id
    erasure = home.erase("entry", erased, reason=says("Antrag")).certificate.id
    note, job = _imported(home, folder)
    asked = home.ask("Wo sitzt die Müller GmbH?")
    ranked = home.recall("Müller GmbH")
    assert erasure
    assert asked.receipt
    assert ranked.receipt
    return Archive(
        old, new, claim, counter, note, person, erasure, asked.receipt, ranked.receipt, job
    )


def _imported(home: LocalDamals, folder: Path) -> tuple[str, str]:
    vault = folder / "in" / "notizen"
    (vault / "Kunden").mkdir(parents=True)
    (vault / "Kunden" / "Vertrag Müller.md").write_text(NOTE, encoding="utf-8")
    home.import_(vault)
    (note,) = (one.id for one in home.entries() if one.title == "Vertrag Müller")
    return note, "none"


def with_job(pages: Visit, archive: Archive, folder: Path) -> Archive:
    """The same archive after an import was begun from its page."""
    shown = pages.post("imports", path=str(folder / "in" / "notizen"), source="auto")
    assert "/jobs/" in shown.path, shown.text
    return replace(archive, job=shown.path.rpartition("/")[2])
