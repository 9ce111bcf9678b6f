"""All that is kept about a person, to be given to them."""

import json

import pytest

from damals.app.person_export.names import Names
from damals.domain.access import Principal
from damals.errors import Denied, InvalidInput, NotFound


@pytest.fixture
def anna(memory):
    """Anna, who was called otherwise once, and what is known of her."""
    made = memory.remember(
        "Anna Müller", "Kundin seit *2019*", external_id="anna", type="person",
        valid_from="2019-01-01", properties={"aliases": ["Änne"]},
    )  # fmt: skip
    memory.remember("Vertrag", "Mit Frau\nAnna Müllers\nUnterschrift", external_id="v",
                    valid_from="2020-01-01")  # fmt: skip
    memory.remember("Notiz", "nichts", external_id="n", tags=["änne"], valid_from="2020-01-01")
    memory.remember("Fremd", "Joanna Müller und Annahme", external_id="f", valid_from="2020-01-01")
    memory.relate("v", "part_of", "anna")
    memory.correct("v", content="ohne Namen", reason="auf Wunsch von Anna Müller")
    memory.correct("anna", title="Anna Schmidt", reason="Heirat")
    memory.unrelate("v", "part_of", "anna")
    memory.verify("anna", score=0.5, evidence="Ausweis")
    memory.create_key("anna.schmidt", roles=["reader"])
    memory.create_key("bert", roles=["reader"])
    return made


def told(memory, folder, **options):
    memory.export(folder / "anna.json", person="anna", **options)
    return json.loads((folder / "anna.json").read_text(encoding="utf-8"))


class TestNames:
    @pytest.mark.parametrize(
        "text",
        [
            "Anna Müller", "anna  müller", "ANNA\nMÜLLER", "Anna Müllers Hund", "Anna Müller's",
            "Müller, Anna", "(Anna Müller)", "Anna Mu\u0308ller", "bei Anna Müller.",
            "Anna Müller’s",
        ],
    )  # fmt: skip
    def test_a_name_is_found_however_it_is_written(self, text):
        assert Names(["Anna Müller"]).are_in(text)

    @pytest.mark.parametrize(
        "text", ["Joanna Müller", "Anna Müllerin", "AnnaMüller", "Anna, Müller"]
    )
    def test_what_only_looks_like_it_is_not(self, text):
        assert not Names(["Anna Müller"]).are_in(text)

    def test_names_that_end_in_an_s_have_their_genitive_too(self):
        assert all(map(Names(["Max", "Klaus"]).are_in, ("Max’ Hund", "Klaus' Haus", "Maxs")))

    def test_a_very_short_name_is_no_other_word(self):
        assert Names(["Ute"]).are_in("Utes Rad")
        assert not Names(["Ute"]).are_in("minute, ute")

    def test_what_stands_behind_a_name_in_brackets_is_none_of_it(self):
        assert Names(["Anna Müller (Kundin)"]).are_in("Anna Müller kam")

    def test_it_is_told_where(self):
        found = list(Names(["Anna"]).places("x " * 100 + "Annas Hund" + " y" * 100))
        assert [one.start for one in found] == [200]
        assert "Annas Hund" in found[0].quote
        assert found[0].quote.startswith("… ")


@pytest.mark.usefixtures("anna")
def test_the_document_holds_all_versions_on_both_clocks(memory, tmp_path):
    found = told(memory, tmp_path)
    assert found["person"]["names"] == [
        "Anna Müller", "Müller, Anna", "Änne", "Anna Schmidt", "Schmidt, Anna"
    ]  # fmt: skip
    assert [one["title"] for one in found["versions"]] == ["Anna Müller", "Anna Schmidt"]
    assert [one["reason"] for one in found["versions"]] == [None, "Heirat"]


@pytest.mark.usefixtures("anna")
def test_it_holds_relations_that_are_over_too(memory, tmp_path):
    [one] = told(memory, tmp_path)["relations"]
    assert (one["type"], one["direction"], one["title"]) == ("part_of", "in", "Vertrag")
    assert one["recorded_to"] is not None


@pytest.mark.usefixtures("anna")
def test_it_holds_where_others_name_the_person_or_did(memory, tmp_path):
    found = {one["title"]: one["places"] for one in told(memory, tmp_path)["mentions"]}
    assert found.keys() == {"Vertrag", "Notiz"}
    [place] = found["Vertrag"]
    assert (place["field"], place["line"], place["start"]) == ("content", 2, 9)
    assert "Anna Müllers" in place["quote"]
    assert place["recorded_to"] is not None
    [place] = found["Notiz"]
    assert (place["field"], place["recorded_to"]) == ("tags", None)


@pytest.mark.usefixtures("anna")
def test_it_holds_who_was_told_and_asked(memory, tmp_path):
    memory.get("anna")
    memory.ask("Wer ist Anna Schmidt?", receipt=True)
    memory.recall("Fremd", receipt=True)
    found = told(memory, tmp_path)
    assert "Wer ist Anna Schmidt?" in [one["question"] for one in found["answers"]]
    assert "show" in [one["channel"] for one in found["accesses"]]


@pytest.mark.usefixtures("anna")
def test_it_holds_what_was_done_checked_and_called_like_the_person(memory, tmp_path):
    found = told(memory, tmp_path)
    why = [one["why"] for one in found["transactions_about"]]
    assert ["reason"] in why or ["entry", "reason"] in why
    assert "auf Wunsch von Anna Müller" in [one["reason"] for one in found["transactions_about"]]
    assert [(one["score"], one["evidence"]) for one in found["verifications"]] == [(0.5, "Ausweis")]
    assert [one["name"] for one in found["keys"]] == ["anna.schmidt"]
    assert found["sources"] == [{"kind": "call", "name": None, "path": None, "uri": None}]


@pytest.mark.usefixtures("anna")
@pytest.mark.parametrize(
    ("lang", "words"),
    [("de", ["Was über Anna Schmidt gespeichert ist", "Heirat", "Titel"]),
     ("en", ["What is kept about Anna Schmidt", "Heirat", "title"])],
)  # fmt: skip
@pytest.mark.parametrize("suffix", ["md", "html"])
def test_it_can_be_read_in_both_languages(memory, tmp_path, lang, words, suffix):
    path = tmp_path / f"anna.{suffix}"
    report = memory.export(path, person="anna", lang=lang)
    text = path.read_text(encoding="utf-8")
    assert all(word in text for word in words)
    assert (report.format, report.notes) == ("person", 2)


def test_nothing_that_is_known_becomes_markup(memory, tmp_path):
    memory.remember(
        "<script>alert(1)</script> [x](y) | *a*", "```\n<b>\n````\n", external_id="anna"
    )
    memory.export(tmp_path / "a.html", person="anna")
    memory.export(tmp_path / "a.md", person="anna")
    assert "<script>" not in (tmp_path / "a.html").read_text(encoding="utf-8")
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "\\[x\\]" in text
    assert "`````\n```\n<b>\n````" in text


@pytest.mark.usefixtures("anna")
def test_only_who_administers_may_ask(memory, tmp_path):
    for role in ("reader", "writer"):
        with pytest.raises(Denied):
            told(memory.under(Principal("x", (role,))), tmp_path)
    boss = memory.under(Principal("chefin", ("admin",)))
    assert told(boss, tmp_path)["made_for"] == "chefin"


@pytest.mark.usefixtures("anna")
def test_who_may_not_see_everything_is_not_told_of_it(memory, tmp_path):
    memory.remember("Akte", "Anna Müller", visibility="restricted", valid_from="2020-01-01")
    memory.create_key("anna", roles=["reader"], visibility="restricted")
    boss = memory.under(Principal("chefin", ("admin",)))
    found = json.dumps(told(boss, tmp_path))
    assert "Akte" not in found
    assert [one["name"] for one in told(boss, tmp_path)["keys"]] == ["anna.schmidt"]
    memory.correct("anna", visibility="restricted", reason="geheim")
    with pytest.raises(NotFound):
        told(boss, tmp_path)


def test_whoever_is_not_there_or_erased_is_not_found(memory, anna, tmp_path):
    memory.erase("entry", anna.id)
    for name in (anna.id, "nobody"):
        with pytest.raises(NotFound):
            memory.export(tmp_path / "x.json", person=name)
    with pytest.raises(InvalidInput):
        memory.export(tmp_path, person="v")
