"""All areas of pages. A new one is added here."""

from typing import Final

from damals.interfaces.web.area import Pages
from damals.interfaces.web.pages import (
    asking,
    backups,
    changes,
    comparing,
    entries,
    erasing,
    graph,
    home,
    hygiene,
    imports,
    keys,
    listing,
    places,
    receipts,
    settings,
    signing,
    timeline,
)

AREAS: Final[tuple[Pages, ...]] = (
    home.pages,
    signing.pages,
    asking.pages,
    receipts.pages,
    timeline.pages,
    comparing.pages,
    hygiene.pages,
    listing.pages,
    erasing.pages,
    changes.pages,
    entries.pages,
    graph.pages,
    imports.pages,
    settings.pages,
    keys.pages,
    backups.pages,
    places.pages,
)
