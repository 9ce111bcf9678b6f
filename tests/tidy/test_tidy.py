"""The house rules that no other tool checks, each as a test over the whole tree.

What is wrong is listed as ``path:line``, so that a failure reads as a list of things to do.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = ("src", "tests", "bench")

MODULE_LINES, MODULE_LINES_HARD = 400, 600
FUNCTION_LINES, FUNCTION_LINES_HARD = 40, 70
LINE_CHARACTERS = 100

LONG_MODULES = {
    "tests/acceptance/test_diff.py": "one comparison, every kind of change that it tells",
    "tests/types/test_types_yaml.py": "one file format, every way of being wrong in one table",
    "tests/domain/test_parsing.py": "one parser, every notation it reads",
    "tests/remote/test_one_interface.py": "one interface, what is asked of all who have it",
    "tests/rest/test_rest_routes.py": "every route is asked in one file, so that none is forgotten",
}
"""Modules above the soft limit, with the reason. The hard limit has no exceptions."""

LONG_FUNCTIONS: dict[str, str] = {}
"""Functions above the soft limit as ``path:name``, with the reason."""

REASON = r"\s+(?:-{1,2}|–|—)\s+\S.{3,}"
EXCUSES = {
    "noqa": re.compile(r"#\s*noqa: [A-Z]+\d+(?:, ?[A-Z]+\d+)*" + REASON),
    "type: ignore": re.compile(r"#\s*type: ignore\[[\w, -]+\]" + REASON),
    "pyright: ignore": re.compile(r"#\s*pyright: ignore\[[\w, ]+\]" + REASON),
}
PRAGMA = re.compile(r"\s*#\s*(noqa|type: ignore|pyright: ignore)\b.*$")
"""May reach beyond the line: it is there for a checker, and its reason should not be cut short."""
LATER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b(?!: \S.{9,})")

OUTSIDE_WORLD = frozenset(
    ("asyncio", "io", "logging", "os", "pathlib", "random", "secrets", "shutil", "socket",
     "sqlite3", "subprocess", "tempfile", "threading", "time", "urllib")
)  # fmt: skip
CLOCK = frozenset(("now", "today", "utcnow"))

# Written so that no pattern matches itself.
FOREIGN = re.compile(
    r"(py[p]i\.org|python[h]osted\.org|npm[j]s\.(org|com)|crates\.[i]o\b|rubygem[s]\.org"
    r"|hub\.d[o]cker\.com|/w[o]rk/(main|tmp|shared)\b|HELPE[R]\.md|design pac[k] helper)"
)
MADE_BY_TOOLS = frozenset(
    (".git", ".venv", ".hypothesis", ".pytest_cache", ".ruff_cache", ".import_linter_cache",
     "__pycache__", "build", "dist", "node_modules")
)  # fmt: skip


@cache
def files() -> tuple[Path, ...]:
    """Every file that people keep here."""
    return tuple(
        path
        for path in sorted(ROOT.rglob("*"))
        if path.is_file() and not MADE_BY_TOOLS & set(path.relative_to(ROOT).parts)
    )


@cache
def modules(*folders: str) -> tuple[tuple[str, str, ast.Module], ...]:
    """Path, text and syntax tree of every module below some folders."""
    found = [p for p in files() if p.suffix == ".py" and p.relative_to(ROOT).parts[0] in CODE]
    named = [(p.relative_to(ROOT).as_posix(), p.read_text(encoding="utf-8")) for p in found]
    wanted = folders or CODE
    return tuple(
        (name, text, ast.parse(text))
        for name, text in named
        if any(name.startswith(f"{folder}/") for folder in wanted)
    )


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement behind the docstring to the last."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def comments(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""


def test_modules_stay_short_and_the_longer_ones_say_why():
    lengths = {name: text.count("\n") for name, text, _ in modules()}
    assert {n: length for n, length in lengths.items() if length > MODULE_LINES_HARD} == {}
    long = {name for name, length in lengths.items() if length > MODULE_LINES}
    assert sorted(long - LONG_MODULES.keys()) == []


def test_functions_stay_short_and_the_longer_ones_say_why():
    lengths = {
        f"{name}:{function.name}": body_lines(function)
        for name, _, tree in modules()
        for function in functions(tree)
    }
    assert {n: length for n, length in lengths.items() if length > FUNCTION_LINES_HARD} == {}
    long = {name: length for name, length in lengths.items() if length > FUNCTION_LINES}
    assert {n: length for n, length in long.items() if n not in LONG_FUNCTIONS} == {}


def test_no_exception_outlives_its_reason():
    known = {name for name, _, _ in modules()}
    assert set(LONG_MODULES) <= known
    assert {name.partition(":")[0] for name in LONG_FUNCTIONS} <= known
    assert all(len(reason) > 10 for reason in (LONG_MODULES | LONG_FUNCTIONS).values())


def test_lines_fit_a_screen():
    wide = [
        f"{name}:{number}"
        for name, text, _ in modules()
        for number, line in enumerate(text.splitlines(), start=1)
        if len(PRAGMA.sub("", line)) > LINE_CHARACTERS and " " in line.strip()
    ]
    assert not wide, "\n".join(wide)


def test_every_module_says_what_it_is_for():
    silent = [
        name
        for name, text, tree in modules("src", "bench")
        if text.strip() and not ast.get_docstring(tree)
    ]
    assert silent == []


def test_every_excuse_to_a_checker_names_the_rule_and_the_reason():
    bare = [
        f"{name}:{line} {comment}"
        for name, text, _ in modules()
        for line, comment in comments(text)
        for word, pattern in EXCUSES.items()
        if re.match(rf"#\s*{word}", comment) and not pattern.match(comment)
    ]
    assert not bare, "\n".join(bare)


def test_what_is_put_off_says_why():
    bare = [
        f"{name}:{line} {comment}"
        for name, text, _ in modules()
        for line, comment in comments(text)
        if LATER.search(comment)
    ]
    assert not bare, "\n".join(bare)


def test_no_two_modules_of_tests_have_the_same_name():
    """Only one of them would be imported, and the other never run."""
    names: dict[str, list[str]] = {}
    for name, _, _ in modules("tests"):
        names.setdefault(Path(name).stem, []).append(name)
    twice = [found for stem, found in names.items() if len(found) > 1 and stem != "conftest"]
    assert twice == []


def test_only_interfaces_print():
    printing = [
        f"{name}:{node.lineno}"
        for name, _, tree in modules("src")
        if not name.startswith("src/damals/interfaces/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert printing == []


def test_asynchronous_code_stays_in_the_interfaces():
    asynchronous = [
        f"{name}:{function.lineno}"
        for name, _, tree in modules("src")
        if not name.startswith("src/damals/interfaces/")
        for function in functions(tree)
        if isinstance(function, ast.AsyncFunctionDef)
    ]
    assert asynchronous == []


def test_the_domain_knows_nothing_of_the_outside_world():
    reaching = [
        f"{name}:{line} {module}"
        for name, _, tree in modules("src/damals/domain")
        for line, module in imported(tree)
        if not module.startswith("damals.domain")
        and (
            module.partition(".")[0] not in sys.stdlib_module_names
            or module.partition(".")[0] in OUTSIDE_WORLD
        )
    ]
    assert not reaching, "\n".join(reaching)


def test_the_domain_never_reads_the_clock():
    reading = [
        f"{name}:{node.lineno}"
        for name, _, tree in modules("src/damals/domain")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCK
    ]
    assert reading == []


def test_interfaces_never_reach_an_adapter():
    reaching = [
        f"{name}:{line} {module}"
        for name, _, tree in modules("src/damals/interfaces")
        for line, module in imported(tree)
        if module.startswith("damals.adapters")
    ]
    assert not reaching, "\n".join(reaching)


def test_every_adapter_is_under_the_contract_of_independence():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    named = {m for c in contracts if c["type"] == "independence" for m in c["modules"]}
    folder = ROOT / "src" / "damals" / "adapters"
    there = {f"damals.adapters.{p.parent.name}" for p in folder.glob("*/__init__.py")}
    assert there == named


def test_imports_go_in_one_direction():
    command = [
        sys.executable,
        "-c",
        "from importlinter.cli import lint_imports_command as run; run()",
    ]
    ran = subprocess.run(
        [*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_nothing_here_depends_on_where_it_was_written():
    named = []
    for path in files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if FOREIGN.search(line):
                named.append(f"{path.relative_to(ROOT)}:{number}")
    assert not named, "\n".join(named)


@pytest.mark.parametrize(
    ("comment", "fine"),
    [
        ("# noqa: PLC0415 -- wiring is loaded when needed", True),
        ("# noqa: PLC0415, S101 -- wiring is loaded when needed", True),
        ("# noqa", False),
        ("# noqa: PLC0415", False),
        ("# noqa: PLC0415 -- so", False),
    ],
)
def test_an_excuse_needs_rule_and_reason(comment: str, *, fine: bool):
    assert bool(EXCUSES["noqa"].match(comment)) is fine
