"""Commands that answer questions, say why, and give answers again."""

from damals.interfaces.cli import answer_views, options
from damals.interfaces.cli.registry import command
from damals.interfaces.cli.session import Call


@command("ask", options.QUESTION, *options.NARROWED, options.LLM, options.MODEL)
def ask(call: Call) -> None:
    """An answer with citations."""
    heard: list[str] = []

    def listen(sentence: str) -> None:
        call.session.screen.line((sentence, answer_views.STRONG))
        heard.append(sentence)

    with call.open() as memory:
        if call.session.options.json or not _by_a_model(call):
            call.show(memory.ask(**call.values), answer_views.answer)
            return
        result = memory.ask(**call.values, listen=listen)
        told = " ".join(heard) == result.answer
        call.show(result, answer_views.rest_of_answer if told else answer_views.answer)


def _by_a_model(call: Call) -> bool:
    """Whether a model may write: then its sentences are printed as they come."""
    asked = call.values.get("llm")
    return bool(call.session.settings().settings.llm if asked is None else asked)


@command("why", options.RECEIPT_ID)
def why(call: Call) -> None:
    """The reasons of an answer."""
    with call.open() as memory:
        call.show(memory.why(**call.values), answer_views.why)


@command("replay", options.RECEIPT_ID, options.RECOMPUTE)
def replay(call: Call) -> None:
    """The same answer again."""
    with call.open() as memory:
        call.show(memory.replay(**call.values), answer_views.replayed)
