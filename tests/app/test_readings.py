"""Which notes are read again when something else is read out of them."""

from imported_vault import Vault

from damals.adapters.files.readings import FILE, ReadingsFile
from damals.app.ledger_model import Head
from damals.app.readings import Due, SourceReading, due, reading_key
from damals.domain.types import LINKS_TO, RelationType, TypeCatalogue

# --- what was read with other types is read again


def test_an_unchanged_note_is_read_again_when_other_relations_are_declared(vault):
    vault.write("a.md", "---\nup: [[b]]\nweiter: 1\n---\nnext:: [[b]]")
    vault.write("b.md", "da")
    vault.take_in()
    assert vault.relations("a.md") == {(LINKS_TO, "b.md")}
    assert vault.properties("a.md") == {"up": "[[b]]", "weiter": "1"}
    vault.declare("relations: {up: , next: }\n")
    vault.take_in()
    assert vault.relations("a.md") == {("up", "b.md"), ("next", "b.md")}
    assert vault.properties("a.md") == {"weiter": "1"}
    vault.declare("relations: {next: }\n")
    vault.take_in()
    assert vault.relations("a.md") == {(LINKS_TO, "b.md"), ("next", "b.md")}
    assert vault.properties("a.md") == {"up": "[[b]]", "weiter": "1"}


def test_reading_again_what_says_the_same_stores_nothing(vault):
    vault.write("a.md", "extends:: [[b]]")
    vault.write("b.md", "---\nx: 1\n---\nda")
    vault.take_in()
    head = vault.head()
    vault.declare("relations: {up: }\n")
    vault.reader.parsed.clear()
    vault.run()
    assert sorted(vault.reader.parsed) == ["a.md", "b.md"]
    assert vault.head() == head


def test_weights_alone_read_nothing_again(vault):
    vault.write("a.md", "extends:: [[b]]")
    vault.take_in()
    vault.reader.parsed.clear()
    vault.declare("relations: {extends: {weight: 0.1}}\n")
    vault.run()
    assert vault.reader.parsed == []


def test_a_vault_that_was_read_before_is_read_once_more_when_nothing_is_remembered(vault):
    vault.write("a.md", "extends:: [[b]]")
    vault.take_in()
    head = vault.head()
    (vault.home / "cache" / FILE).unlink()
    vault.reader.parsed.clear()
    vault.run()
    assert vault.reader.parsed == ["a.md"]
    assert vault.head() == head
    vault.reader.parsed.clear()
    vault.run()
    assert vault.reader.parsed == []


def test_a_vault_that_was_read_before_there_were_relations_gets_them_at_the_next_import(vault):
    vault.write("a.md", '---\nsupersedes: "[[b]]"\nweiter: 1\n---\nextends:: [[c]]')
    vault.write("b.md", "---\nvalid_from: 2010-01-01\n---\nalt")
    vault.write("c.md", "da")
    vault.take_in()
    vault.do(
        op="correct",
        target=str(vault.ids()["a.md"]),
        properties={"supersedes": "[[b]]", "weiter": "1"},
        relations=[{"type": LINKS_TO, "dst": str(vault.ids()["c.md"]), "target": "c"}],
    )
    (vault.home / "cache" / FILE).unlink()
    assert not vault.superseded("b.md")
    vault.take_in()
    assert vault.relations("a.md") == {("supersedes", "b.md"), ("extends", "c.md")}
    assert vault.properties("a.md") == {"weiter": "1"}


def test_a_trial_remembers_nothing(vault):
    vault.write("a.md", "up:: [[b]]")
    vault.take_in()
    vault.declare("relations: {up: }\n")
    vault.run(dry_run=True)
    assert vault.relations("a.md") == {(LINKS_TO, None)}
    vault.take_in()
    assert vault.relations("a.md") == {("up", None)}


def test_a_part_that_was_read_with_other_types_leaves_the_rest_to_be_read(vault):
    vault.write("sub/a.md", "up:: [[x]]")
    vault.write("b.md", "up:: [[x]]")
    vault.take_in()
    vault.declare("relations: {up: }\n")
    vault.take_in("sub")
    assert vault.relations("sub/a.md") == {("up", None)}
    assert vault.relations("b.md") == {(LINKS_TO, None)}
    vault.reader.parsed.clear()
    vault.run()
    assert vault.reader.parsed == ["b.md"]
    assert vault.relations("b.md") == {("up", None)}


def test_a_note_that_was_away_is_read_again_when_it_returns(vault):
    vault.write("a.md", "up:: [[x]]")
    vault.write("b.md", "da")
    vault.take_in()
    vault.remove("a.md")
    vault.declare("relations: {up: }\n")
    vault.take_in()
    vault.write("a.md", "up:: [[x]]")
    vault.take_in()
    assert vault.relations("a.md") == {("up", None)}


def test_an_import_that_broke_off_reads_again(vault):
    vault.write("a.md", "up:: [[x]]")
    vault.take_in()
    vault.declare("relations: {up: }\n")
    vault.write("b.md", "neu")
    vault.break_off(after="read")
    vault.take_in()
    assert vault.relations("a.md") == {("up", None)}


# --- what is remembered


def test_a_reading_of_another_ledger_counts_for_nothing(vault):
    vault.write("a.md", "Text")
    vault.take_in()
    with vault.ledger.read("w") as reader:
        head = reader.head()
        same = SourceReading("k", head)
        assert due(reader, same, "k") == Due("k", same)
        number, recorded_at, logged_at = head.number, head.recorded_at, head.logged_at
        for other in (
            Head(number, recorded_at + 1, logged_at),
            Head(number, recorded_at, logged_at + 1),
            Head(number + 1, 5, 5),
        ):
            assert due(reader, SourceReading("k", other), "k").last is None


def test_the_key_of_a_reading_is_what_it_depends_on():
    def key(*relations: RelationType) -> str:
        return reading_key(TypeCatalogue(relations={one.name: one for one in relations}))

    up, down = RelationType("up"), RelationType("down")
    assert key(up, down) == key(down, up)
    assert key(up) == key(RelationType("up", 0.9, min_visibility="restricted"))
    assert len({key(), key(up), key(up, down), key(RelationType("up", symmetric=True))}) == 4


def test_what_is_remembered_names_nothing_and_a_damaged_file_is_none(tmp_path, vault):
    kept = ReadingsFile(tmp_path / "cache")
    assert kept.get(b"x") is None
    reading = SourceReading("k", Head(3, 4, 5), frozenset([next(iter(_ids(vault)))]))
    kept.put(b"x", reading)
    kept.put(b"y", SourceReading("k", Head(1, 2, 2)))
    assert ReadingsFile(tmp_path / "cache").get(b"x") == reading
    assert [path.name for path in (tmp_path / "cache").iterdir()] == [FILE]
    for damaged in ("{", "[]", '{"78": 3}', '{"78": {"key": "k"}}', "[" * 5000, "\x00"):
        (tmp_path / "cache" / FILE).write_text(damaged, encoding="utf-8")
        assert kept.get(b"x") is None
    kept.put(b"x", reading)
    assert kept.get(b"x") == reading


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path):
    (tmp_path / "cache").write_text("in the way", encoding="utf-8")
    kept = ReadingsFile(tmp_path / "cache")
    kept.put(b"x", SourceReading("k", Head(1, 2, 2)))
    assert kept.get(b"x") is None


def _ids(vault: Vault):
    vault.write("Geheimer Name.md", "Text")
    vault.take_in()
    told = (vault.home / "cache" / FILE).read_text(encoding="utf-8")
    assert "vault" not in told
    assert "Geheim" not in told
    return vault.ids().values()
