"""All areas of pages. A new one is added here."""

from typing import Final

from damals.interfaces.web.area import Pages
from damals.interfaces.web.pages import asking, home, signing

AREAS: Final[tuple[Pages, ...]] = (
    home.pages,
    signing.pages,
    asking.pages,
)
