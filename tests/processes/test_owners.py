"""One home, many processes: commands, programs and servers at once, and owners that are killed."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from owner_processes import (
    KEEPER,
    WAIT_S,
    WRITER,
    Assistant,
    assert_sound,
    damals,
    end,
    entries,
    lead_through,
    program,
    said,
    server,
    start,
)

from damals import Damals
from damals.bootstrap import init_home
from dropping_proxy import DroppingProxy

AT_ONCE = 50
STORM_S = 60
NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"


@pytest.fixture(autouse=True)
def _words_only(monkeypatch):
    """Vectors are not what these tests are about, and a model in every process is slow."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")


@pytest.fixture
def home(tmp_path) -> Path:
    folder = tmp_path / "home"
    init_home(folder, timezone="Europe/Berlin")
    return folder


# --- a server


def test_every_command_works_while_a_server_owns_the_home(home, tmp_path):
    with server(home) as served:
        assert damals(home, "init", "--workspace", "zwei", "--timezone", "UTC")["created"]
        entry = damals(home, "remember", "--title", "Sitz", "--external-id", "a/b")["entry"]["id"]
        damals(home, "correct", "a/b", "--content", "Hauptstraße", "--reason", "r")
        assert damals(home, "show", "a/b")["entry"]["id"] == entry
        assert damals(home, "recall", "Hauptstraße")["results"][0]["entry"]["id"] == entry
        vault = tmp_path / "Vault"
        vault.mkdir()
        (vault / "Notiz.md").write_text("# Notiz\n", encoding="utf-8")
        assert damals(home, "import", str(vault), "--wait")["added"] == 1
        assert damals(home, "export", str(tmp_path / "x.jsonl"))["transactions"] == 3
        assert damals(home, "reindex")["points"] == 3
        assert damals(home, "doctor")["ok"]
        assert damals(home, "audit", "verify")["ok"]
        assert damals(home, "show", "nirgends", expect=3)["error"]["code"] == "not_found"
        assert damals(home, "keys", "create", "kim")["secret"]
        assert damals(home, "remember", "--title", "nach dem Schlüssel")["entry"]
        assert end(served) == 0
    assert len(entries(home)) == 3
    assert_sound(home)


def test_a_server_ends_well_when_it_is_told_to_and_its_clients_go_on(home):
    with Damals.open(home) as memory:
        for place, number in enumerate((signal.SIGINT, signal.SIGTERM)):
            with server(home) as served:
                assert memory.remember(f"X{place}").transaction == 2 * place + 1
                assert end(served, number) == 0
            with Damals.open(home) as next_owner:
                next_owner.remember(f"Y{place}")
    assert_sound(home)


def test_a_server_that_cannot_serve_says_why(home, tmp_path):
    short = {"DAMALS_LOCK_TIMEOUT_S": "0.3"}
    with server(home) as served:
        held = damals(home, "serve", "--port", "0", expect=5, **short)["error"]
        assert str(served.pid) in held["message"]
        served.send_signal(signal.SIGSTOP)
        asleep = damals(home, "list", expect=5, **short)["error"]
        assert str(served.pid) in asleep["message"]
        served.send_signal(signal.SIGCONT)
    other = tmp_path / "other"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert port in damals(other, "serve", "--port", port, expect=5)["error"]["message"]
    everywhere = "0.0.0.0"  # noqa: S104 -- it is refused
    assert damals(other, "serve", "--host", everywhere, expect=6)["error"]["code"] == "denied"
    assert (other / "damals.lock").read_text(encoding="utf-8") == ""


def test_a_program_that_holds_a_home_is_asked_by_commands(home):
    keeper = program(KEEPER, home)
    assert said(keeper) == "ready"
    entry = damals(home, "remember", "--title", "vom Befehl")["entry"]["id"]
    assert entries(home)[entry] == "vom Befehl"
    keeper.communicate("", timeout=WAIT_S)
    assert keeper.returncode == 0
    assert_sound(home)


# --- killed


def test_an_answer_that_a_kill_swallows_is_given_by_the_next_owner(home):
    with server(home) as served:
        target = json.loads((home / "damals.lock").read_text(encoding="utf-8"))["url"]
        proxy = DroppingProxy(target)
        lead_through(home, proxy.url)
        proxy.drop = 1
        proxy.dropped = served.kill
        entry = damals(home, "remember", "--title", "einmal")["entry"]
        assert proxy.drop == 0
        assert served.wait(WAIT_S) == -signal.SIGKILL
        proxy.close()
    assert entries(home) == {entry["id"]: "einmal"}
    assert entry["transaction"] == 1
    assert_sound(home)


def test_a_killed_owner_loses_nothing_that_was_acknowledged(home):
    chance = random.Random(4)
    with server(home) as served:
        writers = [program(WRITER, home, f"w{number}", 25) for number in range(3)]
        for writer in writers:
            assert said(writer) == "ready"
        acknowledged = [said(writer) for writer in writers]
        time.sleep(chance.uniform(0.1, 0.6))
        served.kill()
        by_command = damals(home, "remember", "--title", "vom Befehl")["entry"]["id"]
        for writer in writers:
            out, err = writer.communicate(timeout=WAIT_S)
            assert writer.returncode == 0, err
            acknowledged += out.split()
    found = entries(home)
    assert set(acknowledged) | {by_command} == set(found)
    assert sorted(found.values()) == sorted(
        ["vom Befehl", *(f"w{name}-{number}" for name in range(3) for number in range(25))]
    )
    assert_sound(home)


def test_who_took_over_can_be_killed_too(home):
    keepers = [program(WRITER, home, f"w{number}", 150) for number in range(3)]
    acknowledged: list[str] = []
    for keeper in keepers:
        assert said(keeper) == "ready"
    for place, keeper in enumerate(keepers[:-1]):
        acknowledged.append(said(keepers[-1]))
        time.sleep(0.2 * (place + 1))
        keeper.kill()
        out, _ = keeper.communicate(timeout=WAIT_S)
        acknowledged += [line for line in out.split() if len(line) == 36]
    out, err = keepers[-1].communicate(timeout=WAIT_S)
    assert keepers[-1].returncode == 0, err
    acknowledged += out.split()
    found = entries(home)
    assert set(acknowledged) <= set(found)
    assert len(set(found.values())) == len(found)
    assert sum(title.startswith("w2-") for title in found.values()) == 150
    assert_sound(home)


def test_two_that_start_at_once_make_and_share_a_home(tmp_path):
    home = tmp_path / "new"
    home.mkdir(mode=0o700)
    stale = {"url": "http://127.0.0.1:9", "token": "of an owner long dead", "pid": 1}
    (home / "damals.lock").write_text(json.dumps(stale), encoding="utf-8")
    both = [program(WRITER, home, f"w{number}", 5) for number in range(2)]
    for writer in both:
        _, err = writer.communicate(timeout=WAIT_S)
        assert writer.returncode == 0, err
    assert len(entries(home)) == 10
    assert_sound(home)


def test_a_token_that_is_wrong_opens_nothing(home):
    with server(home):
        lock = home / "damals.lock"
        told = json.loads(lock.read_text(encoding="utf-8"))
        lock.write_text(json.dumps({**told, "token": "falsch"}), encoding="utf-8")
        short = {"DAMALS_LOCK_TIMEOUT_S": "0.3"}
        # As long as there is no key, the server is open to this machine, yet not to a wrong one.
        assert damals(home, "list", expect=5, **short)["error"]["code"] == "unavailable"


# --- a storm


@pytest.mark.skipif(not NIGHTLY, reason="takes minutes; run by `make nightly`")
@pytest.mark.nightly
def test_a_minute_of_everything_at_once(home):
    """Three assistants, a server and 50 commands at once; owners are killed in between."""
    acknowledged: set[str] = set()
    commands: list[subprocess.Popen[str]] = []
    started = 0
    with contextlib.ExitStack() as stack:
        served = stack.enter_context(server(home))
        assistants = [Assistant(home, f"a{number}") for number in range(3)]
        for assistant in assistants:
            stack.callback(assistant.leave)
        for assistant in assistants:
            assistant.heard.wait(WAIT_S)
        stay = [served, *(assistant.process for assistant in assistants)]
        over = time.monotonic() + STORM_S
        kills = [over - share * STORM_S for share in (0.75, 0.5, 0.25)]
        while time.monotonic() < over or commands:
            while len(commands) < AT_ONCE and time.monotonic() < over:
                started += 1
                command = ("--home", str(home), "--json", "remember", "--title", f"c{started}")
                commands.append(start("-m", "damals", *command))
            if kills and time.monotonic() > kills[0] and owner_killed(home, stay):
                kills.pop(0)
            for command in [one for one in commands if one.poll() is not None]:
                out, err = command.communicate()
                assert command.returncode == 0, (out, err)
                acknowledged.add(json.loads(out)["entry"]["id"])
                commands.remove(command)
            time.sleep(0.05)
        assert len(kills) < 3, "no owner was killed"
        assert [one.process.poll() for one in assistants].count(None) >= len(kills)
    for assistant in assistants:
        assert assistant.failed == []
        assert assistant.ids
        acknowledged |= assistant.ids
    found = entries(home)
    assert started > AT_ONCE
    assert acknowledged <= set(found)
    assert len(set(found.values())) == len(found), "something was done twice"
    assert_sound(home)


def owner_killed(home: Path, stay: "Sequence[subprocess.Popen[str]]") -> bool:
    """Kill the process that the lock file names, if it is one of those that stay."""
    try:
        pid = json.loads((home / "damals.lock").read_text(encoding="utf-8"))["pid"]
    except (ValueError, KeyError):
        return False
    owners = [one for one in stay if one.pid == pid and one.poll() is None]
    for owner in owners:
        owner.kill()
    return bool(owners)
