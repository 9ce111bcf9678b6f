"""The names of texts in the database: an HMAC, whatever the length of its key."""

import hmac

import pytest

from damals.adapters.sql.contents import lookup_of


@pytest.mark.parametrize("length", [0, 1, 32, 63, 64, 65, 200])
@pytest.mark.parametrize("text", ["", "Müller", "x" * 10_000])
def test_a_lookup_is_the_hmac_of_the_text(length: int, text: str):
    key = bytes(range(256))[:length]
    assert lookup_of(key, text) == hmac.digest(key, text.encode(), "sha256")
    assert lookup_of(key, text) == lookup_of(key, text)
