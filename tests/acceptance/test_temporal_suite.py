"""110 questions in German and English about a history, each answered at the pair it means.

The same questions without the second clock (everything as known now) show what it is for.
"""

import json
from datetime import datetime
from functools import partial

import pytest
from temporal_history import HISTORY, NOW, QUESTIONS, ZONE, Asked

from damals import Damals
from damals.app.results import Recall
from damals.bootstrap import init_home, open_home
from damals.domain.instants import format_instant, from_datetime
from damals.domain.parsing import parse_moment
from damals.domain.zones import load_zone

pytestmark = [pytest.mark.model, pytest.mark.xdist_group("temporal")]
NOON = from_datetime(datetime.fromisoformat(NOW))


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("temporal")
    events = folder / "history.jsonl"
    lines = [json.dumps(event, ensure_ascii=False) for event in HISTORY]
    events.write_text("\n".join(lines) + "\n", encoding="utf-8")
    init_home(folder / "home", timezone=ZONE)
    with open_home(folder / "home", clock=lambda: NOON, receipts=False) as opened:
        opened.import_(events, wait=True)
        yield opened


def _instant(text: str) -> str:
    at = parse_moment(text, zone=load_zone(ZONE)) if text else NOON
    return format_instant(at)


def _right(asked: Asked, found: Recall) -> bool:
    return asked.is_answered_by([hit.entry.external_id for hit in found])


def _with_one_clock(memory: Damals, asked: Asked) -> Recall:
    """The question as of the same instant, as known now."""
    return memory.recall(asked.text, as_of=_instant(asked.as_of), times="off")


def test_there_are_110_different_questions_in_both_languages_on_both_clocks():
    assert len({asked.text for asked in QUESTIONS}) == len(QUESTIONS) == 110
    english = [one for one in QUESTIONS if one.text.split()[0] in ENGLISH]
    assert len(english) >= 30
    assert sum(bool(one.known_at) for one in QUESTIONS) >= 40
    refs = {event["ref"] for event in HISTORY if "ref" in event}
    named = {name for one in QUESTIONS for name in (*one.absent.split(), one.top) if name}
    assert named == refs


ENGLISH = {"Where", "Who", "What", "what", "According", "Did", "Which", "In", "As"}


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.text)
def test_a_question_is_answered_at_the_pair_of_instants_that_it_means(memory, asked: Asked):
    found = memory.recall(asked.text)
    assert (found.as_of, found.known_at) == (_instant(asked.as_of), _instant(asked.known_at))
    assert _right(asked, found), [hit.entry.external_id for hit in found]
    if asked.as_of or asked.known_at:
        assert found.understood.from_text in asked.text or "…" in found.understood.from_text


def test_without_the_second_clock_three_of_ten_questions_are_answered_wrongly(memory):
    right = sum(map(partial(_right_with_one_clock, memory), QUESTIONS))
    assert right <= 79


def _right_with_one_clock(memory: Damals, asked: Asked) -> bool:
    return _right(asked, _with_one_clock(memory, asked))
