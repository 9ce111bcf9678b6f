"""Changing settings in a home's ``config.yaml``: comments, order and everything else stay.

Only the value that changes is written; the file is replaced in one step.
"""

import json
import os
import stat
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from damals.domain.errors import InvalidInput, Unavailable
from damals.folders import sync_folder

if TYPE_CHECKING:
    from yaml import MappingNode, Node

PRIVATE_FILE: Final = 0o600
BOM: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"


def with_values(text: str, values: Mapping[str, str], path: Path) -> str:
    """The text of a file of settings with some values changed or added.

    Raises:
        InvalidInput: ``config.form`` when it is written in a way in which that cannot be done.
    """
    import yaml  # noqa: PLC0415 -- a command pays for what it uses

    try:
        before: object = yaml.safe_load(text.removeprefix(BOM))
        changed = text
        for name, value in values.items():
            changed = _with_value(changed, name, value)
        after: object = yaml.safe_load(changed.removeprefix(BOM))
    except (yaml.YAMLError, _Unable) as error:
        raise InvalidInput("config.form", path=str(path)) from error
    wanted = {**cast("dict[str, Any]", before or {}), **values}
    if after != wanted:
        raise InvalidInput("config.form", path=str(path))
    return changed


class _Unable(Exception):
    """The file is no mapping of lines."""


def _with_value(text: str, name: str, value: str) -> str:
    import yaml  # noqa: PLC0415 -- as above

    mark = len(text) - len(text.removeprefix(BOM))
    compose = cast("Callable[..., Node | None]", yaml.compose)  # pyright: ignore[reportUnknownMemberType] -- its stubs leave the text open
    root = compose(text[mark:], Loader=yaml.SafeLoader)
    quoted = json.dumps(value, ensure_ascii=False)
    if root is None:
        return _appended(text, f"{name}: {quoted}")
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        raise _Unable
    place = _place(root, name)
    if place is None:
        return _appended(text, f"{name}: {quoted}")
    start, end = (mark + one for one in place)
    between = " " if start == end else ""  # nothing stands behind the colon
    return f"{text[:start]}{between}{quoted}{text[end:]}"


def _place(root: "MappingNode", name: str) -> tuple[int, int] | None:
    """Where the value of a key stands."""
    pairs = cast("list[tuple[Node, Node]]", root.value)
    for key, value in pairs:
        if key.value == name:
            return value.start_mark.index, value.end_mark.index
    return None


def _appended(text: str, line: str) -> str:
    """The text with a line at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    between = "" if not text.removeprefix(BOM) or text.endswith("\n") else newline
    return f"{text}{between}{line}{newline}"


def write_config(path: Path, values: Mapping[str, str], *, private: bool = False) -> None:
    """Change settings in a file, which is made where there is none.

    Args:
        path: of the file; a link is followed.
        values: settings by name.
        private: let only its owner read it, since a password stands in it now.

    Raises:
        InvalidInput: ``config.form``.
        Unavailable: ``config.unwritable``.
    """
    place = Path(os.path.realpath(path))
    with _told(path):
        text = _read(place)
        mode = PRIVATE_FILE if private or not place.exists() else stat.S_IMODE(place.stat().st_mode)
        draft = place.with_name(f"{place.name}.new")
        draft.unlink(missing_ok=True)
        changed = with_values(text, values, path).encode("utf-8")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        with os.fdopen(handle, "wb") as file:
            file.write(changed)
            file.flush()
            os.fsync(file.fileno())
        draft.chmod(mode)
        draft.replace(place)
        sync_folder(place.parent)


def value_in(path: Path, name: str) -> str | None:
    """What a file of settings says of one; ``None`` when nothing.

    Raises:
        InvalidInput: ``config.form``.
        Unavailable: ``config.unwritable``.
    """
    import yaml  # noqa: PLC0415 -- as above

    with _told(path):
        text = _read(path)
    try:
        told: object = yaml.safe_load(text.removeprefix(BOM))
    except yaml.YAMLError as error:
        raise InvalidInput("config.form", path=str(path)) from error
    found = cast("dict[str, object]", told).get(name) if isinstance(told, dict) else None
    return None if found is None else str(found)


def check_config(path: Path, values: Mapping[str, str]) -> None:
    """See that :func:`write_config` can change these.

    Raises:
        InvalidInput: ``config.form``.
        Unavailable: ``config.unwritable``.
    """
    place = Path(os.path.realpath(path))
    with _told(path):
        text = _read(place)
    with_values(text, values, path)
    if not os.access(place.parent, os.W_OK | os.X_OK):
        raise Unavailable("config.unwritable", path=str(path), reason=str(place.parent))


@contextmanager
def _told(path: Path) -> Generator[None]:
    """What the system refuses as an error that names the file."""
    try:
        yield
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise Unavailable("config.unwritable", path=str(path), reason=reason) from error


def _read(place: Path) -> str:
    return place.read_bytes().decode("utf-8") if place.exists() else ""
