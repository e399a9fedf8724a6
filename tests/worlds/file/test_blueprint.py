"""The words in which a wrong world file is refused: golden texts, all problems at once, in the order of the file."""

from __future__ import annotations

import textwrap
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.documents import parse
from squall.errors import UsageError
from squall.worlds import World


def refused(text, **options):
    with pytest.raises(UsageError) as caught:
        World.parse(parse(textwrap.dedent(text), format="yaml", name="world.yaml"), **options)
    return str(caught.value)


def test_wrong_types_are_all_named_with_place_and_nearest():
    assert (
        refused("""\
        services:
          people:
            records: { customer: { name: str } }
          orders:
            records:
              order: { a: strg, b: ref[people.custmer], c: int[10..1], d: enum[a, a], e: {f: dat}, g: [flot] }
        """)
        == GOLDEN_TYPES
    )


TYPES_HINT = (
    "    Types are str, int, float, bool, datetime, date, decimal, enum[a, b], ref[service.record], list[T]; "
    "T? may be null, int[1..10] is a range, str(email) a hint."
)


def lines(*texts):
    return "\n".join(texts)


GOLDEN_TYPES = lines(
    "world.yaml:6:19: unknown type 'strg'; did you mean 'str'?",
    TYPES_HINT,
    "world.yaml:6:28: ref[people.custmer] refers to a record that does not exist; did you mean 'people.customer'?",
    "    Records: people.customer, orders.order.",
    "world.yaml:6:52: 'int[10..1]' is an empty range: 10 is more than 1",
    "world.yaml:6:67: 'enum[a, a]' has 'a' twice",
    "    Leave one of them out.",
    "world.yaml:6:86: unknown type 'dat'; did you mean 'date'?",
    "world.yaml:6:96: unknown type 'flot'; did you mean 'float'?",
)


def test_wrong_operations_are_all_named_with_place_and_nearest():
    assert refused("""\
        services:
          people:
            records: { customer: { name: str } }
          orders:
            records: { order: { status: enum[a, b], lines: list[str] } }
            operations:
              get_order: { kind: get, record: ordr }
              get_customer: { kind: get, record: customer }
              list_orders: { kind: list, record: order, filter: [stauts, lines], required: [status] }
              create_order: { kind: create, record: order, required: [total] }
              nothing: { kind: get }
              act: { kind: custom }
              odd: { kind: gte, record: order }
        """) == lines(
        "world.yaml:7:39: unknown record 'ordr'; did you mean 'order'?",
        "    Records: order, people.customer.",
        "world.yaml:8:42: unknown record 'customer'; did you mean 'people.customer'?",
        "    Records: order, people.customer.",
        "world.yaml:9:58: orders.order has no field 'stauts'; did you mean 'status'?",
        "    Fields: id, status, lines.",
        "world.yaml:9:66: 'lines' is nested and cannot be filtered by",
        "world.yaml:9:74: kind list has no 'required'",
        "    Only kind create has required: leave it out.",
        "world.yaml:10:63: orders.order has no field 'total'",
        "    Fields: id, status, lines.",
        "world.yaml:11:16: kind get needs a record",
        "    Write record: NAME.",
        "world.yaml:12:12: operation 'act' is custom and names no handler",
        "    Write handler: module.func.",
        "world.yaml:13:20: 'kind' cannot be 'gte'; did you mean 'get'?",
        "    Valid values: get, list, create, update, delete, custom.",
    )


def test_two_operations_of_one_name_are_an_error_with_both_places():
    text = """\
        services:
          a:
            records: { x: { n: int } }
            operations: { get: { kind: get, record: x } }
          b:
            records: { y: { n: int } }
            operations: { get: { kind: get, record: y } }
        """
    assert refused(text) == (
        "world.yaml:7:19: two operations are served as tool 'get': a.get (world.yaml:4:19) and b.get\n"
        "    Rename one, or write tool_names: qualified to serve them as service_operation."
    )
    world = World.parse(parse(textwrap.dedent(text) + "tool_names: qualified\n", format="yaml", name="w.yaml"))
    assert list(world.operations) == ["a_get", "b_get"]


def test_qualified_names_that_fall_together_are_an_error_too():
    assert "two operations are served as tool 'a_b_c'" in refused("""\
        tool_names: qualified
        services:
          a_b: { records: { x: { n: int } }, operations: { c: { kind: get, record: x } } }
          a: { records: { x: { n: int } }, operations: { b_c: { kind: get, record: x } } }
        """)


def test_seeds_of_unknown_records_and_wrong_counts_are_named():
    text = refused("""\
        services:
          orders:
            records: { order: { n: int } }
            seed: { ordr: 5, count: -1, order: { cuont: 5 } }
        """)
    assert "world.yaml:4:13: orders has no record 'ordr' to seed; did you mean 'order'?\n    Records: order." in text
    assert "count" in text
    assert "unknown key 'cuont'; did you mean 'count'?" in text


def test_names_that_cannot_be_attributes_are_named():
    text = refused("""\
        services:
          my-shop:
            records: { 2nd: { n: int }, ok: { some-field: str, _hidden: str } }
            operations: { get it: { kind: get, record: ok } }
        """)
    for name in ("service", "record", "field", "operation"):
        assert f"cannot name a {name}" in text or f"cannot name an {name}" in text
    assert text.count("A name is letters, digits and _ and begins with a letter") == 5


def test_wrong_fixed_rows_are_named_beside_the_rest():
    text = refused("""\
        services:
          a:
            records: { x: { n: int, odd: itn } }
            seed: { x: [{ n: many, odd: 5, m: 1 }, 5], count: 3 }
            operations: { get_x: { kind: get, record: y } }
        """)
    assert [line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("world")] == [
        "unknown type 'itn'; did you mean 'int'?",
        "n: 'many' is not a whole number",
        "x has no field 'm'; it has id, n, odd",
        "5 is not a row",
        "unknown record 'y'",
    ]


@pytest.mark.parametrize(
    ("seed", "message"),
    [
        ("x: -1", "-1 is not a number of rows"),
        ("x: 1.5", "1.5 is not a number of rows"),
        ("x: much", "'much' is not what a record can start with"),
        ("x: { count: many }", "'many' is not a number of rows"),
        ("x: { rows: 5 }", "5 is not what a record can start with"),
    ],
)
def test_a_seed_that_is_none_is_named(seed, message):
    assert message in refused(f"services: {{ a: {{ records: {{ x: {{ n: int }} }}, seed: {{ {seed} }} }} }}")


def test_an_id_is_a_text_or_a_whole_number():
    assert refused("services: { a: { records: { x: { id: float } } } }") == (
        "world.yaml:1:38: 'float' cannot be the type of an id\n    Write str or int."
    )


def test_an_empty_nested_mapping_is_named():
    assert "a nested mapping without fields" in refused("services: { a: { records: { x: { at: {} } } } }")


def test_shape_and_meaning_are_complained_of_together():
    text = refused("""\
        sevices: {}
        services: { a: { records: { x: { n: itn } } } }
        seed: much
        """)
    assert [line.split(": ")[0] for line in text.splitlines() if line.startswith("world")] == [
        "world.yaml:1:1",
        "world.yaml:2:37",
        "world.yaml:3:7",
    ]


@pytest.mark.parametrize("text", ["5", "[a]", "services: 5", "services: { a: 5 }", "name: x"])
def test_what_is_no_world_at_all_is_refused_with_a_place(text):
    assert refused(text).startswith("world.yaml:1:")


def test_records_may_refer_to_one_another_in_a_circle():
    world = World.parse(
        parse(
            "services: {a: {records: {x: {y: 'ref[a.y]'}, y: {x: 'ref[a.x]'}}, seed: {count: 2}}}",
            format="yaml",
            name="w.yaml",
        )
    )
    assert world.x["1"].y in world.y


TEXTS = "str;int;get;list;create;x;order;enum[a;enum[a, x];ref[a.b];ref[a.x];x.in;".split(";")
JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(TEXTS),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "services",
                    "records",
                    "seed",
                    "operations",
                    "kind",
                    "record",
                    "filter",
                    "count",
                    "rows",
                    "a",
                    "id",
                    "x",
                    *("fields", "transitions", "version", "emits", "auth", "token", "refresh", "argument", "listens"),
                    *("sort", "include", "page_size", "lag", "idempotency_key", "field", "expires", "from"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSONISH)
def test_whatever_a_file_holds_is_a_world_or_a_usage_error(data):
    import json  # what is drawn is written as a document

    with suppress(UsageError):
        World.parse(parse(json.dumps({"services": {"a": data}}), format="json", name="w.json"))
