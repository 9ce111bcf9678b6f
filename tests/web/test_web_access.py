"""Who may not see something finds no trace of it on any page: the same pages as if it were not."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from all_pages import Archive, routes
from visiting import Visit, below, owner_of

from damals.bootstrap import open_home
from damals.domain.instants import DAY
from damals.interfaces.rest.options import ServerOptions
from damals.local import LocalDamals

START = 1_704_067_200_000_000
"""2024-01-01."""
WORD = "Geheim"
ROOT = Path("/srv/archive")
"""From where guests might import, the same in both homes."""
HIDDEN = {"visibility": "restricted"}
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TOKEN = re.compile(r'name="csrf" value="[^"]+"')


class Time:
    """A clock that stands until it is moved on."""

    now = START

    def __call__(self) -> int:
        return self.now

    def days(self, number: int) -> None:
        self.now += number * DAY


def id_of(number: int) -> str:
    return f"00000000-0000-4000-8000-{number:012}"


SEEN = Archive(
    old=id_of(1), new=id_of(2), claim=id_of(3), counter=id_of(4), note=id_of(5), person=id_of(6),
    erasure=id_of(90), answer=id_of(91), ranking=id_of(92), job=id_of(93),
    questions=("Garten und Miete", f"{WORD} Garten"),
)  # fmt: skip
SECRETS = Archive(
    old=id_of(11), new=id_of(12), claim=id_of(13), counter=id_of(14), note=id_of(15),
    person=id_of(16), erasure=id_of(94), answer=id_of(95), ranking=id_of(96), job=id_of(97),
    questions=("Garten und Miete", f"{WORD} Garten"),
)  # fmt: skip


def tell_what_all_may_see(home: LocalDamals, clock: Time) -> None:
    said: dict[str, object] = {"visibility": "public", "valid_from": "2023-02-01"}
    remember = {"op": "remember", "content": "Garten und Miete", **said}
    for number in range(1, 7):
        clock.days(3)
        kind = "person" if number == 6 else "note"
        one = {"id": id_of(number), "title": f"Haus {number}", "tags": ["haus"], "type": kind}
        home.transact([remember | one])
    clock.days(3)
    home.correct(SEEN.new, content="Garten und Miete, neu", reason="genauer")
    home.relate(SEEN.claim, "extends", SEEN.new)
    home.contradict(SEEN.claim, SEEN.counter, reason="zweierlei")


def tell_secrets(home: LocalDamals, folder: Path) -> None:
    """What must leave no trace; nothing of it cuts what all may see."""
    said = {"op": "remember", "valid_from": "2019-01-01", "valid_to": "2031-01-01", **HIDDEN}
    for number in range(11, 17):
        one: dict[str, object] = {
            "id": id_of(number), "title": f"{WORD} {number}", "tags": ["haus", "geheim"],
            "content": f"{WORD}: Garten und Miete", "reason": WORD, "key": f"geheim/{number}",
        }  # fmt: skip
        home.transact([said | one])
    for seen in (SEEN.old, SEEN.new, SEEN.claim):
        home.relate(SECRETS.old, "extends", seen)
        home.relate(seen, "links_to", SECRETS.new)
        home.relate(seen, "about_person", SECRETS.person)
        home.contradict(seen, SECRETS.claim, reason=WORD)
    home.contradict(SECRETS.claim, SECRETS.counter, reason=WORD)
    home.correct(SECRETS.new, content=f"{WORD}: Garten", reason=WORD)
    vault = folder / WORD
    vault.mkdir()
    note = f"---\nvisibility: restricted\n---\n# {WORD}\n\nGarten und Miete\n"
    (vault / f"{WORD}.md").write_text(note, encoding="utf-8")
    home.import_(vault)
    erased = home.remember(f"{WORD} Garten", "weg", visibility="restricted").id
    home.erase("entry", erased, reason=WORD)
    home.create_workspace("geheim")
    home.ask("Garten und Miete")


def told_home(folder: Path, *, secrets: bool) -> tuple[LocalDamals, Visit]:
    clock = Time()
    home = open_home(
        folder / "home", embedder="none", timezone="UTC", brief=True, clock=clock,
        index_mode="inline",
    )  # fmt: skip
    assert isinstance(home, LocalDamals)
    tell_what_all_may_see(home, clock)
    clock.days(10)
    if secrets:
        tell_secrets(home, folder)
    clock.days(10)
    return home, owner_of(home, ServerOptions(roots=(ROOT,), requests_per_minute=10**6))


Homes = tuple[Visit, Visit]


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Homes]:
    """The owners of a home with secrets, and of one that never had any."""
    folders = [tmp_path_factory.mktemp(name) for name in ("whole", "part")]
    made = [told_home(one, secrets=one is folders[0]) for one in folders]
    yield made[0][1], made[1][1]
    for home, pages in made:
        pages.close()
        home.close()
    for one in folders:
        shutil.rmtree(one, ignore_errors=True)


@pytest.fixture(scope="module")
def guests(homes: Homes) -> Homes:
    """Someone who may see and write what is public, in each of them."""
    given = {"visibility": "public", "workspaces": ["default"]}
    whole, part = (one.as_("bob", "writer", **given) for one in homes)
    return whole, part


def addresses() -> list[str]:
    found = [*SEEN.addresses(), *SECRETS.addresses(), "entries?tag=geheim", "entries/geheim/11"]
    found += [f"?q={WORD}&mode=recall&limit=100", f"timeline?topic={WORD}", "timeline?topic=haus"]
    found += ["diff?from=2023-01-01&to=2030-01-01", "diff?from=2024-01-02&to=now&axis=known"]
    found += ["hygiene?limit=1", "hygiene?view=lint", f"graph?id={SEEN.new}&depth=4", "/w/geheim"]
    found += [f"graph.json?id={SEEN.new}&depth=4", f"graph.json?id={SECRETS.new}"]
    found += [f"entries/{SEEN.claim}?as_of={when}" for when in ("2020-01-01", "2024-01-20")]
    for one in (SEEN.claim, SECRETS.claim):
        repair = f"hygiene/repair?view=hygiene&kind=contradiction&entry={one}"
        found += [f"{repair}&entry={SECRETS.counter}&choice=keep_a"]
    return list(dict.fromkeys(found))


def even(text: str) -> str:
    """A page without what tells sessions and receipts apart."""
    known = {id_of(number) for number in range(100)}
    without = TOKEN.sub("", text)
    return ID.sub(lambda found: found[0] if found[0] in known else "ID", without)


def test_every_page_is_asked_for():
    paths = [below(path).partition("?")[0] for path in addresses()]
    missed = [
        one.path
        for one in routes()
        if "GET" in one.methods and not any(one.path_regex.match(path) for path in paths)
    ]
    assert missed == []


def test_the_secrets_are_on_the_pages_of_who_may_see_them(homes: Homes):
    """So that the tests below could fail."""
    whole = homes[0].as_("chef", "admin", visibility="restricted", sensitivity=3)
    shown = [path for path in addresses() if WORD in whole.get(path).answer.text]
    for path in ("entries", "timeline?topic=haus", f"entries/{SEEN.claim}", "hygiene",
                 f"graph.json?id={SEEN.new}&depth=4", f"entries/{SECRETS.new}"):  # fmt: skip
        assert path in shown


def test_no_page_tells_of_what_is_hidden(guests: Homes):
    whole, part = guests
    differ = {}
    for path in addresses():
        one, other = whole.get(path), part.get(path)
        assert one.status == other.status, path
        here, there = even(one.answer.text), even(other.answer.text)
        if here != there:
            lines = zip(here.splitlines(), there.splitlines(), strict=False)
            differ[path] = next((pair for pair in lines if pair[0] != pair[1]), "length")
    assert differ == {}


def test_no_part_of_a_page_tells_of_it_either(guests: Homes):
    whole, part = guests
    for path in addresses():
        one, other = whole.part(path), part.part(path)
        assert even(one.answer.text) == even(other.answer.text), path


def test_what_is_hidden_is_named_nowhere_but_where_it_was_asked_for(guests: Homes):
    for path in addresses():
        text = guests[0].get(path).answer.text
        if WORD not in path and "/geheim" not in path and "=geheim" not in path:
            assert WORD.lower() not in text.lower(), path


def test_a_form_about_something_hidden_is_refused_as_if_it_were_not_there(guests: Homes):
    why = {"reason": "weil", "title": "Neu", "content": "x", "at": "2024-02-01", "score": "1"}
    for name in ("update", "correct", "end", "retract", "verify", "pin", "archive", "erase"):
        shown = [one.post(f"entries/{SECRETS.new}/change/{name}", **why) for one in guests]
        assert shown[0].status == shown[1].status >= 400, name
        assert even(shown[0].answer.text) == even(shown[1].answer.text), name
    ends = {"dst": SECRETS.new, "other": SECRETS.new, "type": "extends", **why}
    for name in ("relate", "contradict", "resolve"):
        shown = [one.post(f"entries/{SEEN.note}/change/{name}", **ends) for one in guests]
        assert shown[0].status == shown[1].status >= 400, name
        assert even(shown[0].answer.text) == even(shown[1].answer.text), name


def test_the_answer_of_another_is_not_opened(homes: Homes, guests: Homes):
    told = homes[0].home.ask("Garten und Miete").receipt
    assert told
    shown = guests[0].get(f"answers/{told}")
    assert shown.status >= 400
    assert WORD not in shown.answer.text


def test_who_may_only_read_is_shown_no_form_that_would_be_refused(homes: Homes):
    rita = homes[0].as_("rita", "reader", visibility="public", workspaces=["default"])
    for path in (f"entries/{SEEN.claim}", "entries", "hygiene", "imports", "settings/keys", ""):
        forms = [
            one["action"]
            for one in rita.get(path).all("main form")
            if one.attrs.get("method") == "post"
        ]
        assert forms == [], path
    for path, fields in (
        ("new", {"title": "Neu"}), (f"entries/{SEEN.claim}/change/pin", {}), ("settings/keys", {}),
        ("imports", {"path": "/"}), ("settings/backups", {}), ("workspaces", {"name": "neu"}),
    ):  # fmt: skip
        assert rita.post(path, **fields).status == 403, path


def test_an_import_is_told_to_who_began_it_alone(homes: Homes, guests: Homes, tmp_path: Path):
    owner = homes[0].other("token-of-tests")
    shown = owner.post("imports", path=str(tmp_path), name=WORD)
    assert "/jobs/" in shown.path
    assert owner.get(shown.path).status == 200
    assert guests[0].get(shown.path).status == 404
    assert str(tmp_path) not in guests[0].get("imports").answer.text
