"""All that a world file of faultbench 0.1 may say, in one file: it loads, runs, and has the faults that it had."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import squall
from squall.call import Refused
from squall.worlds import World

SDIST = os.environ.get("FAULTBENCH_SDIST")

LIBRARY = """\
name: library
seed: 4

services:
  members:
    records:
      readers:
        id: str
        name: str
        age: int
        fines: float
        blocked: bool
        kind: enum[child, adult]
        joined_at: datetime
    seed:
      count: 6
    operations:
      get_reader:    { kind: get,    record: readers }
      list_readers:  { kind: list,   record: readers, filter: [kind, blocked] }
      add_reader:    { kind: create, record: readers }
      change_reader: { kind: update, record: readers }
      remove_reader: { kind: delete, record: readers }

  desk:
    records:
      baskets:
        id: str
        reader_id: ref[members.readers]
        state: enum[open, closed]
        opened_at: datetime
      lines:
        id: str
        basket_id: ref[baskets]
        title: str
        days: int
    operations:
      lend:        { kind: custom, handler: desk_rules.lend }
      get_basket:  { kind: get,    record: baskets }
      list_lines:  { kind: list,   record: lines, filter: [basket_id] }
      close:
        kind: custom
        handler: desk_rules.close

faults:
FAULTS
"""
RULES = '''
def lend(world, clock, reader_id: str, books: list, days: int | None = None, state: str = "open") -> dict:
    """Lend some books at once."""
    reader = world.readers.get(reader_id)
    if reader is None:
        raise LookupError(f"reader {reader_id} not found")
    if reader["blocked"]:
        raise ValueError(f"reader {reader.name} is blocked")
    basket = world.baskets.insert(reader_id=reader_id, state=state, opened_at=clock.now().isoformat())
    for book in books:
        world.lines.insert(basket_id=basket["id"], title=book["title"], days=book.get("days", days or 14))
    return {**basket.to_dict(), "lines": len(books)}


def close(world, clock, basket_id: str) -> dict:
    basket = world.baskets.pick(id=basket_id, state="open")
    if basket is None:
        raise KeyError(basket_id)
    world.baskets.update(basket_id, state="closed")
    return basket.to_dict()
'''


@pytest.fixture
def library(make):
    """The library's file with a block of faults."""
    return lambda faults="  default:": make(LIBRARY.replace("FAULTS", faults), desk_rules=RULES)


def test_every_kind_of_field_is_filled_and_every_kind_of_operation_works(library):
    with squall.world(library()) as run:
        tools, world = run.tools, run.world
        for row in world.readers:
            assert [type(row[name]) for name in ("name", "age", "fines", "blocked")] == [str, int, float, bool]
            assert row.kind in ("child", "adult")
            assert row.joined_at < run.clock.now()
        assert [row["id"] for row in tools.list_readers()] == list("123456")
        children = [row.id for row in world.readers.where(kind="child", blocked=False)]
        assert [row["id"] for row in tools.list_readers(kind="child", blocked=False)] == children
        added = tools.add_reader(name="Ida", blocked=False)
        assert added == tools.get_reader(id="7") == {**added, "name": "Ida", "age": None, "kind": None}
        assert tools.change_reader(id="7", age=9, kind="child")["age"] == 9
        tools.remove_reader(id="7")
        with pytest.raises(squall.ToolError, match="'7' not found"):
            tools.get_reader(id="7")


def test_handlers_take_lists_and_optional_arguments_and_say_no_in_their_own_words(library):
    with squall.world(library()) as run:
        tools, world = run.tools, run.world
        world.readers.update("1", blocked=False)
        world.readers.update("2", blocked=True, name="Bo")
        lent = tools.lend(reader_id="1", books=[{"title": "Dune"}, {"title": "Solaris", "days": 3}])
        assert lent == {
            "id": "1",
            "reader_id": "1",
            "state": "open",
            "opened_at": "2025-06-01T00:00:00",
            "lines": 2,
        }
        assert [row["days"] for row in tools.list_lines(basket_id="1")] == [14, 3]
        assert tools.close(basket_id="1")["state"] == "closed"  # rows follow later writes
        for refused, text in [
            (lambda: tools.close(basket_id="1"), "1"),
            (lambda: tools.lend(reader_id="2", books=[]), "reader Bo is blocked"),
            (lambda: tools.lend(reader_id="99", books=[]), "reader 99 not found"),
        ]:
            with pytest.raises(squall.ToolError, match=text):
                refused()
        assert world.baskets.count() == 1


@pytest.mark.asyncio
async def test_its_operations_are_tools_of_the_official_server(library):
    with squall.world(library()) as run:
        run.world.readers.update("1", blocked=False)
        await run.mcp_server.call_tool("lend", {"reader_id": "1", "books": [{"title": "Dune"}]})
        assert run.world.baskets.pick(reader_id="1").state == "open"


@pytest.mark.parametrize(
    ("kind", "raised", "text", "lent"),
    [
        ("timeout", TimeoutError, None, 1),
        ("http_500", squall.ToolError, "^500 ", 0),
        ("http_429", squall.ToolError, "^429 ", 0),
        ("not_found", squall.ToolError, "^404 ", 0),
        ("malformed_json", json.JSONDecodeError, None, 0),
    ],
)
def test_each_error_happens_and_the_effect_stays_with_a_timeout_alone(library, kind, raised, text, lent):
    path = library(f"  desk.lend:\n    errors: {{ {kind}: 1.0 }}")
    with squall.world(path, faults=path) as run:
        run.world.readers.update("1", blocked=False)
        with pytest.raises(raised, match=text):
            run.tools.lend(reader_id="1", books=[])
        assert run.world.baskets.count() == lent


def test_an_empty_result_is_nothing_and_does_nothing(library):
    path = library("  default:\n    errors: { empty_result: 1.0 }")
    with squall.world(path, faults=path) as run:
        assert run.tools.list_readers() == []
        assert not run.tools.add_reader(name="Ida")
        assert run.world.readers.count() == 6


def test_latencies_limits_and_ages_hold_for_the_operations_that_they_name(library):
    path = library(
        "  default:\n    latency_ms: [50, 50]\n"
        "  members.list_readers:\n    latency_ms: [200, 200]\n    rate_limit: { calls: 2, per_seconds: 60 }\n"
        "  desk.get_basket:\n    errors: { not_found_if_newer_than: 2h }"
    )
    with squall.world(path, faults=path) as run:
        run.world.readers.update("1", blocked=False)
        run.tools.get_reader(id="1")
        assert run.clock.elapsed() == pytest.approx(0.05)
        run.tools.list_readers()
        assert run.clock.elapsed() == pytest.approx(0.25)
        run.tools.list_readers()
        with pytest.raises(squall.ToolError, match="429"):
            run.tools.list_readers()
        run.clock.advance(60)
        run.tools.list_readers()
        basket = run.tools.lend(reader_id="1", books=[])["id"]
        with pytest.raises(squall.ToolError, match="404"):
            run.tools.get_basket(id=basket)
        run.clock.advance(2 * 3600)
        assert run.tools.get_basket(id=basket)["state"] == "open"


def test_faults_are_drawn_as_often_as_they_say_and_the_same_in_each_session(library):
    path = library("  members.get_reader:\n    errors: { http_500: 0.25, timeout: 0.25 }")

    def lines():
        for index in range(40):
            with squall.world(path, faults=path, run_index=index) as run:
                try:
                    run.tools.get_reader(id="1")
                except (squall.ToolError, TimeoutError) as error:
                    yield type(error).__name__
                else:
                    yield "calm"

    first = list(lines())
    assert first == list(lines())
    assert set(first) == {"calm", "ToolError", "TimeoutError"}
    assert 8 < first.count("calm") < 32


@pytest.mark.skipif(not SDIST, reason="FAULTBENCH_SDIST names no folder with faultbench's unpacked sdist")
def test_the_handlers_of_faultbenchs_own_examples_run():
    for path in Path(SDIST or "").rglob("examples/*/worlds/*.yaml"):
        world = World.load(path)
        customs = [operation for operation in world.operations.values() if operation.kind == "custom"]
        assert customs
        for operation in customs:  # of rows that there are not: each says so itself, and none breaks
            args: dict[str, object] = {
                param.name: [] if param.schema.get("type") == "array" else 1 if "amount" in param.name else "999"
                for param in operation.params
                if param.required
            }
            with pytest.raises(Refused):
                world.call(operation.tool, args)
