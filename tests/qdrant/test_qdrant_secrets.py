"""An address with a user, a password or a key in it opens the server, and is shown nowhere."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from damals.addresses import cleaned, without_secrets
from damals.interfaces.cli.main import main
from qdrant_server import QdrantServer

USER, PASSWORD, KEY = "nutzer-x91", "geheim-y82", "schluessel-z73"


@pytest.fixture
def server() -> Iterator[QdrantServer]:
    with QdrantServer() as one:
        yield one


@pytest.fixture
def url(server: QdrantServer) -> str:
    place = server.url.removeprefix("http://")
    return f"http://{USER}:{PASSWORD}@{place}/?api_key={KEY}"


Call = Callable[..., tuple[int, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch, capsys) -> Call:
    """Runs a command on a home: its exit code, and all that it said."""
    for name, value in {
        "DAMALS_EMBEDDER": "none",
        "DAMALS_LANG": "en",
        "DAMALS_HOME": str(tmp_path / "home"),
        "DAMALS_LOG_LEVEL": "debug",
    }.items():
        monkeypatch.setenv(name, value)

    def run(*words: str, **settings: str) -> tuple[int, str]:
        with monkeypatch.context() as given:
            for name, value in settings.items():
                given.setenv(name, value)
            code = main(words)
        shown = capsys.readouterr()
        return code, shown.out + shown.err

    return run


def test_no_command_shows_what_opens_the_server(
    tmp_path: Path, server: QdrantServer, url: str, call: Call
):
    call("remember", "--title", "Vertrag", "--content", "Er läuft.")
    asked = [
        call("migrate", "--qdrant", url, "--dry-run"),
        call("migrate", "--qdrant", url, "--sample", "1"),
        call("migrate", "--qdrant", url, "--json"),
        call("config", "show"),
        call("recall", "Vertrag", "--json"),
        call("doctor", "--json"),
        call("config", "show", "--json", DAMALS_QDRANT=url),
        call("config", "show", DAMALS_QDRANT=url.replace("http:", "ftp:")),
    ]
    assert [code for code, _ in asked] == [0, 0, 4, 0, 0, 0, 0, 2]
    assert (tmp_path / "home" / "config.yaml").stat().st_mode & 0o077 == 0
    assert server.url in asked[1][1]
    server.version = "1.2.0"
    asked += [call("recall", "Vertrag"), call("doctor")]
    server.stop()
    asked += [call("recall", "Vertrag", "--json"), call("doctor", "--json")]
    assert all(code for code, _ in asked[-4:])
    for _, said in asked:
        for secret in (USER, PASSWORD, KEY):
            assert secret not in said


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("http://h:6333", "http://h:6333"),
        ("https://h/qdrant/", "https://h/qdrant"),
        ("https://token@h/", "https://h"),
        ("https://u:p/a?ss#wort@h/x?api_key=k#f", "https://h/x"),
        ("postgresql://u:p@h:5432/d", "postgresql://u@h:5432/d"),
        ("postgresql://u:p:w@a@h,i:2/d?password=k&x=1", "postgresql://u@h,i:2/d?x=1"),
        (
            "postgresql://h/d?options=-csearch_path%3Ds",
            "postgresql://h/d?options=-csearch_path%3Ds",
        ),
        ("host=h password=k", "…"),
        ("u:k@h", "…"),
    ],
)
def test_an_address_is_kept_and_shown_without_what_opens_it(given: str, shown: str):
    assert without_secrets(given) == shown


def test_what_a_server_says_is_shown_without_it_too(url: str):
    told = f"GET {url} refused {USER}:{PASSWORD} ({KEY}), key k-e-y"
    for secret in (USER, PASSWORD, KEY, "k-e-y"):
        assert secret not in cleaned(told, url, "k-e-y")
