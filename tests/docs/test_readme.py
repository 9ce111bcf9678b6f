"""The first session of the README, run as it stands; only ids, times and scores may differ."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
SESSION = re.compile(r"<!-- session.*?-->(.*)<!-- /session -->", re.DOTALL)
BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MARK = "----- end of block -----"
CHANGING = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "ID"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?(?= |,|\)|$)", re.MULTILINE), "INSTANT"),
    (re.compile(r"Made \S+/archive"), "Made HOME"),
    (re.compile(r"\b\d\.\d{3}\b"), "SCORE"),
    (re.compile(r"\b\d+\.\d s$", re.MULTILINE), "SECONDS"),
    (re.compile(r"[ \t]+"), " "),
)
"""What differs from run to run; widths of columns follow instants that fall on a full minute."""


def session() -> list[tuple[str, str]]:
    """The blocks of commands, each with the output that is printed below it."""
    found = SESSION.search(README.read_text(encoding="utf-8"))
    assert found, "README.md has no session"
    blocks = BLOCK.findall(found[1])
    assert [kind for kind, _ in blocks] == ["sh", "text"] * (len(blocks) // 2)
    texts = [text for _, text in blocks]
    return list(zip(texts[::2], texts[1::2], strict=True))


def stable(text: str) -> str:
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text.strip()


def run(blocks: list[str], folder: Path) -> list[str]:
    """What the blocks print, run one after the other in one shell."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    program = bin_folder / "damals"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m damals "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DAMALS_")}
    environment = {
        **kept,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "TMPDIR": str(folder),
        "COLUMNS": "200",
    }
    script = "set -e\n" + "".join(f"{block}\necho '{MARK}'\n" for block in blocks)
    ran = subprocess.run(
        ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.split(f"{MARK}\n")[:-1]


@pytest.mark.model
def test_the_first_session_prints_what_the_readme_shows(tmp_path: Path):
    blocks = session()
    printed = run([commands for commands, _ in blocks], tmp_path)
    assert [stable(text) for text in printed] == [stable(shown) for _, shown in blocks]


def test_every_command_has_its_place_in_the_readme():
    from damals.interfaces.cli.registry import commands  # noqa: PLC0415 -- only this test needs it

    table = README.read_text(encoding="utf-8").partition("## Commands")[2].partition("\n## ")[0]
    named = {
        name.rstrip("…")
        for cell in re.findall(r"^\| (.+?) \|", table, re.MULTILINE)
        for name in re.findall(r"`([a-z]+(?: [a-z]+)?)", cell)
    }
    assert set(commands()) <= named, set(commands()) - named


@pytest.mark.parametrize(
    "name", ["README.md", "README.de.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
)
def test_links_to_other_files_lead_somewhere(name: str):
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", text)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
