"""What is hashed of a row: its canonical JSON, byte for byte."""

import json
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from damals.adapters.sql.chain import GROWN_COLUMNS, PLAIN_COLUMNS, row_digest
from damals.adapters.sql.schema import CONTENT_COLUMNS
from damals.domain.errors import InvalidInput

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8) | st.sampled_from(
    ['"', "\\", "\n\t\x00\x1f\x7f", "ä\u2028", "%s", "{}", "true", "null", "7"]
)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.none() | NUMBERS | TEXTS | st.binary(max_size=16) | st.booleans()


@pytest.mark.parametrize("table", PLAIN_COLUMNS)
@settings(max_examples=25)
@given(data=st.data())
def test_a_row_is_hashed_as_its_canonical_json(table: str, data: st.DataObject):
    row: dict[str, Any] = {name: data.draw(VALUES) for name in PLAIN_COLUMNS[table]}
    texts = {name: data.draw(st.none() | st.integers(1, 5)) for name in CONTENT_COLUMNS[table]}
    digests: dict[object, bytes] = {one: sha256(bytes([one])).digest() for one in range(1, 6)}
    grown = {name: data.draw(st.none() | TEXTS) for name in GROWN_COLUMNS.get(table, ())}
    row |= {name: value for name, value in grown.items() if value is not None}
    record = {name: v.hex() if isinstance(v, bytes) else v for name, v in row.items()}
    record |= {name: None if one is None else digests[one].hex() for name, one in texts.items()}
    record["record"] = table
    written = json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    stored = grown | row | texts
    assert row_digest(table, stored, digests) == sha256(written.encode()).digest()


def test_a_number_that_json_cannot_say_is_refused():
    row = dict.fromkeys((*PLAIN_COLUMNS["verifications"], *CONTENT_COLUMNS["verifications"]))
    with pytest.raises(InvalidInput, match=r"ledger\.not_json"):
        row_digest("verifications", row | {"grounding_score": float("nan")}, {})
