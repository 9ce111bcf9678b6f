"""What stands near in the graph, at the asked pair and as far as the asker may see."""

import pytest
from ranked_memory import memory_at, titles

from damals import Damals
from damals.domain.access import Principal
from damals.errors import NotFound

FACT = "Stille und Ruhe"


def graph_parts(memory: Damals, **options: object) -> dict[str, float]:
    found = memory.recall("Stille", limit=None, **options)
    return {hit.entry.title: round(hit.parts.graph, 6) for hit in found}


def several(memory: Damals, *names: str) -> dict[str, str]:
    return {name: memory.remember(name, FACT, external_id=name).id for name in names}


def test_without_relations_nothing_is_near(memory: Damals):
    several(memory, "A", "B", "C")
    assert set(graph_parts(memory).values()) == {0.0}


def test_weight_confidence_and_scoring_of_types_count(tmp_path):
    home = tmp_path / "home"
    (home / ".damals").mkdir(parents=True)
    (home / ".damals" / "types.yaml").write_text(
        "relations:\n  strong: {weight: 1.0}\n  weak: {weight: 0.2}\n"
        "  muted: {weight: 1.0, scoring: 0.0}\n"
    )
    with memory_at(home) as memory:
        several(memory, "P", "A", "B", "C", "D")
        for name, relation, sure in (
            ("A", "strong", 1.0), ("B", "weak", 1.0), ("C", "muted", 1.0), ("D", "strong", 0.5)
        ):  # fmt: skip
            memory.relate(name, relation, "P", confidence=sure)
        near = {
            hit.entry.title: hit.explanation.anchor
            for hit in memory.recall("Stille", persona="P", explain=True)
        }
        assert near["A"].nearness == 1.0
        assert near["B"].nearness == pytest.approx(0.2)
        assert near["C"] is None
        assert near["D"].nearness == pytest.approx(0.5)
        assert near["A"].kind == "persona"


def test_nearness_is_damped_along_the_way_and_ends_after_three_edges(memory: Damals):
    several(memory, "P", "A", "B", "C", "D")
    for src, dst in ("AP", "BA", "CB", "DC"):
        memory.relate(src, "part_of", dst)
    options = {"persona": "P", "explain": True, "weights": "vec=1,graph=0,persona=1,time=0"}
    found = memory.recall("Stille", limit=None, **options)
    parts = {hit.entry.title: hit.parts.persona for hit in found}
    weight = found.weights["persona"]
    assert parts["P"] == weight
    assert parts["A"] == pytest.approx(0.8 * weight)
    assert parts["B"] == pytest.approx(0.8**2 * 0.5 * weight)
    assert parts["C"] == pytest.approx(0.8**3 * 0.25 * weight)
    assert parts["D"] == 0.0


def test_an_entry_between_that_answers_nothing_still_joins(memory: Damals):
    memory.remember("Steg", "Holz", external_id="x", type="note")
    several(memory, "A", "B")
    memory.relate("A", "part_of", "x")
    memory.relate("x", "part_of", "B")
    found = memory.recall("Stille", explain=True, tag=[], limit=2)
    chains = {hit.entry.title: hit.explanation.chain for hit in found}
    assert [step["to"]["title"] for step in chains["A"]] == ["Steg", "B"]


def test_context_is_that_of_the_asked_pair(memory: Damals):
    several(memory, "A", "B")
    memory.relate("A", "part_of", "B", valid_from="2024-01-01", valid_to="2025-01-01")
    for name in "AB":
        memory.correct(name, valid_from="2020-01-01", reason="früher")
    assert graph_parts(memory, as_of="2024-06-01")["A"] > 0
    assert set(graph_parts(memory, as_of="2025-06-01").values()) == {0.0}
    before = memory.log().transactions[1].recorded_at
    assert set(graph_parts(memory, as_of="2024-06-01", known_at=before).values()) <= {0.0}


def test_what_is_superseded_or_archived_brings_nothing_near(memory: Damals):
    several(memory, "A", "B", "X")
    memory.relate("A", "part_of", "X")
    memory.relate("B", "part_of", "X")
    with_x = graph_parts(memory)
    assert with_x["A"] > 0.05
    memory.archive("X", reason="alt")
    assert graph_parts(memory) == {"A": 0.0, "B": 0.0}


def test_an_entry_that_the_question_names_is_an_anchor(memory: Damals):
    several(memory, "Haus am See", "Bericht")
    memory.remember("Notiz", FACT, external_id="n")
    memory.relate("n", "part_of", "Haus am See")
    found = memory.recall("Welche Stille hat das Haus am See?", explain=True)
    anchors = {hit.entry.title: hit.explanation.anchor for hit in found}
    assert anchors["Notiz"].kind == "named"
    assert anchors["Notiz"].strength == 1.0


def test_links_lift_one_of_two_that_say_the_same(memory: Damals):
    several(memory, "Stille A", "Stille B", "Stille Stille Ruhe")
    plain = titles(memory.recall("Stille"))
    other = [title for title in plain if title in ("Stille A", "Stille B")][1]
    memory.relate(other, "part_of", "Stille Stille Ruhe")
    lifted = [t for t in titles(memory.recall("Stille")) if t in ("Stille A", "Stille B")]
    assert lifted[0] == other


def test_hidden_entries_and_relations_change_no_score_of_others(tmp_path):
    def told(folder: str, *, secret: bool) -> list[tuple[str, float, object]]:
        with memory_at(tmp_path / folder) as memory:
            several(memory, "A", "B", "C")
            memory.relate("A", "part_of", "B")
            if secret:
                memory.remember("Z", FACT, external_id="Z", visibility="restricted")
                memory.relate("C", "part_of", "Z")
                memory.relate("Z", "part_of", "B")
            guest = memory.under(Principal("gast", visibility="internal"))
            found = guest.recall("Stille", explain=True, persona="B")
            return [
                (hit.entry.title, hit.parts.graph, hit.parts.persona, len(hit.explanation.chain))
                for hit in found
            ]

    assert told("with", secret=True) == told("without", secret=False)


def test_a_persona_that_may_not_be_seen_is_none(tmp_path):
    with memory_at(tmp_path / "home") as memory:
        several(memory, "A")
        memory.remember("Ich", "x", external_id="ich", type="person", visibility="restricted",
                        properties={"relation_to_owner": "self"})  # fmt: skip
        assert memory.recall("Stille").persona is not None
        guest = memory.under(Principal("gast", visibility="internal"))
        assert guest.recall("Stille").persona is None
        with pytest.raises(NotFound):
            guest.recall("Stille", persona="ich")


def test_the_only_self_is_the_default_persona_and_a_named_one_gets_a_weight(memory: Damals):
    several(memory, "A", "B")
    memory.remember("Ich", "x", external_id="ich", type="person",
                    properties={"relation_to_owner": "self"})  # fmt: skip
    memory.remember("Du", "y", external_id="du", type="person")
    memory.relate("ich", "has_value", "A")
    memory.relate("du", "has_value", "B")
    own = memory.recall("Stille", explain=True)
    assert own.persona == memory.get("ich").id
    assert own.weights["persona"] == 0.0
    assert titles(own)[0] == "A"
    other = memory.recall("Stille", persona="du")
    assert other.persona == memory.get("du").id
    assert other.weights["persona"] == pytest.approx(0.1 / 1.1)
    assert titles(other)[0] == "B"
    free = memory.recall("Stille", persona="du", weights={"persona": 0.3})
    assert free.weights["persona"] == pytest.approx(0.3 / 1.3)


def test_persona_weight_of_an_entry_counts_without_any_link(memory: Damals):
    memory.remember("A", FACT, external_id="A")
    memory.remember("B", FACT, external_id="B", persona_weight=0.8)
    found = memory.recall("Stille", weights={"persona": 0.3})
    parts = {hit.entry.title: hit.parts.persona for hit in found}
    assert parts == {"A": 0.0, "B": pytest.approx(0.8 * found.weights["persona"])}


def test_a_persona_that_does_not_hold_then_is_refused(memory: Damals):
    several(memory, "A")
    memory.remember("Ich", "x", external_id="ich", type="person", valid_from="2024-01-01")
    with pytest.raises(NotFound) as refusal:
        memory.recall("Stille", persona="ich", as_of="2023-01-01")
    assert "9999" not in str(refusal.value)


def test_a_first_question_is_answered_inside_of_an_open_transaction(tmp_path):
    with memory_at(tmp_path / "home") as memory, memory.transaction("offen"):
        memory.remember("A", FACT)
        found = memory.recall("Stille")
        assert found.results == ()
