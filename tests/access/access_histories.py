"""Random histories of entries of which some are hidden from some, and random principals."""

import random
from dataclasses import dataclass, field
from uuid import UUID

from access_home import Time, owner_called

from damals.app import deriving
from damals.domain.access import Principal
from damals.domain.errors import DamalsError
from damals.local import LocalDamals
from unfiled import TYPES

WORDS = ("miete", "garten", "vertrag", "telefon", "rechnung", "steuer")
KEYS = ("k1", "k2")
RELATIONS = ("extends", "part_of", "links_to", "supersedes", "friend_of")
DERIVED = (("part_of", "closure"), ("has_part", "inverse"), ("related_to", "co_mention"))
ACLS = ((), (), (), ("anna",), ("team",), ("nobody",))
MONTHS = [f"2024-{month:02}-01" for month in range(1, 13)]
NAMES = ("anna", "bob", "carl")
TRIALS = 6
"""How often a transaction is tried anew that is refused."""


def principals(rng: random.Random, number: int = 2) -> list[Principal]:
    """Some who ask, none of whom is the owner."""
    return [
        Principal(
            name=rng.choice(NAMES),
            roles=tuple(rng.sample(("team", "admin", "writer"), rng.randrange(3))),
            visibility=rng.choice(("public", "internal", "internal", "restricted")),
            sensitivity=rng.randrange(2),
        )
        for _ in range(number)
    ]


def derive(home: LocalDamals) -> None:
    """Record what the packaged rules give by now, as somebody who may does."""
    with home._ledger().write("default") as writer:  # noqa: SLF001 -- in memory there are no vaults
        tools = home._parts.tools  # noqa: SLF001 -- as before
        deriving.derive(writer, tools, deriving.Wanted(TYPES.load().catalogue, "zeno"))


@dataclass
class History:
    """A home whose owners say random things; every text names what it is about.

    Attributes:
        marks: of each entry, the texts that nobody may read who may not see it.
        derives: edges follow from others as well.
        together: what is said is often about what was spoken of last, and more of it at once.
        waits: much of what is new waits for a decision.
    """

    home: LocalDamals
    clock: Time
    rng: random.Random
    derives: bool = False
    together: bool = False
    waits: bool = False
    ids: list[str] = field(default_factory=list)
    marks: dict[str, set[str]] = field(default_factory=dict)
    number: int = 0
    derived: list[dict[str, object]] = field(default_factory=list)
    _last: str | None = None

    def live(self, transactions: int) -> None:
        """Say something, so many times; what is refused is not said."""
        for number in range(transactions):
            self.clock.days(self.rng.randint(1, 25))
            if self.derives and self.rng.random() < 0.1:
                derive(self.home)
                self.clock.days(1)
            size = 3 if number == 0 else self.rng.choice((1, 1, 1, 2, 3))
            for _ in range(TRIALS):
                if self._transact([self.operation(first=number == 0) for _ in range(size)]):
                    break
        self.clock.days(30)

    def _transact(self, said: list[dict[str, object]]) -> bool:
        actor = owner_called(self.rng.choice(("zeno", "yara")))
        made = [str(one["id"]) for one in said if "id" in one]
        try:
            self.home.under(actor).transact(said)
        except DamalsError:
            self.ids = [one for one in self.ids if one not in made]
            return False
        return True

    def _mark(self, entry_id: str) -> str:
        """A word that stands nowhere else."""
        self.number += 1
        mark = f"zq{self.number}x"
        self.marks.setdefault(entry_id, set()).add(mark)
        return mark

    def _new(self) -> dict[str, object]:
        made = str(UUID(int=self.rng.getrandbits(128), version=4))
        self.ids.append(made)
        return {"id": made, "external_id": f"ref-{self._mark(made)}", **self._says(made)}

    def _says(self, entry_id: str) -> dict[str, object]:
        words = self.rng.choices(WORDS, k=self.rng.randint(1, 4))
        text = " ".join((*words, self._mark(entry_id)))
        said: dict[str, object] = {"title": f"Über {self._mark(entry_id)}", "content": text}
        return said | self._reader()

    def _reader(self) -> dict[str, object]:
        if self.rng.random() < 0.5:
            return {}
        return {
            "visibility": self.rng.choice(("public", "internal", "restricted")),
            "sensitivity": self.rng.choice((0, 0, 1, 2)),
            "acl": list(self.rng.choice(ACLS)),
        }

    def _period(self) -> dict[str, object]:
        first = self.rng.randrange(len(MONTHS))
        last = self.rng.randint(first + 1, len(MONTHS) + 3)
        said: dict[str, object] = {"valid_from": MONTHS[first]}
        return said | ({"valid_to": MONTHS[last]} if last < len(MONTHS) else {})

    def _one(self) -> str:
        if not self.together or self._last not in self.ids or self.rng.random() < 0.4:
            self._last = self.rng.choice(self.ids) if self.ids else str(UUID(int=0))
        return self._last

    def _relations(self) -> dict[str, object]:
        if self.rng.random() < 0.6:
            return {}
        said = []
        for _ in range(self.rng.randint(1, 2)):
            dst = self._one()
            link = {"target": f"Notiz {self.number}"} if self.rng.random() < 0.3 else {}
            said.append({"type": self.rng.choice(RELATIONS), "dst": dst, **link})
        return {"relations": said}

    def operation(self, *, first: bool = False) -> dict[str, object]:
        """Something that somebody may say."""
        kind = "remember" if first else self.rng.choice(
            ("remember",) * 6 + ("update",) * 5 + ("correct",) * 5 + ("retract",) * 2
            + ("relate",) * 4 + ("unrelate", "contradict", "resolve") * 2
            + ("revert",) * 3 + ("derive",) * 4 * self.derives
            + ("archive", "verify", "pin", "end", "end", "erase")
        )  # fmt: skip
        params = getattr(self, f"_{kind}")()
        about = params.get("id") or params.get("target") or params.get("src") or params.get("a")
        if self.rng.random() < 0.7 or kind not in {"remember", "relate", "verify", "pin"}:
            params["reason"] = f"weil {self._mark(str(about))}"
        return {"op": kind, **params}

    def _remember(self) -> dict[str, object]:
        said = {**self._new(), **self._period(), **self._relations()}
        said["tags"] = self.rng.sample(("haus", "geld"), self.rng.randrange(3))
        if self.waits and self.rng.random() < 0.8:
            said["acquired"] = True
        if self.rng.random() < 0.6:
            overlap = self.rng.choice(("refuse", "replace", "replace", "fill"))
            said |= {"key": self.rng.choice(KEYS), "on_overlap": overlap}
        return said

    def _update(self) -> dict[str, object]:
        target = self._one()
        period = self._period() if self.rng.random() < 0.5 else {}
        said = {**self._new(), **period, **self._relations()}
        return {"target": target, **said, "relation": self.rng.choice(("supersedes", "revises"))}

    def _correct(self) -> dict[str, object]:
        target, said = self._one(), dict[str, object]()
        ways = (lambda: self._says(target), self._reader, self._relations, self._period)
        for _ in range(1 + self.together):
            said |= self.rng.choice(ways)()
        return {"target": target, **said}

    def _retract(self) -> dict[str, object]:
        return {"target": self._one(), "restore": self.rng.random() < 0.7}

    def _relate(self) -> dict[str, object]:
        kind = self.rng.choice(RELATIONS)
        evidence = {} if self.rng.random() < 0.7 else {"evidence": [str(UUID(int=self.number))]}
        return {"src": self._one(), "type": kind, "dst": self._one(), **evidence}

    def _derive(self) -> dict[str, object]:
        relation, rule = self.rng.choice(DERIVED)
        parts = [self._part() for _ in range(self.rng.choice((0, 1, 1, 1, 2)))]
        ends = {"src": self._one(), "type": relation, "dst": self._one()}
        known = [one for one in self.derived if self.rng.random() < 0.3]
        ends |= dict(self.rng.choice(known)) if known else {}
        self.derived.append(ends)
        return {**ends, "rule": rule, "parts": parts}

    def _part(self) -> dict[str, object]:
        first = f"2024-0{self.rng.randint(1, 9)}-01T00:00:00Z"
        from_ = {"kind": "exact", "earliest": first, "latest": first}
        part = {"from": from_, "to": {"kind": "open"}, "confidence": self.rng.choice((0.3, 0.5))}
        if self.rng.random() < 0.1:  # as it was derived before premises were noted
            return part
        return part | {"premises": [self._one() for _ in range(self.rng.choice((0, 1, 1, 2)))]}

    def _unrelate(self) -> dict[str, object]:
        said = [
            {name: str(one[name]) for name in ("src", "type", "dst")}
            for stored in self.home.log().transactions
            for one in stored.ops
            if one["op"] == "relate" and "type" in one
        ]
        src = {"src": self._one(), "type": self.rng.choice(RELATIONS), "dst": self._one()}
        return dict(self.rng.choice(said)) if said else src

    def _contradict(self) -> dict[str, object]:
        return {"a": self._one(), "b": self._one()}

    def _resolve(self) -> dict[str, object]:
        said = [
            (str(one["a"]), str(one["b"]))
            for stored in self.home.log().transactions
            for one in stored.ops
            if one["op"] == "contradict" and "a" in one and "b" in one
        ]
        a, b = self.rng.choice(said) if said else (self._one(), self._one())
        return {"a": a, "b": b, "keep": self.rng.choice(("a", "b", "both"))}

    def _revert(self) -> dict[str, object]:
        last = len(self.home.log().transactions)
        return {"transaction": self.rng.randint(max(last - 4, 1), max(last, 1))}

    def _archive(self) -> dict[str, object]:
        return {"target": self._one()}

    _erase = _pin = _archive

    def _verify(self) -> dict[str, object]:
        target = self._one()
        return {"target": target, "score": 0.5, "evidence": f"siehe {self._mark(target)}"}

    def _end(self) -> dict[str, object]:
        return {"target": self._one(), "at": self.rng.choice(MONTHS)}
