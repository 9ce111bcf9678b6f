"""A home that is served before any key was made is open to this machine, and says so."""

import os
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from damals.opening import served


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in (("EMBEDDER", "none"), ("TIMEZONE", "Europe/Berlin")):
        monkeypatch.setenv(f"DAMALS_{name}", value)
    return tmp_path / "home"


def test_it_is_open_until_a_key_is_made_and_never_again(home: Path):
    with served(home, port=0) as open_one:
        assert open_one.unguarded
        url = f"{open_one.url}/v1"
        assert httpx2.post(f"{url}/workspaces/default/entries", json={"title": "A"}).is_success
        secret = httpx2.post(f"{url}/keys", json={"name": "k", "roles": ["admin"]}).json()["secret"]
        own = {"Authorization": f"Bearer {secret}"}
        assert httpx2.get(f"{url}/workspaces").status_code == 401
        assert httpx2.delete(f"{url}/keys/k", headers=own).is_success
        assert httpx2.get(f"{url}/workspaces").status_code == 401
    with served(home, port=0) as closed_one:
        assert not closed_one.unguarded
        assert httpx2.get(f"{closed_one.url}/v1/workspaces").status_code == 401


def test_the_command_warns_of_it(home: Path):
    command = [sys.executable, "-m", "damals", "--home", str(home), "--lang", "en", "serve"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*command, "--port", "0"], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stderr is not None
            lines = [process.stderr.readline(), process.stderr.readline()]
        finally:
            process.kill()
    assert "every user of this machine is the owner here until a key is made" in lines[1]
