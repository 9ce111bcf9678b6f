"""Builds the model's files once and keeps them: graph and tokenizer beside a manifest.

A folder of its own for each build version, made under another name and renamed when complete. So
there is never half a build under the final name, whatever is killed, and of two processes that
build at once the later one finds the other's folder and drops its own.
"""

import json
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path
from typing import Final

from damals.adapters.embedders import tokenizer
from damals.adapters.embedders.weights import SHA256, WeightsFile

BUILD_VERSION: Final = 1
"""Counts changes of the graph or the tokenizer; part of the embedder's version."""
FOLDER: Final = f"e5-small-q4-{SHA256[:8]}-{BUILD_VERSION}"
GRAPH: Final = "graph.onnx"
TOKENIZER: Final = "tokenizer.json"
MANIFEST: Final = "manifest.json"
_TEMPORARY: Final = ".e5-building-"
_ABANDONED_AFTER_S: Final = 3600
_ATTEMPTS: Final = 5


def ready(model_dir: Path) -> Path | None:
    """The complete and undamaged build below ``model_dir``, if there is one."""
    folder = model_dir / FOLDER
    try:
        expected: dict[str, str] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        intact = set(expected) == {GRAPH, TOKENIZER} and all(
            _digest(folder / name) == digest for name, digest in expected.items()
        )
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return folder if intact else None


def build(weights: Path, model_dir: Path) -> Path:
    """Build from the weights file, replacing a damaged build. Takes two to four seconds.

    Raises:
        OSError: ``model_dir`` cannot be written.
        ImportError: the package ``onnx`` is missing.
    """
    from damals.adapters.embedders import graph  # noqa: PLC0415 - imports onnx, 0.3 s

    opened = WeightsFile(weights)
    return install(
        model_dir,
        {
            GRAPH: lambda path: graph.write(opened, path),
            TOKENIZER: lambda path: tokenizer.write(opened.vocabulary, path),
        },
    )


def install(model_dir: Path, writers: Mapping[str, Callable[[Path], None]]) -> Path:
    """Let each writer write its file, add the manifest, and move all in place at once."""
    model_dir.mkdir(parents=True, exist_ok=True)
    _sweep(model_dir)
    temporary = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=model_dir))
    try:
        for name, write in writers.items():
            write(temporary / name)
        digests = {name: _digest(temporary / name) for name in writers}
        (temporary / MANIFEST).write_text(json.dumps(digests, indent=1), encoding="utf-8")
        return _move_in(temporary, model_dir)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _move_in(temporary: Path, model_dir: Path) -> Path:
    final = model_dir / FOLDER
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            temporary.rename(final)
        except OSError:
            # A folder is in the way: another process was first, or what is there is damaged.
            if ready(model_dir):
                break
            if attempt == _ATTEMPTS:
                raise
            _remove(final)
        else:
            break
    return final


def _remove(folder: Path) -> None:
    """Remove a folder without showing half of it under its name."""
    grave = Path(tempfile.mkdtemp(prefix=_TEMPORARY, dir=folder.parent))
    with suppress(FileNotFoundError):  # another process removed it
        folder.rename(grave / "damaged")
    shutil.rmtree(grave, ignore_errors=True)


def _sweep(model_dir: Path) -> None:
    """Remove what killed builds left, but not what another process is building now."""
    for folder in model_dir.glob(f"{_TEMPORARY}*"):
        try:
            abandoned = time.time() - folder.stat().st_mtime > _ABANDONED_AFTER_S
        except OSError:
            continue
        if abandoned:
            shutil.rmtree(folder, ignore_errors=True)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
