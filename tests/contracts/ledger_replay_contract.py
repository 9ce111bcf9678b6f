"""What every ledger must know of the version histories that were replayed into it."""

from typing import Any

import pytest
from ledger_driver import CREATED, Driver, id_of, instant, remember

from damals.app.history.model import Replayed
from damals.app.index_model import AccessFilter
from damals.app.ledger_port import Ledger

PUBLIC = AccessFilter(visibilities=("public",), max_sensitivity=0, principals=("bob",))


class ReplayContract:
    """The part of the contract that is about replayed commits."""

    @pytest.fixture
    def replaying(self, ledger: Ledger) -> Driver:
        ledger.create_workspace("w", "UTC", CREATED)
        return Driver(ledger)

    def test_transactions_name_the_commits_that_they_replayed(self, replaying: Driver):
        replaying.do("2024-01-10", _note("a", "1"), _note("b", "1"))
        replaying.do("2024-01-11", remember("x"))
        corrected = {"op": "correct", "target": "a", "content": "more", "source": _said("2")}
        replaying.do("2024-01-12", {"op": "retract", "target": "b"}, corrected)
        replaying.do("2024-01-13", {"op": "retract", "target": "a", "source": _said("3")})
        with replaying.reading() as reader:
            assert reader.replayed("vault") == [
                Replayed(1, instant("2024-01-10"), "1", instant("2023-01-01")),
                Replayed(3, instant("2024-01-12"), "2", instant("2023-01-01")),
                Replayed(4, instant("2024-01-13"), "3", instant("2023-01-01")),
            ]

    def test_a_commit_of_another_source_is_none_of_this_one(self, replaying: Driver):
        replaying.do("2024-01-10", _note("a", "1", name="other"))
        replaying.do("2024-01-11", _note("b", "1", commit=None))
        talk = 'about "committed_at":"2023" and "commit":"1"'
        replaying.do("2024-01-12", remember("c", content=talk, properties={"committed_at": "x"}))
        with replaying.reading() as reader:
            assert reader.replayed("vault") == []
            assert [one.commit for one in reader.replayed("other")] == ["1"]
            assert reader.replayed("nothing") == []

    def test_what_may_not_be_seen_names_no_commit(self, replaying: Driver):
        replaying.do("2024-01-10", _note("a", "1", visibility="restricted"))
        replaying.do("2024-01-11", _note("b", "2", visibility="public"))
        with replaying.ledger.read("w", PUBLIC) as reader:
            assert [one.commit for one in reader.replayed("vault")] == ["2"]

    def test_what_a_writer_has_appended_is_replayed(self, replaying: Driver):
        with replaying.ledger.write("w") as writer:
            replaying.into(writer, instant("2024-01-10"), [_note("a", "1")])
            assert [one.commit for one in writer.replayed("vault")] == ["1"]


def _said(commit: str | None, name: str = "vault") -> dict[str, Any]:
    at = None if commit is None else "2023-01-01T00:00:00.000000Z"
    said = {"kind": "vault", "name": name, "path": "a.md", "commit": commit, "committed_at": at}
    return {key: value for key, value in said.items() if value is not None}


def _note(ref: str, sha: str, name: str = "vault", **fields: Any) -> dict[str, object]:
    commit = fields.pop("commit", sha)
    return remember(ref, id=str(id_of(ref)), source=_said(commit, name), **fields)
