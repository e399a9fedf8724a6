"""Does a summary ever come? When the provider only pings, one of the two agents waits for ever.

`pytest` in this folder runs all; test_the_patient_agent is red on purpose. Its hours are virtual: they pass at once.
"""

from __future__ import annotations

from typing import Any

import pytest
from endless_stream import SORRY, patient_agent, punctual_agent

from squall.models import say

REPORT = "Lamps sold well, rugs did not."
SUMMARY = "More lamps, fewer rugs."
WEATHER = {"model.chat": {"errors": {"ping_only": {"probability": 0.3, "after": 3, "beat": "30s"}}}}


@pytest.mark.faults(WEATHER)
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_patient_agent(model: Any) -> None:
    model.script(say(SUMMARY))
    assert await patient_agent(REPORT) in {SUMMARY, SORRY}


@pytest.mark.faults(WEATHER)
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
async def test_the_punctual_agent(model: Any) -> None:
    model.script(say(SUMMARY))
    assert await punctual_agent(REPORT) in {SUMMARY, SORRY}


@pytest.mark.parametrize("agent", [patient_agent, punctual_agent])
async def test_both_agents_in_fair_weather(agent: Any, model: Any) -> None:
    model.script(say(SUMMARY))
    assert await agent(REPORT) == SUMMARY
