"""Is more paid back than was asked for? With arguments that broke off it is, by one of the two agents.

`pytest` in this folder runs all; test_the_trusting_agent is red on purpose.
"""

from __future__ import annotations

from typing import Any

import pytest
from truncated_payment import UNSURE, checking_agent, trusting_agent

import squall
from squall.models import call, expect, say

WISH = "The bulb from my order (charge ch_1) was broken. Please refund it: 12.50."
DONE = "I have refunded 12.50 for the bulb."
SCRIPT = [
    call("create_refund", charge="ch_1", amount=1_250),
    say(DONE).after(expect(tool="create_refund")),
]


@pytest.fixture
def refund(model: Any, tools: Any, world: Any) -> Any:
    """Lets an agent work, and judges what it left in the world, whatever it did."""

    def refund(agent: Any) -> str:
        model.script(*SCRIPT)
        squall.finally_(lambda: only_the_bulb_is_paid_back(world))
        answer: str = agent(WISH, tools.anthropic(), lambda name, arguments: tools[name](**arguments))
        return answer

    return refund


def only_the_bulb_is_paid_back(world: Any) -> None:
    squall.at_most_once(world.refunds, by="charge")
    for refund in world.refunds:
        assert refund.amount == 1_250, f"12.50 should be paid back, and {refund.amount / 100:.2f} was"


@pytest.mark.world("worlds/refunds.yaml")
@pytest.mark.faults("worlds/refunds.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
def test_the_trusting_agent(refund: Any) -> None:
    refund(trusting_agent)


@pytest.mark.world("worlds/refunds.yaml")
@pytest.mark.faults("worlds/refunds.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
def test_the_checking_agent(refund: Any, world: Any) -> None:
    answer = refund(checking_agent)
    assert answer == UNSURE or (answer == DONE and world.refunds.count() == 1)


@pytest.mark.world("worlds/refunds.yaml")
@pytest.mark.parametrize("agent", [trusting_agent, checking_agent])
def test_both_agents_in_fair_weather(agent: Any, refund: Any, world: Any) -> None:
    assert refund(agent) == DONE
    assert world.refunds.count() == 1
