"""SIGKILL at any instant of an erasure: it is not begun, or whole once something else is changed.

What was acknowledged as erased stands in no file from that instant on, whoever opens the home.
"""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import pytest
from killing import Said, Scenario, Seen, outlive

from damals import Damals
from quick_folders import copied
from raw_bytes import found, rows

NAMES = {
    "entry": "verschwiegene-akte-sieben",
    "source": "archiv-vom-dachboden",
    "person": "wilhelmine-geheimrat",
    "workspace": "verborgenes-reich",
}
TEXTS: Mapping[str, tuple[str, ...]] = {
    "entry": (NAMES["entry"], "In der Akte steht der Name des Gewährsmanns. " * 150),
    "source": (NAMES["source"], "Tomaten neben dem Kompost, 1. Beet", "Zwiebeln an der Südmauer"),
    "person": (NAMES["person"], "Wohnhaft in der Langen Straße zwölf, Hinterhaus"),
    "workspace": (NAMES["workspace"], "Der Schlüssel liegt unter der Matte aus Kokos"),
}
QUESTION = "Wo wohnt Wilhelmine Geheimrat eigentlich jetzt?"

ERASE = f"""
from damals import Damals

NAMES = {NAMES!r}
with Damals.open(home) as memory:
    for number in (attempt, attempt + 1):
        kind = list(NAMES)[number % 4]
        kept = memory.remember(f"Bleibt vor {{kind}}", "Das bleibt für immer.")
        ack(["kept", kept.id, kind])
        memory.erase(kind, NAMES[kind], reason="Wunsch der Betroffenen von gestern")
        ack(["erased", None, kind])
"""


@pytest.fixture(autouse=True)
def _cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Words are enough here, and one process."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_INDEX_MODE", "inline")


@pytest.fixture
def told(tmp_path: Path) -> Path:
    """A closed home that holds one of each kind, and something beside."""
    folder, vault = tmp_path / "told", tmp_path / "vault"
    vault.mkdir()
    for number, text in enumerate(TEXTS["source"][1:]):
        (vault / f"Beet {number}.md").write_text(text, encoding="utf-8")
    with Damals.open(folder) as memory:
        memory.remember("Nachbar", "Der Nachbar grüßt jeden Tag.", external_id="nachbar")
        memory.remember("Akte", TEXTS["entry"][1], external_id=NAMES["entry"])
        memory.remember("Frau G.", TEXTS["person"][1], type="person", external_id=NAMES["person"])
        memory.import_(vault, name=NAMES["source"])
        memory.create_workspace(NAMES["workspace"])
        memory.recall(QUESTION)
    with Damals.open(folder, workspace=NAMES["workspace"]) as memory:
        memory.remember("Fach", TEXTS["workspace"][1])
    return folder


class Erasing:
    """A home that is copied for each attempt: what is erased is not there to be erased again."""

    def __init__(self, told: Path, home: Path) -> None:
        self._told = told
        self._home = home
        self._attempt = 0

    def begin(self, attempt: int) -> None:
        self._attempt = attempt
        shutil.rmtree(self._home, ignore_errors=True)
        shutil.rmtree(self._home.with_name("home.backups"), ignore_errors=True)
        copied(self._told, self._home)

    def _acknowledged(self, said: Sequence[Said], what: str) -> Iterator[tuple[str, str]]:
        """Ids and kinds of what this attempt has said of itself."""
        for one in said:
            if one.attempt == self._attempt and one.value[0] == what:
                yield one.value[1], one.value[2]

    def gone(self, said: Sequence[Said]) -> None:
        """From the acknowledgement on, and before anybody opens the home."""
        texts = chain(*(TEXTS[kind] for _, kind in self._acknowledged(said, "erased")))
        assert found(self._home, texts) == []

    def holds(self, seen: Seen, said: Sequence[Said]) -> None:
        entries = seen.entries()
        assert {one for one, _ in self._acknowledged(said, "kept")} <= set(entries)
        titles = {one["title"] for one in entries.values()}
        assert {"Nachbar", "Danach"} <= titles
        left = {
            "entry": {"Akte"} & titles,
            "source": {"Beet 0", "Beet 1"} & titles,
            "person": {"Frau G."} & titles,
            "workspace": {NAMES["workspace"]} & set(seen.workspaces),
        }
        erased = {kind for kind, there in left.items() if not there}
        assert {kind for _, kind in self._acknowledged(said, "erased")} <= erased
        assert len(left["source"]) != 1, "all of a source goes, or nothing"
        self._whole(erased)

    def _whole(self, erased: set[str]) -> None:
        """What is erased has its certificate and stands nowhere; the rest is as it was."""
        there = {text for _, text in found(self._home, chain(*TEXTS.values()))}
        assert there == set(chain(*(TEXTS[kind] for kind in TEXTS if kind not in erased)))
        noted = rows(self._home / "ledger.db", "SELECT kind, stage, certificate FROM erasures")
        assert {kind for kind, _, _ in noted} == erased
        assert {stage for _, stage, _ in noted} <= {"certified"}
        assert all(json.loads(str(certificate))["residue"] == [] for _, _, certificate in noted)


def test_an_erasure_killed_at_any_instant_is_not_begun_or_whole(told: Path, tmp_path: Path):
    home = tmp_path / "home"
    of = Erasing(told, home)
    calls = {"prepare": of.begin, "at_once": of.gone, "holds": of.holds}
    outcome = outlive(Scenario(home, ERASE, **calls, changes=True), seed=8)
    assert outcome.at_work, "the kills came before anything was done"
