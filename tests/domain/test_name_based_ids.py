"""Ids that follow from names."""

from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from damals.domain.ids import name_based_id, parse_uuid

NAMES = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.uuids(), NAMES)
def test_an_id_by_name_is_the_uuid_of_version_5(namespace: UUID, name: str):
    assert name_based_id(namespace, name) == uuid5(namespace, name)


@given(st.uuids(), st.sampled_from(["{}", "{{{}}}", "urn:uuid:{}", "  {}"]), st.booleans())
def test_every_spelling_that_python_reads_is_read(one: UUID, form: str, dashes: bool):
    text = form.format(one if dashes else one.hex)
    try:
        expected = UUID(text)
    except ValueError:
        expected = None
    assert parse_uuid(text) == expected


@pytest.mark.parametrize("text", ["", "Import-12", "0" * 31, "x" * 32, None, 7])
def test_what_spells_none_is_none(text: object):
    assert parse_uuid(text) is None
