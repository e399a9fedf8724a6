"""Is a customer sent half an answer? When a stream ends early and in order, yes, by one of the two agents.

`pytest` in this folder runs all; test_the_trusting_agent is red on purpose.
"""

from __future__ import annotations

from typing import Any

import pytest
from cut_answer import SORRY, checking_agent, trusting_agent

from squall.models import say

QUESTION = "Can I return the lamp that I bought last week?"
ANSWER = "Yes, within 30 days. But yours was on sale, and what was on sale cannot be returned."
WEATHER = {"model.chat": {"errors": {"clean_eof": {"probability": 0.2, "after": 5}}}}


def not_by_halves(answer: str) -> None:
    assert answer in {ANSWER, SORRY}, f"the customer was sent half an answer: {answer!r}"


@pytest.mark.faults(WEATHER)
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
def test_the_trusting_agent(model: Any) -> None:
    model.script(say(ANSWER))
    not_by_halves(trusting_agent(QUESTION))


@pytest.mark.faults(WEATHER)
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
def test_the_checking_agent(model: Any) -> None:
    model.script(say(ANSWER))
    not_by_halves(checking_agent(QUESTION))


@pytest.mark.parametrize("agent", [trusting_agent, checking_agent])
def test_both_agents_in_fair_weather(agent: Any, model: Any) -> None:
    model.script(say(ANSWER))
    assert agent(QUESTION) == ANSWER
