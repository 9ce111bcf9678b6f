"""The guide to the Python library, run as it stands."""

import contextlib
import io
import re
from pathlib import Path

from afar import ServedHome

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCK = re.compile(r"^```(python|text|sh)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ADDRESS = "http://127.0.0.1:7399"
"""Where the guide's server is; the test's takes a port that is free."""


def printed(code: str, names: dict[str, object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(GUIDE), "exec"), names)  # noqa: S102 -- the point of this test
    return out.getvalue()


def test_every_example_prints_what_the_guide_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    blocks = BLOCK.findall(GUIDE.read_text(encoding="utf-8"))
    names: dict[str, object] = {}
    said, url = "", ADDRESS
    with contextlib.ExitStack() as stack:
        for kind, text in blocks:
            match kind:
                case "sh":
                    assert text == "damals --home ./archiv serve\n"
                    served = ServedHome("./archiv")
                    stack.callback(served.close)
                    url = served.listener.url
                case "python":
                    assert said == "", "an example whose output the guide does not show"
                    said = printed(text.replace(ADDRESS, url), names)
                case _:
                    assert said == text
                    said = ""
    assert said == ""
    assert sum(kind == "python" for kind, _ in blocks) >= 8
