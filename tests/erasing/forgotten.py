"""Somebody who asks to be forgotten."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest

from damals import Damals
from damals.domain.errors import DamalsError

NAME = "Wilhelmine Geheimrat"
STREET = "Lange Straße 12, Hinterhaus"
SAID = f"{NAME} wohnt in der {STREET}. " * 120
"""Longer than a page of a file."""
SECRETS = (
    NAME, STREET, "geheimrat-wilhelmine-1", "adresse wilhelmine geheimrat",
    "vertraulich/wilhelmine", "Sie rief deswegen gestern an", "Meldebogen im Ordner sieben",
    "Wo wohnt Wilhelmine Geheimrat jetzt",
)  # fmt: skip


def lived(memory: Damals) -> None:
    """Tell of somebody, and of others beside."""
    memory.remember("Meldeamt", "Öffnet um acht Uhr morgens.", external_id="amt")
    memory.remember(
        NAME, SAID, type="person", external_id="geheimrat-wilhelmine-1",
        key="adresse wilhelmine geheimrat", tags=["vertraulich/wilhelmine", "wohnen"],
        properties={"aliases": [NAME]}, valid_from="2024-01-01",
    )  # fmt: skip
    memory.correct(
        "geheimrat-wilhelmine-1", content=f"{SAID} Stimmt.", reason="Sie rief deswegen gestern an"
    )
    memory.relate("geheimrat-wilhelmine-1", "related_to", "amt")
    memory.verify("geheimrat-wilhelmine-1", evidence="Meldebogen im Ordner sieben")
    memory.remember("Nachbar", "Der Nachbar grüßt jeden Tag.", external_id="nachbar")
    memory.recall("Wo wohnt Wilhelmine Geheimrat jetzt")
    memory.archive("geheimrat-wilhelmine-1", reason="Sie rief deswegen gestern an")


@contextmanager
def refused(key: str) -> Generator[None]:
    """Something that is refused, with the message of this key."""
    with pytest.raises(DamalsError) as caught:
        yield
    assert caught.value.key == key
