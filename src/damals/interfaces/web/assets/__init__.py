"""Files that pages load: by a path with their digest, so that browsers may keep them for ever."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

NAMES: Final[Mapping[str, str]] = {
    "damals.css": "damals.css",
    "damals.js": "damals.js",
    "icon.svg": "icon.svg",
    "htmx.js": "vendor/htmx-4.0.1.min.js",
    "cytoscape.js": "vendor/cytoscape-3.35.0.min.js",
    "graph.js": "graph.js",
    "plane.js": "plane.js",
    "timeline.js": "timeline.js",
}
"""What a page calls a file, and where it lies."""

KINDS: Final[Mapping[str, str]] = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}

PREFIX: Final = "/assets"


def asset_path(name: str) -> str:
    """Where a page loads a file from."""
    digest, _ = asset(name)
    return f"{PREFIX}/{digest}/{name}"


@cache
def asset(name: str) -> tuple[str, bytes]:
    """Digest and bytes of a file.

    Raises:
        KeyError: there is none of this name.
    """
    data = files("damals.interfaces.web.assets").joinpath(NAMES[name]).read_bytes()
    return hashlib.sha256(data).hexdigest()[:16], data


def media_type(name: str) -> str:
    """Kind of a file."""
    return KINDS[name.rpartition(".")[2]]
