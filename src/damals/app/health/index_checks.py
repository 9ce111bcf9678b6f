"""Checks of the index: that it says what the ledger says, its vectors, its model, its cache."""

from collections.abc import Iterator
from typing import Final

from damals.app.health.model import MEND, Scene, unwell, well
from damals.app.results import Check
from damals.domain.errors import DamalsError
from damals.domain.fields import MAX_LISTED

SHOWN: Final = 5
"""So many entries are named."""


def index(scene: Scene) -> Iterator[Check]:
    """Ids, counts, and of a sample what is found under them; then the vectors that are missing."""
    search = scene.search()
    found = _agreement(scene)
    if not found.ok and scene.repair:
        search.rebuild(scene.clock)
        found = _agreement(scene)
    yield found
    if found.ok:
        yield _vectors(scene)
        yield from _crowded(scene)


def _crowded(scene: Scene) -> Iterator[Check]:
    """Entries that were stored with more tags or names than a search looks at."""
    found = scene.ledger().crowded(MAX_LISTED)
    if found:
        shown = ", ".join(f"{entry_id} ({space})" for space, entry_id in found[:SHOWN])
        entries = f"{shown}, …" if len(found) > SHOWN else shown
        values = {"count": len(found), "limit": MAX_LISTED, "entries": entries}
        yield unwell("tags", "doctor.crowded", None, **values)


def _agreement(scene: Scene) -> Check:
    search = scene.search()
    try:
        search.catch_up(None)
        wrong = search.disagreement()
        if wrong is not None:
            return unwell("index", "doctor.index_differs", MEND, difference=wrong)
        behind = search.lag(None).transactions
        if behind:
            return unwell("index", "doctor.index_behind", MEND, count=behind)
        return well("index", "doctor.index", points=search.count())
    except DamalsError as error:
        return unwell("index", "doctor.index_fails", MEND, cause=error)


def _vectors(scene: Scene) -> Check:
    """Vectors that are still to come are no fault: words find their chunks meanwhile."""
    search = scene.search()
    missing = search.lag(None).vectors
    if missing and scene.repair:
        missing = search.catch_up(None, wait=True).vectors
    key = "doctor.vectors_missing" if missing else "doctor.vectors"
    return well("vectors", key, count=missing)


def model(scene: Scene) -> Iterator[Check]:
    """That the model is there and embeds. Without one everything works by words alone."""
    reason = scene.search().model_problem()
    if reason is None:
        yield well("model", "doctor.model")
    else:
        yield well("model", "doctor.model_missing", reason=reason)


def cache(scene: Scene) -> Iterator[Check]:
    """The cache of vectors; it may be thrown away at any time."""
    vectors = scene.search().cache
    strangers = vectors.strangers([one.name for one in scene.ledger().workspaces()])
    if strangers and scene.repair:
        vectors.forget_workspaces(strangers)
        strangers = ()
    if strangers:
        yield unwell("cache", "doctor.cache_strangers", MEND, workspaces=len(strangers))
        return
    problem = vectors.problem()
    if problem is not None and scene.repair:
        vectors.begin_anew()
        problem = vectors.problem()
    if problem is None:
        yield well("cache", "doctor.cache")
    else:
        yield unwell("cache", "doctor.cache_damaged", MEND, problem=problem)
