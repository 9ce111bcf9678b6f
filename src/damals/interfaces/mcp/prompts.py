"""The prompt ``memory_pack``: how an assistant should use this memory."""

from importlib.resources import files
from typing import Final

from damals import messages
from damals.app.errors import InvalidInput

MEMORY_PACK: Final = "memory_pack"
LANG: Final = "lang"


def memory_pack(lang: str) -> str:
    """The instructions in German or English.

    Raises:
        InvalidInput: ``mcp.lang`` for another language.
    """
    if lang not in messages.LANGUAGES:
        raise InvalidInput("mcp.lang", value=lang, known=", ".join(messages.LANGUAGES))
    pack = files("damals.interfaces.mcp").joinpath(f"{MEMORY_PACK}.{lang}.md")
    return pack.read_text(encoding="utf-8")
