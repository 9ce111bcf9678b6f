"""Who gives keys to whom: nobody more than they have, and nobody the name of the owner."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from damals.app.access_model import Denial
from damals.app.door import digest_of
from damals.bootstrap import init_home, open_home
from damals.domain.access import OWNER, Principal
from damals.domain.errors import Conflict, DamalsError, Denied, InvalidInput, NotFound
from damals.local import LocalDamals

Kinds = type[DamalsError] | tuple[type[DamalsError], ...]


@contextmanager
def refused(kind: Kinds, key: str) -> Iterator[None]:
    with pytest.raises(kind) as told:
        yield
    assert told.value.key == key


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DAMALS_EMBEDDER", "none")
    monkeypatch.setenv("DAMALS_TIMEZONE", "Europe/Berlin")
    return tmp_path / "home"


def opened(folder: Path, workspace: str = "default") -> LocalDamals:
    found = open_home(folder, workspace=workspace, brief=True)
    assert isinstance(found, LocalDamals)
    return found


@pytest.fixture
def owner(folder: Path) -> Iterator[LocalDamals]:
    """A home with the workspaces ``default``, ``garden`` and ``secret``."""
    memory = opened(folder)
    memory.remember("Offer")
    for name in ("garden", "secret"):
        memory.create_workspace(name)
    yield memory
    memory.close()


@pytest.fixture
def admin(owner: LocalDamals) -> LocalDamals:
    """Whoever administers two workspaces, and sees what is internal in them."""
    roles, workspaces = ("admin", "office"), ("garden", "default")
    return owner.under(Principal("ops", roles, workspaces, "internal", 1))


# Keys


def test_a_key_is_shown_once_and_only_its_digest_is_kept(owner: LocalDamals):
    made = owner.create_key("bot", roles=["writer"], workspaces=["garden"], sensitivity=2)
    assert made.secret.startswith("damals_")
    assert len(made.secret) > 40
    (kept,) = owner.opened.ledger("default").registry.all_keys()
    assert kept.digest == digest_of(made.secret)
    assert owner.keys() == (made.key,)
    assert (made.key.roles, made.key.workspaces, made.key.sensitivity) == (
        ("writer",), ("garden",), 2,
    )  # fmt: skip


def test_no_secret_is_ever_in_the_files_of_a_home(owner: LocalDamals, folder: Path):
    secrets = [owner.create_key(name).secret for name in ("bot", "bit")]
    owner.revoke_key("bot")
    for closed in (False, True):
        if closed:
            owner.close()
        files = [file for file in folder.rglob("*") if file.is_file()]
        assert {"ledger.db"} <= {file.name for file in files}
        for file in files:
            held = file.read_bytes()
            for secret in secrets:
                assert secret.encode() not in held
                assert secret.removeprefix("damals_").encode() not in held


def test_two_keys_never_have_the_same_secret(owner: LocalDamals):
    assert len({owner.create_key(f"bot{n}").secret for n in range(20)}) == 20


def test_a_key_without_anything_said_reads_what_is_internal_everywhere(owner: LocalDamals):
    made = owner.create_key("bot").key
    assert made.to_dict() == {
        "name": "bot",
        "roles": ["reader"],
        "workspaces": None,
        "visibility": "internal",
        "sensitivity": 0,
        "created_at": made.created_at,
        "revoked_at": None,
    }


def test_a_revoked_key_keeps_its_place_and_its_name_is_free(owner: LocalDamals):
    owner.create_key("bot")
    with refused(Conflict, "key.exists"):
        owner.create_key("bot")
    gone = owner.revoke_key("bot")
    assert gone.revoked_at is not None
    owner.create_key("bot")
    listed = owner.keys()
    assert [key.revoked_at is None for key in listed] == [False, True]
    with refused(NotFound, "key.missing"):
        owner.revoke_key("nobody")


@pytest.mark.parametrize("name", ["owner", "Owner", "OWNER", "reader", "writer", "Admin"])
def test_no_key_is_called_what_means_something_already(owner: LocalDamals, name: str):
    with refused(InvalidInput, "key.reserved"):
        owner.create_key(name)


def test_no_role_is_called_as_the_owner(owner: LocalDamals):
    with refused(InvalidInput, "key.reserved"):
        owner.create_key("bot", roles=["reader", "owner"])
    assert owner.keys() == ()


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "-a", ".", "..", "a/b", "a\n", "x" * 101, "é\ud800"]
)
def test_names_need_no_quotes(owner: LocalDamals, name: str):
    with refused(InvalidInput, "key.name"):
        owner.create_key(name)
    with refused(InvalidInput, "key.role"):
        owner.create_key("bot", roles=[name])
    with refused(InvalidInput, "workspace.name"):
        owner.create_workspace(name)


def test_names_are_letters_of_any_language_composed(owner: LocalDamals):
    assert owner.create_key("bu\u0308ro-1.x_y").key.name == "b\u00fcro-1.x_y"
    assert owner.create_workspace("\u5ead").name == "\u5ead"


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("visibility", "secret", "field.choice"),
        ("sensitivity", 4, "field.range"),
        ("sensitivity", True, "field.range"),
        ("workspaces", ["nowhere"], "workspace.unknown"),
        ("workspaces", [["garden"]], "field.text"),
        ("roles", [3], "field.text"),
    ],
)
def test_what_a_key_cannot_be_is_refused(
    owner: LocalDamals, field: str, value: object, problem: str
):
    with refused((InvalidInput, NotFound), problem):
        owner.create_key("bot", **{field: value})
    assert owner.keys() == ()


def test_one_role_or_workspace_may_be_given_alone(owner: LocalDamals):
    made = owner.create_key("bot", roles="writer", workspaces="garden").key
    assert (made.roles, made.workspaces) == (("writer",), ("garden",))


# What an admin key may give


@pytest.mark.parametrize(
    "beyond",
    [
        {"workspaces": None},
        {"visibility": "restricted"},
        {"sensitivity": 2},
        {"roles": ("reader", "board")},
    ],
)
def test_an_admin_gives_no_more_than_it_has(admin: LocalDamals, beyond: dict[str, object]):
    within = {"workspaces": ["garden"], "visibility": "internal", "sensitivity": 1}
    with refused(Denied, "key.beyond"):
        admin.create_key("bot", **within | beyond)
    assert admin.keys() == ()


def test_an_admin_makes_others_like_itself(admin: LocalDamals):
    made = admin.create_key(
        "ops2", roles=["admin", "office"], workspaces=["garden", "default"], sensitivity=1
    )
    assert admin.keys() == (made.key,)


def test_an_admin_gives_no_name_by_which_an_acl_would_admit_more(
    owner: LocalDamals, admin: LocalDamals
):
    owner.remember("For Anna", acl=["anna", "office"])
    owner.remember("For those who write", acl=["writer"])
    for name, roles in (("anna", ["reader"]), ("bot", ["writer"])):
        with refused(Denied, "key.beyond"):
            admin.create_key(name, roles=roles, workspaces=["garden"])
    admin.create_key("bot", roles=["reader", "office"], workspaces=["garden"])
    owner.create_key("anna", roles=["writer"])


def test_what_an_admin_may_not_use_it_is_not_told_of(owner: LocalDamals, admin: LocalDamals):
    owner.create_key("hidden", workspaces=["secret"])
    owner.create_key("everywhere")
    shown = owner.create_key("seen", workspaces=["garden"]).key
    assert admin.keys() == (shown,)
    assert [one.name for one in admin.workspaces()] == ["default", "garden"]
    with refused(NotFound, "workspace.unknown"):
        admin.create_key("bot", workspaces=["secret"])
    for name in ("hidden", "everywhere", "nobody"):
        with refused(NotFound, "key.missing"):
            admin.revoke_key(name)
    with refused(Denied, "access.workspace"):
        admin.create_workspace("another")
    registry = owner.opened.ledger("default").registry
    for place in ("secret", "garden", None):
        registry.deny(Denial(1, "bot", place, "rest", "GET /v1/x", "access.right"))
    assert [one.workspace for one in admin.denials()] == ["garden"]
    assert [one.workspace for one in owner.denials()] == [None, "garden", "secret"]
    assert [one.workspace for one in owner.denials(limit=1)] == [None]


def test_erasures_are_told_of_the_workspaces_that_an_admin_may_use(
    owner: LocalDamals, admin: LocalDamals
):
    owner.erase("entry", owner.remember("Old offer").id)
    secret = owner.under(OWNER, workspace="secret")
    hidden = secret.erase("entry", secret.remember("Hidden").id).certificate.id
    gone = owner.erase("workspace", "garden").certificate.id
    assert [one.workspace for one in owner.erasures()] == [None, "secret", "default"]
    assert [one.workspace for one in admin.erasures()] == ["default"]
    for one in (hidden, gone):
        assert one is not None
        with refused(NotFound, "erase.unknown"):
            admin.certificate(one)


@pytest.mark.parametrize("role", ["reader", "writer", "office"])
def test_only_who_administers_may(owner: LocalDamals, role: str):
    asker = owner.under(Principal("bot", (role,), None, "restricted", 3))
    calls = (
        asker.keys,
        asker.denials,
        asker.erasures,
        lambda: asker.certificate("x"),
        lambda: asker.create_key("x"),
        lambda: asker.revoke_key("x"),
        lambda: asker.create_workspace("x"),
    )
    for call in calls:
        with refused(Denied, "access.right"):
            call()
    assert len(asker.workspaces()) == 3


def test_who_administers_need_not_reach_the_workspace_it_stands_in(owner: LocalDamals):
    admin = owner.under(Principal("ops", ("admin",), ("garden",)), workspace="default")
    made = admin.create_key("bot", workspaces=["garden"]).key
    assert owner.keys() == (made,)


@pytest.mark.parametrize("limit", [0, -1, True])
def test_a_limit_of_denied_calls_is_one_or_more(owner: LocalDamals, limit: int):
    with refused(InvalidInput, "limit.invalid"):
        owner.denials(limit=limit)


# A home that is not there yet, and one that is in use


def test_a_key_makes_a_home_as_any_first_write_does(folder: Path):
    memory = opened(folder)
    with refused(NotFound, "home.missing"):
        memory.keys()
    with refused(NotFound, "workspace.unknown"):
        memory.create_key("bot", workspaces=["nowhere"])
    assert not folder.exists()
    memory.create_key("bot", workspaces=["default"])
    assert [one.name for one in memory.workspaces()] == ["default"]
    memory.close()


def test_a_workspace_makes_a_home_with_the_default_one(folder: Path):
    memory = opened(folder)
    with refused(InvalidInput, "time.zone_unknown"):
        memory.create_workspace("garden", timezone="Nowhere/Else")
    with refused(Conflict, "workspace.zone_fixed"):
        memory.create_workspace("default", timezone="UTC")
    assert not folder.exists()
    assert memory.create_workspace("default").timezone == "Europe/Berlin"
    assert memory.create_workspace("garden", timezone="UTC").timezone == "UTC"
    assert [one.name for one in memory.workspaces()] == ["default", "garden"]
    with refused(Conflict, "workspace.exists"):
        memory.create_workspace("default")
    memory.close()


def test_init_has_the_same_rule_for_names_and_keeps_odd_ones_that_are_there(folder: Path):
    with refused(InvalidInput, "workspace.name"):
        init_home(folder, workspace="my garden")
    assert not folder.exists()
    memory = opened(folder)
    memory.remember("Offer")
    memory.opened.ledger("default").create_workspace("my garden", "UTC", 1)
    memory.close()
    assert not init_home(folder, workspace="my garden").created
    with refused(InvalidInput, "workspace.name"):
        init_home(folder, workspace="another garden")
    odd = opened(folder, "my garden")
    odd.remember("Rose")
    assert odd.create_key("bot", workspaces=["my garden"]).key.workspaces == ("my garden",)
    odd.close()


def test_nothing_of_this_is_part_of_a_transaction(owner: LocalDamals):
    with owner.transaction("r"):
        for call in (lambda: owner.create_key("x"), lambda: owner.create_workspace("x")):
            with refused(InvalidInput, "transaction.open"):
                call()
        with refused(InvalidInput, "transaction.open"):
            owner.revoke_key("x")


def test_who_is_told_of_an_import_waits_for_nothing_that_waits_for_its_end(
    owner: LocalDamals, tmp_path: Path
):
    owner.create_key("bot")
    events = tmp_path / "events.jsonl"
    event = '{"op": "remember", "title": "x", "recorded_at": "2020-01-01T00:00:00Z"}\n'
    events.write_text(event, encoding="utf-8")
    told: list[str] = []

    def listen(_: object) -> None:
        with refused(InvalidInput, "transaction.open"):
            owner.revoke_key("bot")
        told.append("refused")

    owner.under(OWNER, workspace="garden").import_(events, progress=listen)
    assert told
    assert owner.revoke_key("bot").revoked_at is not None


def test_a_key_can_be_taken_away_while_somebody_else_has_the_turn(owner: LocalDamals):
    owner.create_key("bot")
    busy, done = threading.Event(), threading.Event()

    def work() -> None:
        with owner.opened.turn:
            busy.set()
            done.wait(30)

    other = threading.Thread(target=work)
    other.start()
    busy.wait(30)
    assert owner.revoke_key("bot").revoked_at is not None
    done.set()
    other.join()
