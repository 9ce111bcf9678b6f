"""What the check of a filing and hygiene compare of an entry: the same of both."""

from uuid import UUID

from damals.domain.claims import Claim
from damals.domain.entries import Attributes
from damals.domain.periods import Period


def claim_of(entry_id: UUID, has: Attributes, period: Period) -> Claim:
    """What is compared of an entry."""
    subject = has.properties.get("subject")
    said = subject if isinstance(subject, str) else None
    return Claim(entry_id, has.title, has.content, has.type, period, has.key, said)
