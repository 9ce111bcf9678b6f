"""The part of ``RemoteDamals`` that looks after what is known."""

from collections.abc import Sequence

from damals.api_params import Instant
from damals.app.hygiene.report import LIMIT
from damals.app.hygiene.results import HygieneReport
from damals.remote.asking import Asking


class RemoteUpkeep(Asking):
    """Hygiene and the linter; see :class:`damals.api_hygiene.Upkeep`."""

    def hygiene(
        self,
        topic: str | None = None,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        kind: Sequence[str] | str | None = None,
        limit: int | None = LIMIT,
    ) -> HygieneReport:
        """See :meth:`damals.api_hygiene.Upkeep.hygiene`."""
        asked = {
            "topic": topic, "as_of": as_of, "known_at": known_at, "kind": kind,
            "limit": "all" if limit is None else limit,
        }  # fmt: skip
        return self._read(HygieneReport, self._get(self._path("hygiene"), asked))

    def lint(
        self,
        due: bool = False,
        *,
        as_of: Instant | None = None,
        known_at: Instant | None = None,
        kind: Sequence[str] | str | None = None,
        limit: int | None = LIMIT,
    ) -> HygieneReport:
        """See :meth:`damals.api_hygiene.Upkeep.lint`."""
        asked = {
            "due": due, "as_of": as_of, "known_at": known_at, "kind": kind,
            "limit": "all" if limit is None else limit,
        }  # fmt: skip
        return self._read(HygieneReport, self._get(self._path("lint"), asked))
