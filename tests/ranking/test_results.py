"""What is shown with a result: grounding, caveats, neighbours, reasons; and results that differ."""

from datetime import UTC, datetime, timedelta

import pytest
from ranked_memory import Time, memory_at, titles

from damals import Damals


@pytest.fixture
def dated(tmp_path, time: Time):
    with memory_at(tmp_path / "home", clock=time) as memory:
        yield memory


def caveats(memory: Damals, **options: object) -> dict[str, int]:
    return {hit.entry.title: len(hit.caveats) for hit in memory.recall("Stille", **options)}


def test_grounding_decays_with_its_window_and_is_filtered_at_the_asked_pair(
    dated: Damals, time: Time
):
    ids = {}
    for kind in ("fact", "principle", "note"):
        ids[kind] = dated.remember(kind, "Stille", type=kind).id
    time.days(1)
    dated.verify(ids["fact"], score=0.8)
    dated.verify(ids["principle"], score=0.8)
    verified = datetime(2024, 1, 2, tzinfo=UTC)
    time.days(180)
    grounded = {hit.entry.title: hit.grounding for hit in dated.recall("Stille")}
    assert grounded == {"fact": pytest.approx(0.4), "principle": 0.8, "note": None}
    assert set(titles(dated.recall("Stille", min_grounding=0.3))) == {"fact", "principle"}
    assert titles(dated.recall("Stille", min_grounding=0.5)) == ["principle"]
    later = verified + timedelta(days=1)
    assert set(titles(dated.recall("Stille", min_grounding=0.5, as_of=later))) == {
        "fact", "principle"
    }  # fmt: skip
    before = verified - timedelta(hours=1)
    assert titles(dated.recall("Stille", min_grounding=0.1, known_at=before)) == []
    assert titles(dated.recall("Stille", min_grounding=0.9)) == []
    assert len(dated.recall("Stille", min_grounding=0).results) == 3
    dated.verify(ids["fact"])
    assert dated.recall("Stille", min_grounding=1).results[0].entry.title == "fact"


def test_what_may_be_superseded_by_then_is_grounded_half(dated: Damals, time: Time):
    old = dated.remember("old", "Stille", type="principle", valid_from="2020-01-01")
    other = dated.remember("other", "Stille", type="principle", valid_from="2020-01-01")
    for one in (old, other):
        dated.verify(one.id, score=0.8)
    time.days(1)
    new = dated.remember("new", "Stille", type="principle", valid_from="2024")
    dated.relate(new.id, "supersedes", old.id)
    time.days(150)
    grounded = {hit.entry.title: hit.grounding for hit in dated.recall("Stille")}
    assert grounded == {"old": 0.4, "other": 0.8, "new": None}
    assert set(titles(dated.recall("Stille", min_grounding=0.4))) == {"old", "other"}
    assert titles(dated.recall("Stille", min_grounding=0.5)) == ["other"]
    [was] = [h for h in dated.recall("Stille", known_at="2024-01-01T12:00") if h.entry.id == old.id]
    assert was.grounding == 0.8, "nobody knew yet"


def test_the_grounding_filter_leaves_pages_full(memory: Damals):
    with memory.transaction() as several:
        made = [several.remember(f"Akte {n}", "Stille " * (1 + n % 3)) for n in range(300)]
    for entry in made[::20]:
        memory.verify(entry.id, score=0.9)
    assert len(memory.recall("Stille", min_grounding=0.5, limit=10).results) == 10
    assert len(memory.recall("Stille", min_grounding=0.5, limit=None).results) == 15


def test_what_was_not_checked_for_too_long_is_flagged(dated: Damals, time: Time):
    for kind in ("fact", "principle"):
        dated.remember(kind, "Stille", type=kind)
    dated.remember("pinned", "Stille", type="fact", pinned=True)
    dated.remember("api", "Stille", type="fact", staleness_risk="fast_decay")
    none = dict.fromkeys(("fact", "principle", "pinned", "api"), 0)
    assert caveats(dated) == none
    time.days(31)
    assert caveats(dated) == none | {"api": 1}
    time.days(150)
    assert caveats(dated) == none | {"api": 1, "fact": 1}
    assert caveats(dated, as_of="2024-01-15") == none, "as of an earlier day it was not"
    [flagged] = [h for h in dated.recall("Stille", explain=True) if h.entry.title == "api"]
    assert "2024-01-01" in flagged.caveats[0]
    assert "fast" in flagged.caveats[0]
    assert flagged.explanation.caveats == flagged.caveats
    dated.verify(flagged.entry.id)
    assert caveats(dated)["api"] == 0


def test_a_verification_counts_as_long_as_the_domain_says(dated: Damals, time: Time):
    entry = dated.remember("api", "Stille", domain="api_docs")
    dated.verify(entry.id)
    time.days(29)
    assert caveats(dated) == {"api": 0}
    time.days(2)
    [hit] = dated.recall("Stille")
    assert hit.caveats
    assert hit.grounding == pytest.approx(2 ** (-31 / 30))


SECTIONS = "\n\n".join(
    f"## Teil {n}\n\n{word} steht hier.\n\n* Punkt {n}"
    for n, word in enumerate(("Ruhe", "Stille", "Lärm", "Haus"))
)


def test_neighbours_are_joined_to_one_piece_of_the_text(memory: Damals):
    memory.remember("Notiz", f"Vorab.\n\n{SECTIONS}\n")
    content = memory.recall("Stille").results[0].entry.content
    [hit] = memory.recall("Stille", neighbours=1)
    assert hit.chunk.text == content[hit.chunk.start : hit.chunk.end]
    assert "Stille" in hit.chunk.text
    around = hit.context
    assert around.text == content[around.start : around.end]
    assert around.text.startswith("Ruhe steht hier")
    assert around.text.endswith("* Punkt 2")
    assert around.line == content.count("\n", 0, around.start) + 1
    [whole] = memory.recall("Stille", neighbours=10)
    assert whole.context.text == content.strip()
    [alone] = memory.recall("Stille")
    assert alone.context is None
    assert "context" not in alone.to_dict()


def test_neighbours_follow_the_version_that_is_shown(memory: Damals):
    entry = memory.remember("Notiz", SECTIONS)
    memory.correct(entry.id, content=f"Neu davor.\n\n{SECTIONS}", reason="Vorspann")
    [hit] = memory.recall("Stille", neighbours=1)
    content = hit.entry.content
    assert content.startswith("Neu davor")
    assert content[hit.context.start : hit.context.end] == hit.context.text
    assert content[hit.chunk.start : hit.chunk.end] == hit.chunk.text


def test_diverse_results_do_not_repeat_each_other(memory: Damals):
    for number in range(4):
        memory.remember(f"Stille {number}", "Stille und Ruhe im alten Haus am See.")
    memory.remember("Vertrag", "Stille als Ziel im Vertrag mit Frist.")
    plain = titles(memory.recall("Stille im Haus", limit=3))
    assert "Vertrag" not in plain
    found = memory.recall("Stille im Haus", limit=3, diversity=0.6)
    assert titles(found)[0] == plain[0]
    assert titles(found)[1] == "Vertrag"
    for hit in found:
        assert sum(hit.parts.to_dict().values()) == pytest.approx(hit.score)


def test_an_answer_groups_its_contributions_by_layer(memory: Damals):
    for kind in ("value", "experience", "goal", "fact", "note"):
        memory.remember(kind, "Stille", type=kind)
    told = memory.recall("Stille", explain=True)
    layer = {hit.entry.type: hit.explanation.layer for hit in told}
    assert layer == {
        "value": "values", "experience": "experiences", "goal": "goals", "fact": "present",
        "note": None,
    }  # fmt: skip
    assert list(told.layers) == ["experiences", "values", "goals", "present"]
    assert told.layers["values"] == [h.entry.id for h in told if h.entry.type == "value"]
    assert "layers" not in memory.recall("Stille").to_dict()


def test_reasons_are_what_was_computed(memory: Damals):
    memory.remember("Wert", "Stille", external_id="w", type="value")
    memory.remember("Haus", "Ruhe", external_id="h")
    memory.relate("h", "based_on", "w", confidence=0.5)
    told = memory.recall("Stille im Haus", explain=True)
    reasons = {hit.entry.title: hit.explanation for hit in told}
    [step] = reasons["Haus"].chain
    assert step == {
        "from": {"id": memory.get("h").id, "title": "Haus"},
        "relation": "based_on",
        "confidence": 0.5,
        "to": {"id": memory.get("w").id, "title": "Wert"},
    }
    assert reasons["Wert"].chain == (step,)
    for hit in told:
        near = hit.explanation.anchor
        degree = 0.1 * 0.15019 if near else 0.0
        expected = told.weights["graph"] * (0.9 * near.nearness + degree)
        assert hit.parts.graph == pytest.approx(expected, rel=1e-3)
        assert hit.explanation.half_life_days in (365.0, None)


def test_a_base_that_is_nearly_all_superseded_gives_full_pages_of_current_results(memory: Damals):
    with memory.transaction() as several:
        for number in range(40):
            newest = several.remember(
                f"Stille {number}", "Stille Stand 0", external_id=f"{number}-0"
            )
    for stand in range(1, 20):
        with memory.transaction() as several:
            for number in range(40):
                newest = several.update(
                    f"{number}-{stand - 1}", f"Stille {number}", f"Stille Stand {stand}",
                    reason="neuer Stand", external_id=f"{number}-{stand}",
                )  # fmt: skip
    assert newest is not None
    found = memory.recall("Stille", limit=25)
    assert len(found.results) == 25
    assert {hit.entry.content for hit in found} == {"Stille Stand 19"}
    assert {hit.entry.status for hit in found} == {"active"}
    assert len(memory.recall("Stille", limit=None).results) == 40
