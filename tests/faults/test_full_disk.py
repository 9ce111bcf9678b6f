"""A full disk: what was acknowledged is there, the rest is refused, and it goes on after."""

from pathlib import Path

import pytest
from faulty_homes import doctor, opened

from damals.domain.errors import Unavailable

FULL = {"ledger.disk_full", "ledger.unreadable", "index.disk_full", "home.unusable", "ledger.busy"}


def filled(disk: Path) -> Path:
    """A file that leaves nothing."""
    ballast = disk / "ballast"
    with ballast.open("wb") as file:
        try:
            while True:
                file.write(bytes(1 << 20))
                file.flush()
        except OSError:
            pass
    return ballast


def test_writing_on_a_disk_that_fills_up_loses_nothing_acknowledged(small_disk):
    disk = small_disk(320)
    home, acknowledged = disk / "home", []
    with opened(home) as memory, pytest.raises(Unavailable) as refused:
        for number in range(10_000):
            acknowledged.append(memory.remember(f"Notiz {number}", "Frist. " * 4_000).id)
            if number == 20:
                ballast = filled(disk)
    assert refused.value.key in FULL, refused.value
    assert len(acknowledged) >= 20
    ballast.unlink()
    with opened(home) as memory:
        assert {one.id for one in memory.entries(limit=None)} >= set(acknowledged)
        assert memory.audit().ok
        more = memory.remember("Danach", "geht es weiter")
        assert memory.get(more.id).title == "Danach"
        assert memory.recall("Danach", limit=1).results[0].entry.id == more.id


def test_who_has_a_home_open_reads_on_while_the_disk_is_full(small_disk):
    disk = small_disk(320)
    home = disk / "home"
    with opened(home) as memory:
        first = memory.remember("Mietvertrag", "Er läuft bis Mai.")
        memory.recall("Mietvertrag")
        ballast = filled(disk)
        with pytest.raises(Unavailable) as refused:
            memory.remember("Groß", "x" * 4_000_000)
        assert refused.value.key in FULL, refused.value
        assert memory.get(first.id).title == "Mietvertrag"
        assert [one.title for one in memory.entries()] == ["Mietvertrag"]
    ballast.unlink()
    with opened(home) as memory:
        assert memory.get(first.id).title == "Mietvertrag"


def test_an_import_on_a_full_disk_is_refused_and_finished_later(small_disk, tmp_path):
    vault = tmp_path / "Vault"
    vault.mkdir()
    for number in range(40):
        text = f"# Notiz {number}\n\n" + f"Absatz {number} über Fristen.\n\n" * 500
        (vault / f"Notiz {number}.md").write_text(text, encoding="utf-8")
    disk = small_disk(320)
    home = disk / "home"
    with opened(home) as memory:
        memory.remember("Zuerst", "da")
    ballast = filled(disk)
    with opened(home) as memory, pytest.raises(Unavailable) as refused:
        memory.import_(vault)
    assert refused.value.key in FULL, refused.value
    ballast.unlink()
    with opened(home) as memory:
        report = memory.import_(vault)
        assert report.failed == ()
        assert len(list(memory.entries(limit=None))) == 41
        assert memory.audit().ok


def test_little_space_is_told_before_it_is_gone(small_disk):
    disk = small_disk(320)
    with opened(disk / "home") as memory:
        memory.remember("x", "y")
    found = next(one for one in doctor(disk / "home").checks if one.name == "space")
    assert not found.ok
