"""How often someone may ask: a bucket of requests that fills up steadily."""

import threading
import time
from collections import OrderedDict
from math import ceil
from typing import Final

MAX_BUCKETS: Final = 10_000
"""Those that were used longest ago are forgotten, which is to their favour."""


class Rates:
    """Counts the requests of each name. Any thread may use it."""

    def __init__(self, per_minute: int) -> None:
        """Full buckets of ``per_minute`` requests."""
        self._per_minute = per_minute
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_of(self, name: str, now_s: float | None = None) -> int:
        """Take a request out of a bucket.

        Returns:
            0, or the seconds until there is one again.
        """
        now = time.monotonic() if now_s is None else now_s
        per_second = self._per_minute / 60
        with self._lock:
            left, since = self._left.pop(name, (float(self._per_minute), now))
            left = min(left + (now - since) * per_second, float(self._per_minute))
            wait = 0 if left >= 1 else ceil((1 - left) / per_second)
            self._left[name] = (left if wait else left - 1, now)
            while len(self._left) > MAX_BUCKETS:
                self._left.popitem(last=False)
        return wait
