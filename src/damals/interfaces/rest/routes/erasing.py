"""Erasing what is no one entry: sources, persons, workspaces; and what is kept of erasures."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from damals.app.change_results import Erased
from damals.app.erasing.results import ErasureList
from damals.app.wire import to_wire
from damals.interfaces.rest.answers import JsonAnswer
from damals.interfaces.rest.area import Answer, Area, Rules
from damals.interfaces.rest.caller import HomeCaller, HomeChanger, WorkspaceChanger

area = Area("erasing", "/v1/workspaces/{workspace}")
home_area = Area("erasing_workspaces", "/v1")

RULES = Rules(once=True, slow=True)


class Why(BaseModel):
    """Why something is erased."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str | None, Query(description="Why; it goes as well.")] = None


Asked = Annotated[Why, Query()]


@area.route("DELETE /sources/{name}", "erase_source", Answer(Erased), RULES)
def erase_source(
    caller: WorkspaceChanger, name: Annotated[str, Path(description="Name of it.")], asked: Asked
) -> Response:
    """Remove every entry that ever came from a source, with proof; it is not imported again."""
    return _erased(caller, "source", name, asked)


@area.route("DELETE /people/{id}", "erase_person", Answer(Erased), RULES)
def erase_person(
    caller: WorkspaceChanger,
    id: Annotated[str, Path(description="Id or external id of the person.")],
    asked: Asked,
) -> Response:
    """Remove a person, with proof; entries that name them stay and are listed."""
    return _erased(caller, "person", id, asked)


@home_area.route("DELETE /workspaces/{name}", "erase_workspace", Answer(Erased), RULES)
def erase_workspace(
    caller: HomeChanger, name: Annotated[str, Path(description="Name of it.")], asked: Asked
) -> Response:
    """Remove a workspace with all that is in it, with proof."""
    return _erased(caller, "workspace", name, asked)


@home_area.route("GET /erasures", "erasures", Answer(ErasureList))
def erasures(caller: HomeCaller) -> Response:
    """The erasures of the home, newest first: ids, and no text of what was erased."""
    return JsonAnswer(to_wire(ErasureList(tuple(caller.memory.erasures()))))


@home_area.route("GET /erasures/{id}", "certificate", Answer(Erased))
def certificate(
    caller: HomeCaller, id: Annotated[str, Path(description="Id of the erasure.")]
) -> Response:
    """The certificate of an erasure, as it was when it was done."""
    return JsonAnswer(to_wire(caller.memory.certificate(id)))


def _erased(caller: HomeChanger, kind: str, id: str, asked: Why) -> Response:
    given = asked.model_dump(exclude_unset=True)
    return caller.answered_once(lambda: caller.memory.erase(kind, id, **given))
