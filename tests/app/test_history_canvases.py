"""Canvases in a replayed history: in the end arrows state what a plain import finds."""

import json
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from imported_vault import Vault

from damals.app.history.replay import HistoryImport
from damals.app.indexing import silent
from damals.app.vault.run import Options
from git_repository import Repository

NOTES = ("a.md", "b.md", "x/a.md", "x/c.md")
LABELS = ("", "supports", "part of")


def canvas(*arrows: tuple[str, str, str]) -> str:
    nodes = [{"id": path, "type": "file", "file": path} for path in NOTES]
    edges = [
        {"id": str(place), "fromNode": start, "toNode": end, "label": label}
        for place, (start, end, label) in enumerate(arrows)
    ]
    return json.dumps({"nodes": nodes, "edges": edges})


arrow = st.tuples(st.sampled_from(NOTES), st.sampled_from(NOTES), st.sampled_from(LABELS))
change = st.one_of(
    st.tuples(st.just("draw"), st.sampled_from(("one", "two")), st.lists(arrow, max_size=3)),
    st.tuples(st.just("write"), st.sampled_from(NOTES)),
    st.tuples(st.just("remove"), st.sampled_from((*NOTES, "one.canvas", "two.canvas"))),
    st.tuples(st.just("move"), st.sampled_from(NOTES), st.sampled_from(NOTES)),
)


def do(repository: Repository, number: int, kind: str, name: str, *rest) -> None:
    file = repository.root / name
    if kind == "draw":
        repository.write(f"{name}.canvas", canvas(*rest[0]))
    elif kind == "write":
        repository.write(name, f"# {number}\n\nText of {name} that is long enough\n")
    elif file.exists() and kind == "remove":
        file.unlink()
    elif file.exists() and kind == "move" and name != rest[0]:
        text = file.read_text()
        file.unlink()
        repository.write(rest[0], text)


def drawn(vault: Vault) -> dict[str, set[tuple[str, str | None]]]:
    return {path: vault.relations(path) for path in vault.places()}


@settings(max_examples=12, deadline=None)
@given(st.lists(st.lists(change, min_size=1, max_size=3), min_size=2, max_size=5), st.booleans())
def test_after_any_history_of_canvases_arrows_are_those_of_the_folder(commits, stepwise):
    numbers = count()
    with TemporaryDirectory() as name:
        whole, replayed = Vault(Path(name) / "vault"), Vault(Path(name) / "replayed")
        repository = Repository(whole.root)
        replayed.root = whole.root

        def replay() -> None:
            parts = (replayed.ledger, "w", replayed.vaults, replayed.tools)
            assert HistoryImport(*parts, Options(history=True)).run(whole.root, silent).late == ()

        for steps in commits:
            for step in steps:
                do(repository, next(numbers), *step)
            repository.commit()
            if stepwise:
                replay()
        replay()
        whole.take_in()
        assert drawn(replayed) == drawn(whole)
