"""Settings, health, sources, keys, backups and workspaces, each with what may be done there."""

from pathlib import Path

import pytest
from test_web_imports import ended
from visiting import Visit, owner_of

from damals.app.access_results import KeyView
from damals.bootstrap import open_home
from damals.local import LocalDamals


def keys_of(home: LocalDamals) -> dict[str, KeyView]:
    return {one.name: one for one in home.keys()}  # noqa: SIM118 -- a method of the interface


def tabs(pages: Visit, path: str = "settings") -> set[str]:
    return {node["href"].rpartition("/")[2] for node in pages.get(path).all("nav.tabs a")}


def test_settings_are_told_with_their_origin_what_was_chosen_first(pages: Visit):
    found = pages.get("settings").all("tbody tr")
    rows = [[row.all(".id")[0].text, *row.texts("td")[1:]] for row in found]
    by_name = {row[0]: row[1:] for row in rows}
    assert by_name["embedder"] == ["none", "option"]
    assert by_name["weight_vec"] == ["0.7", "default"]
    origins = [row[2] for row in rows]
    assert origins == sorted(origins, key=lambda one: one == "default")


def test_passwords_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DAMALS_LLM_KEY", "streng-geheim")
    home = open_home(tmp_path / "secretive", embedder="none", brief=True)
    assert isinstance(home, LocalDamals)
    try:
        assert "streng-geheim" not in owner_of(home).get("settings").answer.text
    finally:
        home.close()


def test_each_sees_the_pages_that_they_may_use_and_others_are_refused(pages: Visit):
    own = {"settings", "sources", "health", "backups", "keys", "workspaces"}
    assert tabs(pages) == own
    boss, some = pages.as_("chef", "admin"), pages.as_("teil", "admin", workspaces=["default"])
    reader = pages.as_("lea", "reader")
    assert tabs(boss) == own
    assert tabs(some) == own - {"health", "backups"}
    assert tabs(reader) == {"settings", "sources", "workspaces"}
    for path in ("settings/health", "settings/backups", "settings/keys"):
        assert reader.get(path).status == 403
    for path in ("settings/health", "settings/backups"):
        assert some.get(path).status == 403
        assert some.post(path).status == 403
    assert not reader.get("settings").all("table")
    assert not some.get("settings").all("table")


def test_everybody_is_told_who_they_are_and_can_sign_out(pages: Visit):
    reader = pages.as_("lea", "reader", workspaces=["default"], visibility="public")
    shown = reader.get("settings")
    facts = shown.one("dl.facts").text
    assert all(word in facts for word in ("lea", "reader", "default", "public"))
    assert reader.send(shown.form("main form")).path.startswith("/sign-in")
    assert reader.get("settings").path.startswith("/sign-in")


def test_health_says_of_each_part_how_it_is(pages: Visit, home: LocalDamals):
    shown = pages.get("settings/health")
    parts = [node.text.rpartition(" ")[2] for node in shown.all(".check h2")]
    assert parts == [one.name for one in home.doctor().checks]
    mended = pages.send(shown.form("main form"))
    assert mended.status == 200
    assert mended.all(".check")


def test_what_is_not_well_comes_with_what_to_do(pages: Visit, home: LocalDamals):
    home.opened.parts.home.path.chmod(0o755)
    shown = pages.get("settings/health")
    assert "not well" in shown.one("main [role=status]").text
    [bad] = shown.all(".check.bad")
    assert bad.one("h2").text == "not well: access"
    assert bad.one("code").text


def test_sources_are_listed_with_their_last_result(pages: Visit, tmp_path: Path):
    folder = tmp_path / "in" / "Notizen"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("# A\n", encoding="utf-8")
    assert pages.get("settings/sources").one(".empty a")["href"] == "/w/default/imports"
    ended(pages, pages.post("imports", path=str(folder)))
    shown = pages.get("settings/sources")
    assert shown.texts("main section h2") == ["Notizen"]
    assert "new 1" in shown.one("main section").text


# --- keys


def test_the_first_key_is_offered_as_one_that_does_not_lock_its_maker_out(pages: Visit):
    shown = pages.get("settings/keys")
    assert "you too" in shown.one("form .problem").text
    form = shown.form("#role")
    assert form.fields["role"] == ["admin"]
    made = pages.send(form, name="ich")
    secret = made.one("#secret")["value"]
    assert secret.startswith("damals_")
    assert pages.get("settings/keys").path.startswith("/sign-in")
    again = pages.other(secret)
    keys = again.get("settings/keys")
    assert keys.texts("tbody th") == ["ich"]
    assert not keys.all("form .problem")
    assert keys.form("#role").fields["role"] == ["reader"]


def test_a_secret_is_shown_once_and_opens_what_was_said(pages: Visit, home: LocalDamals):
    form = pages.get("settings/keys").form("#role")
    made = pages.send(form, name="lea", role="writer", names="team, archiv", visibility="public",
                     sensitivity="2", reach=None, workspaces=["default"])  # fmt: skip
    assert made.status == 200
    secret = made.one("#secret")["value"]
    boss = pages.as_("chef", "admin")
    assert secret not in boss.get("settings/keys").answer.text
    key = keys_of(home)["lea"]
    assert key.roles == ("writer", "team", "archiv")
    assert (key.workspaces, key.visibility, key.sensitivity) == (("default",), "public", 2)
    assert "lea" in pages.other(secret).get("settings").text


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"name": ""}, 400),
        ({"name": "owner"}, 400),
        ({"name": "x", "reach": None}, 400),
        ({"name": "x", "sensitivity": "viel"}, 400),
        ({"name": "chef"}, 409),
        ({"name": "x", "reach": None, "workspaces": ["nirgends"]}, 404),
    ],
)
def test_a_key_that_cannot_be_is_told_and_what_was_typed_stays(
    pages: Visit, home: LocalDamals, said: dict, status: int
):
    boss = pages.as_("chef", "admin", "team", visibility="restricted", sensitivity=3)
    form = boss.get("settings/keys").form("#role")
    shown = boss.send(form, **{"names": "team", "visibility": "public", **said})
    assert (shown.status, bool(shown.problem)) == (status, True)
    kept = shown.form("#role").fields
    assert (kept["names"], kept["visibility"]) == (["team"], ["public"])
    assert list(keys_of(home)) == ["chef"]


def test_nobody_is_offered_to_give_more_than_they_have(pages: Visit, home: LocalDamals):
    home.create_workspace("other")
    some = pages.as_("teil", "admin", workspaces=["default"], visibility="internal", sensitivity=1)
    form = some.get("settings/keys").form("#role")
    options = {
        name: [one["value"] for one in form.node.one(f"#{name}").all("option")]
        for name in ("visibility", "sensitivity")
    }
    assert options == {"visibility": ["public", "internal"], "sensitivity": ["0", "1"]}
    assert [one["value"] for one in form.node.all("fieldset input")] == ["default"]
    beyond = some.send(form, name="x", workspaces=["default"], visibility="restricted")
    assert beyond.status == 403
    assert "x" not in keys_of(home)


def test_a_revoked_key_ends_its_sessions_at_once(pages: Visit):
    boss, lea = pages.as_("chef", "admin"), pages.as_("lea", "reader")
    assert lea.get("entries").status == 200
    shown = boss.get("settings/keys")
    form = shown.form("form[action$=/lea/revoke] button")
    after = boss.send(form)
    assert after.path == "/w/default/settings/keys"
    assert "revoked" in after.one("tbody").text
    assert lea.get("entries").path.startswith("/sign-in")
    assert boss.send(form).status == 404


# --- backups


def test_a_backup_is_made_and_checked_as_jobs_that_are_watched(pages: Visit, home: LocalDamals):
    home.remember("Was zu sichern ist", valid_from="2020-01-01")
    shown = pages.get("settings/backups")
    assert "damals backup" in shown.one(".empty").text
    made = ended(pages, pages.send(shown.form("#recipient")))
    assert made.one("#job")["data-state"] == "done"
    [backup] = home.backups()
    assert backup.id in made.text
    listed = pages.get("settings/backups")
    assert backup.id in listed.one("tbody").text
    checked = ended(pages, pages.send(listed.form("tbody form")))
    assert checked.one("#job")["data-state"] == "done"
    assert "sound" in pages.get("settings/backups").one("tbody").text


def test_a_recipient_that_is_none_is_told(pages: Visit, home: LocalDamals):
    form = pages.get("settings/backups").form("#recipient")
    shown = pages.send(form, recipient="geheim")
    job = ended(pages, shown) if shown.all("#job") else shown
    assert job.problem
    assert not home.backups()


def test_a_backup_that_is_not_there_is_told(pages: Visit):
    shown = pages.post("settings/backups/nirgends/verify")
    job = ended(pages, shown) if shown.all("#job") else shown
    assert "nirgends" in job.problem


# --- workspaces


def test_workspaces_are_listed_and_made(pages: Visit, home: LocalDamals):
    shown = pages.get("workspaces")
    assert [node["href"] for node in shown.all("main .cards a")] == ["/w/default"]
    made = pages.send(shown.form("#timezone"), name="Verein", timezone="Europe/Vienna")
    assert made.path == "/w/Verein"
    zones = {one.name: one.timezone for one in home.workspaces()}
    assert zones["Verein"] == "Europe/Vienna"


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"name": "default"}, 409),
        ({"name": ""}, 400),
        ({"name": "x", "timezone": "Europa/Nirgends"}, 400),
    ],
)
def test_a_workspace_that_cannot_be_is_told_and_what_was_typed_stays(
    pages: Visit, home: LocalDamals, said: dict[str, str], status: int
):
    shown = pages.send(pages.get("workspaces").form("#timezone"), **said)
    assert (shown.status, bool(shown.problem)) == (status, True)
    kept = shown.form("#timezone").fields
    assert all(kept[name] == [value] for name, value in said.items())
    assert [one.name for one in home.workspaces()] == ["default"]


def test_who_is_limited_to_some_workspaces_sees_only_these(pages: Visit, home: LocalDamals):
    home.create_workspace("Geheimrat")
    reader = pages.as_("lea", "reader", workspaces=["default"])
    for path in ("workspaces", "settings"):
        assert "Geheimrat" not in reader.get(path).answer.text
    assert not reader.get("workspaces").all("main form")
    assert reader.post("workspaces", name="x").status == 403
