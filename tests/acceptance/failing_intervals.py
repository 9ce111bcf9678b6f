"""Cases of the failures 1 to 5: tokens, composition, confusion, closure, asymmetry."""

from asked_memory import refused
from failing_cases import Cases, World, period

from damals.domain.allen import ALL_RELATIONS, AllenRelation, allen, compose, inverse
from damals.domain.constraints import Closure, Constraint, Inconsistency, closure

R = AllenRelation
TOKENS = Cases(1, "Treat time as tokens, not dimensions")
COMPOSITION = Cases(2, "Allen composition failures")
CONFUSION = Cases(3, "Relation confusion")
CLOSURE = Cases(4, "Temporal closure incompleteness")
ASYMMETRY = Cases(5, "Asymmetric performance")


def only(*relations: AllenRelation) -> frozenset[AllenRelation]:
    return frozenset(relations)


# --- 1


@TOKENS("the same day in five notations is one instant")
def _(world: World) -> None:
    days = ("2026-07-26", "20260726", "26.07.2026", "26. Juli 2026", "2026-W30-7")
    for number, day in enumerate(days):
        world.said(f"e{number}", valid_from=day)
    starts = {world.memory.get(f"e{n}").bounds.from_.earliest for n in range(len(days))}
    assert starts == {"2026-07-25T22:00:00.000000Z"}


@TOKENS("half a second later is later, although its text sorts before")
def _(world: World) -> None:
    first, later = "2026-06-01T08:00:00Z", "2026-06-01T08:00:00.5Z"
    assert sorted([first, later]) == [later, first]
    world.said("a", valid_from=later)
    assert (world.held(first), world.held(later)) == (set(), {"a"})


@TOKENS("the ninth comes before the tenth, although its text sorts behind")
def _(world: World) -> None:
    world.said("a", valid_from="9. Juni 2026", valid_to="10. Juni 2026")
    assert world.held("09.06.2026") == {"a"}
    assert world.held("10.06.2026") == set()


@TOKENS("one instant in two offsets is one instant")
def _(world: World) -> None:
    world.said("a", valid_from="2026-06-01T10:00:00+02:00")
    assert world.held("2026-06-01T07:59:59.999999Z") == set()
    assert world.held("2026-06-01T08:00:00Z") == {"a"}


@TOKENS("a day begins at midnight in the zone of the workspace, in summer and in winter")
def _(world: World) -> None:
    world.said("sommer", valid_from="2026-07-01", valid_to="2026-07-02")
    world.said("winter", valid_from="2026-01-01", valid_to="2026-01-02")
    assert world.held("2026-06-30T22:00:00Z") == {"sommer"}
    assert world.held("2025-12-31T22:59:59Z") == set()
    assert world.held("2025-12-31T23:00:00Z") == {"winter"}


@TOKENS("centuries are far apart, and no text of theirs says so")
def _(world: World) -> None:
    world.said("alt", valid_from="0962-02-02", valid_to="1806-08-06")
    world.said("neu", valid_from="1990-10-03")
    assert world.held("1806-08-05") == {"alt"}
    assert world.held("1900") == set()
    assert world.relation("alt", "neu") is R.BEFORE


@TOKENS("a day of a day is 23 hours long when the clocks go forward")
def _(world: World) -> None:
    world.said("a", valid_from="2026-03-29", valid_to="2026-03-30")
    bounds = world.memory.get("a").bounds
    assert bounds.from_.earliest == "2026-03-28T23:00:00.000000Z"
    assert bounds.to.earliest == "2026-03-29T22:00:00.000000Z"


# --- 2


COMPOSED = {
    "before, during": (R.BEFORE, R.DURING, only(R.BEFORE, R.MEETS, R.OVERLAPS, R.STARTS, R.DURING)),
    "before, before": (R.BEFORE, R.BEFORE, only(R.BEFORE)),
    "before, after": (R.BEFORE, R.AFTER, ALL_RELATIONS),
    "meets, meets": (R.MEETS, R.MEETS, only(R.BEFORE)),
    "meets, during": (R.MEETS, R.DURING, only(R.OVERLAPS, R.STARTS, R.DURING)),
    "meets, met-by": (R.MEETS, R.MET_BY, only(R.FINISHES, R.FINISHED_BY, R.EQUALS)),
    "overlaps, overlaps": (R.OVERLAPS, R.OVERLAPS, only(R.BEFORE, R.MEETS, R.OVERLAPS)),
    "overlaps, during": (R.OVERLAPS, R.DURING, only(R.OVERLAPS, R.STARTS, R.DURING)),
    "starts, finishes": (R.STARTS, R.FINISHES, only(R.DURING)),
    "during, contains": (R.DURING, R.CONTAINS, ALL_RELATIONS),
    "contains, during": (
        R.CONTAINS,
        R.DURING,
        only(
            R.OVERLAPS, R.OVERLAPPED_BY, R.DURING, R.CONTAINS, R.STARTS, R.STARTED_BY,
            R.FINISHES, R.FINISHED_BY, R.EQUALS,
        ),
    ),
    "finishes, overlaps": (R.FINISHES, R.OVERLAPS, only(R.OVERLAPS, R.STARTS, R.DURING)),
    "equals, overlapped-by": (R.EQUALS, R.OVERLAPPED_BY, only(R.OVERLAPPED_BY)),
}  # fmt: skip
"""Rows of Allen's table of 1983."""


def _composed(name: str) -> None:
    first, second, expected = COMPOSED[name]

    @COMPOSITION(f"{name} compose as in Allen's table")
    def _(world: World) -> None:
        del world
        assert compose(first, second) == expected


for _name in COMPOSED:
    _composed(_name)


@COMPOSITION("composing the inverses in reverse gives the inverse")
def _(world: World) -> None:
    del world
    for first in R:
        for second in R:
            assert compose(inverse(second), inverse(first)) == inverse(compose(first, second))


# --- 3


DATED = {
    R.BEFORE: ("2024-01-01", "2024-02-01"), R.MEETS: ("2024-01-01", "2024-03-01"),
    R.OVERLAPS: ("2024-01-01", "2024-04-01"), R.STARTS: ("2024-03-01", "2024-04-01"),
    R.DURING: ("2024-04-01", "2024-05-01"), R.FINISHES: ("2024-05-01", "2024-06-01"),
    R.EQUALS: ("2024-03-01", "2024-06-01"), R.FINISHED_BY: ("2024-01-01", "2024-06-01"),
    R.CONTAINS: ("2024-01-01", "2024-12-01"), R.STARTED_BY: ("2024-03-01", "2024-12-01"),
    R.OVERLAPPED_BY: ("2024-05-01", "2024-12-01"), R.MET_BY: ("2024-06-01", "2024-12-01"),
    R.AFTER: ("2024-07-01", "2024-12-01"),
}  # fmt: skip
"""A period for each relation to March, April and May."""


@CONFUSION("all thirteen relations are told apart on dates")
def _(world: World) -> None:
    world.said("b", valid_from="2024-03-01", valid_to="2024-06-01")
    for relation, (start, end) in DATED.items():
        world.said(relation.value, valid_from=start, valid_to=end)
    assert {name.value: world.relation(name.value, "b") for name in DATED} == {
        name.value: name for name in DATED
    }


@CONFUSION("what overlaps holds before it begins, what is during never does")
def _(world: World) -> None:
    world.said("b", valid_from="2024-03-01", valid_to="2024-06-01")
    world.said("overlaps", valid_from="2024-02-01", valid_to="2024-04-01")
    world.said("during", valid_from="2024-04-01", valid_to="2024-05-01")
    assert world.held("2024-02-15") == {"overlaps"}
    assert world.held("2024-03-15") == {"b", "overlaps"}
    assert world.held("2024-04-15") == {"b", "during"}
    assert world.held("2024-05-15") == {"b"}


@CONFUSION("to meet is not to overlap: on the day of the change one of both holds")
def _(world: World) -> None:
    world.said("alt", valid_to="2024-03-01", valid_from="2024-01-01")
    world.said("neu", valid_from="2024-03-01")
    assert world.held("2024-02-29T23:59:59.999999+01:00") == {"alt"}
    assert world.held("2024-03-01") == {"neu"}
    assert world.relation("alt", "neu") is R.MEETS


@CONFUSION("to extend is not to replace: both hold")
def _(world: World) -> None:
    world.said("get", "Die Schnittstelle kann GET")
    world.said("post", "Die Schnittstelle kann auch POST")
    world.memory.relate("post", "extends", "get")
    assert world.held() == {"get", "post"}


@CONFUSION("to revise cuts the old one where the new one holds")
def _(world: World) -> None:
    world.said("50", "50 je Minute", valid_from="2026-01-01")
    world.memory.update("50", "100", "100 je Minute", reason="Änderung", relation="revises",
                        valid_from="2026-03-01", external_id="100")  # fmt: skip
    assert world.held("2026-02-28") == {"50"}
    assert world.held("2026-03-01") == {"100"}
    [tie] = world.memory.get("100").relations
    assert (tie.type, tie.direction) == ("revises", "out")


@CONFUSION("to supersede names the new one first where the old one is shown")
def _(world: World) -> None:
    world.said("v2", "Version 2", valid_from="2026-01-01")
    world.memory.update("v2", "v3", "Version 3", reason="neu", valid_from="2026-03-01")
    old = world.memory.get("v2")
    assert (old.status, old.relations[0].type, old.relations[0].title) == (
        "superseded", "supersedes", "v3",
    )  # fmt: skip


@CONFUSION("to contradict ends neither and asks for a decision")
def _(world: World) -> None:
    world.said("a", "Zeitgrenze 30 s")
    world.said("b", "Zeitgrenze 60 s")
    world.memory.contradict("a", "b", reason="zwei Dienste")
    assert world.held() == {"a", "b"}
    assert world.memory.get("a").relations[0].resolution == "required"


# --- 4


def follows(first: str, second: str, *constraints: Constraint) -> frozenset[AllenRelation]:
    found = closure(constraints)
    assert isinstance(found, Closure)
    return found.between(first, second)


def says(first: str, second: str, *relations: AllenRelation) -> Constraint:
    return Constraint(first, second, frozenset(relations))


@CLOSURE("before goes on along a chain of five")
def _(world: World) -> None:
    del world
    chain = [says(a, b, R.BEFORE) for a, b in zip("abcd", "bcde", strict=True)]
    assert follows("a", "e", *chain) == only(R.BEFORE)
    assert follows("e", "a", *chain) == only(R.AFTER)


@CLOSURE("what meets something inside of another lies before its end")
def _(world: World) -> None:
    del world
    assert follows("a", "c", says("a", "b", R.MEETS), says("b", "c", R.DURING)) == only(
        R.OVERLAPS, R.STARTS, R.DURING
    )


@CLOSURE("two ways to the same pair narrow it down to one relation")
def _(world: World) -> None:
    del world
    network = (
        says("a", "b", R.STARTS), says("b", "c", R.FINISHES, R.EQUALS), says("a", "c", R.STARTS,
        R.OVERLAPS),
    )  # fmt: skip
    assert follows("b", "c", *network) == only(R.EQUALS)
    assert follows("a", "c", *network) == only(R.STARTS)


@CLOSURE("a circle of before cannot be, and is named with what contradicts itself")
def _(world: World) -> None:
    del world
    circle = [says(a, b, R.BEFORE) for a, b in ("ab", "bc", "ca")]
    found = closure([*circle, says("x", "y", R.DURING)])
    assert isinstance(found, Inconsistency)
    assert found.conflict == tuple(circle)


@CLOSURE("a solution is shown that satisfies everything that was said")
def _(world: World) -> None:
    del world
    found = closure([says("a", "b", R.OVERLAPS), says("b", "c", R.OVERLAPS)])
    assert isinstance(found, Closure)
    (a0, a1), (b0, b1), (c0, c1) = (found.scenario[name] for name in "abc")
    assert a0 < b0 < a1 < b1
    assert b0 < c0 < b1 < c1


@CLOSURE("what took over from what took over is what holds now")
def _(world: World) -> None:
    world.said("v1", "eins", valid_from="2026-01-01")
    for number in (2, 3, 4):
        world.memory.update(f"v{number - 1}", f"v{number}", str(number), reason="r",
                            valid_from=f"2026-0{number}-01", external_id=f"v{number}")  # fmt: skip
    assert world.held() == {"v4"}
    assert [world.held(f"2026-0{n}-15") for n in (1, 2, 3, 4)] == [{"v1"}, {"v2"}, {"v3"}, {"v4"}]


@CLOSURE("a circle of supersedes is refused")
def _(world: World) -> None:
    world.said("a", valid_from="2026-01-01")
    world.said("b", valid_from="2026-02-01")
    world.memory.relate("b", "supersedes", "a")
    assert refused(world.memory.relate, "a", "supersedes", "b") == (4, "relation.cycle")


# --- 5


@ASYMMETRY("each relation is found from both sides")
def _(world: World) -> None:
    world.said("b", valid_from="2024-03-01", valid_to="2024-06-01")
    for relation, (start, end) in DATED.items():
        world.said(relation.value, valid_from=start, valid_to=end)
        assert world.relation("b", relation.value) is inverse(relation)


@ASYMMETRY("overlaps, during, starts and finishes are as sure as before and after")
def _(world: World) -> None:
    del world
    march = period("2024-03-01", "2024-06-01")
    for relation, bounds in DATED.items():
        assert allen(period(*bounds), march) is relation


@ASYMMETRY("the start belongs to a period and its end does not, to the microsecond")
def _(world: World) -> None:
    world.said("a", valid_from="2026-03-01T00:00:00Z", valid_to="2026-04-01T00:00:00Z")
    edges = {
        "2026-02-28T23:59:59.999999Z": set(), "2026-03-01T00:00:00Z": {"a"},
        "2026-03-31T23:59:59.999999Z": {"a"}, "2026-04-01T00:00:00Z": set(),
    }  # fmt: skip
    assert {edge: world.held(edge) for edge in edges} == edges


@ASYMMETRY("a change in the middle leaves both sides as they were")
def _(world: World) -> None:
    world.said("a", "A", valid_from="2024-01-01")
    world.memory.update("a", "b", "B", reason="r", external_id="b",
                        valid_from="2024-03-01", valid_to="2024-04-01")  # fmt: skip
    days = ("2024-02-29", "2024-03-01", "2024-03-31", "2024-04-01")
    assert [world.content(day) for day in days] == [["A"], ["B"], ["B"], ["A"]]


@ASYMMETRY("a way back in time tells the same changes as the way there")
def _(world: World) -> None:
    world.said("a", valid_from="2026-02-01", valid_to="2026-05-01")
    there = world.memory.diff(start="2026-01-01", end="2026-03-01", axis="valid")
    back = world.memory.diff(start="2026-03-01", end="2026-01-01", axis="valid")
    assert [(c.kind, c.at) for c in there] == [("began", "2026-01-31T23:00:00.000000Z")]
    assert [(c.kind, c.at) for c in back] == [("ended", "2026-01-31T23:00:00.000000Z")]


@ASYMMETRY("the future is asked as the past is")
def _(world: World) -> None:
    world.said("alt", "alt", valid_from="2020-01-01")
    world.memory.update("alt", "neu", "neu", reason="Vertrag", valid_from="2030-01-01")
    assert [world.content(day) for day in ("2029-12-31", "2030-01-01")] == [["alt"], ["neu"]]
