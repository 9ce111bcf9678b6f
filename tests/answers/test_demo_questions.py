"""The project's own questions about its demo archive, dated and in both languages."""

import json
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import pytest

from damals import Damals
from damals.bootstrap import init_home, open_home
from damals.domain.instants import from_datetime

NOW = from_datetime(datetime(2026, 7, 15, 8, tzinfo=UTC))
DEMO = files("damals") / "demo"
QUESTIONS = [json.loads(line) for line in (DEMO / "questions.jsonl").read_text().splitlines()]
ANSWERED = [one for one in QUESTIONS if one["expect"]]
UNKNOWN = [one for one in QUESTIONS if not one["expect"]]
LEAST = 0.95


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Damals]:
    home = tmp_path_factory.mktemp("demo") / "home"
    init_home(str(home), "default", "Europe/Berlin")
    vault = home / "Beratung"
    with open_home(home, clock=lambda: NOW) as memory:
        folder = Path(str(DEMO))
        memory.import_(folder / "events.jsonl", source="events")
        shutil.copytree(folder / "vault", vault)
        memory.import_(vault, source="vault")
        shutil.copytree(folder / "later", vault, dirs_exist_ok=True)
        memory.import_(vault, source="vault", wait=True)
        yield memory


def asked(memory: Damals, one: dict):
    instants = {name: one[name] for name in ("as_of", "known_at") if name in one}
    return memory.ask(one["question"], receipt=False, **instants)


def test_there_are_enough_questions_of_every_kind():
    assert len(ANSWERED) >= 60
    assert len(UNKNOWN) >= 20
    assert {one["lang"] for one in ANSWERED} == {one["lang"] for one in UNKNOWN} == {"de", "en"}
    assert all("as_of" in one for one in QUESTIONS)
    assert sum("known_at" in one for one in ANSWERED) >= 3
    assert len({json.dumps(one, sort_keys=True) for one in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.model
def test_nearly_all_questions_are_answered_with_a_passage_that_says_it(archive: Damals):
    missed = []
    for one in ANSWERED:
        answer = asked(archive, one)
        quotes = [citation.quote for citation in answer.citations]
        if not any(text in quote for text in one["expect"] for quote in quotes):
            missed.append((one["question"], answer.answer))
    assert len(missed) <= (1 - LEAST) * len(ANSWERED), missed


@pytest.mark.model
def test_what_the_archive_does_not_say_is_not_answered(archive: Damals):
    answers = [(one["question"], asked(archive, one)) for one in UNKNOWN]
    assert [(said, one.answer) for said, one in answers if not one.abstained] == []


@pytest.mark.model
def test_every_quote_stands_in_its_entry_exactly_where_it_is_said_to(archive: Damals):
    for one in ANSWERED[::6]:
        answer = asked(archive, one)
        for citation in answer.citations:
            entry = archive.get(citation.entry_id, as_of=answer.as_of, known_at=answer.known_at)
            if citation.start is None:
                assert citation.quote == entry.title
            else:
                assert citation.quote == entry.content[citation.start : citation.end]
            assert f"[{citation.n}]" in answer.answer
