"""What was read from the words of a question, as it is shown back."""

from damals.app.results import Understood
from damals.interfaces.cli.output import clean_line
from damals.interfaces.cli.session import Session


def heard(session: Session, understood: Understood) -> str:
    """One line: which words say which instant; empty when none was read."""
    read = (("as_of", understood.as_of_text), ("known_at", understood.known_at_text))
    said = [
        session.say(f"cli.from_text.{axis}", text=clean_line(text)) for axis, text in read if text
    ]
    return session.say("cli.from_text", said="; ".join(said)) if said else ""
