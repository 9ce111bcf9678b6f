"""What people read of the reasons of a result."""

import pytest

from damals.interfaces.cli.reasons import chain_line


def edge(src: str, relation: str, dst: str, sure: float = 1.0) -> dict[str, object]:
    ends = {name: {"id": one, "title": one.upper()} for name, one in (("from", src), ("to", dst))}
    return {"from": ends["from"], "relation": relation, "confidence": sure, "to": ends["to"]}


@pytest.mark.parametrize(
    ("start", "chain", "line"),
    [
        ("a", [], ""),
        ("a", [edge("a", "part_of", "b", 0.8)], "A → part_of (0.8) → B"),
        ("a", [edge("b", "part_of", "a")], "A ← part_of (1) ← B"),
        (
            "a",
            [edge("a", "shaped_by", "b", 0.8), edge("c", "has_value", "b")],
            "A → shaped_by (0.8) → B ← has_value (1) ← C",
        ),
    ],
)
def test_a_chain_is_read_from_the_result_on(start, chain, line):
    assert chain_line(start, chain) == line


def test_control_characters_of_titles_are_not_shown():
    chain = [edge("a", "part_of", "b")]
    chain[0]["to"] = {"id": "b", "title": "B\x1b[31m\nrot"}
    assert "\x1b" not in chain_line("a", chain)
    assert "\n" not in chain_line("a", chain)
