"""What settings choose of logs and traces, for a process that opens a home."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from damals.settings import Settings


def observe(settings: "Settings") -> None:
    """Log as the settings say, and give spans if they want them.

    Where nothing is chosen nothing is loaded: a command that logs nothing needs no logger.
    """
    if (settings.log_level, settings.log_format) != ("warning", "text"):
        from damals import logs  # noqa: PLC0415 -- as above

        logs.configure(settings.log_level, settings.log_format)
    if settings.traces:
        from damals import spans  # noqa: PLC0415 -- as above

        spans.begin()
