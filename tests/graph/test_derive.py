"""Derived edges in a home: recorded, ended, taken along, and never in the way of what is said."""

import pytest

from damals.bootstrap import init_home, open_home
from damals.domain.access import Principal
from damals.errors import Conflict, Denied, InvalidInput

PACKAGED = "inverse", "closure"


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    init_home(tmp_path / "home", timezone="Europe/Berlin")
    return tmp_path / "home"


@pytest.fixture
def memory(home):
    with open_home(home) as opened:
        yield opened


def remember(memory, *names, **fields):
    for name in names:
        memory.remember(name, external_id=name, **({"valid_from": "2020-01-01"} | fields))


@pytest.fixture
def chain(memory):
    """Satz is part of Kapitel, Kapitel of Buch."""
    remember(memory, "Satz", "Kapitel", "Buch")
    memory.relate("Satz", "part_of", "Kapitel")
    memory.relate("Kapitel", "part_of", "Buch")
    return memory


def edges(memory, name, **asked):
    """The edges around an entry, as it is shown."""
    titles = {one.id: one.title for one in memory.entries(limit=None).entries}
    found = memory.graph(name, limit=None, **asked)
    titles |= {node.id: node.title for node in found.nodes}
    return {
        (titles[one.src_id], one.type, titles[one.dst_id], one.rule): one.confidence
        for one in found.edges
    }


def test_edges_are_added_marked_and_named_after_their_rule(chain):
    report = chain.derive()
    assert (report.added, report.ended, report.unchanged) == (3, 0, 0)
    assert report.transaction == chain.log().transactions[-1].number
    assert edges(chain, "Satz") == {
        ("Satz", "part_of", "Kapitel", None): 1.0,
        ("Kapitel", "has_part", "Satz", "inverse"): 1.0,
        ("Satz", "part_of", "Buch", "closure"): 0.7,
    }
    found = [one for one in chain.get("Satz").relations if one.derived]
    assert {(one.type, one.direction, one.title) for one in found} == {
        ("has_part", "in", "Kapitel"),
        ("part_of", "out", "Buch"),
    }


def test_doing_it_again_changes_nothing(chain):
    chain.derive()
    number = chain.log().transactions[-1].number
    again = chain.derive()
    assert (again.added, again.ended, again.unchanged) == (0, 0, 3)
    assert again.transaction is None
    assert chain.log().transactions[-1].number == number


def test_a_trial_says_what_would_be_done_and_does_nothing(chain):
    trial = chain.derive(dry_run=True)
    assert (trial.added, trial.dry_run, trial.transaction) == (3, True, None)
    assert not any(one.derived for one in chain.get("Satz").relations)
    chain.derive()
    assert chain.derive(dry_run=True).added == 0


def test_what_the_rules_give_no_longer_ends_and_was_known_before(chain):
    chain.derive()
    known = chain.log().transactions[-1].recorded_at
    chain.unrelate("Kapitel", "part_of", "Buch")
    report = chain.derive()
    assert (report.added, report.ended, report.unchanged) == (0, 2, 1)
    assert ("Satz", "part_of", "Buch", "closure") not in edges(chain, "Satz")
    assert ("Satz", "part_of", "Buch", "closure") in edges(
        chain, "Satz", as_of="2024-01-01", known_at=known
    )
    assert chain.derive().transaction is None


def test_an_edge_holds_where_its_premises_hold(memory):
    remember(memory, "A", valid_from="2020-01-01", valid_to="2023-01-01")
    remember(memory, "B", valid_from="2021-01-01")
    remember(memory, "C", valid_from="2000-01-01")
    memory.relate("A", "part_of", "B")
    memory.relate("B", "part_of", "C", valid_to="2022-01-01")
    memory.derive()
    derived = ("A", "part_of", "C", "closure")
    assert derived not in edges(memory, "A", as_of="2020-06-01")
    assert derived in edges(memory, "A", as_of="2021-06-01")
    assert derived not in edges(memory, "A", as_of="2022-06-01")


def test_imprecise_bounds_stay_imprecise(memory):
    remember(memory, "A", valid_from="2021")
    remember(memory, "B", "C", valid_from="2000")
    memory.relate("A", "part_of", "B")
    memory.relate("B", "part_of", "C")
    memory.derive()
    [op] = [one for one in memory.log().transactions[-1].ops if one["rule"] == "closure"]
    assert op["parts"][0]["from"]["text"] == "2021"
    derived = ("A", "part_of", "C", "closure")
    assert derived in edges(memory, "A", as_of="2021-06-01")
    assert derived not in edges(memory, "B", depth=2, as_of="2020-06-01")


def test_a_change_of_validity_is_followed(chain):
    chain.derive()
    chain.end("Kapitel", "2022-01-01", reason="gestrichen")
    report = chain.derive()
    assert report.added > 0
    derived = ("Satz", "part_of", "Buch", "closure")
    assert derived in edges(chain, "Satz", as_of="2021-06-01")
    assert derived not in edges(chain, "Satz", as_of="2022-06-01")
    assert chain.derive().transaction is None


def test_what_is_said_is_neither_replaced_nor_hidden(chain):
    chain.derive()
    chain.relate("Satz", "part_of", "Buch", confidence=0.4)
    before = edges(chain, "Satz")
    assert before["Satz", "part_of", "Buch", None] == 0.4
    assert before["Satz", "part_of", "Buch", "closure"] == 0.7
    chain.derive()
    after = edges(chain, "Satz")
    assert after["Satz", "part_of", "Buch", None] == 0.4
    assert ("Satz", "part_of", "Buch", "closure") not in after
    chain.unrelate("Satz", "part_of", "Buch")
    chain.derive()
    assert edges(chain, "Satz")["Satz", "part_of", "Buch", "closure"] == 0.7


def test_a_derived_edge_cannot_be_taken_back_by_hand(chain):
    chain.derive()
    with pytest.raises(Conflict) as error:
        chain.unrelate("Satz", "part_of", "Buch")
    assert error.value.key == "relation.derived"


def test_a_derivation_can_be_reverted(chain):
    number = chain.derive().transaction
    chain.revert(number, reason="r")
    assert not any(one.derived for one in chain.get("Satz").relations)
    assert chain.derive().added == 3


@pytest.mark.parametrize(
    "leave",
    [
        lambda memory: memory.archive("Kapitel", reason="r"),
        lambda memory: memory.erase("entry", "Kapitel"),
        lambda memory: memory.retract("Kapitel", reason="r"),
    ],
    ids=["archived", "erased", "retracted"],
)
def test_nothing_follows_from_what_is_archived_erased_or_taken_back(chain, leave):
    chain.derive()
    leave(chain)
    chain.derive()
    assert not any(one.derived for one in chain.get("Satz").relations)
    assert chain.derive().transaction is None


def test_nobody_learns_by_a_derived_edge_of_what_they_may_not_see(chain):
    chain.correct("Kapitel", visibility="restricted", reason="r")
    chain.derive()
    seen = chain.under(Principal("gast", visibility="internal"))
    assert seen.get("Satz").relations == ()
    assert not any(one.type == "part_of" for one in seen.get("Buch").relations)
    assert ("Satz", "part_of", "Buch", "closure") not in edges(chain, "Satz")


def test_only_who_may_administer_derives(chain):
    writer = chain.under(Principal("w", roles=("writer",)))
    with pytest.raises(Denied):
        writer.derive()
    assert chain.under(Principal("a", roles=("admin",))).derive().added == 3
    assert chain.log().transactions[-1].actor == "a"


def test_it_is_no_part_of_a_transaction(chain):
    with chain.transaction(), pytest.raises(InvalidInput):
        chain.derive()


def test_the_rules_of_the_home_are_followed(home, chain):
    folder = home / ".damals"
    folder.mkdir(exist_ok=True)
    (folder / "types.yaml").write_text(
        "derive:\n  - {rule: inverse, of: [part_of], confidence: 0.5}\n", encoding="utf-8"
    )
    report = chain.derive()
    assert [one.rule for one in report.rules] == ["inverse"]
    assert edges(chain, "Satz")["Kapitel", "has_part", "Satz", "inverse"] == 0.5


def test_edges_of_a_relation_that_is_no_longer_declared_end(home, chain):
    folder = home / ".damals"
    folder.mkdir(exist_ok=True)
    own = folder / "types.yaml"
    own.write_text(
        "relations:\n  ober: {inverse: unter}\n  unter: {}\n"
        "derive:\n  - {rule: inverse, of: [unter]}\n",
        encoding="utf-8",
    )
    chain.relate("Satz", "unter", "Buch")
    assert chain.derive().added == 1
    own.unlink()
    assert ("Buch", "ober", "Satz", "inverse") not in (chain.derive() and edges(chain, "Satz"))


def test_of_many_edges_of_one_entry_those_that_go_are_ended_and_the_others_stay(memory):
    names = [f"Teil {number}" for number in range(12)]
    remember(memory, "Ganzes", *names)
    for name in names:
        memory.relate(name, "part_of", "Ganzes")
    assert memory.derive().added == 12
    for name in names[::2]:
        memory.unrelate(name, "part_of", "Ganzes")
    report = memory.derive()
    assert (report.added, report.ended, report.unchanged) == (0, 6, 6)
    derived = [one.title for one in memory.get("Ganzes").relations if one.derived]
    assert sorted(derived) == sorted(names[1::2])
    for name in names[::2]:
        memory.relate(name, "part_of", "Ganzes", confidence=0.5)
    assert memory.derive().added == 6
    assert memory.derive().transaction is None


NEAR = (
    "relations:\n  nah: {{symmetric: {symmetric}}}\n"
    "derive:\n  - {{rule: backlink, of: [part_of], gives: nah}}\n"
)


@pytest.mark.parametrize("pair", [("A", "B"), ("B", "A")])
def test_a_relation_that_becomes_symmetric_is_derived_as_such_and_back(home, memory, pair):
    own = home / ".damals" / "types.yaml"
    own.parent.mkdir(exist_ok=True)
    remember(memory, "A", "B")
    memory.relate(pair[0], "part_of", pair[1])
    for symmetric in (False, True, False):
        own.write_text(NEAR.format(symmetric=str(symmetric).lower()), encoding="utf-8")
        memory.derive()
        [near] = [one for one in memory.graph("A").edges if one.type == "nah"]
        assert near.symmetric is symmetric
        assert memory.derive().transaction is None


def vault_of(folder, types, **notes):
    (folder / ".damals").mkdir(parents=True)
    (folder / ".damals" / "types.yaml").write_text(types, encoding="utf-8")
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", encoding="utf-8")
    return folder


TEACHING = "relations:\n  lehrt: {inverse: lernt_von}\n  lernt_von: {}\n"
BESIDE = "relations:\n  neben: {symmetric: true, transitive: true}\n"


def derived_edges(memory):
    entries = memory.entries(limit=None).entries
    found = [edges(memory, one.id) for one in entries]
    return {key for one in found for key in one if key[3] is not None}


def test_the_rules_of_a_vault_win_over_those_of_the_home(memory, tmp_path):
    rules = "derive:\n  - {rule: inverse, of: [lehrt]}\n"
    folder = tmp_path / "schule"
    memory.import_(vault_of(folder, TEACHING + rules, Anna="lehrt:: [[Ben]]", Ben=""))
    assert memory.derive(dry_run=True).added == 1
    assert memory.derive().added == 1
    assert derived_edges(memory) == {("Ben", "lernt_von", "Anna", "inverse")}
    assert memory.derive().transaction is None


def test_the_rules_of_several_vaults_are_all_carried_out(memory, tmp_path):
    rules = "derive:\n  - {rule: inverse, of: [lehrt]}\n"
    memory.import_(vault_of(tmp_path / "a", TEACHING + rules, Anna="lehrt:: [[Ben]]", Ben=""))
    rules = "derive:\n  - {rule: closure, of: [neben]}\n"
    links = {"Eins": "neben:: [[Zwei]]", "Zwei": "neben:: [[Drei]]", "Drei": ""}
    memory.import_(vault_of(tmp_path / "b", BESIDE + rules, **links))
    memory.derive()
    assert {(kind, rule) for _, kind, _, rule in derived_edges(memory)} == {
        ("lernt_von", "inverse"),
        ("neben", "closure"),
    }
    assert memory.derive().transaction is None


def test_a_wrong_file_of_a_vault_is_refused_with_its_line(memory, tmp_path):
    folder = vault_of(tmp_path / "schule", TEACHING, Anna="")
    memory.import_(folder)
    (folder / ".damals" / "types.yaml").write_text("derive:\n  - {rule: x}\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as error:
        memory.derive()
    assert error.value.values["line"] == 2
    assert error.value.values["path"].startswith(str(folder))


def test_a_vault_gives_backlinks_quotes_and_mentions(memory, tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    for name in "abc":
        (vault / f"{name}.md").write_text(f"# {name.upper()}\n", encoding="utf-8")
    for number in range(3):
        (vault / f"tag {number}.md").write_text(
            f"# Tag {number}\n\nMit [[a]] und [[b]].\n\n> Was [[c]] sagt.\n> — [[b]]\n",
            encoding="utf-8",
        )
    memory.import_(vault)
    report = memory.derive()
    assert {one.rule: one.given for one in report.rules} == {
        "backlink": 9,
        "quote": 3,
        "inverse": 3,
        "co_mention": 3,
    }
    [a] = [one for one in memory.entries().entries if one.title == "A"]
    found = edges(memory, a.id)
    assert found["A", "linked_from", "Tag 0", "backlink"] == 1.0
    assert (
        found.get(
            ("A", "related_to", "B", "co_mention"),
            found.get(("B", "related_to", "A", "co_mention")),
        )
        == 0.5
    )
    [b] = [one for one in memory.entries().entries if one.title == "B"]
    assert edges(memory, b.id)["Tag 0", "inspired_by", "B", "quote"] == 0.8
    assert memory.derive().transaction is None
    memory.import_(vault)
    assert memory.derive().transaction is None


def test_an_export_takes_derived_edges_along(chain, tmp_path):
    chain.derive()
    chain.unrelate("Kapitel", "part_of", "Buch")
    chain.derive()
    chain.export(tmp_path / "alles.jsonl")
    init_home(tmp_path / "copy", timezone="UTC")
    with open_home(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "alles.jsonl")
        assert copy.get("Satz").relations == chain.get("Satz").relations
        known = chain.log().transactions[-2].recorded_at
        asked = {"as_of": "2024-01-01", "known_at": known}
        assert copy.get("Satz", **asked).relations == chain.get("Satz", **asked).relations
        assert copy.derive().transaction is None
        assert copy.audit().ok
    assert chain.audit().ok


def test_an_export_after_an_erasure_can_be_read_again(chain, tmp_path):
    chain.derive()
    chain.erase("entry", "Kapitel")
    chain.export(tmp_path / "alles.jsonl")
    init_home(tmp_path / "copy", timezone="UTC")
    with open_home(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "alles.jsonl")
        assert copy.get("Satz").relations == chain.get("Satz").relations


def test_what_somebody_sees_of_the_log_and_takes_along_tells_of_nothing_hidden(chain, tmp_path):
    chain.derive()
    chain.correct("Kapitel", visibility="restricted", reason="r")
    hidden = chain.get("Kapitel").id
    seen = chain.under(Principal("gast", roles=("admin",), visibility="internal"))
    assert hidden not in str([one.to_dict() for one in seen.log().transactions])
    seen.export(tmp_path / "teil.jsonl")
    assert hidden not in (tmp_path / "teil.jsonl").read_text(encoding="utf-8")
    init_home(tmp_path / "copy", timezone="UTC")
    with open_home(tmp_path / "copy") as copy:
        copy.import_(tmp_path / "teil.jsonl")
        assert copy.get("Satz").title == "Satz"
