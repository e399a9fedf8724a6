from __future__ import annotations

import asyncio

import pytest

from squall.call import CallRef, Refused
from squall.errors import UsageError
from squall.worlds.services.handling import BadAnswer


def test_a_handler_gets_world_clock_and_its_arguments(handled):
    world = handled("""
        from datetime import datetime

        def act(world, clock, when: datetime, n: int = 2):
            return {"when": when.year, "n": n, "now": clock.now(), "row": world.orders["1"], "rows": world.orders.all()}
    """)
    answer = world.call("act", {"when": "2025-01-01T00:00:00Z"})
    assert (answer["when"], answer["n"], answer["now"]) == (2025, 2, "2025-06-01T00:00:00Z")
    assert answer["row"] == world.snapshot()["orders.order"]["1"]
    assert len(answer["rows"]) == 3


@pytest.mark.parametrize(
    ("raised", "reason", "text"),
    [
        ("ValueError('too late')", "invalid", "too late"),
        ("LookupError('no such order')", "not_found", "no such order"),
        ("KeyError('no such order')", "not_found", "no such order"),
        ("KeyError(7)", "not_found", "7"),
        ("PermissionError('not yours')", "forbidden", "not yours"),
        ("ValueError()", "invalid", "invalid request"),
        ("LookupError()", "not_found", "not found"),
        ("PermissionError()", "forbidden", "forbidden"),
    ],
)
@pytest.mark.parametrize("prefix", ["", "async "])
def test_what_a_handler_raises_to_say_no_is_a_refusal_with_its_cause(handled, prefix, raised, reason, text):
    world = handled(f"""
        {prefix}def act(world, clock):
            world.orders.update("1", total=0)
            raise {raised}
    """)
    with pytest.raises(Refused) as caught:
        answer(world, "act", {})
    assert (caught.value.reason, str(caught.value)) == (reason, text)
    assert type(caught.value.__cause__).__name__ == raised.split("(")[0]
    assert world.revision == 0
    assert world.orders["1"].total != 0


def answer(world, tool, args, **options):
    found = world.call(tool, args, **options)
    if world.operations[tool].is_async:

        async def wait():
            return await found

        return asyncio.run(wait())
    return found


@pytest.mark.parametrize("prefix", ["", "async "])
def test_anything_else_is_the_handlers_bug_and_leaves_nothing(handled, prefix):
    world = handled(f"""
        {prefix}def act(world, clock):
            world.orders.update("1", total=0)
            return None + 1
    """)
    with pytest.raises(TypeError, match="unsupported operand"):
        answer(world, "act", {})
    assert world.revision == 0


def test_a_handler_may_refuse_by_itself(handled):
    world = handled("""
        from squall.call import Refused

        def act(world, clock):
            raise Refused("come back tomorrow", "forbidden")
    """)
    with pytest.raises(Refused, match="come back tomorrow") as caught:
        world.call("act", {})
    assert caught.value.reason == "forbidden"


def test_what_a_table_refuses_the_agent_reads_without_the_nearest_rows(handled):
    world = handled("""
        def find(world, clock):
            return world.orders.pick(status="placed", total=-1)

        def spoil(world, clock):
            world.orders.update("1", status="lost")
    """)
    with pytest.raises(Refused) as caught:
        world.call("find", {})
    assert (caught.value.reason, str(caught.value)) == (
        "not_found",
        "there is no order with status 'placed', total -1.0",
    )
    assert "nearest of 3 rows" in str(caught.value.__cause__)
    with pytest.raises(Refused) as caught:
        world.call("spoil", {})
    assert (caught.value.reason, str(caught.value)) == ("invalid", "status: 'lost' is not one of placed, returned")


@pytest.mark.parametrize("prefix", ["", "async "])
def test_an_answer_without_json_form_is_a_bug_that_is_named(handled, prefix):
    world = handled(f"""
        {prefix}def act(world, clock):
            world.orders.update("1", total=0)
            return {{1, 2}}
    """)
    with pytest.raises(BadAnswer, match=r"rules.act returned something that no tool can answer: \{1, 2\} of type set"):
        answer(world, "act", {})
    assert world.revision == 0


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_dry_run_of_a_handler_leaves_nothing(handled, prefix):
    world = handled(f"""
        {prefix}def act(world, clock):
            return world.refunds.insert(order_id="1", amount=1)
    """)
    before = world.snapshot()
    dry = answer(world, "act", {}, commit=False)
    assert world.snapshot() == before
    assert answer(world, "act", {}) == dry
    assert world.revision == 1


def test_every_write_of_a_handler_is_an_effect_of_its_call(handled):
    world = handled("""
        def act(world, clock):
            world.refunds.insert(order_id="1", amount=1)
            world.orders.update("1", status="returned")
    """)
    ref = CallRef(4, "act", {})
    assert world.call("act", {}, ref=ref) is None
    assert [(effect.rev, effect.op, effect.call.id) for effect in world.ledger] == [(1, "insert", 4), (2, "update", 4)]


def test_a_handler_that_calls_a_tool_is_one_transaction_with_it(handled):
    world = handled("""
        def inner(world, clock, fail: bool = False):
            world.orders.update("1", total=1)
            if fail:
                raise ValueError("inner")

        def outer(world, clock, fail: bool = False, inner_fails: bool = False):
            from squall.call import Refused
            world.orders.update("2", total=2)
            try:
                world.call("inner", {"fail": inner_fails})
            except Refused:
                pass
            if fail:
                raise ValueError("outer")
    """)
    with pytest.raises(Refused, match="outer"):
        world.call("outer", {"fail": True})
    assert world.revision == 0
    world.call("outer", {"inner_fails": True}, ref=CallRef(1, "outer", {}))
    assert [effect.id for effect in world.ledger] == ["2"]
    world.call("outer", {}, ref=CallRef(2, "outer", {}))
    assert [(effect.id, effect.call.id) for effect in world.ledger[1:]] == [("2", 2), ("1", 2)]


def test_a_cancelled_async_handler_leaves_nothing(handled):
    world = handled("""
        import asyncio

        async def act(world, clock):
            world.orders.update("1", total=0)
            await asyncio.Event().wait()
    """)

    async def main():
        task = asyncio.ensure_future(world.call("act", {}))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert world.revision == 0


@pytest.mark.parametrize("prefix", ["", "async "])
def test_a_handler_that_is_declared_to_read_must_not_write(handled, prefix):
    world = handled(
        f"""
        {prefix}def act(world, clock):
            world.orders.update("1", total=0)
    """,
        operation=", access: read",
    )
    assert world.operations["act"].access == "read"
    with pytest.raises(BadAnswer, match=r"rules.act is declared with access: read, but it did update in orders.order"):
        answer(world, "act", {})
    assert world.revision == 0


def test_custom_operations_tell_what_their_handler_says(handled):
    world = handled(
        """
        async def issue_refund(world, clock, order_id: str, amount: float, idempotency_key: str = ""):
            \"\"\"Refund an
            order.

            Not twice.
            \"\"\"
    """,
        operation=", idempotent: true, destructive: false",
    )
    operation = world.operations["issue_refund"]
    assert operation.description == "Refund an order."
    assert (operation.access, operation.idempotent, operation.destructive) == ("write", True, False)
    assert (operation.is_async, operation.output_schema, operation.returns) == (True, None, None)
    assert operation.target.fields == ("order_id", "amount", "idempotency_key")
    assert operation.target.dated
    assert world.idempotency_fields == ("idempotency_key",)


def test_a_handler_whose_signature_does_not_fit_is_an_error_with_both_places(handled):
    with pytest.raises(UsageError) as caught:
        handled("""
            def act(order_id, world):
                pass
        """)
    text = str(caught.value)
    assert "world.yaml:8:37: handler 'rules.act' (" in text
    assert "rules.py:2) takes (order_id, world), but is called as func(world, clock, **args)" in text
    assert "Write it as: def NAME(world, clock, order_id: str, limit: int = 10)." in text


def test_sync_handlers_on_several_threads_take_turns(handled):
    from concurrent.futures import ThreadPoolExecutor  # this test alone needs threads

    world = handled("""
        def add(world, clock):
            row = world.orders["1"]
            for _ in range(50):
                world.orders.count()
            return world.orders.update("1", total=row.total + 1).total
    """)
    world.orders.update("1", total=0)
    with ThreadPoolExecutor(8) as pool:
        totals = sorted(pool.map(lambda _: world.call("add", {}), range(40)))
    assert totals == [float(n) for n in range(1, 41)]
    assert world.revision == 41
