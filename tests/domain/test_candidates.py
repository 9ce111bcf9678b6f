"""Candidates of duplicates and contradictions: which pairs are some, and by what that shows."""

from dataclasses import replace
from itertools import combinations
from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pairs_of_claims import PAIRS
from pairs_under_other_titles import OTHER_TITLES

from damals.domain.blocking import BUCKET, NEIGHBOURS, near_pairs
from damals.domain.candidates import candidates, compare, compared
from damals.domain.claims import Claim, Profile
from damals.domain.instants import DAY
from damals.domain.negation import OPPOSITES
from damals.domain.periods import OPEN_END, Period, exact

ALWAYS = Period(exact(0), OPEN_END)
PAIRS = (*PAIRS, *OTHER_TITLES)
SIDES = [(first, second) for _, first, second in PAIRS]


def claim(number: int, title: str, content: str = "", **more) -> Claim:
    return Claim(UUID(int=number), title, content, more.pop("type", "fact"), **{
        "period": ALWAYS, **more
    })  # fmt: skip


def verdict(first: Claim, second: Claim) -> str | None:
    found = compare(first, second)
    return None if found is None else found.kind


def test_the_table_is_large_and_has_hard_negatives():
    kinds = [kind for kind, _, _ in PAIRS]
    assert len(PAIRS) >= 90
    assert min(kinds.count(kind) for kind in set(kinds)) >= 18


@pytest.mark.parametrize(("kind", "first", "second"), PAIRS)
def test_two_claims_are_what_the_table_says(kind, first, second):
    assert verdict(claim(1, *first), claim(2, *second)) == kind


@pytest.mark.parametrize(("first", "second"), SIDES)
def test_claims_of_disjoint_periods_are_never_candidates(first, second):
    before = Period(exact(0), exact(DAY))
    after = Period(exact(DAY), OPEN_END)
    assert verdict(claim(1, *first, period=before), claim(2, *second, period=after)) is None


@pytest.mark.parametrize(("first", "second"), SIDES)
def test_claims_of_two_keys_are_never_candidates(first, second):
    assert verdict(claim(1, *first, key="a/x"), claim(2, *second, key="b/x")) is None


@pytest.mark.parametrize(("kind", "first", "second"), PAIRS)
def test_it_does_not_matter_which_claim_comes_first(kind, first, second):
    one, other = claim(1, *first), claim(2, *second)
    assert compare(one, other) == compare(other, one)
    turned = compare(replace(one, id=UUID(int=3)), other)
    assert (turned and turned.kind) == kind


@pytest.mark.parametrize("pair", [pair for pair in PAIRS if pair[0]])
def test_whatever_is_a_candidate_is_found_among_many(pair):
    _, first, second = pair
    others = [claim(n, *side) for n, (_, *sides) in enumerate(PAIRS, 10) for side in sides]
    found = {
        (one.a.int, one.b.int) for one in candidates([claim(1, *first), *others, claim(2, *second)])
    }
    assert (1, 2) in found


def test_a_contradiction_shows_where_both_differ():
    found = compare(claim(1, "Limit", "Das Limit ist 50/min."), claim(2, "Limit", "100/min"))
    assert found is not None
    assert [(d.aspect, d.a, d.b) for d in found.differences] == [("number", "50/min", "100/min")]
    assert found.same == "subject"
    assert found.common == ("Limit",)
    assert 0 < found.likeness <= 1


@pytest.mark.parametrize(
    ("first", "second", "aspects"),
    [
        ("Das Abo kostet 5 €.", "Das Abo kostet 6 €.", {"number"}),
        ("Das Abo endet am 01.05.2026.", "Das Abo endet am 02.05.2026.", {"date"}),
        ("Das Abo ist kündbar.", "Das Abo ist nicht kündbar.", {"negation"}),
        ("Das Abo gehört Anna Berg.", "Das Abo gehört Jonas Klein.", {"value"}),
    ],
)
def test_a_difference_says_of_which_kind_it_is(first, second, aspects):
    found = compare(claim(1, "Abo", first), claim(2, "Abo", second))
    assert found is not None
    assert {one.aspect for one in found.differences} == aspects


@pytest.mark.parametrize(
    ("title", "first", "second", "shown"),
    [
        ("Kein Backup", "Es gibt ein Backup.", "Es gibt kein Backup.", ("", "kein")),
        ("Ohne", "Login ohne Passwort möglich", "Login mit Passwort möglich", ("ohne", "")),
        ("Nobody there", "Everyone may enter the old big hall.",
         "Nobody may enter the old big hall.", ("", "Nobody")),
        ("Datei", "Sie ist unverschlüsselt.", "Sie ist verschlüsselt.",
         ("unverschlüsselt", "verschlüsselt")),
        ("API", "It supports POST.", "It doesn’t support POST.", ("", "doesn’t")),
    ],
)  # fmt: skip
def test_a_denial_is_shown_by_the_words_in_which_both_differ(title, first, second, shown):
    found = compare(claim(1, title, first), claim(2, title, second))
    assert found is not None
    assert [(d.aspect, d.a, d.b) for d in found.differences] == [("negation", *shown)]


@pytest.mark.parametrize("words", sorted(map(sorted, OPPOSITES)), ids="-".join)
def test_whatever_is_said_by_an_opposite_is_a_contradiction(words: list[str]):
    one, other = (f"Das Lager Nord ist am Sonntag {word}." for word in words)
    found = compare(claim(1, "Lager Nord", one), claim(2, "Lager Nord", other))
    assert found is not None
    assert found.kind == "contradiction"
    assert found.likeness <= 1
    assert [d.aspect for d in found.differences] == ["negation"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Das Lager ist sonntags geschlossen.", "Das Lager ist sonntags geöffnet."),
        ("Das Büro ist am Freitag geöffnet.", "Das Büro ist am Freitag zu."),
        ("Der Laden hat montags auf.", "Der Laden hat montags zu."),
        ("Die Heizung ist eingeschaltet.", "Die Heizung ist ausgeschaltet."),
        ("Der Grenzwert ist höher.", "Der Grenzwert ist niedriger."),
        ("The gate is locked at night.", "The gate is unlocked at night."),
    ],
)
def test_opposites_contradict_each_other_as_texts_and_as_titles(one: str, other: str):
    assert verdict(claim(1, "Stand", one), claim(2, "Stand", other)) == "contradiction"
    assert verdict(claim(1, one), claim(2, other)) == "contradiction"


def test_near_texts_under_other_titles_are_compared_by_their_content():
    one = claim(1, "Ort", "Das Büro liegt in der Hauptstraße 5 in Detmold.")
    other = claim(2, "Adresse", "Das Büro liegt in der Hauptstraße 7 in Detmold.")
    found = compare(one, other)
    assert found is not None
    assert (found.same, found.likeness) == ("content", 1.0)
    assert [(d.a, d.b) for d in found.differences] == [("5", "7")]


def test_a_pattern_that_many_texts_follow_is_no_contradiction():
    names = ("Abendrot", "Birnbaum", "Citadelle", "Distelfink", "Eichhof", "Falkenau")
    made = [
        claim(n, name, f"Die Filiale hat {n + 3} Kassen im Erdgeschoss und einen Parkplatz.")
        for n, name in enumerate(names)
    ]
    assert {one.kind for one in candidates(made[:2])} == {"contradiction"}
    assert list(candidates(made)) == []


@pytest.mark.parametrize("size", [40, 400])
def test_one_text_under_two_titles_is_found_among_many_of_its_words(size):
    told = "Die Heizung im Keller wurde von der Firma Krause gewartet."
    others = [
        claim(n, f"Akte {n}", f"Die Firma {n} hat die Heizung im Keller von Haus {n} gewartet.")
        for n in range(10, size)
    ]
    found = candidates([claim(1, "Wartung", told), *others, claim(2, "Handwerker", told)])
    assert [(one.a.int, one.b.int, one.kind) for one in found] == [(1, 2, "duplicate")]


def test_a_duplicate_has_no_differences_and_says_how_near_it_is():
    text = "Der Timeout beträgt 60 s."
    found = compare(claim(1, "Timeout", text), claim(2, "Timeout", text))
    assert found is not None
    assert (found.kind, found.likeness, found.differences) == ("duplicate", 1.0, ())


def test_one_key_is_one_subject_whatever_the_titles_say():
    one = claim(1, "Wo sie sitzt", "Der Sitz ist in Detmold.", key="acme/sitz")
    other = claim(2, "Adresse", "Der Sitz ist in Lemgo.", key="acme/sitz")
    found = compare(one, other)
    assert found is not None
    assert (found.kind, found.same) == ("contradiction", "key")


def test_a_subject_that_is_named_decides_over_titles():
    one = claim(1, "Notiz", "Der Preis ist 5 €.", subject="Abo")
    assert verdict(one, claim(2, "Notiz", "Der Preis ist 6 €.", subject="Abo")) == "contradiction"
    assert verdict(one, claim(2, "Notiz", "Der Preis ist 6 €.", subject="Heft")) is None


def test_an_entry_is_no_candidate_of_itself():
    assert compare(claim(1, "A", "b"), claim(1, "A", "c")) is None


@pytest.mark.parametrize("kind", ["journal", "experience", "calibration"])
def test_what_was_seen_at_two_times_is_no_contradiction(kind):
    first = claim(1, "Lauf", "Der Lauf dauerte 30 min.", type=kind)
    assert verdict(first, claim(2, "Lauf", "Der Lauf dauerte 35 min.", type=kind)) is None


def test_a_goal_does_not_contradict_a_fact():
    first = claim(1, "Timeout", "Der Timeout ist 30 s.", type="goal")
    assert verdict(first, claim(2, "Timeout", "Der Timeout ist 60 s.")) is None


def archive(seed: int, size: int) -> list[Claim]:
    """Claims that repeat and contradict each other as people do."""
    rng = Random(seed)
    made: list[Claim] = []
    while len(made) < size:
        first, second = rng.choice(SIDES)
        number = rng.randint(1, 40)
        for title, content in (first, second):
            said = f"Projekt {rng.choice(('Nord', 'Süd', 'West'))} {number} {title}", content
            made.append(claim(rng.getrandbits(100), *said))
            if rng.random() < 0.1:
                made.append(claim(rng.getrandbits(100), *said))
    return made[:size]


@pytest.mark.parametrize("seed", range(3))
def test_blocking_loses_next_to_nothing_against_brute_force(seed):
    claims = archive(seed, 200)
    found = {(one.a, one.b) for one in candidates(claims)}
    profiles = [Profile(one) for one in sorted(claims, key=lambda one: one.id)]
    every = (compared(a, b) for a, b in combinations(profiles, 2))
    wanted = {(one.a, one.b) for one in every if one is not None}
    assert found <= wanted
    assert len(wanted) > 30
    assert len(found) >= 0.98 * len(wanted)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_blocking_does_not_depend_on_the_order_of_the_claims(rng):
    claims = archive(7, 40)
    shuffled = claims[:]
    rng.shuffle(shuffled)
    assert list(candidates(shuffled)) == list(candidates(claims))


def test_the_pairs_of_many_that_are_all_alike_stay_few():
    size = 2_000
    claims = [claim(n, "Notiz", f"Der Wert ist {n}.") for n in range(size)]
    assert len(list(near_pairs(claims))) <= size * (2 * NEIGHBOURS * 6 + BUCKET)


TEXTS = st.text(
    alphabet=st.sampled_from("abAB 0123.,:-/€%\n äßÉ'nicht"), max_size=60
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_any_text_can_be_compared(title, content, other_title, other_content):
    one, other = claim(1, title, content), claim(2, other_title, other_content)
    found = compare(one, other)
    assert found == compare(other, one)
    assert found is None or 0 <= found.likeness <= 1
    assert found is None or bool(found.differences) == (found.kind == "contradiction")


@settings(max_examples=80, deadline=None)
@given(TEXTS.filter(str.strip), TEXTS)
def test_the_same_said_twice_never_contradicts_itself(title, content):
    assert verdict(claim(1, title, content), claim(2, title, content)) != "contradiction"


def test_a_long_or_hostile_text_takes_no_longer_than_its_length():
    for text in ("1" * 50_000, "a b " * 20_000, "(was " * 5_000, "1.1." * 10_000, "- " * 20_000):
        compare(claim(1, "Titel", text), claim(2, "Titel", text + "x"))
