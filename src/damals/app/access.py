"""What an asker may do, and what they may see: the filter that every query is asked with."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, cast

from damals.app.floors_model import SHOWN_ANYWAY
from damals.app.index_model import AccessFilter
from damals.domain.access import VISIBILITIES, Principal, Right
from damals.domain.errors import Denied
from damals.domain.params import Params
from damals.domain.types import TypeCatalogue


def access_of(asker: Principal, types: Callable[[], TypeCatalogue] | None = None) -> AccessFilter:
    """The filter of an asker; the owner's restricts nothing.

    Args:
        asker: who asks.
        types: gives the relations of the home, some of which ask for a higher ceiling; what vaults
            ask for is known to the ledger (:mod:`damals.app.floors_model`).
    """
    if asker.owns:
        return AccessFilter()
    ceiling = VISIBILITIES.index(asker.visibility)
    known = () if types is None else types().relations.values()
    hidden = (
        one.name
        for one in known
        if VISIBILITIES.index(one.min_visibility) > ceiling and one.name not in SHOWN_ANYWAY
    )
    return AccessFilter(
        visibilities=asker.visibilities,
        max_sensitivity=asker.sensitivity,
        principals=asker.names,
        hidden_relations=tuple(sorted(hidden)),
        places=asker.right >= Right.ADMINISTER,
    )


_ADMINISTERED: Final = frozenset({"erase", "derive"})
_OF_REPLAYS: Final = frozenset({"commit", "committed_at"})


def check_right(asker: Principal, right: Right) -> None:
    """Refuse what an asker may not do.

    Raises:
        Denied: ``access.right``.
    """
    if asker.right < right:
        raise Denied("access.right", name=asker.name, right=right.name.lower())


def check_home(asker: Principal) -> None:
    """Refuse who may not administer the whole home, with all its workspaces.

    Raises:
        Denied: ``access.right``, ``access.home``.
    """
    check_right(asker, Right.ADMINISTER)
    if not asker.owns and asker.workspaces is not None:
        raise Denied("access.home", name=asker.name)


def check_operations(asker: Principal, operations: Iterable[Params]) -> None:
    """Some operations ask for more than the right to write, however they come.

    What cannot be undone, and what rules give, is for who administers; from which commit of a
    repository something was read, the owner alone says: a replay trusts it.

    Raises:
        Denied: ``access.right``, ``access.commit``.
    """
    for params in operations:
        if params.get("op") in _ADMINISTERED:
            check_right(asker, Right.ADMINISTER)
        said = None if asker.owns else params.get("source")
        if isinstance(said, Mapping) and _OF_REPLAYS & set(cast("Mapping[str, object]", said)):
            raise Denied("access.commit", name=asker.name)
