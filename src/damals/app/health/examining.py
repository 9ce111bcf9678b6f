"""``doctor``: all checks in order, each by itself."""

from collections.abc import Iterator
from typing import Final

from damals import messages
from damals.app.health import home_checks, index_checks, ledger_checks
from damals.app.health.model import Checker, LedgerClosedError, Scene
from damals.app.ownership import Owned
from damals.app.results import Check, Health
from damals.domain.errors import DamalsError, NotFound
from damals.logs import note_failure

CHECKERS: Final[tuple[tuple[str, Checker], ...]] = (
    ("home", home_checks.home),
    ("config", home_checks.config),
    ("access", home_checks.access),
    ("ledger", ledger_checks.ledger),
    ("chain", ledger_checks.chains),
    ("clock", ledger_checks.clock),
    ("jobs", ledger_checks.jobs),
    ("erasures", ledger_checks.erasures),
    ("index", index_checks.index),
    ("model", index_checks.model),
    ("cache", index_checks.cache),
    ("leftovers", home_checks.leftovers),
    ("space", home_checks.space),
    ("backups", home_checks.backups),
)
"""By the name under which a failure of the check itself is told."""


def examine(scene: Scene) -> Health:
    """Look at every part.

    Raises:
        Owned: another process has the home; it is the one to ask.
        NotFound: ``home.missing``.
    """
    found = [check for name, checker in CHECKERS for check in _isolated(scene, name, checker)]
    return Health(all(check.ok for check in found), tuple(found))


def _isolated(scene: Scene, name: str, checker: Checker) -> Iterator[Check]:
    """What one check finds; that it fails keeps no other from looking."""
    try:
        yield from checker(scene)
    except LedgerClosedError:
        if scene.failed is not None and name != "ledger":
            yield Check(name, False, messages.render("doctor.ledger_closed", {}))
    except Owned:
        raise
    except DamalsError as error:
        if isinstance(error, NotFound) and error.key == "home.missing":
            raise
        yield Check(name, False, messages.render("doctor.fails", {"cause": error}))
    except Exception as error:  # noqa: BLE001 -- a damaged home may break anything
        note_failure("check failed", error, check=name)
        kind = type(error).__name__
        yield Check(name, False, messages.render("doctor.defect", {"kind": kind}))
