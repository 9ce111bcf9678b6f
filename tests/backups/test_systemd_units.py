"""The example of a nightly backup is what systemd accepts, and what the program understands."""

import shutil
import subprocess
from pathlib import Path

import pytest

from damals.interfaces.cli.registry import find

FOLDER = Path(__file__).resolve().parents[2] / "deploy" / "systemd"
UNITS = ("damals-backup.service", "damals-backup.timer")


def commands() -> list[list[str]]:
    lines = (FOLDER / UNITS[0]).read_text(encoding="utf-8").splitlines()
    started = [line.partition("=") for line in lines if line.startswith("ExecSt")]
    return [[name, *words.split()] for name, _, words in started]


def test_its_commands_are_those_of_the_program():
    assert {words[1] for words in commands()} == {"%h/.local/bin/damals"}
    for _, _, *words in commands():
        command, arguments = find(words)
        command.parse(arguments)


def test_it_checks_before_it_removes_and_removes_in_any_case():
    """What `ExecStopPost` names is run whether the others failed or not, and after them."""
    assert [(words[0], words[3]) for words in commands()] == [
        ("ExecStart", "create"),
        ("ExecStart", "verify"),
        ("ExecStopPost", "prune"),
    ]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="NOT RUN: no systemd here")
def test_systemd_understands_it(tmp_path: Path):
    # The program need not be installed where the check runs.
    (tmp_path / "damals").write_text("#!/bin/sh\n")
    (tmp_path / "damals").chmod(0o755)
    for name in UNITS:
        text = (FOLDER / name).read_text(encoding="utf-8")
        text = text.replace("%h/.local/bin/damals", str(tmp_path / "damals"))
        (tmp_path / name).write_text(text, encoding="utf-8")
    told = subprocess.run(
        ["systemd-analyze", "verify", *(str(tmp_path / name) for name in UNITS)],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    ours = [line for line in told.stderr.splitlines() if "damals" in line]
    assert (told.returncode, ours) == (0, []), told.stderr
