"""What a purge leaves of the parameters of an operation on an erased entry.

As much as :mod:`damals.app.redaction` tells of them in an export, so that it tells the same before
and after a purge.
"""

from collections.abc import Mapping

from damals.app.erasing.model import Names
from damals.app.redaction import bare_shape
from damals.domain.entries import Json

_COMMIT = ("name", "commit", "committed_at")


def shape_of(params: Mapping[str, Json], names: Names) -> dict[str, Json]:
    """The shape of parameters, as they are stored: texts that stand beside them are left out.

    Which commit was replayed stays as long as the source is known: else it would be replayed again.
    """
    kept = bare_shape(params)
    if "key" in params:
        key = params["key"]
        kept["key"] = names.key(key) if isinstance(key, str) else None
    source = params.get("source")
    if isinstance(source, dict) and "commit" in source:
        name = source.get("name")
        if isinstance(name, str) and names.keeps(name):
            kept["source"] = {one: source[one] for one in _COMMIT if one in source}
    return kept
