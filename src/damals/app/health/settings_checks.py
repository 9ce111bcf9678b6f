"""What is told of a home whose settings cannot be read: nothing of it can be opened."""

from damals import messages
from damals.app.results import Check, Health
from damals.domain.errors import InvalidInput


def unreadable_settings(error: InvalidInput) -> Health:
    """The health of such a home. Nothing is mended: what was meant is known to people only."""
    text = messages.render("doctor.config_wrong", {"cause": error})
    return Health(False, (Check("config", False, text),))
