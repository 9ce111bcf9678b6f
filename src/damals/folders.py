"""Where things lie when nobody says otherwise."""

from pathlib import Path

import platformdirs


def expanded(path: Path) -> Path:
    """``~`` at its beginning is the user's folder; that of nobody stays as it is."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def default_home() -> Path:
    """The platform's folder for the data of a user's programs."""
    return Path(platformdirs.user_data_dir("damals", appauthor=False))


def default_cache() -> Path:
    """The platform's folder for what a user's programs can make again."""
    return Path(platformdirs.user_cache_dir("damals", appauthor=False))
