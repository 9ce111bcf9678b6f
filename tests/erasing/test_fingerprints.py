"""By what erased texts are found: in every form, in parts, after a crash, and nothing else."""

import json
import random

import pytest

from damals.app.erasing import fingerprints as prints

LONG = " ".join(f"Satz {n} der langen Aussage, die hier steht." for n in range(200))
SHORT = "Wilhelmine Geheimrat"


def search(*texts: str) -> prints.Search:
    """A search that went through a journey as text, as after a crash."""
    return prints.Search(prints.read(prints.fingerprints(texts).written()))


def noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [SHORT, LONG])
def test_a_text_is_found_in_every_encoding(text: str, encoding: str):
    data = noise(5_001) + text.encode(encoding) + noise(100, 2)
    assert search(text).places(data)[0] == 5_001


def test_a_text_is_found_as_json_writes_it():
    text = 'Sie sagte "nein", für Überweisungen'
    assert search(text).places(b"xx" + json.dumps(text).encode()) == [3]
    assert search(text).places(json.dumps(text, ensure_ascii=False).encode()) == [1]


def test_a_part_of_a_long_text_is_enough():
    data = LONG.encode()
    for start in range(0, len(data) - 48, 997):
        assert search(LONG).places(noise(50) + data[start : start + 48])


def test_a_text_in_a_document_is_found_without_it():
    found = search(json.dumps({"title": SHORT, "id": "x", "list": [{"deep": "Lange Straße 12"}]}))
    assert found.places(SHORT.encode())
    assert found.places("Lange Straße 12".encode())


def test_what_survives_elsewhere_proves_nothing():
    found = search(LONG, SHORT)
    found.drop_surviving(["Grüße an Wilhelmine Geheimrat!"])
    assert found.places(SHORT.encode()) == []
    assert found.places(LONG.encode())
    assert len(found.dropped) == 1


def test_short_texts_ids_and_dates_are_no_fingerprints():
    made = prints.fingerprints(
        ["kurz", "0189f7a0-0000-7000-8000-000000000000", "2024-01-01T00:00:00.000000Z"]
    )
    assert (len(made.hashes), made.short) == (0, 1)
    assert search("kurz").places(b"kurz" * 100) == []


def test_nothing_is_found_where_nothing_is():
    assert search(LONG, SHORT).places(noise(300_000)) == []
    assert search(LONG).places(b"\0" * 300_000) == []
    assert search().places(noise(1_000)) == []


def test_what_is_kept_to_search_with_holds_no_text():
    kept = prints.fingerprints([LONG, SHORT]).written()
    assert SHORT not in kept
    assert "Satz" not in kept


def test_very_much_text_has_a_bounded_number_of_pieces(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(prints, "MOST_PIECES", 100)
    found = search(LONG)
    assert len(found.pieces.hashes) <= 120
    assert found.places(LONG.encode())
