"""What a list can be filtered by: how it is written, what the argument takes, which rows pass."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import Refused
from squall.documents import parse
from squall.errors import UsageError
from squall.worlds import World
from squall.worlds.tables.transaction import Transaction

TEXT = """
services:
  a:
    records:
      thing:
        { id: str, name: str?, n: "int[1..10]?", price: decimal, at: datetime, day: date, kind: "enum[low, high]",
          tags: list[str], on: bool, size: { w: int } }
    seed:
      thing:
        - { id: "1", name: Red Lamp, n: 1, price: "0.10", at: "2025-05-01T00:00:00Z", day: "2025-05-01", kind: low,
            tags: [new, sale], on: true }
        - { id: "2", name: Blue Lamp, n: 5, price: "0.30", at: "2025-05-02T00:00:00Z", day: "2025-05-02", kind: high,
            tags: [], on: false }
        - { id: "3", name: null, n: null, price: "12", at: "2025-05-03T00:00:00Z", day: "2025-05-03", kind: high,
            tags: [sale], on: true }
    operations:
      find:
        kind: list
        record: thing
        filter: [kind, name, name.contains, name.in, n.gt, n.gte, n.lt, n.lte, price.lte, at.gte, day.lt, kind.in,
                 tags.contains, id.in]
"""


@pytest.fixture
def things(world_of):
    return world_of(TEXT)


@pytest.mark.parametrize(
    ("args", "ids"),
    [
        ({"n_gt": 1}, "2"),
        ({"n_gte": 1}, "12"),
        ({"n_lt": 5}, "1"),
        ({"n_lte": 1000}, "12"),
        ({"price_lte": "0.30"}, "12"),
        ({"price_lte": 0.3}, "12"),
        ({"price_lte": "0.299"}, "1"),
        ({"at_gte": "2025-05-02T02:00:00+02:00"}, "23"),
        ({"day_lt": "2025-05-03"}, "12"),
        ({"kind_in": ["high"]}, "23"),
        ({"kind_in": []}, ""),
        ({"kind_in": ["high", "low"], "n_gt": 1}, "2"),
        ({"id_in": ["3", "1", "9"]}, "13"),
        ({"name_contains": "lamp"}, "12"),
        ({"name_contains": "BLUE"}, "2"),
        ({"name_contains": ""}, "12"),
        ({"name": None}, "3"),
        ({"name_in": ["Red Lamp"]}, "1"),
        ({"tags_contains": "sale"}, "13"),
        ({"tags_contains": "sal"}, ""),
        ({"kind": "high", "tags_contains": "sale"}, "3"),
    ],
)
def test_each_filter_keeps_the_rows_that_it_says(things, args, ids):
    assert "".join(row["id"] for row in things.call("find", args)) == ids


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({"n_gt": "5"}, "n_gt: '5' is not a whole number"),
        ({"n_gt": None}, "n_gt: null is not a whole number"),
        ({"kind_in": "high"}, "kind_in: 'high' is not a list"),
        ({"kind_in": ["hgih"]}, "kind_in[0]: 'hgih' is not one of low, high; did you mean 'high'?"),
        ({"name_contains": 5}, "name_contains: 5 is not a string"),
        ({"at_gte": "soon"}, "at_gte: 'soon' is not a date and time such as 2025-06-01T12:00:00Z"),
        ({"n.gt": 5}, "unknown argument 'n.gt'; did you mean 'n_gt'?"),
    ],
)
def test_an_argument_of_another_type_is_refused_in_plain_words(things, args, text):
    with pytest.raises(Refused) as caught:
        things.call("find", args)
    assert (caught.value.reason, str(caught.value)) == ("arguments", text)


def test_arguments_have_names_and_schemas_that_every_provider_takes(things):
    properties = things.operations["find"].input_schema["properties"]
    assert list(properties) == [
        *("kind", "name", "name_contains", "name_in", "n_gt", "n_gte", "n_lt", "n_lte", "price_lte", "at_gte"),
        *("day_lt", "kind_in", "tags_contains", "id_in"),
    ]
    assert properties["n_gt"] == {"type": "integer", "description": "only those whose n is more than this"}
    assert properties["kind_in"]["items"] == {"type": "string", "enum": ["low", "high"]}
    assert properties["at_gte"]["description"] == "only those whose at is this or later"
    assert "required" not in things.operations["find"].input_schema


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        ("pirce.gte", "a.thing has no field 'pirce'; did you mean 'price'?"),
        ("price.get", "'price' is decimal and cannot be filtered by 'get'; did you mean 'price.gt'?"),
        ("name.gt", "'name' is str? and cannot be filtered by 'gt'"),
        ("kind.contains", "'kind' is enum[low, high] and cannot be filtered by 'contains'"),
        ("on.gt", "'on' is bool and cannot be filtered by 'gt'"),
        ("tags.in", "'tags' is list[str] and cannot be filtered by 'in'"),
        ("tags", "'tags' is nested and cannot be filtered by"),
        ("size.w", "'size' is mapping and cannot be filtered by 'w'"),
        ("price.", "'price' is decimal and cannot be filtered by ''"),
    ],
)
def test_a_filter_that_a_field_cannot_have_is_named_with_what_it_can(filter, message, world_of):
    with pytest.raises(UsageError) as caught:
        world_of(TEXT.replace("[kind, name, name.contains,", f"[{filter},"))
    [problem] = caught.value.problems
    assert str(problem).split("\n")[0] == f"world.yaml:20:18: {message}"


def test_the_hint_lists_the_filters_that_there_are(world_of):
    with pytest.raises(UsageError, match=r"Filters: name, name.in, name.contains\."):
        world_of(TEXT.replace("name.contains", "name.like"))


def test_filters_that_would_be_one_argument_are_an_error(world_of):
    base = (
        "services: {{ a: {{ records: {{ x: {{ {fields} }} }}, "
        "operations: {{ f: {{ kind: list, record: x, {rest} }} }} }} }}"
    )
    with pytest.raises(UsageError, match=r"'n_gt' and 'n\.gt' would both be the argument 'n_gt'"):
        world_of(base.format(fields="n: int, n_gt: int", rest="filter: [n_gt, n.gt]"))
    with pytest.raises(UsageError, match="the filter 'sort' and 'sort' would both be the argument 'sort'"):
        world_of(base.format(fields="sort: int", rest="filter: [sort], sort: [sort]"))
    with pytest.raises(UsageError, match="the filter 'cursor' and 'page_size' would both be the argument 'cursor'"):
        world_of(base.format(fields="cursor: int", rest="filter: [cursor], page_size: 5"))
    world_of(base.format(fields="cursor: int, sort: int", rest="filter: [cursor, sort]"))


ROWS = parse(
    """
    services:
      a:
        records: { x: { n: "int?" } }
        operations: { f: { kind: list, record: x, filter: [n, n.gt, n.gte, n.lt, n.lte, n.in] } }
    """,
    format="yaml",
    name="w.yaml",
)
SMALL = st.integers(-3, 3)


@given(
    st.lists(st.none() | SMALL, max_size=8),
    st.fixed_dictionaries(
        {}, optional={**dict.fromkeys(("n", "n_gt", "n_gte", "n_lt", "n_lte"), SMALL), "n_in": st.lists(SMALL)}
    ),
)
def test_filters_together_keep_what_passes_each(values, args):
    world = World.parse(ROWS)
    for value in values:
        world.x.insert(n=value)
    means = {
        "n": lambda n, a: n == a,
        "n_gt": lambda n, a: n > a,
        "n_gte": lambda n, a: n >= a,
        "n_lt": lambda n, a: n < a,
        "n_lte": lambda n, a: n <= a,
        "n_in": lambda n, a: n in a,
    }
    expected = [n for n in values if not args or (n is not None and all(means[k](n, a) for k, a in args.items()))]
    assert [row["n"] for row in world.call("f", args)] == expected


MANY = """
services:
  a:
    records:
      owner: { name: str }
      thing: { owner: "ref[a.owner]?", kind: "enum[x, y]", word: "enum[k, l]?", n: int }
    seed: { owner: 50, thing: 400 }
    operations:
      find:
        { kind: list, record: thing, filter: [kind, owner.in, id.in, kind.in, word.in, n.in] }
      move: { kind: update, record: thing }
      slow: { kind: list, record: thing, filter: [owner.in], lag: 2s }
"""


@pytest.mark.parametrize(
    ("args", "most"),
    [
        ({"owner_in": ["7", "3", "7", "no"]}, 60),
        ({"owner_in": ["7", "3"], "kind": "x"}, 60),
        ({"id_in": ["77", "3", "77", "no"]}, 2),
        ({"id_in": ["77", "3", "200"], "owner_in": ["1", "2"]}, 3),
        ({"owner_in": []}, 0),
        ({"kind_in": ["x", "y"]}, 400),
        ({"n_in": [1]}, 400),
    ],
)
def test_one_of_several_values_is_looked_up_where_that_is_less_than_walking(world_of, monkeypatch, args, most):
    world = world_of(MANY)
    world.call("move", {"id": "200", "owner": "7"})
    world.call("move", {"id": "5", "owner": "3"})
    world.things.delete("7")
    committed, looked_at = world.things._committed, []
    real = committed.candidates

    def watched(*conditions):
        looked_at.append(real(*conditions))
        return looked_at[-1]

    monkeypatch.setattr(committed, "candidates", watched)
    found = world.call("find", args)
    wanted = {name.removesuffix("_in"): value for name, value in args.items()}
    expected = [row.id for row in world.things if all(getattr(row, name) in value for name, value in wanted.items())]
    assert [row["id"] for row in found] == expected
    assert len(looked_at[0]) <= most


def test_a_look_up_sees_what_a_handler_has_written_and_what_a_lag_still_hides(world_of):
    world = world_of(MANY)
    before = [row["id"] for row in world.call("slow", {"owner_in": ["3", "7"]})]
    world.clock.advance(10)
    away, other = before[0], next(row.id for row in world.things if row.owner not in ("3", "7"))
    with Transaction(world.journal, None):
        world.things.update(away, owner="9")
        world.things.update(other, owner="7")
        found = [row["id"] for row in world.call("find", {"owner_in": ["3", "7"]})]
        assert found == sorted([other, *before[1:]], key=int)
    assert [row["id"] for row in world.call("slow", {"owner_in": ["3", "7"]})] == before
    world.clock.advance(2)
    assert [row["id"] for row in world.call("slow", {"owner_in": ["3", "7"]})] == found
