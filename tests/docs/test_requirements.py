"""``docs/requirements.md`` and the tests name each other."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHOWING = ("acceptance", "contracts", "faults", "oracle")
"""Folders whose tests exist for nothing else than to show requirements."""
PAGE = ROOT / "docs" / "requirements.md"
ROW = re.compile(r"^\| ([A-Z]-\d+) \| (.+?) \| (.+?) \|$", re.MULTILINE)
TEST = re.compile(r"`([\w/]+\.py)(?:::(\w+))?(?:::(\w+))?`")


def rows() -> list[tuple[str, str, str]]:
    """Id, requirement and cell of tests of every row."""
    return ROW.findall(PAGE.read_text(encoding="utf-8"))


def named() -> set[tuple[str, ...]]:
    """File, class and test of every test that a row names, without the parts that are not given."""
    return {
        tuple(part for part in parts if part)
        for _, _, cell in rows()
        for parts in TEST.findall(cell)
    }


@cache
def defined(file: str) -> frozenset[tuple[str, ...]]:
    """Everything in a test file that a row can name."""
    found: set[tuple[str, ...]] = {(file,)}
    path = ROOT / "tests" / file
    tree = ast.parse(path.read_text(encoding="utf-8")) if path.is_file() else ast.Module([], [])
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            found.add((file, node.name))
        if isinstance(node, ast.ClassDef):
            found.add((file, node.name))
            found |= {
                (file, node.name, f.name) for f in node.body if isinstance(f, ast.FunctionDef)
            }
    return frozenset(found) if path.is_file() else frozenset()


def test_every_row_of_the_table_is_understood():
    lines = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith(("| id ", "| ---"))
    ]
    assert len(lines) == len(rows())
    assert len(rows()) >= 50


def test_ids_are_unique_and_in_order():
    ids = [row[0] for row in rows()]
    assert sorted(set(ids)) == sorted(ids)
    for page in {name[0] for name in ids}:
        numbers = [int(name[2:]) for name in ids if name[0] == page]
        assert numbers == sorted(numbers)


def test_every_row_names_a_test_and_every_named_test_exists():
    assert [row[0] for row in rows() if not TEST.search(row[2])] == []
    assert sorted(test for test in named() if test not in defined(test[0])) == []


@pytest.mark.parametrize(
    "file",
    sorted(
        path.relative_to(ROOT / "tests").as_posix()
        for folder in SHOWING
        for path in (ROOT / "tests" / folder).rglob("*.py")
        if path.name.startswith("test_") or path.name.endswith("_contract.py")
    ),
)
def test_every_file_that_is_there_to_show_requirements_is_named(file: str):
    assert file in {test[0] for test in named()}
