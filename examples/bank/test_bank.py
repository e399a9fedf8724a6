"""Is all the money still there? In fair weather always; in bad weather one of the two agents loses some.

`pytest` in this folder runs all; test_the_two_step_agent is red on purpose.
"""

from __future__ import annotations

from typing import Any

import pytest
from bank_agents import DECLINED, DONE, RESERVE, Order, one_step_agent, two_step_agent

import squall

BILLS = [
    Order("rent-june", source="1", target="2", amount=40_000),
    Order("power-june", source="1", target="3", amount=9_000),
    Order("loan-june", source="2", target="3", amount=15_000),
]


def books_are_right(world: Any) -> None:
    squall.conserved(world.accounts, "balance")
    squall.at_most_once(world.transfers, by="idempotency_key")
    assert all(account.balance >= RESERVE for account in world.accounts)


@pytest.mark.world("worlds/bank.yaml")
@pytest.mark.faults("worlds/bank.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_two_step_agent(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: books_are_right(world))
    await two_step_agent(mcp_server, BILLS)


@pytest.mark.world("worlds/bank.yaml")
@pytest.mark.faults("worlds/bank.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_one_step_agent(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: books_are_right(world))
    answers = await one_step_agent(mcp_server, BILLS)
    done = {bill.idempotency_key for bill, answer in zip(BILLS, answers, strict=True) if answer == DONE}
    assert done <= {
        transfer.idempotency_key for transfer in world.transfers
    }  # it promises nothing that it has not done


@pytest.mark.world("worlds/bank.yaml")
@pytest.mark.faults({"default": {"latency_ms": [20, 120]}})
@pytest.mark.parametrize("agent", [two_step_agent, one_step_agent])
async def test_both_agents_in_fair_weather(agent: Any, world: Any, mcp_server: Any) -> None:
    assert await agent(mcp_server, BILLS) == [DONE, DONE, DONE]
    assert [account.balance for account in world.accounts] == [51_000, 75_000, 74_000]
    books_are_right(world)


@pytest.mark.world("worlds/bank.yaml")
@pytest.mark.faults({"default": {"latency_ms": [20, 120]}})
@pytest.mark.parametrize("agent", [two_step_agent, one_step_agent])
async def test_of_two_transfers_at_once_the_second_sees_what_the_first_has_left(
    agent: Any, world: Any, mcp_server: Any
) -> None:
    orders = [Order(f"half-{number}", source="1", target="2", amount=50_000) for number in range(2)]
    assert sorted(await agent(mcp_server, orders)) == [DECLINED, DONE]
    assert world.accounts["1"].balance == 50_000
    books_are_right(world)


@pytest.mark.world("worlds/bank.yaml")
@pytest.mark.faults([{"target": "transfers.transfer", "kind": "timeout", "nth": 1}])
def test_a_call_that_is_repeated_moves_nothing_and_gets_the_first_answer(tools: Any, world: Any) -> None:
    rent = {"idempotency_key": "rent-june", "source": "1", "target": "2", "amount": 40_000, "version": 1}
    with pytest.raises(TimeoutError):
        tools.transfer(**rent)
    assert tools.transfer(**rent)["id"] == world.transfers.pick(idempotency_key="rent-june").id
    assert world.accounts["1"].balance == 60_000
    with pytest.raises(squall.ToolError, match="used for another transfer"):
        tools.transfer(**rent | {"amount": 1})


@pytest.mark.world("worlds/bank.yaml")
def test_a_transfer_that_is_refused_leaves_nothing_behind(tools: Any, world: Any) -> None:
    with pytest.raises(squall.ToolError, match="no account with id '9'"):
        tools.transfer(idempotency_key="x", source="1", target="9", amount=1, version=1)
    with pytest.raises(squall.ToolError, match="changed in the meantime"):
        tools.transfer(idempotency_key="x", source="1", target="2", amount=1, version=7)
    assert world.revision == 0
