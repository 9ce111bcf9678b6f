"""Logs go to standard error, structured; standard output belongs to answers."""

import logging
import sys
import traceback

import structlog


def configure(level: int = logging.WARNING) -> None:
    """Send what is worth a line to standard error, unless the program has chosen otherwise."""
    if structlog.is_configured():
        return
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=_to_standard_error,
    )


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
