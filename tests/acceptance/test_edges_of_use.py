"""Cases around both clocks that a plain history does not reach.

Entries taken over whole, transactions in which something ends as it begins, cuts inside imprecise
bounds, results that callers change, several threads, and values no store can hold.
"""

import json
import threading
from datetime import UTC, datetime, timedelta, timezone

import pytest

from damals import Damals
from damals.app.errors import Conflict, DamalsError, InvalidInput, NotFound, Unavailable
from damals.bootstrap import init_home
from damals.interfaces.cli.main import main

YEAR = "2024-01-01"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_LOCK_TIMEOUT_S", "1")
    init_home(tmp_path / "home", timezone="UTC")
    return tmp_path / "home"


@pytest.fixture
def memory(home):
    with Damals.open(home) as opened:
        yield opened


def command(home, capsys, *arguments: str) -> tuple[int, dict]:
    code = main(["--home", str(home), "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def replay(memory, folder, *events: dict | str):
    file = folder / "events.jsonl"
    lines = [one if isinstance(one, str) else json.dumps(one) for one in events]
    file.write_text("\n".join(lines), encoding="utf-8")
    return memory.import_(file)


# --- status of what no longer holds


@pytest.fixture
def taken_over(memory):
    """An entry that another takes over from its very start: it has no current rectangle."""
    memory.remember("old", external_id="old", valid_from=YEAR)
    return memory.update("old", "new", "", reason="r", external_id="new", valid_from=YEAR)


def test_an_entry_taken_over_whole_is_superseded(memory, taken_over):
    assert [entry.status for entry in taken_over.replaced] == ["superseded"]
    assert memory.get("old").status == "superseded"


@pytest.mark.usefixtures("taken_over")
def test_what_is_listed_as_superseded_says_so(memory):
    listed = memory.entries(status="superseded")
    assert [(e.external_id, e.status, e.certainty) for e in listed] == [("old", "superseded", None)]


@pytest.mark.usefixtures("taken_over")
def test_every_rectangle_of_a_superseded_entry_is_superseded(memory):
    assert {version.status for version in memory.history("old").versions} == {"superseded"}


def test_a_retracted_entry_is_certain_at_no_instant(memory):
    memory.remember("wrong", external_id="wrong", valid_from=YEAR)
    memory.retract("wrong", reason="r")
    assert memory.get("wrong").certainty is None


# --- transactions of several operations


def vanish_by_end(memory):
    memory.end("x", YEAR, reason="r")


def vanish_by_retract(memory):
    memory.retract("x", reason="r")


def vanish_by_update(memory):
    memory.update("x", "y", "", reason="r", external_id="y", valid_from=YEAR)


@pytest.mark.parametrize("vanish", [vanish_by_end, vanish_by_retract, vanish_by_update])
def test_what_begins_and_goes_in_one_transaction_is_only_in_the_log(vanish, memory):
    with memory.transaction() as changes:
        changes.remember("x", external_id="x", valid_from=YEAR)
        vanish(changes)
    with pytest.raises(NotFound):
        memory.get("x")
    assert [len(one.ops) for one in memory.log().transactions] == [2]


def test_known_facts_may_be_repeated_inside_a_transaction(memory):
    memory.remember("known", external_id="known", valid_from=YEAR)
    with memory.transaction() as changes:
        again = changes.remember("known", external_id="known", valid_from=YEAR)
        changes.remember("fresh", external_id="fresh")
    assert again.unchanged
    assert memory.get("fresh").title == "fresh"


def test_a_second_retraction_inside_a_transaction_is_unchanged(memory):
    memory.remember("gone", external_id="gone")
    memory.retract("gone", reason="r")
    with memory.transaction() as changes:
        assert changes.retract("gone", reason="r").unchanged


@pytest.mark.parametrize("reason", [5, "half \ud800", "nul \0"])
def test_the_reason_of_a_transaction_is_checked_like_every_other(reason, memory):
    with pytest.raises(InvalidInput), memory.transaction(reason) as changes:
        changes.remember("x", external_id="x")
    with pytest.raises(NotFound):
        memory.get("x")


# --- cuts inside imprecise bounds


def hold(memory, ref: str, start: str, end: str | None = None) -> None:
    memory.remember(
        ref, external_id=ref, valid_from=start, valid_to=end, key="k", on_overlap="replace"
    )


def test_a_cut_never_makes_certain_what_was_possible(memory):
    hold(memory, "a", "2023-01-01", "2024")
    hold(memory, "b", "2024")
    assert not memory.entries(as_of="2024-03-01", certain=True).entries
    try:
        hold(memory, "c", "2024-04-04")
    except Conflict:
        return
    assert not memory.entries(as_of="2024-03-01", certain=True).entries


def test_a_cut_that_would_leave_overlaps_is_a_conflict_and_stores_nothing(memory):
    hold(memory, "x", "2023-01-01")
    hold(memory, "y", "2024", "2024")
    before = len(memory.log().transactions)
    try:
        hold(memory, "z", "2024-04-04", "2024-06-01")
    except DamalsError as error:
        assert isinstance(error, Conflict)
        assert len(memory.log().transactions) == before


# --- results and export


def test_changing_a_result_changes_nothing_that_is_known(memory):
    for ref in ("one", "two"):
        memory.remember(ref, external_id=ref, properties={"list": [1]})
    found = memory.get("one").properties["list"]
    try:
        found.append("forged")
    except (AttributeError, TypeError):
        return
    assert [memory.get(ref).properties for ref in ("one", "two")] == [{"list": [1]}] * 2


def test_changing_a_preview_does_not_change_what_is_stored(memory):
    with memory.transaction() as changes:
        preview = changes.remember("x", external_id="x", properties={"list": [1]})
        for forge in (
            lambda: preview.properties["list"].append(2),
            lambda: preview.properties.update(more=1),
        ):
            try:
                forge()
            except (AttributeError, TypeError):
                continue
    assert memory.get("x").properties == {"list": [1]}


def test_instants_given_as_datetimes_read_the_same_after_export_and_import(memory, tmp_path):
    far = timezone(timedelta(hours=5))
    memory.remember(
        "x",
        external_id="x",
        valid_from=datetime(2024, 1, 1, tzinfo=far),
        valid_to=datetime(2025, 1, 1, 1, 2, 3, 4, tzinfo=UTC),
    )
    memory.export(tmp_path / "all.jsonl")
    init_home(tmp_path / "other", timezone="Asia/Kathmandu")
    with Damals.open(tmp_path / "other") as other:
        other.import_(tmp_path / "all.jsonl")
        pair = {"as_of": "2024-06-01", "known_at": memory.log().transactions[-1].recorded_at}
        assert other.get("x", **pair) == memory.get("x", **pair)


# --- several threads


def test_another_thread_does_not_slip_into_an_open_transaction(memory):
    stored: list[str] = []

    def intrude() -> None:
        stored.append(memory.remember("other", external_id="other").id)

    thread = threading.Thread(target=intrude)
    with pytest.raises(KeyError), memory.transaction() as changes:
        changes.remember("mine", external_id="mine")
        thread.start()
        thread.join(0.2)
        raise KeyError
    thread.join(5)
    assert [memory.get("other").id] == stored


def test_threads_may_open_a_home_together(home):
    failures: list[BaseException] = []
    start = threading.Barrier(4)

    def work(ref: str) -> None:
        start.wait()
        try:
            shared.remember(ref, external_id=ref)
        except DamalsError as error:
            failures.append(error)

    with Damals.open(home) as shared:
        threads = [threading.Thread(target=work, args=(f"t{i}",)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert len(shared.entries()) == 4


# --- wrong input


@pytest.mark.parametrize(
    "field",
    [
        {"importance": "--5"},
        {"importance": "9" * 5000},
        {"persona_weight": 10**400},
        {"source": {"line": 10**30}},
        {"properties": {"deep": {"nul \0": 1}}},
    ],
    ids=lambda field: next(iter(field)),
)
def test_a_value_no_store_can_hold_is_refused_with_its_line(field, memory, tmp_path):
    event = {"op": "remember", "recorded_at": "2024-01-10T00:00:00Z", "title": "t", **field}
    with pytest.raises(InvalidInput, match="line 1"):
        replay(memory, tmp_path, event)


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (0, ["list", "--limit", "9" * 25]),
        (2, ["remember", "--title", "x", "--relate", "\udcff b"]),
        (2, ["export", "/"]),
        (2, ["export", "."]),
        (2, ["export", ""]),
        (2, ["export", "x" * 300]),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else str(value),
)
def test_odd_arguments_have_a_documented_exit_code(code, arguments, home, capsys):
    assert command(home, capsys, *arguments)[0] == code


def test_a_path_too_long_to_exist_is_not_found(home, capsys):
    assert command(home, capsys, "import", "x" * 5000)[0] == 3


def test_exporting_into_a_folder_that_does_not_exist_is_not_found(home, capsys, tmp_path):
    assert command(home, capsys, "export", str(tmp_path / "nowhere" / "x.jsonl"))[0] == 3


@pytest.mark.parametrize("place", ["index", "cache"])
def test_a_file_in_place_of_a_rebuildable_folder_is_no_unexpected_failure(place, home, capsys):
    (home / place).write_text("in the way", encoding="utf-8")
    assert command(home, capsys, "recall", "x")[0] != 1


@pytest.mark.parametrize(
    "ask",
    [
        lambda memory: memory.entries(limit=1.5),
        lambda memory: memory.entries(limit="5"),
        lambda memory: memory.entries(cursor=5),
        lambda memory: memory.entries(tag="\ud800"),
        lambda memory: memory.get(None),
        lambda memory: memory.get(5),
        lambda memory: memory.recall(None),
        lambda memory: memory.recall("x", limit="5"),
    ],
    ids=["limit", "limit text", "cursor", "tag", "id none", "id 5", "query", "recall limit"],
)
def test_a_value_of_the_wrong_kind_is_invalid_input(ask, memory):
    with pytest.raises(InvalidInput):
        ask(memory)


def test_questions_are_answered_while_another_thread_has_a_long_turn(memory):
    memory.remember("Anschrift", "Hauptstraße 1", valid_from="2024-01-01")
    memory.recall("Anschrift")
    answers = []
    with memory.transaction() as several:
        several.remember("Später", "noch nicht gespeichert")
        asking = threading.Thread(
            target=lambda: answers.append([hit.entry.title for hit in memory.recall("Anschrift")])
        )
        asking.start()
        asking.join(timeout=30)
        assert not asking.is_alive()
    assert answers == [["Anschrift"]]


def test_an_entry_that_does_not_hold_now_keeps_its_relations(memory):
    old = memory.remember("Tarif", "5 Euro", valid_from="2024-01-01")
    bounded = memory.update(
        old.id, "Tarif", "8 Euro", reason="Sommer", valid_from="2024-03-01", valid_to="2024-04-01"
    )
    wanted = [("supersedes", "out", old.id)]
    for entry in (bounded, memory.get(bounded.id), *memory.history(bounded.id).versions):
        assert [(r.type, r.direction, r.entry_id) for r in entry.relations] == wanted
    with memory.transaction() as several:
        later = several.update(bounded.id, "Tarif", "9 Euro", reason="x", valid_from="2024-03-15",
                               valid_to="2024-03-20")  # fmt: skip
        assert [r.entry_id for r in later.relations] == [bounded.id]


def test_a_closed_access_stays_closed(memory):
    memory.remember("x")
    memory.close()
    with pytest.raises(Unavailable) as refusal:
        memory.entries()
    assert refusal.value.key == "home.closed"


def test_a_refused_first_write_makes_no_home(tmp_path):
    with Damals.open(tmp_path / "new") as memory, pytest.raises(InvalidInput):
        memory.remember("x", valid_from="2024-02-01", valid_to="2024-01-01")
    assert not (tmp_path / "new").exists()
