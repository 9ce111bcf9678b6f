"""The walk through the demo archive tells the truth."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from damals.interfaces.cli.main import main


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = os.environ.get("DAMALS_CACHE")
    for name in [name for name in os.environ if name.startswith("DAMALS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("DAMALS_CACHE", cache or str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)


EXPECTED = [
    "Industriestraße 7, 32756 Detmold",
    "Hauptstraße 1, 32108 Bad Salzuflen",
    "Hauptstraße 1, 32108 Bad Salzuflen",
    ["Hauptstraße 1, 32108 Bad Salzuflen"] * 2 + ["Industriestraße 7, 32756 Detmold"],
    "1.180 Euro netto je Tag",
    "1.280 Euro netto je Tag",
    "Geprüft wird nur die Zentrale in der Uferstraße.",
    ["Geprüft wird nur die Zentrale in der Uferstraße."] * 2
    + ["Geprüft werden die Zentrale und die Leitstelle."],
    {"revised": 1, "superseded": 2, "closed": 1},
    "spätestens nach 24 Stunden",
    "spätestens nach 8 Stunden",
    "Tagessatz für die Müller GmbH: 1.180 Euro netto je Tag [1]",
    None,
]


@pytest.mark.model
def test_every_answer_of_the_walk_is_what_its_moral_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    assert main(["demo", "--json", "--lang", "de"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert len(told["steps"]) == len(EXPECTED)
    for step, expected in zip(told["steps"], EXPECTED, strict=True):
        if isinstance(expected, dict):
            assert Counter(one["kind"] for one in step["answer"]["changes"]) == expected
        elif isinstance(expected, list):
            assert [version["content"] for version in step["answer"]["versions"]] == expected
        elif "abstained" in step["answer"]:
            assert step["answer"]["abstained"] == (expected is None)
            assert expected is None or step["answer"]["answer"] == expected
        else:
            best = step["answer"]["results"][0]
            assert expected in best["chunk"]["text"], step["command"]
            assert abs(sum(best["parts"].values()) - best["score"]) < 1e-6
    assert told["home"] is None
    assert not list(tmp_path.glob("damals-demo-*"))


@pytest.mark.model
def test_an_archive_that_is_kept_can_be_explored(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    home = tmp_path / "kept"
    assert main(["demo", "--home", str(home), "--lang", "de"]) == 0
    told = capsys.readouterr().out
    assert "1. Wo sitzt die Müller GmbH heute?" in told
    assert f"damals --home {home}" in told
    assert main(["--home", str(home), "list", "--json", "--limit", "all"]) == 0
    assert len(json.loads(capsys.readouterr().out)["entries"]) >= 15
    assert main(["demo", "--home", str(home)]) == 4
