"""Names that change one by one mean what they would mean if all had been known at once."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from damals.app.linking import LinkResolver

PATHS = ["a.md", "A.md", "x/a.md", "x/y/a.md", "y/a.markdown", "b.md", "x/b.md", "Ä.md", "x/ä.md"]
ALIASES = ["a", "Bee", "bee", "b"]
TARGETS = ["a", "A", "x/a", "y/a", "./a", "/a", "b", "x/b", "ä", "Bee", "bee"]

note = st.tuples(st.sampled_from(PATHS), st.lists(st.sampled_from(ALIASES), max_size=2))


@given(st.lists(st.tuples(st.booleans(), note), max_size=20), st.integers(0, 5))
def test_changes_of_names_lead_to_the_same_meanings(changes, first):
    known = {}
    resolver = LinkResolver({})
    for step, (goes, (path, aliases)) in enumerate(changes):
        if step == first:
            resolver = rebuilt(known)
        if path in known:
            resolver.drop(path, *known.pop(path))
        if not goes:
            known[path] = (UUID(int=PATHS.index(path) + 100 * (step % 3)), tuple(aliases))
            resolver.put(path, *known[path])
        whole = rebuilt(known)
        for target in TARGETS:
            for place in ("a.md", "x/z.md"):
                assert resolver.resolve(target, place) == whole.resolve(target, place)


def rebuilt(known):
    names = [(alias, key) for key, aliases in known.values() for alias in aliases]
    return LinkResolver({path: key for path, (key, _) in known.items()}, names)
