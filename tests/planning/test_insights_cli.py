"""Plans, traces, patterns and calibrations: on the command line, in both languages, over HTTP."""

import json

import pytest
from plans import roadmap, vision, written

from afar import open_from_afar
from damals.app.wire import to_wire
from damals.bootstrap import init_home, open_home
from damals.domain.instants import instant_of
from damals.errors import DamalsError
from damals.interfaces.cli.main import main


class Shown:
    def __init__(self, capsys) -> None:
        self._capsys = capsys

    def text(self, *words: str, code: int = 0) -> str:
        assert main(list(words)) == code
        return self._capsys.readouterr().out

    def json(self, *words: str, code: int = 0) -> dict:
        return json.loads(self.text(*words, "--json", code=code))


@pytest.fixture
def shown(tmp_path, monkeypatch, capsys) -> Shown:
    for name, value in {"HOME": tmp_path / "home", "EMBEDDER": "none", "LANG": "en"}.items():
        monkeypatch.setenv(f"DAMALS_{name}", str(value))
    monkeypatch.setenv("DAMALS_TIMEZONE", "UTC")
    monkeypatch.chdir(tmp_path)
    told = Shown(capsys)
    told.text("init")
    return told


def test_plans_are_told_with_what_is_due_and_the_commands_that_mend_it(shown, tmp_path):
    (tmp_path / "wiki").mkdir()
    for note in (vision(version="1.10"), roadmap(linked_vision_version="1.9")):
        (tmp_path / "wiki" / note.file).write_text(written(note), encoding="utf-8")
    told = shown.text("planning")
    assert "MEDIUM  Vision significantly overdue for review (" in told
    assert (
        "LOW     This roadmap was written against vision v1.9. Current vision is v1.10. "
        "Consider damals planning wiki to check phase alignment." in told
    )
    assert "$ damals annotate wiki/roadmap.md --property linked_vision_version=1.10" in told
    german = shown.text("planning", "wiki", "--lang", "de")
    assert "Diese Roadmap wurde zur Vision v1.9 geschrieben. Die aktuelle Vision ist v1.10." in (
        german
    )
    document = shown.json("planning", "wiki")
    assert {"findings", "vision", "roadmap", "understood"} <= document.keys()
    assert set(document["findings"][0]) == {"kind", "severity", "entries", "message", "repair"}
    assert shown.json("planning", "nirgends", code=3)["error"]["code"] == "not_found"


def test_a_trace_reads_from_when_a_belief_entered_to_what_was_like_it(shown):
    shown.text("remember", "--title", "Sitz", "--content", "Hauptstraße 1", "--external-id", "a")
    shown.text("retract", "a", "--reason", "verwechselt")
    shown.text("remember", "--title", "Sitz", "--content", "Am Markt 2", "--external-id", "b")
    told = shown.text("trace", "b")
    assert "remember by owner, transaction 3" in told
    assert "retract" in told
    assert "verwechselt (same subject" in told
    assert "ähnliche Fehler" in shown.text("trace", "b", "--lang", "de")
    document = shown.json("trace", "Markt", "--from", "2020-01-01", "--to", "now")
    assert [one["kind"] for one in document["entries"][0]["changes"]] == ["learned"]
    assert shown.json("trace", "nirgends", code=3)["error"]["code"] == "not_found"


def test_a_pattern_reads_with_the_rule_that_decided(shown):
    shown.text("remember", "--title", "A", "--content", "Vektorsuche", "--valid-from", "2020-01-01")
    told = shown.text("patterns", "Vektorsuche", "--as-of", "2020-01-11")
    assert "emerging: first observed 10 days ago, within 180 days" in told
    german = shown.text("patterns", "Vektorsuche", "--as-of", "2020-01-11", "--lang", "de")
    assert "entstehend: vor 10 Tagen zuerst beobachtet, innerhalb von 180 Tagen" in german
    assert shown.json("patterns", "Vektorsuche")["topic"] == "Vektorsuche"


def test_a_calibration_reads_with_drift_and_trend(shown):
    for day, value in enumerate((1, 2, 4), start=1):
        shown.text(
            "remember", "--type", "calibration", "--title", f"Bias {day}", "--valid-from",
            f"2020-01-0{day}", "--property", "name=bias", "--property", f"value={value}",
            "--property", "unit=%",
        )  # fmt: skip
    told = shown.text("calibration", "bias")
    assert "(+3 %)" in told
    assert (
        "Trend: none to be seen, +1.5 % a day ± 0.2887 (95 %: -2.168 to +5.168, 3 values)" in told
    )
    document = shown.json("calibration", "bias", "--from", "2020-01-02", "--axis", "valid")
    assert document["drift"]["change"] == 2.0
    assert shown.json("calibration", "x", code=3)["error"]["code"] == "not_found"
    assert "keiner zu erkennen" in shown.text("calibration", "bias", "--lang", "de")


ASKED = {
    "a plan": lambda m: m.planning("n/wiki", as_of="2026-09-01", known_at="2032-01-01"),
    "a trace": lambda m: m.trace("sitz", as_of="2029-01-01", known_at="2032-01-01"),
    "a trace of words": lambda m: m.trace("Am Markt/2?", limit=None, start="2020", end="2029-01-01",
                                          as_of="2029-01-01", known_at="2032-01-01"),
    "a pattern": lambda m: m.patterns("Sitz", as_of="2029-01-01", known_at="2032-01-01"),
    "a calibration": lambda m: m.calibration("Bias", start="2020-01-01", as_of="2029-01-01",
                                             known_at="2032-01-01", axis="valid", unit="%"),
    "no plan": lambda m: m.planning("nirgends"),
    "no folder": lambda m: m.planning(""),
    "no trace": lambda m: m.trace("nirgends"),
    "an empty trace": lambda m: m.trace(""),
    "a trace of nothing": lambda m: m.trace("sitz", limit=0),
    "no pattern": lambda m: m.patterns("nirgends"),
    "an empty topic": lambda m: m.patterns(" "),
    "no calibration": lambda m: m.calibration("nirgends"),
    "no name": lambda m: m.calibration(""),
    "no axis": lambda m: m.calibration("Bias", axis="quer"),
    "no instant": lambda m: m.trace("sitz", start="neulich oder so"),
}  # fmt: skip


def _told(memory, ask) -> object:
    try:
        return to_wire(ask(memory))
    except DamalsError as error:
        return [type(error).__name__, error.key, {k: str(v) for k, v in error.values.items()}]


def test_it_is_answered_and_refused_over_http_as_it_is_here(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    folder = tmp_path / "n" / "wiki"
    folder.mkdir(parents=True)
    for note in (vision(), roadmap()):
        (folder / note.file).write_text(written(note), encoding="utf-8")
    init_home(tmp_path / "home", timezone="UTC")
    at = {"clock": lambda: instant_of("2031-01-01T00:00:00Z")}
    with open_home(tmp_path / "home", brief=True, **at) as memory:
        memory.import_(tmp_path / "n")
        memory.remember("Sitz", "Am Markt 2", external_id="sitz", tags=["ort"])
        memory.remember("Bias", type="calibration", valid_from="2020-01-01",
                        properties={"name": "Bias", "value": 1, "unit": "%"})  # fmt: skip
        here = {name: _told(memory, ask) for name, ask in ASKED.items()}
    with open_from_afar(tmp_path / "home", **at) as afar:
        assert {name: _told(afar, ask) for name, ask in ASKED.items()} == here
