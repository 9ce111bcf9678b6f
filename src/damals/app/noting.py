"""A line in the log for what goes on, though not as it should."""


def warn(event: str, **values: object) -> None:
    """Log a warning.

    Args:
        event: name of what happened.
        **values: what it was about; never a text that people wrote.
    """
    import structlog  # noqa: PLC0415 -- every command loads this module, few have to log anything

    structlog.get_logger("damals").warning(event, **values)
