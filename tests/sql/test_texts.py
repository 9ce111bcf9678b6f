"""Every text is stored once, whatever names it."""

from pathlib import Path

from ledger_driver import Driver, remember, update
from ledger_file import change, rows

from damals.domain.operations import Correct

TEXT = "\n\n".join(f"Absatz {number} sagt etwas Eigenes." for number in range(300))


def test_a_text_is_not_repeated_by_the_log_or_by_its_chunks(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a", content=TEXT))
    driver.do("2024-01-11", update("b", "a", content=TEXT, valid_from="2024-03-01"))
    driver.do("2024-01-12", Correct("a", {"tags": ("neu",)}), remember("c", content=f"{TEXT}!"))
    (stored,) = rows(path, "SELECT sum(length(text)) AS characters FROM contents")
    assert 2 * len(TEXT) < stored["characters"] < 2 * len(TEXT) + 5_000
    assert rows(path, "SELECT 1 FROM contents WHERE text LIKE '%Absatz 7 %'") == [{"1": 1}] * 2


def test_an_erased_text_is_empty_in_the_log(driver: Driver, path: Path):
    driver.do("2024-01-10", remember("a", content="geheim"))
    change(
        path, "UPDATE contents SET text = NULL, lookup = NULL, salt = NULL WHERE text = 'geheim'"
    )
    with driver.reading() as reader:
        (stored,) = reader.log()
    params = stored.operations[0].params
    assert (params["title"], params["content"]) == ("A", "")
