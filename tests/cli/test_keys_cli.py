"""Keys and workspaces on the command line."""

from pathlib import Path

import pytest
from program import Program, home_of_its_own

from damals.adapters.sql.ledger import SqlLedger
from damals.app.access_model import Denial

KEY = {
    *("name", "roles", "workspaces", "visibility", "sensitivity"),
    *("created_at", "revoked_at"),
}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, which is not there yet."""
    return home_of_its_own(tmp_path, monkeypatch)


@pytest.fixture
def damals(capsys: pytest.CaptureFixture[str]) -> Program:
    return Program(capsys)


def test_a_key_is_made_with_all_that_can_be_said_of_it(damals: Program):
    damals.json("workspace", "create", "garden")
    told = damals.json(
        "keys", "create", "bot", "--role", "writer", "--role", "office", "--allow-workspace",
        "garden", "--allow-workspace", "default", "--visibility", "restricted",
        "--sensitivity", "2",
    )  # fmt: skip
    assert set(told) == {"key", "secret"}
    assert set(told["key"]) == KEY
    assert told["key"] | {"created_at": ""} == {
        "name": "bot",
        "roles": ["writer", "office"],
        "workspaces": ["garden", "default"],
        "visibility": "restricted",
        "sensitivity": 2,
        "created_at": "",
        "revoked_at": None,
    }
    assert damals.json("keys", "list") == {"keys": [told["key"]]}


def test_a_secret_is_shown_once_and_is_in_no_file(damals: Program, home: Path):
    said, secret = damals.lines("keys", "create", "bot")
    assert "bot" in said
    assert secret.startswith("damals_")
    assert secret not in "\n".join(damals.lines("keys", "list"))
    for file in home.rglob("*"):
        assert not file.is_file() or secret.encode() not in file.read_bytes()


def test_keys_are_listed_for_people(damals: Program):
    damals.json("keys", "create", "bot", "--allow-workspace", "default")
    damals.json("keys", "create", "everywhere")
    damals.json("keys", "revoke", "bot")
    head, first, second = damals.lines("keys", "list")
    assert head.split()[:3] == ["name", "roles", "workspaces"]
    assert first.split()[:3] == ["bot", "reader", "default"]
    assert second.split()[:3] == ["everywhere", "reader", "all"]
    assert len(first) > len(second)
    assert damals.lines("keys", "list", "--lang", "de")[0].split()[1] == "Rollen"


def test_a_key_is_revoked_once(damals: Program):
    damals.json("keys", "create", "bot")
    assert damals.json("keys", "create", "bot", code=4)["error"]["code"] == "conflict"
    (gone,) = damals.json("keys", "revoke", "bot")["keys"]
    assert (gone["name"], gone["revoked_at"] is None) == ("bot", False)
    assert damals.json("keys", "revoke", "bot", code=3)["error"]["code"] == "not_found"
    damals.json("keys", "create", "bot")
    assert damals.lines("keys", "revoke", "bot") == ["Key bot opens nothing any more."]


@pytest.mark.parametrize(
    "words",
    [
        ("keys", "create", "owner"),
        ("keys", "create", "a b"),
        ("keys", "create"),
        ("keys", "create", "bot", "--role", "a b"),
        ("keys", "create", "bot", "--visibility", "all"),
        ("keys", "create", "bot", "--sensitivity", "4"),
        ("keys", "denied", "--limit", "0"),
        ("workspace", "create", "a/b"),
        ("workspace", "create", "w", "--timezone", "Nowhere/Else"),
        ("init", "--workspace", "a b"),
    ],
)
def test_what_is_wrong_is_refused_and_makes_no_home(
    damals: Program, home: Path, words: tuple[str, ...]
):
    assert damals.json(*words, code=2)["error"]["code"] == "invalid_input"
    assert not home.exists()


@pytest.mark.parametrize(
    "words",
    [("keys", "list"), ("keys", "denied"), ("keys", "revoke", "bot"), ("workspace", "list")],
)
def test_a_missing_home_has_no_keys(damals: Program, home: Path, words: tuple[str, ...]):
    assert damals.json(*words, code=3)["error"]["code"] == "not_found"
    assert not home.exists()


def test_a_key_makes_a_home_but_not_for_a_workspace_that_is_not_there(damals: Program, home: Path):
    damals.json("keys", "create", "bot", "--allow-workspace", "nowhere", code=3)
    assert not home.exists()
    damals.json("keys", "create", "bot")
    assert [one["name"] for one in damals.json("workspace", "list")["workspaces"]] == ["default"]


def test_nobody_was_denied_at_first(damals: Program, home: Path):
    assert damals.lines("workspace", "create", "garden") == [
        "Made workspace garden; zone Europe/Berlin."
    ]
    assert damals.json("keys", "denied") == {"denials": []}
    assert damals.lines("keys", "denied") == ["No call was refused."]
    assert "no keys" in damals.lines("keys", "list")[0]
    ledger = SqlLedger(home / "ledger.db")
    for n in range(3):
        ledger.registry.deny(
            Denial(n * 1_000_000, "bot" if n else None, "garden", "mcp", "recall", "access.right")
        )
    ledger.close()
    told = damals.json("keys", "denied", "--limit", "2")["denials"]
    assert [one["denied_at"] for one in told] == [
        "1970-01-01T00:00:02.000000Z",
        "1970-01-01T00:00:01.000000Z",
    ]
    assert told[0] | {"denied_at": ""} == {
        "denied_at": "",
        "principal": "bot",
        "workspace": "garden",
        "channel": "mcp",
        "call": "recall",
        "problem": "access.right",
    }
    assert len(damals.json("keys", "denied", "--limit", "all")["denials"]) == 3
    assert damals.lines("keys", "denied")[1].split()[:2] == ["1970-01-01", "01:00:02"]


def test_workspaces_are_made_once_each_with_its_zone(damals: Program):
    (made,) = damals.json("workspace", "create", "garden", "--timezone", "UTC")["workspaces"]
    assert set(made) == {"name", "timezone", "created_at"}
    assert damals.json("workspace", "create", "garden", code=4)["error"]["code"] == "conflict"
    listed = damals.json("workspace", "list")["workspaces"]
    assert [(one["name"], one["timezone"]) for one in listed] == [
        ("default", "Europe/Berlin"),
        ("garden", "UTC"),
    ]
    assert damals.lines("workspace", "list")[2].split()[:2] == ["garden", "UTC"]
    damals.json("remember", "--title", "Rose", "--workspace", "garden")
    assert len(damals.json("list", "--workspace", "garden")["entries"]) == 1
    assert damals.json("list")["entries"] == []
