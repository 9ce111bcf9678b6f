"""What an asker may do, and what they may see: the filter that every query is asked with."""

from collections.abc import Callable, Iterable
from typing import Final

from damals.app.index_model import AccessFilter
from damals.domain.access import VISIBILITIES, Principal, Right
from damals.domain.errors import Denied
from damals.domain.operations import CONTRADICTS, CUTTING_RELATIONS
from damals.domain.params import Params
from damals.domain.types import TypeCatalogue

_SHOWN_ANYWAY: Final = CUTTING_RELATIONS | {CONTRADICTS}
"""What these say shows in validity and status of the entries themselves."""


def access_of(asker: Principal, types: Callable[[], TypeCatalogue] | None = None) -> AccessFilter:
    """The filter of an asker; the owner's restricts nothing.

    Args:
        asker: who asks.
        types: gives the relations there are, some of which ask for a higher ceiling.
    """
    if asker.owns:
        return AccessFilter()
    ceiling = VISIBILITIES.index(asker.visibility)
    known = () if types is None else types().relations.values()
    hidden = (
        one.name
        for one in known
        if VISIBILITIES.index(one.min_visibility) > ceiling and one.name not in _SHOWN_ANYWAY
    )
    return AccessFilter(
        visibilities=asker.visibilities,
        max_sensitivity=asker.sensitivity,
        principals=asker.names,
        hidden_relations=tuple(sorted(hidden)),
    )


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
    """What cannot be undone asks for more than what can, however it comes.

    Raises:
        Denied: ``access.right``.
    """
    if any(params.get("op") == "erase" for params in operations):
        check_right(asker, Right.ADMINISTER)
