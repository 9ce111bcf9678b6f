"""By what a file is recognised that says what was erased.

Of an erased entry its id is left, and that alone tells nothing of a file which was moved, copied or
lies in the history of its folder. So an erasure leaves *marks* as well: the path of the file, its
bytes, its text if it is so long that nobody else writes the same, and the name that it gives
itself. Ledgers keep them as keyed digests: they can be asked whether a file bears one, and tell
nothing by themselves. Whoever has the ledger with its key can try whether a path or text that they
guess was erased; that is what it takes to refuse a file.

What was edited *and* moved at once bears no mark that is known, and cannot be recognised.
"""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Final

from damals.app.ledger_model import At
from damals.app.ledger_port import LedgerReader
from damals.app.source_model import ParsedNote, SourceFile
from damals.domain.effects import Effects
from damals.domain.entries import Version
from damals.domain.instants import FOREVER

OWN_TEXT: Final = 200
"""From so many characters on a text is nobody else's, whatever stands above it."""

_EVER: Final = At(FOREVER - 1, FOREVER - 1)


def path_mark(source: str, path: str) -> str:
    """That of a place in a source."""
    return _mark("path", source, path)


def name_mark(name: str) -> str:
    """That of an id that is none of ours."""
    return _mark("name", name)


def place_mark(path: str, digest: str) -> str:
    """That of what a file says at one place; no erasure leaves it."""
    return _mark("place", path, digest)


def marks_of_file(file: SourceFile, said: ParsedNote) -> Iterator[str]:
    """Those of what a file says, wherever it lies."""
    return _of_text(file.digest, said.body)


def marks_of(reader: LedgerReader, effects: Effects) -> frozenset[str]:
    """The marks that a transaction leaves of what it erases."""
    return frozenset(_marks(reader, effects)) if effects.erased else frozenset()


def _marks(reader: LedgerReader, effects: Effects) -> Iterator[str]:
    everything = reader.unrestricted()
    for entry_id in effects.erased:
        known = [found for found, _ in everything.history(entry_id, _EVER)]
        versions = [found.version for found in known]
        if any(one.attributes.source.path is not None for one in versions):
            yield from (name_mark(one.info.external_id) for one in known if one.info.external_id)
            yield from _of_versions(versions)


def _of_versions(versions: Sequence[Version]) -> Iterator[str]:
    for one in versions:
        source = one.attributes.source
        if source.path is not None:
            yield from _of_text(source.digest or "", one.attributes.content)
    last = versions[-1].attributes.source if versions else None
    if last is not None and last.name is not None and last.path is not None:
        yield path_mark(last.name, last.path)


def _of_text(digest: str, text: str) -> Iterator[str]:
    bare = text.strip()
    if digest and bare:  # all empty notes are the same file
        yield _mark("file", digest)
    if len(bare) >= OWN_TEXT:
        yield _mark("text", sha256(bare.encode()).hexdigest())


def _mark(*words: str) -> str:
    return "\x1f".join(("erased", *words))
