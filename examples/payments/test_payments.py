"""Is each order charged once, and each sold-out item refunded once? With one key for each try, not in bad weather.

`pytest` in this folder runs all; test_the_fresh_key_agent is red on purpose. Its keys are random, and yet it meets the
same weather in each session: squall masks idempotency keys when it decides where a fault strikes.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from payment_agents import SETTLED, Basket, fresh_key_agent, steady_key_agent

import squall

BASKET = Basket("order-7", prices={"lamp": 4_000, "bulb": 1_250, "rug": 9_900}, sold_out=("bulb", "lamp"))


def nothing_is_paid_twice(world: Any) -> None:
    squall.at_most_once(world.charges, by="order")
    squall.at_most_once(world.refunds, by="item")
    squall.no_orphans(world)


def all_is_settled(world: Any) -> None:
    squall.exactly_once(world.charges, by="order", of=[BASKET.order])
    squall.exactly_once(world.refunds.where(status="succeeded"), by="item", of=BASKET.sold_out)
    charge = world.charges.pick(order=BASKET.order)
    assert (charge.amount, charge.refunded, charge.status) == (15_150, 5_250, "partially_refunded")


@pytest.mark.world("worlds/payments.yaml")
@pytest.mark.faults("worlds/payments.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_fresh_key_agent(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: nothing_is_paid_twice(world))
    answer = await fresh_key_agent(mcp_server, BASKET)
    if answer == SETTLED:
        all_is_settled(world)


@pytest.mark.world("worlds/payments.yaml")
@pytest.mark.faults("worlds/payments.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_steady_key_agent(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: nothing_is_paid_twice(world))
    answer = await steady_key_agent(mcp_server, BASKET)
    if answer == SETTLED:
        all_is_settled(world)


@pytest.mark.world("worlds/payments.yaml")
@pytest.mark.parametrize("agent", [fresh_key_agent, steady_key_agent])
async def test_both_agents_in_fair_weather(agent: Any, world: Any, mcp_server: Any) -> None:
    assert await agent(mcp_server, BASKET) == SETTLED
    all_is_settled(world)


@pytest.mark.world("worlds/payments.yaml")
async def test_an_agent_that_begins_again_with_the_same_keys_pays_nothing_again(world: Any, mcp_server: Any) -> None:
    for _ in range(2):
        assert await steady_key_agent(mcp_server, BASKET) == SETTLED
    all_is_settled(world)


@pytest.mark.world("worlds/payments.yaml")
def test_a_key_belongs_to_one_request_and_is_not_remembered_for_ever(tools: Any, world: Any, clock: Any) -> None:
    charge = {"order": "order-7", "amount": 100, "idempotency_key": "order-7-charge"}
    first = tools.create_charge(**charge)
    assert tools.create_charge(**charge) == first
    with pytest.raises(squall.ToolError, match="already used for a request with other parameters"):
        tools.create_charge(**charge | {"amount": 200})
    clock.advance(timedelta(hours=25))
    assert tools.create_charge(**charge)["id"] != first["id"]
    assert world.charges.count() == 2


@pytest.mark.world("worlds/payments.yaml")
def test_no_more_is_paid_back_than_was_charged(tools: Any, world: Any) -> None:
    charge = tools.create_charge(order="order-7", amount=1_000, idempotency_key="charge")["id"]
    for item, amount in [("bulb", 600), ("lamp", 600), ("rug", 400)]:
        tools.create_refund(charge=charge, item=item, amount=amount, idempotency_key=item)
    booked = tools.get_charge(id=charge)
    assert (booked["status"], booked["refunded"]) == ("refunded", 1_000)
    assert [refund["status"] for refund in booked["refunds"]] == ["succeeded", "failed", "succeeded"]
    with pytest.raises(ValueError, match="refunded is final"):
        world.charges.update(charge, status="succeeded")
