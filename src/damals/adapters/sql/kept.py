"""Answers to requests that came with a key, kept for a day.

They hold texts of entries, so that an erasure forgets them in the same write; and whoever keeps
one that was made before an erasure keeps nothing but that there was one.
"""

import json
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, insert, or_, select, update

from damals.adapters.sql.engine import take_turn
from damals.adapters.sql.prepared import first_row
from damals.adapters.sql.reserved import idempotency, jobs, tombstones
from damals.app.access_model import KeptAnswer
from damals.domain.entries import Json

KEPT: Final = "kept"
"""Those who write answers and jobs, and erasures that forget them, take turns."""

DAY_US: Final = 86_400_000_000

_ANSWER: Final = select(idempotency).where(idempotency.c.key_digest == bindparam("key"))
_LAST_ERASURE: Final = (
    select(tombstones.c.number)
    .where(
        tombstones.c.workspace_id == bindparam("workspace"),
        tombstones.c.number.is_not(None),
    )
    .order_by(tombstones.c.id.desc())
    .limit(1)
)
_DROP_OLD: Final = delete(idempotency).where(idempotency.c.created_at < bindparam("oldest"))
_FORGET_ANSWERS: Final = (
    update(idempotency)
    .where(
        idempotency.c.workspace_id == bindparam("workspace"), idempotency.c.response.is_not(None)
    )
    .values(response=None)
)
_FORGET_JOBS: Final = (
    update(jobs)
    .where(
        jobs.c.workspace_id == bindparam("workspace"),
        or_(jobs.c.request.is_not(None), jobs.c.result.is_not(None)),
    )
    .values(request=None, result=None)
)


def kept_answer(connection: Connection, workspace: int | None, key: bytes) -> KeptAnswer | None:
    """The answer kept under a key of a workspace, or of none."""
    row = first_row(connection, _ANSWER, {"key": key})
    if row is None or row.workspace_id != workspace:
        return None
    body = from_json(row.response)
    return KeptAnswer(row.request_digest, row.status, body, row.created_at, since=None)


def keep_answer(
    connection: Connection, workspace: int | None, key: bytes, answer: KeptAnswer
) -> None:
    """Keep an answer; the first one under a key stays."""
    take_turn(connection, KEPT)
    connection.execute(_DROP_OLD, {"oldest": answer.created_at - DAY_US})
    if first_row(connection, _ANSWER, {"key": key}) is not None:
        return
    forgotten = answer.body is None or erased_since(connection, workspace, answer.since)
    values: dict[str, Any] = {
        "key_digest": key,
        "workspace_id": workspace,
        "request_digest": answer.request,
        "status": answer.status,
        "response": None if forgotten else as_json(answer.body),
        "created_at": answer.created_at,
    }
    connection.execute(insert(idempotency), values)


def erased_since(connection: Connection, workspace: int | None, since: int | None) -> bool:
    """Whether something was erased behind a transaction; ``None`` is behind all of them."""
    if workspace is None or since is None:
        return False
    return last_erasure(connection, workspace) > since


def last_erasure(connection: Connection, workspace: int) -> int:
    """The number of the last transaction that erased something in a workspace; 0 for none."""
    row = first_row(connection, _LAST_ERASURE, {"workspace": workspace})
    return 0 if row is None else row.number


def forget(connection: Connection, workspace: int) -> None:
    """Something was erased: take all texts out of answers and jobs of a workspace."""
    take_turn(connection, KEPT)  # what is being kept has seen the erasure, or is seen by it
    connection.execute(_FORGET_ANSWERS, {"workspace": workspace})
    connection.execute(_FORGET_JOBS, {"workspace": workspace})


def as_json(value: Json) -> str:
    """JSON, its keys in their order; texts are found in it as they are, unless halves of letters.

    Paths that are no Unicode have such halves.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def from_json(text: str | None) -> Any:  # noqa: ANN401 - whatever was kept
    """What :func:`as_json` was given."""
    return None if text is None else json.loads(text)
