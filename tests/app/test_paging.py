"""A log and a history come whole, or in pages that together are the whole."""

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

import pytest

from damals import Damals
from damals.adapters.sql import log as log_statements
from damals.errors import InvalidInput, NotFound


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Damals]:
    with Damals.open(tmp_path / "home") as memory:
        yield memory


@pytest.fixture
def stepped(memory: Damals) -> str:
    """An entry that was corrected often, beside another one."""
    made = memory.remember("Stufe 0", key="stufe", valid_from="2020")
    for number in range(1, 6):
        memory.correct(made.id, title=f"Stufe {number}", reason=f"r{number}")
        memory.remember(f"Daneben {number}")
    return made.id


def pages_of_log(memory: Damals, limit: int, **asked: str) -> Iterator[list[int]]:
    after: int | None = 0
    while after is not None:
        page = memory.log(**asked, after=after, limit=limit)
        yield [one.number for one in page.transactions]
        after = page.next


def pages_of_history(memory: Damals, limit: int, **asked: str) -> Iterator[list[object]]:
    page = memory.history(**asked, limit=limit)
    yield list(page.versions)
    while page.next is not None:
        page = memory.history(**asked, limit=limit, cursor=page.next)
        yield list(page.versions)


@pytest.mark.parametrize("limit", [1, 2, 3, 11, 100])
@pytest.mark.parametrize("asked", [{}, {"entry": "id"}, {"key": "stufe"}])
def test_the_pages_of_a_log_are_full_and_together_the_log(
    memory: Damals, stepped: str, limit: int, asked: dict[str, str]
):
    given = {name: stepped if text == "id" else text for name, text in asked.items()}
    whole = memory.log(**given)
    pages = list(pages_of_log(memory, limit, **given))
    assert list(chain(*pages)) == [one.number for one in whole.transactions]
    assert all(len(page) == limit for page in pages[:-1])
    assert pages[-1]
    assert whole.next is None
    assert "next" not in whole.to_dict()


@pytest.mark.parametrize("limit", [1, 2, 3, 11, 100])
@pytest.mark.parametrize("asked", [{"id": "id"}, {"key": "stufe"}])
def test_the_pages_of_a_history_are_full_and_together_the_history(
    memory: Damals, stepped: str, limit: int, asked: dict[str, str]
):
    given = {name: stepped if text == "id" else text for name, text in asked.items()}
    whole = memory.history(**given)
    pages = list(pages_of_history(memory, limit, **given))
    assert tuple(chain(*pages)) == whole.versions
    assert all(len(page) == limit for page in pages[:-1])
    assert pages[-1]
    assert whole.next is None
    assert "next" not in whole.to_dict()


@pytest.mark.usefixtures("stepped")
def test_a_page_of_a_log_reads_no_more_than_the_ledger_reads_at_once(
    memory: Damals, monkeypatch: pytest.MonkeyPatch
):
    read: list[int] = []
    inner = log_statements.read_transactions

    def counting(connection, workspace, numbers):
        read.extend(numbers)
        return inner(connection, workspace, numbers)

    monkeypatch.setattr(log_statements, "read_transactions", counting)
    monkeypatch.setattr(log_statements, "_PAGE", 3)
    query = log_statements._ALL.limit(3)  # noqa: SLF001 -- a page of three, to see its end
    monkeypatch.setattr(log_statements, "_ALL", query)
    page = memory.log(after=4, limit=2)
    assert [one.number for one in page.transactions] == [5, 6]
    assert read == [5, 6, 7]


def test_the_log_behind_the_last_known_number_is_what_is_new(memory: Damals, stepped: str):
    last = memory.log().transactions[-1].number
    assert memory.log(after=last).transactions == ()
    assert memory.log(after=last, entry=stepped).transactions == ()
    assert memory.log(after=last, key="stufe").transactions == ()
    memory.pin(stepped)
    assert [one.number for one in memory.log(after=last).transactions] == [last + 1]


def test_a_history_goes_on_where_it_stopped_whatever_came_in_between(memory: Damals):
    first = memory.remember("Alt", key="haus", valid_from="2000", valid_to="2005").id
    second = memory.remember("Neu", key="haus", valid_from="2005", valid_to="2010").id
    third = memory.remember("Dritt", key="haus", valid_from="2010").id
    page = memory.history(key="haus", limit=2)
    assert [one.id for one in page.versions] == [first, second]
    memory.erase("entry", first, reason="asked to")
    memory.correct(third, content="mehr", reason="more")
    rest = memory.history(key="haus", cursor=page.next)
    assert [one.id for one in rest.versions] == [third, third]
    memory.erase("entry", second, reason="asked to")
    assert memory.history(key="haus", cursor=page.next) == rest


REFUSED: dict[str, Callable[[Damals], object]] = {
    "limit.invalid": lambda memory: memory.log(limit=0),
    "log.after": lambda memory: memory.log(after=-1),
    "cursor.invalid": lambda memory: memory.history(key="stufe", cursor="Seite 2"),
}


@pytest.mark.parametrize("key", REFUSED)
@pytest.mark.usefixtures("stepped")
def test_what_names_no_page_is_refused(memory: Damals, key: str):
    with pytest.raises(InvalidInput) as refused:
        REFUSED[key](memory)
    assert refused.value.key == key


@pytest.mark.parametrize("after", [True, "3", 1.0, None])
def test_only_a_whole_number_names_the_place_in_a_log(memory: Damals, stepped: str, after: object):
    with pytest.raises(InvalidInput) as refused:
        memory.log(entry=stepped, after=after)
    assert refused.value.key == "log.after"


@pytest.mark.usefixtures("stepped")
def test_an_unknown_key_is_unknown_behind_any_number(memory: Damals):
    with pytest.raises(NotFound) as refused:
        memory.log(key="nirgends", after=3)
    assert refused.value.key == "key.unknown"


@pytest.mark.parametrize("cursor", ["", "x", "ä", "MS4yLjM", "MS4yLjMuNA", 7])
def test_a_cursor_that_was_made_up_never_breaks_anything(
    memory: Damals, stepped: str, cursor: object
):
    with pytest.raises(InvalidInput) as refused:
        memory.history(stepped, cursor=cursor)
    assert refused.value.key == "cursor.invalid"
