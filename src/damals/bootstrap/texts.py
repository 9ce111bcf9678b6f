"""The wiring of what answers need: what is known of language, and a model that writes."""

from collections.abc import Callable, Iterable, Sequence

from damals.app.errors import InvalidInput
from damals.app.ports import Writer
from damals.domain.evidence import Groups
from damals.local.home import OpenWriter, Texts
from damals.settings import Settings

Words = Callable[[str], Sequence[tuple[str, int, int]]]


def texts(words: Words) -> Texts:
    """How texts are cut and which words ask for the same; loaded when a question is asked."""

    def sentences(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
        from damals.adapters.vault.sentences import sentence_ranges  # noqa: PLC0415 -- as below

        return sentence_ranges(text, start, end)

    def groups() -> Groups:
        from damals.adapters.text.related import related  # noqa: PLC0415 -- a command pays for what it uses

        return related(words)

    return Texts(sentences, groups)


def writers(settings: Settings) -> OpenWriter:
    """Models that write: those of a call, else those of the settings."""

    def opened(url: str | None, model: str | None) -> Writer | None:
        address = settings.llm if url is None else url
        if not address:
            return None
        name = model or settings.llm_model
        if not name:
            raise InvalidInput("llm.no_model", url=address)
        from damals.adapters.llm.choose import writer  # noqa: PLC0415 -- most answers go without
        from damals.adapters.llm.streaming import Place  # noqa: PLC0415 -- as above

        # The key goes to the server of the settings and to no other.
        key = settings.llm_key if address == settings.llm else ""
        return writer(Place(address, name, key or None, settings.llm_timeout_s))

    return opened
