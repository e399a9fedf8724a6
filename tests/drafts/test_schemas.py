"""Schemas made plain, and how much a hostile document can make of them."""

from __future__ import annotations

import pytest

from squall.drafts import schemas as room
from squall.drafts.schemas import Node, Schemas
from squall.errors import Position, UsageError


def reading(root):
    return Schemas(root, lambda loc: Position("api", len(loc)))


def shape_of(schema, **others):
    root = {"x": schema, **others}
    return reading(root).shape(Node(schema, ("x",)))


def refusal(schema, **others):
    with pytest.raises(UsageError) as caught:
        shape_of(schema, **others)
    return str(caught.value)


def ref(name):
    return {"$ref": f"#/{name}"}


def test_two_references_to_one_schema_come_to_the_same():
    root = {"a": ref("c"), "b": ref("a"), "c": {"type": "string"}}
    read = reading(root)
    assert [read.shape(Node(root[name], (name,))).loc for name in root] == [("c",)] * 3


def test_a_reference_finds_escaped_names_and_places_in_lists():
    assert shape_of(ref("a~1b/c%20d/0"), **{"a/b": {"c d": [{"type": "integer"}]}}).kind == "integer"


def test_what_is_said_beside_a_reference_of_null_counts():
    assert shape_of({**ref("y"), "nullable": True}, y={"type": "string"}).nullable
    assert not shape_of(ref("y"), y={"type": "string"}).nullable


def test_all_of_is_merged():
    found = shape_of(
        {"allOf": [ref("y"), {"properties": {"b": {}}, "required": ["b"]}], "required": ["a"]},
        y={"type": "object", "properties": {"a": {}}},
    )
    assert (set(found.properties), found.required, found.is_object) == ({"a", "b"}, {"a", "b"}, True)


def test_all_of_around_a_single_reference_is_what_it_refers_to():
    assert shape_of(
        {"allOf": [ref("y")], "description": "more"}, y={"type": "object", "properties": {"a": {}}}
    ).loc == ("y",)


@pytest.mark.parametrize("word", ["oneOf", "anyOf"])
@pytest.mark.parametrize(
    ("branches", "kind", "note"),
    [
        ([{"type": "string"}, {"type": "null"}], "string", ()),
        ([{"type": "string"}, {"type": "string", "enum": ["a"]}], "string", ()),
        ([{"type": "string"}, {"type": "integer"}], "string", ("string or integer in the original",)),
        ([{"type": "string"}, {"properties": {"a": {}}}], "object", ("the first of 2 alternatives in the original",)),
        ([{"type": "null"}], "any", ()),
    ],
)
def test_alternatives_are_decided_and_said(word, branches, kind, note):
    found = shape_of({word: branches})
    assert (found.kind, found.notes) == (kind, note)


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"enum": ["a", "b"]}, "string"),
        ({"const": 3}, "integer"),
        ({"enum": [1, "a"]}, "any"),
        ({"additionalProperties": {}}, "object"),
        ({"items": {}}, "array"),
        ({"type": ["null", "number"]}, "number"),
        ({"type": "file"}, "any"),
        ({}, "any"),
        (True, "any"),
        ("text", "any"),
        ({"properties": [], "required": 3, "enum": "x", "allOf": {}, "type": {}}, "any"),
    ],
)
def test_a_schema_without_a_plain_type_is_what_it_looks_like(schema, kind):
    assert shape_of(schema).kind == kind


def test_a_schema_may_hold_itself_in_a_field_or_a_list():
    found = shape_of({"properties": {"children": {"items": ref("x")}}})
    assert found.is_object


@pytest.mark.parametrize(
    ("schema", "others", "said"),
    [
        (ref("y"), {"y": ref("z"), "z": ref("y")}, "this $ref leads back to itself"),
        ({"allOf": [ref("x")]}, {}, "this schema is made of itself"),
        ({"oneOf": [ref("y")]}, {"y": {"anyOf": [ref("x")]}}, "this schema is made of itself"),
        (ref("nothing"), {}, "'#/nothing' refers to nothing: there is no 'nothing'"),
        (ref("y/1"), {"y": [1]}, "refers to nothing: there is no '1'"),
        (ref("y/z"), {"y": "text"}, "refers to nothing"),
        ({"$ref": "#y"}, {}, "refers to nothing\n    Write it as #/components/schemas/NAME."),
        ({"$ref": "other.yaml#/y"}, {}, "'other.yaml#/y' refers to another document"),
        ({"$ref": 7}, {}, "7 refers to another document"),
    ],
)
def test_what_cannot_be_followed_is_said(schema, others, said):
    assert said in refusal(schema, **others)


def test_a_long_chain_of_references_is_followed():
    many = {f"y{n}": ref(f"y{n + 1}") for n in range(20_000)}
    assert shape_of(ref("y0"), **many, y20000={"type": "boolean"}).kind == "boolean"


def test_schemas_that_stand_in_each_other_too_deep_are_refused():
    many = {f"y{n}": {"allOf": [ref(f"y{n + 1}")]} for n in range(5000)}
    assert "more than 64 deep" in refusal(ref("y0"), **many, y5000={})


def test_what_doubles_at_each_level_is_looked_at_once():
    many = {f"y{n}": {"allOf": [ref(f"y{n + 1}"), ref(f"y{n + 1}")]} for n in range(60)}
    found = shape_of(ref("y0"), **many, y60={"oneOf": [{"type": "integer"}, {"type": "string"}]})
    assert found.notes == ("integer or string in the original",)


def test_fields_are_counted_where_they_are_merged(monkeypatch):
    monkeypatch.setattr(room, "MAX_FIELDS", 1000)
    wide = {"type": "object", "properties": {f"p{n}": {} for n in range(100)}}
    many = {f"y{n}": {"allOf": [ref("wide"), {"properties": {"own": {}}}]} for n in range(20)}
    root = {"wide": wide, **many}
    read = reading(root)
    with pytest.raises(UsageError, match=r"the schemas come to more than 1,000 fields"):
        for name in many:
            read.shape(Node(root[name], (name,)))


def test_a_field_with_an_endless_name_is_left_out():
    assert list(shape_of({"properties": {"a" * 101: {}, "b": {}, "": {}}}).properties) == ["b"]


def test_in_a_list_of_documents_a_reference_counts_from_its_own():
    first = {"$ref": "#/$defs/a", "$defs": {"a": {"type": "integer"}}}
    second = {"$ref": "#/$defs/a"}
    root = [{"s": first}, {"s": second}]
    read = Schemas(root, lambda _loc: None, base=2)
    assert read.shape(Node(first, (0, "s"))).kind == "integer"
    with pytest.raises(UsageError, match="refers to nothing"):
        read.shape(Node(second, (1, "s")))
