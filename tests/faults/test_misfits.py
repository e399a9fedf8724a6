"""Arguments that a tool does not take, `faults/misfits.py`."""

from __future__ import annotations

import json

import jsonschema  # type: ignore[import-untyped]  # it comes without stubs
import pytest

from squall.faults.misfits import misfits

CLOSED = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "count": {"type": "integer", "minimum": 1},
        "paid": {"type": "boolean"},
        "size": {"enum": ["S", "M"]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "to": {"$ref": "#/$defs/address"},
    },
    "required": ["id", "to"],
    "additionalProperties": False,
    "$defs": {"address": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}},
}
GIVEN = {"id": "1", "count": 2, "paid": True, "size": "S", "tags": ["a"], "to": {"city": "Ulm"}}


def test_everything_that_is_found_is_refused_by_the_schema():
    found = misfits(json.dumps(GIVEN), CLOSED)
    assert [each.how for each in found] == ["wrong_type"] * 6 + ["missing"] * 2 + ["extra"]
    for each in found:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(json.loads(each.arguments), CLOSED)


def test_a_number_comes_as_text():
    assert json.loads(misfits('{"count": 2}', CLOSED)[0].arguments) == {"count": "2"}


def test_what_a_schema_takes_is_no_misfit():
    assert misfits('{"x": 1}', {}) == []
    assert misfits('{"x": 1}', {"type": "object", "properties": {"x": {}}}) == []


@pytest.mark.parametrize("arguments", ["", "{", "[1]", "null", "[" * 100_000])
def test_arguments_that_are_no_mapping_are_left_alone(arguments):
    assert misfits(arguments, CLOSED) == []


def test_without_a_schema_nothing_is_known():
    assert misfits('{"x": 1}', None) == []


def test_a_schema_that_refers_to_itself_ends():
    endless = {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}
    assert {each.how for each in misfits('{"next": {"next": 5}}', endless)} >= {"missing"}
