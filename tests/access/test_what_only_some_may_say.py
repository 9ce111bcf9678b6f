"""What asks for more than the right to write, however it comes."""

from itertools import pairwise
from pathlib import Path

import pytest
from access_home import Time, on_disk

from damals.domain.access import Principal
from damals.errors import Conflict, Denied

WRITER = Principal("kim", ("writer",), None, "internal", 1)
ADMIN = Principal("alex", ("admin",), None, "internal", 1)


@pytest.fixture
def home():
    with on_disk(Time()) as memory:
        yield memory


def test_no_writer_makes_or_ends_a_derived_edge_by_hand(home):
    ends = [home.remember(title).id for title in ("Teil", "Ganzes")]
    said = {"op": "derive", "src": ends[0], "type": "part_of", "dst": ends[1], "rule": "closure"}
    for parts in ([], [{"confidence": 1.0}]):
        with pytest.raises(Denied) as refused:
            home.under(WRITER).transact([said | {"parts": parts}])
        assert refused.value.key == "access.right"


@pytest.mark.parametrize("asker", [WRITER, ADMIN])
@pytest.mark.parametrize("said", [{"commit": "0" * 40}, {"committed_at": "2020-01-01T00:00:00Z"}])
def test_only_the_owner_says_from_which_commit_something_was_read(home, asker, said):
    source = {"kind": "vault", "name": "Notizen", **said}
    with pytest.raises(Denied) as refused:
        home.under(asker).transact([{"op": "remember", "title": "X", "source": source}])
    assert refused.value.key == "access.commit"


def test_the_name_of_a_source_that_is_not_seen_is_taken_all_the_same(home, tmp_path: Path):
    for folder, visibility in (("meine", "restricted"), ("andere", "internal")):
        vault = tmp_path / folder / "Notizen"
        vault.mkdir(parents=True)
        text = f"---\nvisibility: {visibility}\n---\n{folder}\n"
        (vault / "Notiz.md").write_text(text, encoding="utf-8")
    home.import_(tmp_path / "meine" / "Notizen")
    with pytest.raises(Conflict) as refused:
        home.under(WRITER).import_(tmp_path / "andere" / "Notizen")
    assert refused.value.key == "source.name_used"
    assert "meine" not in str(refused.value)
    assert home.under(WRITER).import_(tmp_path / "andere" / "Notizen", name="zwei").added == 1


def test_who_does_not_see_an_edge_does_not_count_it(home):
    parts = [home.remember(title, visibility="restricted").id for title in ("A", "B", "C")]
    for src, dst in pairwise(parts):
        home.relate(src, "part_of", dst)
    told = home.under(ADMIN).derive()
    assert (told.rules, told.added, told.ended, told.unchanged, told.transaction) == (
        (),
        0,
        0,
        0,
        None,
    )
    assert home.derive(dry_run=True).added == 0
