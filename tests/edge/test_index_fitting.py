"""What an engine refuses is made to fit: one point never keeps the others from being found."""

import math
import struct
from dataclasses import replace
from uuid import UUID

import pytest
from edge_points import DIMENSION, a_point

from damals.app.index_checks import MAX_KEYWORDS, MAX_TOKENS, check_point
from damals.app.index_fitting import NOBODY, fitted, fitted_access, fitted_words
from damals.app.index_model import SparseVector
from damals.app.ledger_model import Access
from damals.domain.errors import InvalidInput
from damals.domain.instants import FOREVER

GOOD = struct.pack(f"<{DIMENSION}f", *([1.0] + [0.0] * (DIMENSION - 1)))
NAN = struct.pack(f"<{DIMENSION}f", *([math.nan] * DIMENSION))

REFUSED = {
    "many tags": {"tags": tuple(f"t{n}" for n in range(1_001))},
    "many names": {"acl": tuple(f"n{n}" for n in range(1_001))},
    "many folders": {"paths": tuple(f"p{n}" for n in range(1_001))},
    "many headings": {"heading": tuple(f"h{n}" for n in range(1_001))},
    "long tag": {"tags": ("x" * 5_000,)},
    "long name": {"acl": ("x" * 5_000, "anna")},
    "long path": {"paths": ("x" * 5_000,)},
    "long heading": {"heading": ("x" * 5_000,)},
    "long title": {"title": "x" * 5_000},
    "long type": {"type": "x" * 5_000},
    "long language": {"lang": "x" * 5_000},
    "long body": {"body": "x" * 1_000_001},
    "half a character": {"body": "a\ud800", "title": "\ud800", "tags": ("\ud800",)},
    "half a character of a name": {"acl": ("\ud800",)},
    "an instant before all": {"valid_from_earliest": -(10**18)},
    "an instant behind all": {"age_at": FOREVER + 1, "archived_at": 10**20},
    "a secret of another world": {"sensitivity": 9},
    "no secret at all": {"sensitivity": -1},
    "tokens that do not ascend": {"lexical": SparseVector((2, 1), (1.0, 1.0))},
    "tokens of unequal length": {"lexical": SparseVector((1, 2), (1.0,))},
    "a token that is no number": {"lexical": SparseVector((1, 2), (math.nan, 1.0))},
    "a token without weight": {"lexical": SparseVector((1, 2), (0.0, 1.0))},
    "a token of infinite weight": {"lexical": SparseVector((1, 2), (math.inf, 1e12))},
    "a token beyond 32 bits": {"lexical": SparseVector((1, 2**33), (1.0, 1.0))},
    "many tokens": {"lexical": SparseVector(tuple(range(100_001)), (1.0,) * 100_001)},
    "a vector of another length": {"vector": GOOD[:-4]},
    "a vector of nothing": {"vector": bytes(len(GOOD))},
    "a vector that is no number": {"vector": NAN},
}


@pytest.mark.parametrize("wrong", REFUSED.values(), ids=REFUSED)
def test_every_kind_of_refused_point_fits_afterwards(wrong):
    point = replace(a_point(1), **wrong)
    with pytest.raises(InvalidInput):
        check_point(point, DIMENSION)
    made = fitted(point, DIMENSION)
    check_point(made, DIMENSION)
    assert (made.id, made.entry_id) == (point.id, point.entry_id)
    assert isinstance(made.id, UUID)


def test_a_point_that_fits_stays_as_it_is():
    point = replace(a_point(1), vector=GOOD, tags=("a", "a/b"), acl=("anna",), sensitivity=2)
    assert fitted(point, DIMENSION) == point


def test_the_first_tags_stay():
    tags = tuple(f"t{n}" for n in range(2_000))
    assert fitted(replace(a_point(1), tags=tags), DIMENSION).tags == tags[:MAX_KEYWORDS]


def test_nobody_sees_more_because_something_did_not_fit():
    names = tuple(f"n{n}" for n in range(2_000))
    assert set(fitted_access(Access("private", 1, names)).acl) < set(names)
    assert fitted_access(Access("private", 9, ("\ud800",))) == Access("private", 3, NOBODY)
    assert fitted_access(Access("internal", 0, ())) == Access("internal", 0, ())
    cut = fitted_access(Access("internal", 0, ("x" * 5_000, "anna"))).acl
    assert cut == ("anna",), "a name that was cut could be somebody else's"


def test_of_too_many_tokens_the_weightiest_stay_in_order():
    values = tuple(float(1 + n % 7) for n in range(MAX_TOKENS + 50_000))
    made = fitted_words(SparseVector(tuple(range(len(values))), values))
    assert len(made.indices) == MAX_TOKENS
    assert list(made.indices) == sorted(made.indices)
    assert min(made.values) > 1.0
