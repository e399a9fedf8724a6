"""All that is wrong with a world is told at once, and what faults may name is known as far as can be."""

from __future__ import annotations

import textwrap

import pytest

from squall.documents import load, parse
from squall.errors import UsageError
from squall.worlds import World
from squall.worlds.file.loading import possible_targets
from squall.worlds.file.shapes import MOST_ROWS

RULES = """\
def good(world, clock, order: str): ...
def backwards(clock, world): ...
def many(world, clock, *args): ...
def unknown(world, clock, a: "Strng"): ...
def heard(world): ...
def yields(world, clock):
    yield 1
"""
FILE = """\
services:
  a:
    records: { x: { n: int }, y: { m: flot } }
    operations:
      get_y: { kind: get, record: y }
      list_z: { kind: list, record: z }
      what: { kind: fetch, record: x }
      good: { kind: custom, handler: rules.good, access: read, emits: done }
      gone: { kind: custom, handler: nowhere.gone }
      backwards: { kind: custom, handler: rules.backwards }
      many: { kind: custom, handler: rules.many }
      unknown: { kind: custom, handler: rules.unknown }
      yields: { kind: custom, handler: rules.yields }
    listens: { done: rules.heard }
"""


def wrong(path):
    with pytest.raises(UsageError) as caught:
        World.load(path)
    return str(caught.value).replace(str(path), "world.yaml")


def test_one_missing_handler_hides_no_wrong_signature_nor_any_other_problem(make, monkeypatch):
    path = make(FILE, rules=RULES)
    monkeypatch.chdir(path.parent)
    text = wrong("world.yaml")
    for problem in (
        "world.yaml:3:39: unknown type 'flot'; did you mean 'float'?",
        "world.yaml:6:37: unknown record 'z'",
        "world.yaml:7:21: 'kind' cannot be 'fetch'",
        "world.yaml:9:38: there is no module 'nowhere' for the handler 'nowhere.gone'",
        "world.yaml:10:43: handler 'rules.backwards' (rules.py:2) takes (clock, world)",
        "world.yaml:11:38: handler 'rules.many' (rules.py:3) takes *args",
        "world.yaml:12:41: handler 'rules.unknown' (rules.py:4) has an annotation that means nothing",
        "world.yaml:13:40: handler 'rules.yields' (rules.py:6) is a generator",
        "world.yaml:14:22: handler 'rules.heard' (rules.py:5) takes (world)",
    ):
        assert problem in text
    assert text.count("\n    Write it as: def NAME(world, clock, order_id: str, limit: int = 10).") <= 4


def test_what_faults_may_name_in_a_world_that_is_wrong(make):
    path = make(FILE, rules=RULES)
    read, write = possible_targets(load(path))
    assert {target.name for target in read} == {
        "session.list_tools",
        "a.done",
        *(
            f"a.{name}"
            for name in ("get_y", "list_z", "what", "good", "gone", "backwards", "many", "unknown", "yields")
        ),
    }
    by_name = {target.name: target for target in read}
    assert by_name["a.good"].fields == ("order",)
    assert "anything" in by_name["a.gone"].fields
    assert (by_name["a.good"].access, by_name["a.gone"].access) == ("read", "write")
    assert [next(each for each in ways if each.name == "a.what").access for ways in (read, write)] == ["read", "write"]


def test_where_every_operation_is_known_there_is_one_way(make):
    path = make(FILE.replace("      what: { kind: fetch, record: x }\n", ""), rules=RULES)
    (only,) = possible_targets(load(path))
    assert len(only) == 10


def parsed(text):
    return World.parse(parse(textwrap.dedent(text), format="yaml", name="world.yaml"))


@pytest.mark.parametrize(
    "seed",
    ["{ count: 1000000000 }", "{ x: 1000000000 }", "{ x: { count: 1000000000 } }", "{ count: 1000000000, y: q }"],
)
def test_a_record_starts_with_a_bounded_number_of_rows(seed):
    with pytest.raises(UsageError) as caught:
        parsed(f"services: {{ a: {{ records: {{ x: {{ n: int }}, y: {{ n: int }} }}, seed: {seed} }} }}")
    first = str(caught.value).partition("; did")[0]
    assert "1000000000" in first
    assert str(MOST_ROWS) in str(caught.value)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("datetime[-99999999999d..0d]", "is more than 1000 years away"),
        ("list[" * 5_000 + "int" + "]" * 5_000, "a type that is nested more than 32 deep"),
    ],
)
def test_a_type_beyond_all_bounds_is_a_problem_with_its_place(field, message):
    with pytest.raises(UsageError) as caught:
        parsed(f"services: {{ a: {{ records: {{ x: {{ f: '{field}' }} }}, seed: {{ count: 2 }} }} }}")
    assert message in str(caught.value)
    assert str(caught.value).startswith("world.yaml:1:37: ")


def test_a_moment_that_utc_does_not_have_is_a_problem_with_its_place():
    with pytest.raises(UsageError) as caught:
        parsed("""\
            services:
              a: { records: { x: { f: datetime } }, seed: { x: [{ f: 9999-12-31T23:59:59-12:00 }] } }
            """)
    assert str(caught.value) == (
        "world.yaml:2:58: f: '9999-12-31T23:59:59-12:00' is not within the years 1 to 9999 in UTC"
    )


def test_a_name_with_a_dot_is_told_once_and_no_name_is_suggested_for_itself():
    with pytest.raises(UsageError) as caught:
        parsed("""\
            services:
              a:
                records: { "a.b": { n: int } }
                operations: { get: { kind: get, record: a.b } }
            """)
    assert str(caught.value) == (
        "world.yaml:3:16: 'a.b' cannot name a record\n    A name is letters, digits and _ and begins with a letter."
    )


def test_a_handler_without_words_is_described_by_its_name_or_its_place(make):
    world = World.load(
        make(
            "services: { s: { operations: { a: { kind: custom, handler: rules.a }, "
            "cancel_order: { kind: custom, handler: rules.a } } } }",
            rules="def a(world, clock): ...\n",
        )
    )
    assert world.operations["a"].description == "The operation a of s."
    assert world.operations["cancel_order"].description == "Cancel order."
