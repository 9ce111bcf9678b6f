"""Logs go to standard error, structured; standard output belongs to answers."""

import logging
import sys

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
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
