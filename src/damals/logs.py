"""Logs go to standard error, structured; standard output belongs to answers.

A line has an event of this program and values that say what it was about. Never a text that people
wrote, a question or a secret.
"""

import logging
import sys
import traceback
from collections.abc import Mapping
from typing import Final

import structlog

LEVELS: Final[Mapping[str, int]] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "error": logging.ERROR,
}


def configure(level: str = "warning", form: str = "text") -> None:
    """Send what is worth a line to standard error, unless the program has chosen otherwise.

    Args:
        level: one of :data:`LEVELS`; what is below is not logged.
        form: ``text`` for ``key=value`` lines, ``json`` for one JSON object a line.
    """
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _renderer(form),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(LEVELS[level]),
        logger_factory=_to_standard_error,
    )


def _renderer(form: str) -> structlog.typing.Processor:
    if form == "json":
        return structlog.processors.JSONRenderer(ensure_ascii=False)
    return structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"])


def note_failure(event: str, error: BaseException, **about: object) -> None:
    """Log what nobody expected, and where: not its words, which can hold what people wrote."""
    configure()
    places = [
        f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    log = structlog.get_logger("damals")
    log.error(event, kind=type(error).__name__, places=places, **about)


def _to_standard_error(*_: object) -> structlog.PrintLogger:
    """Where standard error is by now: whoever embeds damals may have put another in its place."""
    return structlog.PrintLogger(sys.stderr)
