"""What tests from afar share: a home that one asks and another owns."""

import contextlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from afar import Afar, announced, open_from_afar
from damals import Damals
from damals.bootstrap import init_home, open_home


@dataclass
class Asked:
    """A memory that is asked, and the same home as its owner has it.

    Attributes:
        how: ``own``, ``remote``, ``attached`` or ``attached owner``.
    """

    how: str
    memory: Damals
    own: Damals
    folder: Path


@pytest.fixture(autouse=True)
def _words_only(monkeypatch):
    """Vectors are not what these tests are about."""
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")


WAYS = ("own", "remote", "attached", "attached owner")


@contextlib.contextmanager
def asking(how: str, folder: Path):
    """A new home, asked in one of the ways."""
    home = folder / "home"
    init_home(home, timezone="Europe/Berlin")
    with contextlib.ExitStack() as stack:
        match how:
            case "own":
                own = memory = stack.enter_context(open_home(home))
            case "remote":
                memory = stack.enter_context(open_from_afar(home))
                assert isinstance(memory, Afar)
                own = memory.served.memory
            case "attached":
                own = stack.enter_context(announced(home)).memory
                memory = stack.enter_context(Damals.open(home))
            case _:
                own = memory = stack.enter_context(Damals.open(home))
        yield Asked(how, memory, own, folder)


@pytest.fixture(params=WAYS)
def asked(request, tmp_path):
    """A new home for one test."""
    with asking(request.param, tmp_path) as made:
        yield made


@pytest.fixture
def filled(asked):
    """As ``asked``, with some knowledge in it."""
    fill(asked.own)
    return asked


@pytest.fixture(scope="module", params=WAYS)
def stocked(request, tmp_path_factory):
    """As ``filled``, for tests that change nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DAMALS_EMBEDDER", "none")
        with asking(request.param, tmp_path_factory.mktemp("stocked")) as made:
            fill(made.own)
            made.own.recall("Sitz")  # what the index catches up with is not part of an answer
            yield made


def fill(own: Damals) -> None:
    """Some knowledge, told by the owner."""
    first = {"valid_from": "2020-01-01"}
    own.remember("Sitz", "Hauptstraße 1", external_id="Sitz", key="sitz", tags=["ort"], **first)
    own.remember("Tel", "tel", external_id="Tel", **first)
    own.update("Sitz", "Sitz neu", "Nebenstraße 2", valid_from="2022-01-01", reason="Umzug",
               external_id="Sitz neu", tags=["ort"])  # fmt: skip
    own.remember("Name", "n", external_id="a/b ü?&%.. #1", **first)
    own.relate("Tel", "related_to", "Sitz")
    own.remember("X", "x", external_id="X", **first)
    own.remember("Y", "y", external_id="Y", **first)
    own.contradict("X", "Y", reason="r")
    own.create_key("kim", roles=["writer"], workspaces=["default"])
