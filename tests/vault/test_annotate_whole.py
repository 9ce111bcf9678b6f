"""A note is annotated whole or not at all, whatever stands in it and whoever is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from damals.adapters.vault.annotate import FrontmatterEditor
from damals.adapters.vault.frontmatter import split_frontmatter
from damals.app.annotating_model import Value
from damals.domain.errors import DamalsError

LOOP = """
import sys
from pathlib import Path
from damals.adapters.vault.annotate import FrontmatterEditor
from damals.app.annotating_model import Value

for number in range(100_000):
    FrontmatterEditor().edit(Path(sys.argv[1]), {"zahl": Value(f"z{number}")}, dry_run=False)
    print(number, flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_kill_leaves_the_old_or_the_new_note_and_nothing_that_stays(tmp_path: Path):
    note = tmp_path / "Notiz.md"
    body = "Text\n" * 20_000
    note.write_text(f"---\nx: 1\n---\n{body}", encoding="utf-8")
    for lines in (1, 2, 5):
        command = [sys.executable, "-c", LOOP, str(note)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(lines):
                assert process.stdout.readline()
            process.send_signal(signal.SIGKILL)
        front = split_frontmatter(note.read_text(encoding="utf-8"))
        assert front.body == body
        assert str(front.properties["zahl"]).startswith("z")
        visible = [one.name for one in note.parent.iterdir() if not one.name.startswith(".")]
        assert visible == [note.name]
    FrontmatterEditor().edit(note, {"valid_from": Value("2024")}, dry_run=False)
    assert [one.name for one in note.parent.iterdir()] == [note.name]


LINES = st.sampled_from(
    [
        "a: 1", "b: 'x' # k", 'c: "y"', "# Kommentar", "", "tags: [a, b]", "tags: x, y", "tags:",
        "tags:\n- a # k\n- b", "tags:\n  - #a", "tag: z", "aliases: [A]", "aliases:\n  - A\n  - B",
        "valid_from: 2024-01-01", "valid_from: '2024'  # k", "valid_until: 2025", "Valid_To: ~",
        "d: |\n  eins\n\n  zwei", "e: >-\n   x\n", "f: {g: [1, 2]}", "up: [[A]]", "h:\n  i: 1",
        "title: A: B", "j: &x 1", "k: *x", "? l\n: m", "  n: 1", "\to: 1", "title: 'it''s'",
        "status:", "- p", "q: [1,\n 2]", "{r: 1}", "valid_from: {{date}}", "id: !!str 5",
    ]
)  # fmt: skip
ITEMS = st.sampled_from(["a", "b", "c d", "e: f", "B"])
VALUES = st.one_of(
    st.none(),
    st.builds(Value, st.sampled_from(["2024", "x y", "no", "a: b", "#c", "[[Z]]", "-", "é", "'"])),
    st.builds(
        Value,
        st.just(""),
        st.lists(st.sampled_from(["a", "b", "c d", "e: f", "B"]), max_size=3, unique=True).map(
            tuple
        ),
        commas=st.booleans(),
    ),
)
NAMES = st.sampled_from(["tags", "aliases", "valid_from", "valid_to", "title", "status", "a", "zz"])


@given(
    lines=st.lists(LINES, max_size=6),
    changes=st.dictionaries(NAMES, VALUES, min_size=1, max_size=3),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_stands_there_the_asked_changes_or_nothing(tmp_path: Path, lines, changes, end):
    path = tmp_path / "n.md"
    text = "\n".join(["---", *lines, "---", "Text", ""]).replace("\n", end)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    before = split_frontmatter(text.replace(end, "\n"))
    try:
        FrontmatterEditor().edit(path, changes, dry_run=False)
    except DamalsError:
        assert path.read_bytes().decode() == text
        return
    after = split_frontmatter(path.read_bytes().decode().replace(end, "\n"))
    assert after.body == before.body
    asked = {*changes, "valid_until"} if "valid_to" in changes else set(changes)
    for old, new in ((before.fields, after.fields), (before.properties, after.properties)):
        assert {k: v for k, v in old.items() if k not in asked} == {
            k: v for k, v in new.items() if k not in asked
        }
