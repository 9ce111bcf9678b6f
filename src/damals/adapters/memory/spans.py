"""How far time reaches in a workspace in memory."""

from damals.adapters.memory.space import Space
from damals.app.index_model import AccessFilter
from damals.app.span_model import Extent
from damals.domain.instants import BEGINNING, FOREVER


class SpanReader:
    """The part of a reader that knows how far time reaches."""

    _space: Space
    _access: AccessFilter

    def extent(self) -> Extent:
        """The outermost instants of what may be seen."""
        space, access = self._space, self._access
        seen = [one for one in space.versions.values() if space.visible(one.entry_id, access)]
        bounds = [bound for one in seen for bound in (one.period.start, one.period.end)]
        dated = [one for one in bounds if one.earliest > BEGINNING and one.latest < FOREVER]
        return Extent(
            min((one.earliest for one in dated), default=None),
            max((one.latest for one in dated), default=None),
            min((one.recorded_from for one in seen), default=None),
        )
