from __future__ import annotations

import pytest

from squall.checks.schemas import misfit


def of(**properties):
    return {"type": "object", "properties": properties}


NESTED = {**of(d={"$ref": "#/$defs/D"}), "$defs": {"D": of(a={"type": "string"})}}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({"n": 5.0}, of(n={"type": "integer"})),
        ({"n": None}, of(n={"anyOf": [{"type": "string"}, {"type": "null"}]})),
        ({"d": {"a": "x"}}, NESTED),
        ({"code": "AB-12"}, of(code={"type": "string", "pattern": "[A-Z]{2}-[0-9]+"})),
        ({"x-1": 1}, {"type": "object", "patternProperties": {"^x-": {}}, "additionalProperties": False}),
        ({"more": 1}, of(n={"type": "integer"})),
    ],
)
def test_what_fits_is_told_as_such(value, schema):
    assert misfit(value, schema) is None


@pytest.mark.parametrize(
    ("value", "schema", "what"),
    [
        ({"n": "5"}, of(n={"type": "integer"}), "'5' is not of type 'integer' (at $.n)"),
        ({"d": {"a": 1}}, NESTED, "1 is not of type 'string' (at $.d.a)"),
        ({"c": "a"}, of(c={"pattern": "^[A-Z]+$"}), "'a' does not match '^[A-Z]+$' (at $.c)"),
        ({"c": "a"}, of(c={"enum": ["A"]}), "'a' is not one of ['A'] (at $.c)"),
        (
            {"x": 1},
            {"type": "object", "additionalProperties": False},
            "Additional properties are not allowed ('x' was unexpected) (at $)",
        ),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(value, schema, what):
    assert misfit(value, schema) == what


@pytest.mark.parametrize(
    "schema",
    [of(c={"type": 7}), of(c={"$ref": "https://example.com/c"}), of(c={"pattern": "("}), of(c={"pattern": "(?!a)"})],
)
def test_what_cannot_be_told_fits(schema):
    assert misfit({"c": "a"}, schema) is None


EVIL = "^(a+)+$"


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    "schema",
    [
        of(c={"type": "string", "pattern": EVIL}),
        {"type": "object", "patternProperties": {EVIL: {}}, "additionalProperties": False},
        {"type": "object", "patternProperties": {EVIL: {}}, "unevaluatedProperties": False},
    ],
)
def test_no_text_of_a_model_makes_a_pattern_take_for_ever(schema):
    text = "a" * 100 + "!"
    assert (misfit({"c": text, text: 1}, schema) is None) == ("patternProperties" in schema)
