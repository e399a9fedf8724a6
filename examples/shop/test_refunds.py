"""Is a refund paid twice? In fair weather never; in bad weather one of the two agents does it.

`pytest` in this folder runs all; test_the_hasty_agent is red on purpose. What `squall.finally_` is given is judged when
the agent has ended, whether it returned or raised, and every effect has landed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from refund_agents import REFUNDED, careful_agent, hasty_agent

import squall


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults("worlds/shop.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_hasty_agent(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    answer = await hasty_agent(mcp_server, "1")
    assert answer != REFUNDED or world.refunds.where(order="1")


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults("worlds/shop.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_careful_agent(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    answer = await careful_agent(mcp_server, "1")
    assert answer != REFUNDED or world.refunds.where(order="1")


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.parametrize("agent", [hasty_agent, careful_agent])
async def test_both_agents_in_fair_weather(agent: Any, world: Any, mcp_server: Any) -> None:
    assert await agent(mcp_server, "1") == REFUNDED
    squall.exactly_once(world.refunds, by="order")
    assert world.orders.get("1").status == "returned"


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults([{"target": "payments.issue_refund", "kind": "timeout", "nth": 1}])
def test_a_lost_reply_is_not_a_lost_refund(tools: Any, trace: Any) -> None:
    tools.create_return(order="1")
    with pytest.raises(TimeoutError):  # after 60 seconds, none of which pass on the wall
        tools.issue_refund(order="1")
    assert [refund["amount"] for refund in tools.list_refunds(order="1")] == [40.0]
    assert trace.line() == "create_return → issue_refund!timeout(after) → list_refunds"


@pytest.mark.world("worlds/shop.yaml")
def test_nothing_is_taken_back_after_30_days(tools: Any, clock: Any, world: Any) -> None:
    clock.advance(timedelta(days=31))
    with pytest.raises(squall.ToolError, match="placed more than 30 days ago"):
        tools.create_return(order="1")
    assert world.revision == 0
