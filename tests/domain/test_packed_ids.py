"""Ids from 16 bytes."""

import copy
import pickle
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from damals.domain.ids import id_of


@given(st.binary(min_size=16, max_size=16), st.binary(min_size=16, max_size=16))
def test_an_id_of_bytes_is_the_uuid_of_these_bytes(one: bytes, other: bytes):
    made, plain = id_of(one), UUID(bytes=one)
    assert (made, hash(made), str(made), repr(made)) == (
        plain,
        hash(plain),
        str(plain),
        repr(plain),
    )
    assert (made.bytes, made.version, made.variant) == (one, plain.version, plain.variant)
    assert made.is_safe == plain.is_safe
    assert (made < id_of(other)) == (plain < UUID(bytes=other))
    assert pickle.loads(pickle.dumps(made)) == copy.deepcopy(made) == plain  # noqa: S301 -- our own
