"""Signing in and out, whose form it was, where one is led, and what browsers are told of pages."""

import time

import pytest
from visiting import ELSEWHERE, FRAGMENT, Visit, owner_of

from damals.interfaces.rest.options import ServerOptions
from damals.interfaces.web.area import HEADERS, local_target
from damals.interfaces.web.sessions import IDLE_S, MAX_SESSIONS, Sessions
from damals.local import LocalDamals


def cookie_of(shown) -> str:
    return next(
        one
        for one in shown.answer.headers.get_list("set-cookie")
        if one.startswith("damals-session-")
    )


# --- who looks


def test_whoever_sits_at_the_machine_needs_no_key_until_there_is_one(pages: Visit):
    assert pages.get("/").path == "/w/default"
    pages.home.create_key("anna", roles=["reader"])
    assert pages.get("/").path == "/sign-in"


def test_from_elsewhere_nobody_gets_in_without_a_key(pages: Visit):
    shown = pages.other(came_from=ELSEWHERE).get("settings")
    assert shown.path == "/sign-in?next=%2Fw%2Fdefault%2Fsettings"
    assert shown.heading == "Sign in"


def test_after_signing_in_one_is_where_one_wanted_to_go(pages: Visit):
    secret = pages.home.create_key("anna", roles=["reader"]).secret
    anna = pages.other()
    asked = anna.get("/w/default", q="Müller & Söhne")
    shown = anna.send(asked.form("#key"), key=f" {secret}\n")
    assert shown.path == "/w/default?q=M%C3%BCller+%26+S%C3%B6hne"
    assert "seen by anna" in shown.one("footer").text


def test_a_wrong_key_opens_nothing_and_is_not_shown_again(pages: Visit):
    pages.home.create_key("anna", roles=["reader"])
    anna = pages.other()
    shown = anna.send(anna.get("/").form("#key"), key="damals_wrong")
    assert (shown.status, shown.heading) == (401, "Sign in")
    assert shown.problem
    assert "damals_wrong" not in shown.answer.text
    assert anna.get("/").path == "/sign-in"


def test_a_revoked_key_ends_its_sessions_at_the_next_page(pages: Visit):
    anna = pages.as_("anna", "reader")
    assert anna.get("").status == 200
    pages.home.revoke_key("anna")
    assert anna.get("").path.startswith("/sign-in")
    assert anna.part("").status == 401


def test_a_form_sent_with_a_revoked_key_changes_nothing(pages: Visit):
    anna = pages.as_("anna", "writer")
    token = anna.token
    pages.home.revoke_key("anna")
    shown = anna.post("new", csrf=token, title="Neu", content="x")
    assert shown.path == "/sign-in"
    assert pages.home.entries().entries == ()


def test_signing_out_ends_the_session_for_every_copy_of_its_cookie(pages: Visit):
    anna = pages.as_("anna", "reader")
    copied = dict(anna.client.cookies)
    shown = anna.send(anna.get("").form("form[action=/sign-out]"))
    assert shown.path == "/sign-in"
    anna.client.cookies.update(copied)
    assert anna.get("").path.startswith("/sign-in")


def test_signing_in_gives_the_session_another_id_and_another_token(pages: Visit):
    secret = pages.home.create_key("anna", roles=["reader"]).secret
    anna = pages.other()
    before = anna.get("/sign-in")
    known = dict(anna.client.cookies)
    anna.send(before.form("#key"), key=secret)
    assert dict(anna.client.cookies) != known
    assert anna.token != before.form("#key").fields["csrf"][0]


def test_the_cookie_tells_scripts_nothing_and_other_sites_do_not_send_it_along(pages: Visit):
    told = cookie_of(pages.get("/sign-in"))
    assert {"HttpOnly", "SameSite=lax", "Path=/"} <= {one.strip() for one in told.split(";")}
    assert "Secure" not in told


def test_behind_tls_the_cookie_never_goes_without(pages: Visit):
    pages.client.base_url = "https://127.0.0.1"
    assert "Secure" in cookie_of(pages.get("/sign-in"))


def test_two_homes_on_one_machine_do_not_take_each_others_cookies(pages: Visit):
    here = cookie_of(pages.get("/sign-in")).partition("=")[0]
    pages.client.base_url = "http://127.0.0.1:9999"
    assert cookie_of(pages.get("/sign-in")).partition("=")[0] != here


def test_a_session_that_rests_too_long_is_over(monkeypatch):
    sessions = Sessions()
    made = sessions.begin("key")
    assert sessions.of(made.id) == made
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + IDLE_S + 60)
    assert sessions.of(made.id) is None


def test_who_only_looks_at_the_form_for_a_key_ends_nobodys_session():
    sessions = Sessions()
    anna, passing = sessions.begin("key"), sessions.begin()
    for _ in range(MAX_SESSIONS):
        sessions.begin()
    assert sessions.of(anna.id) == anna
    assert sessions.of(passing.id) is None


def test_a_session_does_not_tell_its_key():
    made = Sessions().begin("damals_secret")
    assert "damals_secret" not in repr(made)


# --- whose form it was

FORMS = (
    ("/preferences", {"theme": "dark"}),
    ("/sign-in", {"key": "x"}),
    ("/sign-out", {}),
    ("new", {"title": "Neu", "content": "x"}),
)


@pytest.mark.parametrize("token", ["", "x", "Ä", None])
def test_a_form_without_the_sessions_own_token_is_refused(pages: Visit, token):
    for path, fields in FORMS:
        shown = pages.post(path, csrf=token, **fields)
        assert (shown.status, path) == (403, path)
        assert "not from a page of your session" in shown.text
    assert pages.home.entries().entries == ()


def test_the_token_of_another_session_is_none_of_ours(pages: Visit):
    shown = pages.post("/preferences", csrf=pages.other().token, theme="dark")
    assert shown.status == 403


def test_a_file_named_like_the_token_is_no_token(pages: Visit):
    answer = pages.client.post("/preferences", files={"csrf": ("x", pages.token.encode())})
    assert answer.status_code in (400, 403, 415)


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_that_another_site_sends_is_refused_even_with_the_token(pages: Visit, headers):
    assert pages.post("/preferences", headers, theme="dark").status == 403


def test_a_page_asked_for_under_a_foreign_name_is_refused(pages: Visit):
    assert pages.client.get("/", headers={"Host": "evil.example"}).status_code == 403


def test_a_body_that_no_form_sends_is_refused(pages: Visit):
    answer = pages.client.post("/preferences", json={"csrf": pages.token, "theme": "dark"})
    assert answer.status_code == 415


def test_forms_of_programs_are_not_taken_for_those_of_pages(pages: Visit):
    """A site can make a browser send a form anywhere; to programs' routes it must mean nothing."""
    answer = pages.client.post("/v1/workspaces/default/entries", data={"title": "x"})
    assert answer.status_code == 415


# --- where one is led

FOREIGN = (
    "//evil.example", "///evil.example", "https://evil.example/", "https:evil.example",
    "/\\evil.example", "\\\\evil.example", "/\t/evil.example", "\t//evil.example",
    " //evil.example", "/\n/evil.example", "javascript:alert(1)", "data:text/html,x",
    "evil.example", "http:///evil.example", "\x00//evil.example",
)  # fmt: skip


def test_nobody_is_led_to_another_server(pages: Visit):
    for wanted in FOREIGN:
        assert local_target(wanted) == "/"
        for path in ("/preferences", "/sign-in"):
            sent = {"csrf": pages.token, "next": wanted, "theme": "dark", "key": ""}
            answer = pages.client.post(path, data=sent, follow_redirects=False)
            assert (answer.status_code, answer.headers["location"]) == (303, "/"), repr(wanted)


def test_a_slash_too_many_leads_to_the_page_without_and_nowhere_else(pages: Visit):
    headers = {"Accept": "text/html"}
    for path, target in (
        ("/w/default/", "/w/default"), ("//evil.example/", "/"), ("///", "/"), ("/w/a%2F/", None),
    ):  # fmt: skip
        url = f"http://127.0.0.1:8723{path}"
        answer = pages.client.get(url, headers=headers, follow_redirects=False)
        assert answer.status_code == 303, path
        assert answer.headers["location"] == target or target is None


# --- what browsers are told


def test_every_page_and_every_refusal_says_what_may_be_loaded_into_it(pages: Visit):
    html = {"Accept": "text/html"}
    shown = [
        pages.get("/sign-in"), pages.get(""), pages.part(""), pages.get("/w/unknown"),
        pages.get("/nowhere", html), pages.post("/preferences", csrf="x"),
    ]  # fmt: skip
    for one in shown:
        assert {name: one.headers.get(name) for name in HEADERS} == HEADERS, one.path
        assert one.headers["cache-control"] == "no-store"
        assert one.headers["x-content-type-options"] == "nosniff"


def test_no_page_may_run_what_stands_in_it_or_load_from_elsewhere():
    allowed = [one.split() for one in HEADERS["Content-Security-Policy"].split("; ")]
    told = {name: sources for name, *sources in allowed}
    assert told["default-src"] == told["base-uri"] == told["frame-ancestors"] == ["'none'"]
    assert told["script-src"] == told["style-src"] == told["form-action"] == ["'self'"]
    every = {source for sources in told.values() for source in sources}
    assert every == {"'none'", "'self'", "data:"}


def test_files_of_pages_are_kept_for_ever_and_others_are_not_there(pages: Visit):
    paths = [one["href"] for one in pages.get("").all("link[rel=stylesheet]")]
    paths += [one["src"] for one in pages.get("").all("script")]
    assert len(paths) >= 3
    for path in paths:
        shown = pages.client.get(path)
        assert shown.status_code == 200
        assert "immutable" in shown.headers["cache-control"]
        assert shown.headers["x-content-type-options"] == "nosniff"
        stale = pages.client.get(path.replace(path.split("/")[2], "0" * 16))
        assert stale.status_code == 404
    for wrong in ("/assets/x/area.py", "/assets/x/..%2Farea.py", "/assets/x/vendor"):
        assert pages.client.get(wrong).status_code == 404


# --- languages, colours, wrong ways


def test_a_page_speaks_the_language_of_the_browser_until_another_is_chosen(pages: Visit):
    german = {"Accept-Language": "de-DE,de;q=0.9"}
    shown = pages.get("", german)
    assert (shown.one("html")["lang"], shown.headers["content-language"]) == ("de", "de")
    form = shown.form("form[action=/preferences]")
    shown = pages.send(form, lang="en")
    assert shown.path == "/w/default"
    assert pages.get("", german).one("html")["lang"] == "en"


def test_colours_are_chosen_and_kept_and_one_stays_where_one_was(pages: Visit):
    form = pages.get("/sign-in").form("form[action=/preferences]")
    shown = pages.send(form, theme="dark")
    assert (shown.path, shown.one("html")["data-theme"]) == ("/sign-in", "dark")
    shown = pages.send(form, theme='"><script>')
    assert shown.one("html")["data-theme"] == "dark"


def test_an_address_without_a_page_is_told_with_a_page_to_people_only(pages: Visit):
    shown = pages.get("/w/default/nowhere/at/all", {"Accept": "text/html"})
    assert shown.status == 404
    assert shown.one("main a")["href"] == "/"
    for path in ("/nowhere", "/v1/nowhere"):
        answer = pages.client.get(path, headers={"Accept": "application/json"})
        assert answer.headers["content-type"] == "application/problem+json"
    answer = pages.client.get("/v1/nowhere", headers={"Accept": "text/html"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_workspace_that_is_not_there_is_told_like_one_that_is_out_of_reach(pages: Visit):
    pages.home.create_workspace("personal")
    anna = pages.as_("anna", "reader", workspaces=["default"])
    hidden, none = anna.get("/w/personal"), anna.get("/w/nothing")
    assert hidden.status == none.status == 404
    assert hidden.text.replace("personal", "nothing") == none.text


def test_what_went_wrong_in_a_workspace_keeps_the_way_to_its_other_pages(pages: Visit):
    shown = pages.get("entries/unknown")
    assert shown.status == 404
    assert "/w/default" in [one["href"] for one in shown.all("nav a")]


def test_htmx_gets_what_went_wrong_as_a_part_of_its_page(pages: Visit):
    shown = pages.get("/w/nothing/entries", FRAGMENT)
    assert shown.status == 404
    assert shown.problem
    assert shown.all("html, main, h1") == []


def test_refused_pages_are_noted_without_their_secrets(pages: Visit):
    pages.home.create_key("anna", roles=["reader"])
    anna = pages.other()
    anna.send(anna.get("/sign-in").form("#key"), key="damals_wrong")
    noted = pages.home.denials()
    assert {one.channel for one in noted} == {"web"}
    assert "damals_wrong" not in repr(noted)


def test_guessing_keys_is_slowed_down(home: LocalDamals):
    home.create_key("anna", roles=["reader"])
    pages = owner_of(home, ServerOptions(requests_per_minute=3))
    form = pages.get("/sign-in").form("#key")
    told = {pages.send(form, key=f"damals_{number}").status for number in range(30)}
    assert told == {401, 429}
