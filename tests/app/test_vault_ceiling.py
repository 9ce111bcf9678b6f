"""What one note may not be does not stop the others."""

from pathlib import Path

from damals.bootstrap import open_home
from damals.domain.access import Principal
from damals.local import LocalDamals


def test_a_note_above_the_ceiling_is_left_out_and_told_and_the_rest_is_taken_in(tmp_path: Path):
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "a.md").write_text("offen", encoding="utf-8")
    (vault / "b.md").write_text("---\nvisibility: restricted\n---\nzu", encoding="utf-8")
    (vault / "c.md").write_text("auch offen", encoding="utf-8")
    with open_home(tmp_path / "home", embedder="none", timezone="UTC", brief=True) as home:
        assert isinstance(home, LocalDamals)
        home.remember("Anfang")
        report = home.under(Principal("bob", ("writer",))).import_(vault)
        assert (report.added, [one.path for one in report.failed]) == (2, ["b.md"])
        titles = {one.title for one in home.entries(limit=None).entries}
        assert titles == {"Anfang", "a", "c"}
