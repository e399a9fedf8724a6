"""What a field of a schema becomes in a record."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("schema", "declared", "notes"),
    [
        ("{ type: array }", "list[str]?", ("a list of anything in the original",)),
        ("{ type: array, items: { type: array, items: {} } }", "list[str]?", ("lists in a list in the original",)),
        ("{ type: array, items: { type: [integer, 'null'] } }", "list[int]?", ()),
        ("{ type: array, items: { properties: { n: { type: integer } } } }", [{"n": "int?"}], ()),
        ("{ type: object }", "str?", ("an object with any fields in the original",)),
        ("{ properties: { n: { properties: { m: { type: boolean } } } } }", {"n": {"m": "bool?"}}, ()),
        (
            "{ nullable: true, properties: { n: {} } }",
            {"n": "str?"},
            ("n: any value in the original", "may be null in the original"),
        ),
        ("{ $ref: '#/components/schemas/Thing' }", "ref[things.thing]?", ("the whole thing in the original",)),
        ("true", "str?", ("any value in the original",)),
    ],
)
def test_a_field_of_each_kind(of_schema, schema, declared, notes):
    drafted = of_schema(f"f: {schema}")
    assert drafted.field("thing", "f") == (declared, *notes)
    assert drafted.world.call("get_thing", {"id": "1"})["id"] == "1"


def test_mappings_are_nested_three_deep_and_no_deeper(of_schema):
    drafted = of_schema(
        "a: { properties: { b: { properties: { c: { properties: { d: { properties: { e: {} } } } } } } } }"
    )
    assert drafted.field("thing", "a") == ({"b": {"c": {"d": "str?"}}}, "b: c: d: an object in the original")


def test_many_notes_are_cut_short(of_schema):
    inner = ", ".join(f"p{n}: {{}}" for n in range(5))
    assert of_schema(f"a: {{ properties: {{ {inner} }} }}").field("thing", "a")[1:] == (
        *(f"p{n}: any value in the original" for n in range(3)),
        "…",
    )


@pytest.mark.parametrize(
    ("field", "declared"),
    [
        ("thing_id: { type: string }", "ref[things.thing]?"),
        ("thingIds: { type: array, items: { type: string } }", "list[ref[things.thing]]?"),
        ("thing: { type: string, description: The ID of another. }", "ref[things.thing]?"),
        ("thing: { type: string, description: The width of it. }", "str?"),
        ("thing_id: { type: integer }", "int?"),
        ("thing_id: { type: boolean }", "bool?"),
        ("thing_id: { type: string, enum: [a] }", "enum[a]?"),
        ("owner: { $ref: '#/components/schemas/Thing' }", "ref[things.thing]?"),
    ],
)
def test_an_id_is_a_reference_where_name_and_type_fit(of_schema, field, declared):
    name = field.partition(":")[0]
    assert of_schema(field).field("thing", name)[0] == declared


def test_what_is_required_is_not_optional(of_schema):
    drafted = of_schema("f: { type: string }\n        g: { type: [string, 'null'] }", required="[id, f, g]")
    assert [drafted.field("thing", name)[0] for name in "fg"] == ["str", "str?"]


def test_two_names_that_are_spelled_alike_are_one_field(of_schema):
    drafted = of_schema("a-b: { type: string }\n        a_b: { type: integer }")
    assert drafted.field("thing", "a_b")[0] == "str?"
