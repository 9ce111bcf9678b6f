"""What the writers of both protocols are: a model at a place, and what it is told."""

from damals.adapters.llm.streaming import Place
from damals.app.ports import WritingOrder
from damals.domain.entries import Json


class ServerWriter:
    """A writer whose model runs on a server."""

    def __init__(self, place: Place) -> None:
        """Know where the model runs."""
        self._place = place

    @property
    def model(self) -> str:
        """Its name."""
        return self._place.model


def messages(order: WritingOrder) -> list[Json]:
    """An order as the messages of a conversation."""
    return [
        {"role": "system", "content": order.system},
        {"role": "user", "content": order.user},
    ]
