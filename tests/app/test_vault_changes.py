"""Any sequence of changes to a vault: the ledger says in the end what the folder says."""

from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from imported_vault import Vault, failures

PATHS = ("a.md", "b.md", "x/a.md", "x/b.md", "c.md")
IDS = (None, None, "A", "B", "a.md")
LINES = ("", "[[a]]", "[[x/b]] [[b]]", "[m](a.md) [[c]]", "[m](b.md) [[N]]")

written = st.tuples(
    st.just("write"),
    st.sampled_from(PATHS),
    st.sampled_from(IDS),
    st.sampled_from(LINES),
    st.booleans(),
)
changes = st.one_of(
    written,
    st.tuples(st.just("swap"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    st.tuples(st.just("remove"), st.sampled_from(PATHS)),
    st.tuples(st.just("spoil"), st.sampled_from(PATHS)),
)
runs = st.lists(st.lists(changes, min_size=1, max_size=5), min_size=1, max_size=5)


def change(vault: Vault, number: int, kind: str, path: str, *rest) -> None:
    file = vault.root / path
    if kind == "write":
        name, line, named = rest
        fields = [f"id: {name}"] if name else []
        fields += ["aliases: [N]"] if named else []
        front = "---\n" + "\n".join(fields) + "\n---\n" if fields else ""
        vault.write(path, f"{front}{number}\n\n{line}\n")
    elif kind == "spoil":
        vault.write(path, b"\xff")
    elif not file.exists() or path in rest:
        return
    elif kind == "remove":
        file.unlink()
    elif kind == "move" or not (vault.root / rest[0]).exists():
        vault.rename(path, rest[0])
    else:
        vault.rename(path, "y")
        vault.rename(rest[0], path)
        vault.rename("y", rest[0])


@settings(max_examples=60, deadline=None)
@given(runs)
def test_after_every_import_notes_and_links_are_those_of_the_folder(steps):
    numbers = count()
    with TemporaryDirectory() as folder:
        vault = Vault(Path(folder) / "vault")
        for step in steps:
            for one in step:
                change(vault, next(numbers), *one)
            report = vault.take_in(prune=True)
            failed = set(failures(report))
            places = vault.places()
            expected = {
                file.relative_to(vault.root).as_posix() for file in vault.root.rglob("*.md")
            }
            assert expected - failed <= set(places) <= expected
        if failed:
            return
        (Path(folder) / "again").mkdir()
        fresh = Vault(Path(folder) / "again" / "vault")
        for path in expected:
            fresh.write(path, (vault.root / path).read_bytes())
        fresh.take_in()
        for path in expected:
            assert vault.links(path) == fresh.links(path), path
            assert vault.content(path) == fresh.content(path), path
            if fresh.places()[path] is not None:
                assert places[path] == fresh.places()[path]
