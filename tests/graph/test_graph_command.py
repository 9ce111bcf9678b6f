"""`damals graph` and `damals people`, as people and programs see them."""

import json

import pytest

from damals.bootstrap import init_home, open_home
from damals.interfaces.cli.main import main


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_LANG", "en")
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    with open_home(tmp_path / "home") as memory:
        for name in ("A", 'B "quoted" [x]', "C"):
            memory.remember(name, external_id=name[0], valid_from="2020-01-01")
        memory.relate("A", "part_of", "B", confidence=0.5)
        memory.relate("B", "related_to", "C")
        memory.remember("Lars", type="person", properties={"relation_to_owner": "self"})
    return tmp_path / "home"


def printed(capsys, home, *arguments):
    code = main([*arguments, "--home", str(home)])
    return code, capsys.readouterr().out


def test_the_graph_is_a_tree_with_arrows(home, capsys):
    code, out = printed(capsys, home, "graph", "A", "--depth", "2")
    assert code == 0
    assert [line.rstrip() for line in out.splitlines()[2:]] == [
        '  → part_of B "quoted" [x]  0.5',
        "    ↔ related_to C",
    ]


def test_with_json_there_are_nodes_and_edges(home, capsys):
    code, out = printed(capsys, home, "graph", "A", "--json")
    told = json.loads(out)
    assert code == 0
    assert [node["title"] for node in told["nodes"]] == ["A", 'B "quoted" [x]']
    [edge] = told["edges"]
    assert (edge["type"], edge["confidence"], edge["derived"]) == ("part_of", 0.5, False)
    assert told["truncated"] is False


def test_the_graph_can_be_printed_for_mermaid(home, capsys):
    _, out = printed(capsys, home, "graph", "A", "--depth", "2", "--format", "mermaid")
    assert out.splitlines() == [
        "flowchart LR",
        '  n0["A"]',
        '  n1["B #34;quoted#34; #91;x#93;"]',
        '  n2["C"]',
        '  n0 -->|"part_of"| n1',
        '  n1 ---|"related_to"| n2',
    ]


def test_the_graph_can_be_printed_for_graphviz(home, capsys):
    _, out = printed(capsys, home, "graph", "A", "--format", "dot")
    assert out.splitlines() == [
        "digraph damals {",
        '  n0 [label="A"];',
        '  n1 [label="B \\"quoted\\" [x]"];',
        '  n0 -> n1 [label="part_of"];',
        "}",
    ]


def test_an_unknown_format_is_wrong_usage(home, capsys):
    code, _ = printed(capsys, home, "graph", "A", "--format", "svg")
    assert code == 2


def test_persons_are_a_table(home, capsys):
    code, out = printed(capsys, home, "people")
    assert code == 0
    assert out.splitlines()[1].split()[:4] == ["Lars", "self", "yes", "0"]
