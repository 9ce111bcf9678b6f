"""A simulated archive: years of remembering, changing, checking and forgetting, by a seed.

What is said is German and English and repeats itself as people do: some entries say the same again,
some contradict, most are never looked at again. The same seed gives the same archive.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

Op = dict[str, object]

THINGS = (
    "Server", "Vertrag", "Drucker", "Lizenz", "Adresse", "Preis", "Schnittstelle", "Kunde",
    "Leitung", "Wartung", "Fahrzeug", "Mietvertrag", "Timeout", "Backup", "Zugang", "Termin",
)  # fmt: skip
NAMES = (
    "Müller", "Krüger", "Ahrens", "Hellental", "Sander", "Brandt", "Yilmaz", "Novak", "Costa",
    "Berger", "Lindner", "Petrov", "Weiss", "Okafor", "Jansen", "Rossi",
)  # fmt: skip
WORDS = (
    "bleibt nach Absprache mit dem Vorstand unverändert und wird jährlich geprüft",
    "wurde nach der Besprechung im Frühjahr neu vereinbart und schriftlich bestätigt",
    "is handled by the local team and documented in the shared folder",
    "gilt nur für die Niederlassung im Süden, sonst gilt die alte Regelung weiter",
    "needs an approval by two people before anything is changed in production",
    "läuft über den Dienstleister, der monatlich einen Bericht schickt",
    "ist im Handbuch auf der dritten Seite beschrieben und mit einem Bild erklärt",
    "depends on the supplier, who answers within two working days as a rule",
)
TYPES = ("fact", "fact", "fact", "note", "decision", "reference", "goal", "journal")
DOMAINS = (None, None, None, "ai_ml", "architecture", "campaign", "api_docs", "mathematics")
FEW = 5
"""Before there are so many entries nothing happens to any."""
TIES = ("extends", "related_to", "depends_on", "part_of", "links_to")


@dataclass
class Archive:
    """What happens in an archive, day by day.

    Attributes:
        size: entries in all.
        days: that it takes.
        steps: in so many transactions things are remembered, at most.
        busy: so much happens to what is known for each entry that comes.
    """

    seed: int
    size: int
    days: int
    steps: int = 500
    busy: int = 1
    rng: random.Random = field(init=False)
    ids: list[str] = field(default_factory=list)
    live: list[str] = field(default_factory=list)
    open: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)

    def story(self) -> Iterator[tuple[float, list[Op]]]:
        """Pairs of a day and what is said then, as one transaction."""
        made = 0
        at_once = max(1, self.size // self.steps)
        for step in range(0, self.size, at_once):
            day = step / self.size * self.days
            count = min(at_once, self.size - made)
            made += count
            yield day, [self._remembered(day) for _ in range(count)]
            yield day + 0.01, [one for _ in range(count * self.busy) for one in self._later()]

    def _id(self) -> str:
        return str(UUID(int=self.rng.getrandbits(128), version=4))

    def _remembered(self, day: float) -> Op:
        rng = self.rng
        thing, name = rng.choice(THINGS), rng.choice(NAMES)
        number = rng.randint(1, 5000)
        title = f"{thing} {name} {rng.randint(1, 400)}"
        said = f"{title} {rng.choice(WORDS)}. Nummer {number}, {rng.choice(WORDS)}."
        made: Op = {
            "op": "remember",
            "id": self._id(),
            "title": title,
            "content": said,
            "type": rng.choice(TYPES),
            "tags": rng.sample(("büro", "technik", "recht", "reise"), rng.randrange(3)),
            "importance": rng.choice((1, 2, 3, 3, 3, 4, 5)),
            "valid_from": self._start(day),
        }
        if (domain := rng.choice(DOMAINS)) is not None:
            made["domain"] = domain
        if rng.random() < 0.1:
            made["staleness_risk"] = rng.choice(("fast_decay", "slow_decay", "stable"))
        if rng.random() < 0.03 and self.live:
            made["relations"] = [{"type": rng.choice(TIES), "dst": rng.choice(self.live)}]
        self.ids.append(str(made["id"]))
        self.live.append(str(made["id"]))
        return made

    def _start(self, day: float) -> str | None:
        chance = self.rng.random()
        year = 2019 + int(day) // 365
        if chance < 0.05:
            return None
        return f"{year}-{self.rng.randint(1, 12):02}" + ("~" if chance < 0.08 else "")

    def _one(self) -> str:
        return self.rng.choice(self.live)

    def _gone(self, entry: str) -> str:
        self.live.remove(entry)
        return entry

    def _later(self) -> Iterator[Op]:
        """What happens to something that is known, at most times nothing."""
        if len(self.live) >= FEW:
            chance = self.rng.random()
            yield from self._noted(chance) if chance < 0.34 else self._changed(chance)

    def _noted(self, chance: float) -> Iterator[Op]:
        """Something that changes nothing of what holds."""
        rng = self.rng
        if chance < 0.25:
            a, b = rng.sample(self.live, 2)
            yield {"op": "relate", "src": a, "type": rng.choice(TIES[:3]), "dst": b}
        elif chance < 0.32:
            yield {"op": "verify", "target": self._one(), "score": rng.choice((0.5, 0.8, 1.0))}
        else:
            yield {"op": "pin", "target": self._one()}

    def _changed(self, chance: float) -> Iterator[Op]:
        """Something that does."""
        rng = self.rng
        if chance < 0.40:
            new, old = self._id(), self._gone(self._one())
            said = f"{rng.choice(THINGS)} {rng.choice(NAMES)} {rng.choice(WORDS)}"
            yield {
                "op": "update", "id": new, "target": old, "title": f"Neu {new[:8]}",
                "content": said, "reason": "geändert",
            }  # fmt: skip
            self.ids.append(new)
            self.live.append(new)
        elif chance < 0.42:
            yield {"op": "archive", "target": self._gone(self._one()), "reason": "fertig"}
        elif chance < 0.43:
            yield {"op": "retract", "target": self._gone(self._one()), "reason": "falsch"}
        elif chance < 0.45:
            a, b = rng.sample(self.live, 2)
            self.open.append((a, b))
            yield {"op": "contradict", "a": a, "b": b, "reason": "beides kann nicht stimmen"}
        elif chance < 0.46 and self.open:
            a, b = self.open.pop()
            if a in self.live and b in self.live:
                yield {"op": "resolve", "a": a, "b": b, "keep": "both", "reason": "geklärt"}
