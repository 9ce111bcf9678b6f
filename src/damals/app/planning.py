"""Vision and roadmap of a folder: of a folder of this machine, or as a ledger knows them at a pair.

Files are read by the owner alone. Everybody else asks the notes that they see.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from unicodedata import normalize
from urllib.parse import urlsplit
from urllib.request import url2pathname

from damals import messages
from damals.app.commands import HERE, Where, command
from damals.app.ledger_model import At, EntryFilter, Found
from damals.app.ledger_port import LedgerReader
from damals.app.planning_results import Planning, PlanningFinding, PlanView
from damals.app.ports import NoteReader
from damals.app.results import Understood
from damals.app.source_model import SourceFile
from damals.app.vault.place import find_place
from damals.domain.errors import DamalsError, InvalidInput, NotFound
from damals.domain.planning import (
    FILES,
    HALF_LIFE_DAYS,
    REVIEWED,
    Artefact,
    Note,
    Remark,
    Review,
    Today,
    alignment,
    artefact_of,
    ordered,
    review,
)

_UNREAD: Final = frozenset({"vault.yaml", "vault.yaml_limits", "vault.template"})
"""Problems of a note of whose fields nothing was read."""

_OPTIONS: Final = frozenset({REVIEWED})
"""Fields that ``annotate`` has an option for; others are properties."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A vision or a roadmap, and where it was read.

    Attributes:
        file: its path, as people are told it.
        location: where its file lies on this machine, for who may repair it.
        entry_id: of its note.
    """

    note: Note
    file: str
    location: str | None = None
    entry_id: str | None = None


@dataclass(frozen=True, slots=True)
class Artefacts:
    """What was found of a folder.

    Attributes:
        found: the vision, the roadmap, or both.
        unread: files that cannot be read, or whose fields cannot, with the reason.
        location: the folder on this machine, when files were read there.
    """

    found: Mapping[Artefact, _Source] = field(default_factory=dict["Artefact", "_Source"])
    unread: Mapping[Artefact, DamalsError] = field(default_factory=dict["Artefact", "DamalsError"])
    location: Path | None = None


def planning(
    folder: str, found: Artefacts, today: Today, understood: Understood, where: Where = HERE
) -> Planning:
    """What is to be said of a vision and a roadmap on a day, with commands that run somewhere."""
    reviews: dict[Artefact, Review] = {
        kind: review(one.note, today) for kind, one in found.found.items()
    }
    telling = _Telling(folder, found, where)
    remarks = [*_absent(folder, found), *_said(reviews)]
    vision, roadmap = (telling.view(kind, reviews.get(kind)) for kind in FILES)
    findings = tuple(telling.finding(one) for one in ordered(remarks))
    return Planning(folder, findings, vision, roadmap, understood)


def _absent(folder: str, found: Artefacts) -> Iterator[Remark]:
    for kind, file in FILES.items():
        values: dict[str, object] = {"folder": folder, "file": file}
        if kind in found.unread:
            cause = values["cause"] = found.unread[kind]
            key = "planning.no_fields" if cause.key in _UNREAD else "planning.unreadable"
            yield Remark("planning_field_odd", "LOW", kind, key, values)
        elif kind not in found.found:
            key = f"planning.no_{kind}"
            yield Remark("planning_file_missing", "LOW", kind, key, values)


def _said(reviews: Mapping[Artefact, Review]) -> Iterator[Remark]:
    for kind in FILES:
        if kind in reviews:
            yield from reviews[kind].remarks
    versions = [reviews[kind].version if kind in reviews else None for kind in FILES]
    remark = alignment(*versions)
    if remark is not None:
        yield remark


@dataclass(frozen=True, slots=True)
class _Telling:
    """Says what was found, with the commands that repair it."""

    folder: str
    found: Artefacts
    where: Where

    def view(self, kind: Artefact, made: Review | None) -> PlanView | None:
        """One of both, as it is shown."""
        if made is None:
            return None
        source = self.found.found[kind]
        reviewed = made.reviewed.isoformat() if made.reviewed else None
        return PlanView(
            source.file, source.entry_id, made.version, reviewed, made.days, HALF_LIFE_DAYS[kind]
        )

    def finding(self, remark: Remark) -> PlanningFinding:
        """A remark in the language that is spoken."""
        values = {**remark.values, "command": looking_at(self.folder, self.where)}
        message = messages.text(remark.key, None, **values)
        source = self.found.found.get(remark.about)
        ids = (source.entry_id,) if source and source.entry_id else ()
        repair = self._repair(remark, source)
        return PlanningFinding(remark.kind, remark.severity, ids, message, repair)

    def _repair(self, remark: Remark, source: _Source | None) -> str | None:
        if remark.repair is None or source is None or source.location is None:
            return None
        name, value = remark.repair
        said = {name: value} if name in _OPTIONS else {"property": f"{name}={value}"}
        return command("annotate", {"path": source.location, **said}, self.where)


def looking_at(folder: str, where: Where) -> str:
    """The command that looks at the plans of a folder."""
    return command("planning", {"folder": folder}, where)


# --- from a folder


def in_folder(notes: NoteReader, folder: Path, shown: str) -> Artefacts:
    """The vision and the roadmap in a folder, read as notes.

    Raises:
        InvalidInput: ``path.unreadable`` for a folder that cannot be listed.
    """
    found: dict[Artefact, _Source] = {}
    unread: dict[Artefact, DamalsError] = {}
    for file in _files(folder):
        kind = artefact_of(file.name)
        if kind is None or kind in found:
            continue
        try:
            parsed = notes.parse(SourceFile(file.name, file, ""))
        except DamalsError as error:
            unread[kind] = error
            continue
        problem = next((one for one in parsed.warnings if one[0] in _UNREAD), None)
        if problem is not None:
            unread[kind] = InvalidInput(problem[0], path=file.name, line=problem[1])
            continue
        note = Note(kind, parsed.fields.get(REVIEWED), parsed.properties)
        path = f"{shown.rstrip('/')}/{file.name}"
        found[kind] = _Source(note, path, path)
    return Artefacts(found, unread, folder)


def _files(folder: Path) -> list[Path]:
    """The files of a folder, those in lower case first: of two that differ in it, it is meant."""
    try:
        names = [one for one in folder.iterdir() if artefact_of(one.name) and one.is_file()]
    except OSError as error:
        cause = error.strerror or type(error).__name__
        raise InvalidInput("path.unreadable", path=str(folder), cause=cause) from error
    return sorted(names, key=lambda one: (one.name != one.name.lower(), one.name))


def with_ids(reader: LedgerReader, found: Artefacts, at: At) -> Artefacts:
    """The same with the ids of the notes, where the folder was imported."""
    if found.location is None:
        return found
    try:
        place = find_place(reader, found.location, None)
    except DamalsError:
        return found
    known = in_place(reader, at, (place.name, place.folder), then=False).found
    made: dict[Artefact, _Source] = {
        kind: _Source(one.note, one.file, one.location, known[kind].entry_id)
        if kind in known
        else one
        for kind, one in found.found.items()
    }
    return Artefacts(made, found.unread, found.location)


# --- from the ledger


Place = tuple[str, str]
"""Name of a source and a folder in it, ``""`` for all of it."""


def of_folder(reader: LedgerReader, at: At, folder: Path, shown: str) -> Artefacts:
    """What is known at a pair of the plans of a folder of this machine.

    Raises:
        NotFound: ``planning.not_imported``.
    """
    place = find_place(reader, folder, None)
    found = in_place(reader, at, (place.name, place.folder), then=True)
    if not found.found:
        raise NotFound("planning.not_imported", folder=shown)
    return found


def named(reader: LedgerReader, at: At, folder: str, *, then: bool, owns: bool) -> Artefacts:
    """What is known at a pair of the plans of a folder of an imported vault.

    Args:
        reader: of the workspace.
        at: the pair.
        folder: ``wiki`` is such a folder of any source, ``NAME/wiki`` of the source of that name,
            ``NAME`` the whole source.
        then: the pair is another than now, when notes may have had other names.
        owns: the owner asks, who alone may learn where files lie on this machine.

    Raises:
        NotFound: ``planning.missing`` when there are no plans in such a folder.
        InvalidInput: ``planning.several`` when there are in more than one.
    """
    wanted = normalize("NFC", folder).strip().removeprefix("./").strip("/")
    wanted = "" if wanted == "." else wanted
    found: dict[Place, dict[Artefact, _Source]] = {}
    for one in _notes(reader, at, then=then):
        place = _place(one)
        if _is_meant(place, wanted):
            source = _source(one, owns=owns)
            found.setdefault(place, {}).setdefault(source.note.kind, source)
    if not found:
        raise NotFound("planning.missing", folder=folder)
    if len(found) > 1:
        places = ", ".join(sorted("/".join(filter(None, place)) for place in found))
        raise InvalidInput("planning.several", folder=folder, places=places)
    return Artefacts(next(iter(found.values())))


def in_place(reader: LedgerReader, at: At, place: Place, *, then: bool) -> Artefacts:
    """What is known at a pair of the plans in a folder of a source; the owner asks."""
    found: dict[Artefact, _Source] = {}
    for one in _notes(reader, at, place[0], then=then):
        if _place(one) == place:
            source = _source(one, owns=True)
            found.setdefault(source.note.kind, source)
    return Artefacts(found)


def _is_meant(place: Place, wanted: str) -> bool:
    source, folder = place
    whole = f"{source}/{folder}" if folder else source
    return wanted in (folder, whole)


def _notes(reader: LedgerReader, at: At, source: str | None = None, *, then: bool) -> list[Found]:
    """The visions and roadmaps at a pair, those that were recorded last first."""
    sources = [one.name for one in reader.source_counts()] if source is None else [source]
    known = [note for name in sources for note in reader.source_notes(name)]
    ids = [note.entry_id for note in known if artefact_of(note.path)]
    found: Iterable[Found] = reader.versions_at(ids, at).values()
    plans = _plans(reader, at, found)
    if plans or not then:
        return plans
    # A note may have had another name then, which only its own rows tell.
    return _plans(reader, at, reader.list_at(at, EntryFilter(limit=None)))


def _plans(reader: LedgerReader, at: At, found: Iterable[Found]) -> list[Found]:
    plans = [one for one in found if artefact_of(one.version.attributes.source.path)]
    archived = reader.archived_at([one.version.entry_id for one in plans], at)
    kept = [one for one in plans if one.version.entry_id not in archived]
    return sorted(kept, key=lambda one: one.version.recorded_from, reverse=True)


def _place(found: Found) -> Place:
    source = found.version.attributes.source
    return source.name or "", (source.path or "").rpartition("/")[0]


def _source(found: Found, *, owns: bool) -> _Source:
    has = found.version.attributes
    path = has.source.path or ""
    kind = artefact_of(path) or "vision"
    # What could not be read as an instant was kept as a property.
    reviewed = has.properties.get(REVIEWED) if has.last_reviewed is None else has.last_reviewed
    note = Note(kind, reviewed, has.properties)
    location = _location(has.source.uri, path) if owns else None
    return _Source(note, path, location, str(found.version.entry_id))


def _location(uri: str | None, path: str) -> str | None:
    """Where the file of a note lies, if it is there."""
    parts = urlsplit(uri or "")
    file = Path(url2pathname(parts.path)) / path
    return str(file) if parts.scheme == "file" and file.is_file() else None
