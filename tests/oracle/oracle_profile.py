"""How many histories are tried."""

import os
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

NIGHTLY = os.environ.get("DAMALS_TEST_PROFILE") == "nightly"
STEPS = 14


def examples(number: int, steps: int = STEPS) -> settings:
    """Settings of a machine: ``number`` histories in a normal run, ten times as many at night."""
    return settings(
        max_examples=number * 10 if NIGHTLY else number,
        stateful_step_count=steps,
        deadline=None,
        derandomize=not NIGHTLY,
        # To shrink a history takes minutes and says little more: its operations are printed.
        phases=(Phase.reuse, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


def fastest() -> str | None:
    """A folder in memory, where there is one: what syncs are for is tested elsewhere."""
    shared = Path("/dev/shm")  # noqa: S108 -- only the tests' own folders go there
    return str(shared) if shared.is_dir() else None
