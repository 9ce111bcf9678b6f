"""Instants as people read them: in the workspace's zone."""

from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError


def local(instant: str | None, zone: str) -> str:
    """``2026-06-01 08:00``, with seconds where there are any; microseconds are for programs.

    Years that a zone cannot express stay as they are.
    """
    if instant is None:
        return ""
    try:
        moment = datetime.fromisoformat(instant).astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    except (ValueError, OverflowError, ZoneInfoNotFoundError):
        return instant
    exact = moment.isoformat(sep=" ", timespec="seconds")
    return exact.removesuffix(":00")
