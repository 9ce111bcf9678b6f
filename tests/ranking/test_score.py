"""The composed score of a recall: its weights, its half-lives, its parts."""

import math
from datetime import UTC, datetime, timedelta

import pytest
from ranked_memory import memory_at, titles

from damals import Damals
from damals.errors import DamalsError, InvalidInput

PARTS = ("vector", "text", "time", "graph", "persona", "importance")


def days_ago(days: float) -> datetime:
    return datetime.now(UTC) - timedelta(days=days)


def test_the_parts_of_every_result_add_up_to_its_score(memory: Damals):
    for number in range(12):
        memory.remember(
            f"Vertrag {number}", "Frist und Ruhe " * (number + 1), importance=1 + number % 5
        )
    ids = [hit.entry.id for hit in memory.recall("Vertrag", limit=12)]
    for src, dst in zip(ids, ids[3:], strict=False):
        memory.relate(src, "based_on", dst, confidence=0.7)
    weights = {"vec": 0.5, "time": 0.2, "graph": 0.15, "persona": 0.1, "importance": 0.05}
    found = memory.recall("Frist im Vertrag", weights=weights, limit=None, persona=ids[0])
    assert len(found.results) == 12
    for hit in found:
        total = 0.0
        for name in PARTS:
            total += hit.parts.to_dict()[name]
        assert total == hit.score
    assert list(found) == sorted(found, key=lambda hit: -hit.score)
    assert any(hit.parts.graph for hit in found)
    assert all(hit.parts.importance for hit in found)


def test_weights_are_shown_normalised(memory: Damals):
    memory.remember("Ruhe", "Stille")
    shown = memory.recall("Ruhe", weights="vec=3,time=1,graph=0", half_life="inf").weights
    assert shown["vec"] == 0.75
    assert shown["time"] == 0.25
    assert shown["graph"] == shown["persona"] == shown["importance"] == 0.0
    assert shown["half_life_days"] is None


@pytest.mark.parametrize(
    ("options", "key"),
    [
        ({"weights": "vec"}, "weights.invalid"),
        ({"weights": {"vec": -1}}, "weights.invalid"),
        ({"weights": "vec=0,time=0,graph=0"}, "weights.invalid"),
        ({"weights": "vec=1e308,time=1e308"}, "weights.invalid"),
        ({"weights": "vec=nan"}, "field.number"),
        ({"weights": "vec=inf"}, "weights.invalid"),
        ({"weights": {"mut": 1}}, "weights.unknown"),
        ({"half_life": 0}, "weights.half_life"),
        ({"half_life": "bald"}, "field.number"),
        ({"min_grounding": 1.5}, "field.range"),
        ({"diversity": -0.1}, "field.range"),
        ({"neighbours": 11}, "field.range"),
        ({"persona": "niemand"}, "entry.unknown"),
    ],
)
def test_wrong_options_are_refused(memory: Damals, options, key):
    memory.remember("Ruhe", "Stille")
    with pytest.raises(DamalsError) as error:
        memory.recall("Ruhe", **options)
    assert error.value.key == key


def test_settings_give_the_weights_and_a_call_changes_some(tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    (home / "config.yaml").write_text("weight_importance: 0.4\nhalf_life_days: 30\n")
    monkeypatch.setenv("DAMALS_WEIGHT_GRAPH", "0")
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("DAMALS_WEIGHT_TIME=0.1\n")
    with memory_at(home) as memory:
        memory.remember("Ruhe", "Stille", updated=days_ago(30))
        found = memory.recall("Ruhe")
        shown = found.weights
        assert shown["vec"] == pytest.approx(0.7 / 1.2)
        assert shown["time"] == pytest.approx(0.1 / 1.2)
        assert shown["graph"] == 0.0
        assert shown["importance"] == pytest.approx(0.4 / 1.2)
        assert found.results[0].parts.time == pytest.approx(shown["time"] / 2, rel=1e-3)
        again = memory.recall("Ruhe", weights={"importance": 0})
        assert again.weights["time"] == pytest.approx(0.1 / 0.8)


def test_a_type_ages_by_its_own_half_life_unless_the_question_gives_one(memory: Damals):
    for kind in ("value", "project", "fact"):
        memory.remember(f"Ruhe {kind}", "Stille", type=kind, updated=days_ago(180))
    parts = {hit.entry.type: hit.parts.time for hit in memory.recall("Ruhe", explain=True)}
    assert parts["value"] == pytest.approx(0.2)
    assert parts["project"] == pytest.approx(0.1, rel=1e-3)
    assert parts["fact"] == pytest.approx(0.2 * 2 ** (-180 / 365), rel=1e-3)
    same = {hit.parts.time for hit in memory.recall("Ruhe", half_life="inf")}
    assert same == {0.2}
    again = memory.recall("Ruhe", half_life=180, explain=True)
    assert {hit.explanation.half_life_days for hit in again} == {180.0}


def test_a_home_may_give_a_type_another_half_life(tmp_path):
    home = tmp_path / "home"
    (home / ".damals").mkdir(parents=True)
    (home / ".damals" / "types.yaml").write_text("types:\n  memo: {half_life_days: 10}\n")
    with memory_at(home) as memory:
        memory.remember("Ruhe", "Stille", type="memo", updated=days_ago(20))
        [hit] = memory.recall("Ruhe")
        assert hit.parts.time == pytest.approx(0.05, rel=1e-3)


def test_age_counts_to_the_asked_instant_and_never_to_the_wall_clock(memory: Damals):
    memory.remember("Ruhe", "Stille", valid_from="2020-01-01", created="2020-01-01")
    [hit] = memory.recall("Ruhe", as_of="2020-12-31", explain=True)
    assert hit.explanation.age_days == pytest.approx(365, abs=1)
    assert hit.parts.time == pytest.approx(0.1, rel=1e-2)
    [then] = memory.recall("Ruhe", as_of="2020-01-01T00:00:00+01:00", explain=True)
    assert then.explanation.age_days == 0.0


def test_what_is_important_comes_first_when_it_counts(memory: Damals):
    for importance in (2, 5, 1):
        memory.remember(f"Ruhe {importance}", "Stille", importance=importance)
    found = memory.recall("Stille", weights="importance=1,vec=0,time=0,graph=0")
    assert titles(found) == ["Ruhe 5", "Ruhe 2", "Ruhe 1"]
    assert [hit.score for hit in found] == [1.0, 0.4, 0.2]
    assert found.weights["vec"] == 0.0
    assert math.isclose(sum(found.weights[n] for n in ("vec", "time", "importance")), 1.0)


def test_the_same_question_gets_the_same_answer(memory: Damals):
    for number in range(12):
        memory.remember(f"Ruhe {number}", "Stille im Haus", external_id=str(number))
    last = memory.log().transactions[-1].recorded_at
    asked = {"as_of": last, "known_at": last, "explain": True}
    first = memory.recall("Stille", **asked).to_dict()
    memory.reindex()
    assert memory.recall("Stille", **asked).to_dict() == first


def test_an_unknown_option_is_refused(memory: Damals):
    memory.remember("Ruhe", "Stille")
    with pytest.raises(InvalidInput) as error:
        memory.recall("Ruhe", mut=1)
    assert error.value.key == "operation.unknown_parameter"


def test_a_question_that_says_when_holds_nothings_age_against_it(memory: Damals):
    memory.remember("Anschrift", "Die Firma sitzt in Detmold.", valid_from="1990")
    memory.remember("Leitung", "Die Firma leitet Frau Kast.", valid_from="2026-01-01")
    said = memory.recall("Wo saß die Firma am 3. Mai 2026?")
    assert titles(said)[0] == "Anschrift"
    assert said.weights["half_life_days"] is None
    assert memory.recall("Wo sitzt die Firma?").weights["half_life_days"] == 365
    assert memory.recall("Wo sitzt die Firma heute?").weights["half_life_days"] == 365
    given = memory.recall("Wo saß die Firma am 3. Mai 2026?", half_life=30)
    assert given.weights["half_life_days"] == 30
    by_option = memory.recall("Wo sitzt die Firma?", as_of="2026-05-03")
    assert by_option.weights["half_life_days"] == 365


@pytest.mark.parametrize("options", [{}, {"half_life": 100}, {"half_life": "inf"}])
@pytest.mark.parametrize("asked", ["Wo saß die Firma am 3. Mai 2026?", "Wo sitzt die Firma?"])
def test_a_ranking_is_computed_again_with_the_half_life_that_it_had(memory: Damals, asked, options):
    memory.remember("Anschrift", "Die Firma sitzt in Detmold.", valid_from="1990", type="journal")
    memory.remember("Leitung", "Die Firma leitet Frau Kast.", valid_from="2026-01-01")
    found = memory.recall(asked, receipt=True, **options)
    assert memory.replay(found.receipt, recompute=True).differences == ()
