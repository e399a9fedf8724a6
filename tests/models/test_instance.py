"""Instances of JSON Schemas: what is made is valid, and what is not valid is told."""

from __future__ import annotations

import tracemalloc

import jsonschema  # type: ignore[import-untyped]  # it comes without stubs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.models.instance import minimal, problem_with

NAMES = st.sampled_from(["id", "name", "city", "amount", "lines"])


def ranged(least, most, span):
    """A lower bound, an upper one, either or none."""
    return st.tuples(st.none() | st.integers(-9, 9), st.none() | st.integers(0, span)).map(
        lambda pair: {
            **({least: pair[0]} if pair[0] is not None else {}),
            **({most: (pair[0] or 0) + pair[1]} if pair[1] is not None else {}),
        }
    )


def sized(least, most):
    return st.tuples(st.integers(0, 4), st.none() | st.integers(0, 4)).map(
        lambda pair: {least: pair[0], **({most: pair[0] + pair[1]} if pair[1] is not None else {})}
    )


LEAVES = st.one_of(
    st.just({}),
    st.just({"type": "null"}),
    st.just({"type": "boolean"}),
    st.just({"type": ["null", "integer"]}),
    st.builds(lambda bounds: {"type": "integer", **bounds}, ranged("minimum", "maximum", 5)),
    st.builds(lambda bounds: {"type": "number", **bounds}, ranged("exclusiveMinimum", "maximum", 5)).filter(
        lambda schema: schema.get("maximum", 1) > schema.get("exclusiveMinimum", 0)
    ),
    st.builds(lambda bounds: {"type": "string", **bounds}, sized("minLength", "maxLength")),
    st.sampled_from(["date-time", "date", "email", "uri", "uuid", "ipv4"]).map(
        lambda form: {"type": "string", "format": form}
    ),
    st.sampled_from([r"^[A-Z]{3}-\d{4}$", r"^(yes|no)$", r"^\w+@\w+\.com$", r"^[^a-z]{2,}$", r"order \d+"]).map(
        lambda pattern: {"type": "string", "pattern": pattern}
    ),
    st.lists(st.integers() | st.text(max_size=3) | st.none(), min_size=1, max_size=3, unique_by=repr).map(
        lambda values: {"enum": values}
    ),
    st.builds(lambda value: {"const": value}, st.integers() | st.text(max_size=3)),
)


def extended(inner):
    fields = st.dictionaries(NAMES, inner, max_size=4)
    return st.one_of(
        st.builds(
            lambda properties, closed: {
                "type": "object",
                "properties": properties,
                "required": sorted(properties)[1:],
                **({"additionalProperties": False} if closed else {}),
            },
            fields,
            st.booleans(),
        ),
        st.builds(
            lambda items, bounds: {"type": "array", "items": items, **bounds}, inner, sized("minItems", "maxItems")
        ),
        st.lists(inner, min_size=1, max_size=3).map(lambda branches: {"anyOf": branches}),
        inner.map(lambda one: {"allOf": [one, {"description": "the same"}]}),
        inner.map(lambda one: {"$defs": {"one": one}, "allOf": [{"$ref": "#/$defs/one"}]}),
    )


def at_the_top(schema):
    """Definitions stand where references look for them."""
    found: dict[str, object] = {}

    def lifted(part):
        if isinstance(part, list):
            return [lifted(one) for one in part]
        if not isinstance(part, dict):
            return part
        part = {name: lifted(one) if name not in {"enum", "const"} else one for name, one in part.items()}
        if "$defs" in part:
            name = f"one{len(found)}"
            found[name] = part.pop("$defs")["one"]
            part["allOf"] = [{"$ref": f"#/$defs/{name}"}]
        return part

    top = lifted(schema)
    return {**top, "$defs": found} if found else top


@settings(deadline=None, max_examples=100)
@given(st.recursive(LEAVES, extended, max_leaves=8).map(at_the_top))
def test_what_is_made_from_a_schema_is_an_instance_of_it(schema):
    value = minimal(schema)
    jsonschema.Draft202012Validator(schema).validate(value)
    assert problem_with(value, schema) is None
    assert minimal(schema) == value


NODE = {
    "type": "object",
    "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}},
    "required": ["next"],
}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
MADE = {
    "only what is required": (
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["a"]},
        {"a": 0},
    ),
    "the first value listed": ({"enum": ["red", "green"]}, "red"),
    "the listed value of the type asked for": ({"type": "string", "enum": [1, "one"]}, "one"),
    "a nullable value": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text"),
    "a type in a list": ({"type": ["null", "boolean"]}, False),
    "a recursive schema": ({"$defs": {"node": NODE}, "$ref": "#/$defs/node"}, {"next": None}),
    "distinct items": ({"type": "array", "items": {"type": "integer"}, "minItems": 3, "uniqueItems": True}, [0, 1, -1]),
    "distinct texts": (
        {"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True},
        ["text", "text1"],
    ),
    "distinct choices": (
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "uniqueItems": True},
        ["a", "b"],
    ),
    "items one by one": (
        {"prefixItems": [{"const": 1}, {"type": "string"}], "minItems": 3, "items": {"const": 2}},
        [1, "text", 2],
    ),
    "an item that has to be there": ({"type": "array", "contains": {"const": 5}}, [5]),
    "a branch that excludes the other": (
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}, {"type": "integer", "maximum": -1}]},
        0,
    ),
    "branches of which the first fits both": (
        {"oneOf": [{"type": "object"}, {"type": "object", "required": ["a"], "properties": {"a": {"const": 1}}}]},
        {},
    ),
    "merged bounds": ({"allOf": [{"type": "integer", "minimum": 2}, {"minimum": 5, "maximum": 9}]}, 5),
    "merged properties": (
        {
            "allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"a": {"minLength": 6}}},
            ]
        },
        {"a": "textxx"},
    ),
    "a multiple": ({"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.25}, 0.25),
    "a whole multiple": ({"type": "integer", "minimum": 1, "multipleOf": 1.5}, 3),
    "a narrow range": ({"type": "number", "exclusiveMinimum": 0.1, "exclusiveMaximum": 0.2}, 0.15),
    "below zero": ({"type": "integer", "maximum": -3}, -3),
    "an older draft's bound": (
        {"$schema": DRAFT_4, "type": "integer", "minimum": 3, "exclusiveMinimum": True},
        4,
    ),
    "members that something depends on": (
        {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"]}, "properties": {"b": {"const": 2}}},
        {"a": "text", "b": 2},
    ),
    "as many members as are asked for": (
        {"type": "object", "minProperties": 2, "additionalProperties": {"type": "integer"}},
        {"field1": 0, "field2": 0},
    ),
    "a member by a pattern": (
        {"type": "object", "required": ["x1"], "patternProperties": {"^x": {"type": "integer"}}},
        {"x1": 0},
    ),
    "a condition": (
        {
            "type": "object",
            "properties": {"a": {"const": 1}},
            "required": ["a"],
            "if": {"properties": {"a": {"const": 1}}},
            "then": {"required": ["b"]},
            "else": False,
        },
        {"a": 1, "b": "text"},
    ),
    "a short text": ({"type": "string", "maxLength": 2}, "te"),
    "a pattern of some length": ({"type": "string", "pattern": "^[ab]+$", "minLength": 4}, "aaaa"),
    "anything": ({}, {}),
    "members by their names": (
        {
            "type": "object",
            "minProperties": 2,
            "propertyNames": {"pattern": "^[xy]$"},
            "additionalProperties": {"type": "null"},
        },
        {"x": None, "y": None},
    ),
    "members whose names begin alike": (
        {"type": "object", "minProperties": 3, "propertyNames": {"pattern": "^x_"}},
        {"x_": "text", "x_1": "text", "x_2": "text"},
    ),
    "members whose names are listed": (
        {"type": "object", "minProperties": 2, "propertyNames": {"enum": ["a", "b"]}},
        {"a": "text", "b": "text"},
    ),
    "members of a pattern and no others": (
        {"minProperties": 2, "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False},
        {"x-": 0, "x-1": 0},
    ),
    "members of a pattern whose names are short": (
        {
            "minProperties": 2,
            "patternProperties": {"^x": {"type": "integer"}},
            "propertyNames": {"maxLength": 2},
            "additionalProperties": False,
        },
        {"x": 0, "x1": 0},
    ),
    "optional members where some are needed": (
        {"type": "object", "minProperties": 1, "properties": {"a": False, "b": {"const": 1}}},
        {"b": 1},
    ),
    "members that a member brings along": (
        {
            "type": "object",
            "required": ["a"],
            "dependentSchemas": {"a": {"required": ["b"], "properties": {"b": {"const": 2}}}},
        },
        {"a": "text", "b": 2},
    ),
    "two choices at once": (
        {"allOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "integer"}]}]},
        0,
    ),
    "listed in both": ({"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 2]}]}, 2),
    "whole because both say a number": ({"allOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]}, 2),
    "whole the other way round": ({"allOf": [{"type": "number"}, {"type": "integer"}]}, 0),
    "an older draft's items": (
        {"$schema": DRAFT_7, "type": "array", "items": [{"const": 1}], "additionalItems": {"const": 2}, "minItems": 2},
        [1, 2],
    ),
    "a reference into a list": ({"anyOf": [{"const": 7}], "allOf": [{"$ref": "#/anyOf/0"}]}, 7),
    "a format": ({"type": "string", "format": "date"}, "2025-06-01"),
    "the stricter of two bounds": ({"type": "integer", "minimum": 3, "exclusiveMinimum": 3, "maximum": 9}, 4),
    "what is not excluded": ({"type": "integer", "not": {"const": 0}}, 1),
}


@pytest.mark.parametrize(("schema", "value"), MADE.values(), ids=MADE)
def test_a_small_instance_is_made_of(schema, value):
    assert minimal(schema) == value
    assert problem_with(value, schema) is None


@pytest.mark.parametrize(
    "schema", [{"not": {}}, {"allOf": [{"type": "string"}, {"type": "null"}]}, {"$ref": "#"}, {"$ref": "http://x/y"}]
)
def test_what_nothing_is_an_instance_of_gives_something_all_the_same(schema):
    minimal(schema)


def test_a_schema_that_is_none_is_read_as_far_as_it_goes():
    broken = {"type": "object", "properties": {"city": "bar"}, "required": ["city"]}
    assert minimal(broken) == {"city": "text"}
    assert problem_with({}, broken) is None
    assert minimal({"foo": "bar"}) == "text"


def test_each_call_gives_a_new_object():
    schema = {"type": "object", "required": ["a"]}
    minimal(schema)["a"] = "changed"
    assert minimal(schema) == {"a": "text"}


def test_what_is_wrong_is_told_with_its_place():
    schema = {"type": "object", "properties": {"lines": {"type": "array", "items": {"type": "integer"}}}}
    problem = problem_with({"lines": [1, "two"]}, schema) or ""
    assert "'two'" in problem
    assert "$.lines[1]" in problem
    assert problem_with({"lines": [1]}, schema) is None


WORDS = st.sampled_from(
    "type enum const anyOf oneOf allOf not if then else properties required items prefixItems minItems uniqueItems "
    "contains minLength maxLength pattern format minimum exclusiveMinimum maximum multipleOf minProperties $ref $defs "
    "patternProperties additionalProperties propertyNames dependentRequired dependentSchemas minContains".split()
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(["object", "array", "string", "(", "#/$defs/a", "#"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS | NAMES, inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None, max_examples=100)
@given(st.dictionaries(WORDS, VALUES, max_size=4))
def test_no_schema_however_broken_ends_in_an_error(schema):
    problem_with(minimal(schema), schema)


HUGE = {
    "texts": {"type": "string", "minLength": 10**12},
    "patterns": {"type": "string", "pattern": "^a{1000000000}$"},
    "patterns within patterns": {"type": "string", "pattern": "^((a{9999}){9999}){9999}$"},
    "arrays": {"type": "array", "minItems": 10**9},
    "arrays of arrays": {"type": "array", "minItems": 999, "items": {"type": "array", "minItems": 999}},
    "objects": {"type": "object", "minProperties": 10**9},
    "distinct items that there are not": {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"const": 1}},
}


@pytest.mark.parametrize("schema", HUGE.values(), ids=HUGE)
def test_huge_instances_are_not_made(schema):
    assert len(str(minimal(schema))) < 1_000_000


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://localhost:9/x"},
        {"$schema": 5},
        {"type": "string", "pattern": "("},
        {"type": "string", "pattern": "a{99999999999}"},
        {"type": "string", "pattern": "a{" + "9" * 5000 + "}"},
        {"type": "string", "pattern": "(" * 30_000 + "a" + ")" * 30_000},
    ],
    ids=["elsewhere", "of no dialect", "no pattern", "a count too large", "no count", "too deep"],
)
def test_what_cannot_be_judged_has_no_problem_and_an_instance_all_the_same(schema):
    assert problem_with("anything", schema) is None
    assert minimal(schema) is not None


def test_few_large_schemas_are_kept():
    minimal({"type": "object"})  # what has to be imported is
    tracemalloc.start()
    try:
        for number in range(20):
            schema = {"type": "object", "description": f"{number}" + "x" * 1_000_000}
            assert minimal(schema) == {}
            assert problem_with(5, schema)
        assert tracemalloc.get_traced_memory()[0] < 10_000_000
    finally:
        tracemalloc.stop()
