"""What a world comes to over any wire: checks that take a maker of a client.

A maker is called with a run and gives an async context manager of a `clients.Client`. Each check plays a story and
raises an AssertionError where its outcome is not what plain callables come to; what may differ stands in `played`.
`CHECKS` lists them all; how a third party's wire runs them: `for check in CHECKS: check(begin, make)`, with a `begin`
as in `runs`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from tests.conformance import services
from tests.conformance.clients import Client, Make, by_callables
from tests.conformance.fault_over_wire import Seen
from tests.conformance.played import Begin, Played, assert_same, played, played_in, same, so_far, state

PAY = ("pay", {"order_id": "1"})
STORY: tuple[tuple[str, dict[str, Any]], ...] = (
    ("get_order", {"id": "1"}),
    ("list_orders", {}),
    ("list_orders", {"status": "paid"}),
    PAY,
    ("pay", {"order_id": "1", "amount": 2.5}),
    ("pay", {"order_id": "99"}),
    ("pay", {}),
    ("update_order", {"id": "1", "status": "returned", "tags": ["ä", "🐈"]}),
    ("update_order", {"id": "1", "status": "lost"}),
    ("list_payments", {"order_id": "1"}),
    ("get_order", {"id": "1"}),
)
WEATHER: tuple[dict[str, Any], ...] = (
    {"target": "payments.pay", "kind": "connection_lost", "nth": 1},
    {"target": "payments.pay", "kind": "http_503", "nth": 2, "phase": "after"},
    {"target": "orders.get_order", "kind": "missing_field", "nth": 1, "field": "total"},
    {"target": "orders.list_orders", "kind": "empty_result", "nth": 1},
    {"target": "orders.list_orders", "kind": "truncated_result", "nth": 2},
    {"target": "orders.update_order", "kind": "wrong_value", "nth": 1, "field": "total"},
    {"target": "payments.list_payments", "kind": "stale_read", "nth": 1, "writes": 2},
)
STORE_WEATHER: tuple[dict[str, Any], ...] = (
    {"target": "store.create_order", "kind": "connection_lost", "nth": 3},
    {"target": "store.list_orders", "kind": "http_503", "nth": 2},
    {"target": "store.get_order", "kind": "missing_field", "nth": 1, "field": "line_items"},
    {"target": "store.update_order", "kind": "duplicate_delivery", "nth": 3},
    {"target": "store.find_orders", "kind": "stale_read", "nth": 1, "writes": 2},
    {"target": "vault.get_secret", "kind": "permission_denied", "nth": 3},
    {"target": "vault.renew_token", "kind": "http_503", "nth": 2, "phase": "after"},
    {"target": "store.order_placed", "kind": "duplicate", "nth": 1},
    {"target": "store.order_placed", "kind": "lost", "nth": 2},
    {"target": "store.order_delivered", "kind": "delay", "nth": 1, "seconds": 3000},
)
SLOWLY = {"order_id": "1", "takes": 0.05}
LONG, SOON, LOOK = 1800.0, 0.1, 0.02  # seconds
A_MOMENT = 1.007  # in which no two things happen at once, although operations look around every 0.02 s
MANY = 3000  # looks, before a story gives up on what ought to come


async def whole_story(client: Client) -> list[Any]:
    """Every kind of operation, refusals included."""
    return [await client.tools(), *[await client.call(tool, args) for tool, args in STORY], await client.tools()]


async def until(there: Callable[[], Any]) -> None:
    """Wait for something to be there, whatever time is."""
    for _ in range(MANY):
        if there():
            return
        await asyncio.sleep(LOOK)
    raise AssertionError("what was waited for has not come")


async def until_there_are(number: int, kind: str, run: Any) -> None:
    """Wait for events of a kind; in virtual time for the same time over every wire."""
    if run.clock.mode == "virtual":
        await asyncio.sleep(A_MOMENT)
    await until(lambda: so_far(run, kind) >= number)


def same_in_sight_of(begin: Begin, make: Make, tell: Callable[[Client, Any], Any], *rules: Any) -> Played:
    """As `same`, for a story whose teller also looks at the run from outside: `tell(client, run)`."""

    def one(each: Make) -> Played:
        with begin(*rules) as run:
            return played_in(run, each, lambda client: tell(client, run))

    found, expected = one(make), one(by_callables)
    assert_same(found, expected)
    return found


def check_a_calm_world_answers_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make, whole_story)
    assert [seen.how for seen in found.seen[1:-1]].count("value") == 8, "the story has both answers and refusals"


def check_counted_faults_strike_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make, whole_story, *WEATHER)
    assert sorted(found.fired()) == sorted(rule["kind"] for rule in WEATHER), "each of the faults strikes once"


def check_drawn_faults_strike_alike(begin: Begin, make: Make) -> None:
    plan = {"default": {"errors": {"http_500": 0.3, "connection_lost": 0.2, "not_found": 0.1}}}

    async def twice(client: Client) -> list[Any]:
        return [*await whole_story(client), *await whole_story(client)]

    found = same(begin, make, twice, plan=plan, seed=5, run_index=3)
    assert len(found.fired()) > 5, "with these chances some must strike"


def check_deep_services_answer_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make, services.whole_story, world="store")
    said = [seen.said for seen in found.seen if seen.how == "refused"]
    for words in (
        "belongs to a list with other arguments",
        "line_items[1]: quantity: 0 is not in 1..",
        "was already used for a request with other parameters",
        "order '7' has version 2, not 1",
        "is placed and cannot become delivered",
        "401 Unauthorized: missing access token",
        "401 Unauthorized: invalid access token",
        "401 Unauthorized: the access token has expired; get a new one with renew_pass",
    ):
        assert any(words in text for text in said), f"the story comes to {words!r}"
    assert [event["event"] for event in found.of("delivery")] == [
        *["order_placed"] * 3,
        "order_delivered",
        "order_placed",
    ]
    assert len(found.snapshot["store.notice"]) == 5, "who listens has heard of each"


def check_faults_strike_deep_services_alike(begin: Begin, make: Make) -> None:
    found = same(begin, make, services.whole_story, *STORE_WEATHER, world="store")
    assert sorted(found.fired()) == sorted(rule["kind"] for rule in STORE_WEATHER), (
        f"each of the faults strikes once, but {found.fired()}"
    )
    made = [row for row in found.snapshot["store.order"].values() if row["customer"] == "Di Koch"]
    assert len(made) == 2, "a lost reply and a retry with its key make one row"


def check_the_list_of_tools_is_the_same_in_pages_and_without_one_that_was_removed(begin: Begin, make: Make) -> None:
    paged = {"target": "session.list_tools", "kind": "paged_tools", "page_size": 2}
    found = same(begin, make, whole_story, paged, {"target": "payments.pay", "kind": "tool_removed", "nth": 1})
    assert set(found.seen[0]) - set(found.seen[-1]) == {"pay"}


def check_limits_of_the_rate_hold_alike(begin: Begin, make: Make) -> None:
    rule = {"target": "payments.pay", "kind": "rate_limit", "calls": 1, "per_seconds": 3600}

    async def story(client: Client) -> list[Any]:
        return [(await client.call(*PAY)).how for _ in range(3)]

    assert played(begin, make, story, rule).seen == ["value", "refused", "refused"]


def check_an_operation_that_takes_its_time_lands_alike(begin: Begin, make: Make) -> None:
    """Late effects land while the client is still there, or with the end of the run."""
    about = {"kind": "is_error", "target": "payments.pay_slowly"}
    rules = [
        {**about, "nth": 1, "phase": "before"},
        {**about, "nth": 2, "phase": "after"},
        {**about, "nth": 3, "phase": "late", "late_by": LONG},
        {**about, "nth": 5, "phase": "late", "late_by": SOON},
    ]

    async def tell(client: Client, run: Any) -> list[Any]:
        calls = [await client.call("pay_slowly", {**SLOWLY, "amount": float(number)}) for number in range(1, 6)]
        await until(lambda: len(state(run)["payments.payment"]) == 3)
        return [*calls, await client.call("list_payments", {})]

    found = same_in_sight_of(begin, make, tell, *rules)
    assert [seen.how for seen in found.seen] == [*["refused"] * 3, "value", "refused", "value"]
    landed = [(effect["after"]["amount"], effect["late"]) for effect in found.of("effect")]
    assert landed == [(2.0, False), (4.0, False), (5.0, True), (3.0, True)]
    kinds = [event.kind for event in found.events]
    assert kinds.index("landed") < len(kinds) - kinds[::-1].index("tool_call"), "one landed before the last call"


def check_a_caller_that_gives_up_leaves_the_same_behind(begin: Begin, make: Make) -> None:
    rule = {"kind": "timeout", "phase": "after", "nth": 1, "target": "payments.pay", "answer_after": LONG}

    async def tell(client: Client, run: Any) -> list[Any]:
        call = asyncio.ensure_future(client.call(*PAY))
        await until(lambda: state(run)["payments.payment"])
        call.cancel()
        await asyncio.wait([call])
        return [call.cancelled()]

    found = same_in_sight_of(begin, make, tell, rule)
    assert found.seen == [True]
    assert [event["operation"] for event in found.of("abandoned")] == ["done"]


def check_what_an_operation_does_after_its_caller_gave_up_is_the_same(begin: Begin, make: Make) -> None:
    """It is undone with its caller, unless a fault has promised that it happens."""
    about = {"target": "payments.pay_when_paid", "kind": "timeout", "answer_after": LONG}
    rules = [
        {**about, "nth": 2, "phase": "after"},
        {**about, "nth": 3, "phase": "late", "late_by": LONG},
        {**about, "nth": 4, "phase": "before"},
    ]

    async def tell(client: Client, run: Any) -> list[Any]:
        for number in range(1, 5):
            call = asyncio.ensure_future(client.call("pay_when_paid", {"order_id": "1"}))
            await until_there_are(number, "tool_call", run)
            call.cancel()
            await asyncio.wait([call])
            await until_there_are(number, "abandoned", run)
        paid = await client.call(*PAY)
        await until(lambda: len(state(run)["payments.payment"]) == 2)
        return [paid, await client.call("list_payments", {})]

    found = same_in_sight_of(begin, make, tell, *rules)
    assert [event["operation"] for event in found.of("abandoned")] == ["not_run", "running", "late", "not_run"]
    effects = [(effect["call"], effect["after"]["amount"], effect["late"]) for effect in found.of("effect")]
    assert effects == [(5, 10.0, False), (2, -1.0, True), (3, -1.0, True)]


def check_faults_that_are_never_reached_are_told_alike(begin: Begin, make: Make) -> None:
    kinds = ("session_lost", "server_exit", "late_reply", "progress_only", "tool_removed", "timeout", "connection_lost")
    rules = [{"target": "payments.pay", "kind": kind, "nth": nth} for nth, kind in enumerate(kinds, start=9)]
    found = same(begin, make, whole_story, *rules)
    assert found.told[0] == "not_fired"
    assert found.fired() == []
    (end,) = found.of("run_end")
    assert len(end["not_fired"]) == len(kinds)


def check_calls_at_once_are_each_answered_and_each_have_their_effect(begin: Begin, make: Make) -> None:
    async def story(client: Client) -> list[Seen]:
        calls = (client.call("pay", {"order_id": "1", "amount": float(number)}) for number in range(1, 31))
        return list(await asyncio.gather(*calls))

    found = played(begin, make, story)
    assert [seen.said["amount"] for seen in found.seen] == [float(number) for number in range(1, 31)]
    effects = found.of("effect")
    assert sorted(effect["after"]["amount"] for effect in effects) == [float(number) for number in range(1, 31)]
    assert sorted(effect["call"] for effect in effects) == list(range(1, 31))


CHECKS: tuple[Callable[[Begin, Make], None], ...] = tuple(
    value for name, value in sorted(globals().items()) if name.startswith("check_")
)
GIVING_UP = (
    check_a_caller_that_gives_up_leaves_the_same_behind,
    check_what_an_operation_does_after_its_caller_gave_up_is_the_same,
)
"""Those that need a caller who can give up: plain sync code cannot."""
