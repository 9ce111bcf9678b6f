"""What an assistant is told when something fails: the message, and what it can do about it."""

from damals import messages
from damals.app.errors import DamalsError


def explain(error: DamalsError) -> str:
    """Message and hint in the language of this context; hints name tools where there is one."""
    said = messages.render(error.key, error.values)
    own = f"mcp.hint.{error.key}"
    advice = (
        messages.render(own, error.values)
        if messages.has(own, messages.FALLBACK)
        else messages.hint(error.key, values=error.values)
    )
    return f"{said} {advice}" if advice else said
