"""The kind `stream_disconnect` of a step."""

from __future__ import annotations

import pytest

from squall.call import Outcome
from squall.faults.kinds.step.stream_disconnect import KIND
from squall.runs.strategies import BrokenStream


def cut(trial, value, **params):
    return trial.act(KIND, **params).change(Outcome("value", value))


def test_the_first_piece_arrives_and_then_the_connection_is_gone(trial):
    outcome = cut(trial, {"total": 40, "note": "paid"})
    assert (outcome.form, outcome.value) == ("lost", '{"note":')


@pytest.mark.parametrize(("after", "part"), [(0, ""), (1, '{"note":'), (2, '{"note":"paid","')])
def test_the_rule_says_after_how_many_pieces(trial, after, part):
    assert cut(trial, {"total": 40, "note": "paid"}, after=after).value == part


@pytest.mark.parametrize("value", [7, "paid", None, {}, "x" * 6])
def test_a_result_that_is_no_longer_stays_whole(trial, value):
    assert cut(trial, value) is None


def test_a_refusal_is_no_result(trial):
    assert trial.act(KIND).change(Outcome("refused", error="no, and that at some length")) is None


def test_the_step_is_done_and_the_agent_has_a_part_of_its_result(stepped):
    async def agent(env, steps):
        with pytest.raises(BrokenStream) as broken:
            await env.call(steps[1])
        assert isinstance(broken.value, ConnectionError)
        return broken.value.part, await env.find(steps[1])

    part, found = stepped('kind = "stream_disconnect"\nstep = 1\nafter = 2', agent)
    assert part == '{"payment":"p_1"'
    assert found.value == {"payment": "p_1", "state": "sent"}


def test_before_its_effect_there_is_a_part_and_no_effect(stepped):
    async def agent(env, steps):
        with pytest.raises(BrokenStream):
            await env.call(steps[1])
        return await env.find(steps[1])

    assert stepped('kind = "partial_stream"\nstep = 1\nphase = "before"', agent) is None


def test_its_name_in_scenarios_means_after_one_piece(stepped):
    async def agent(env, steps):
        with pytest.raises(BrokenStream) as broken:
            await env.call(steps[0])
        return broken.value.part

    assert stepped('kind = "partial_stream"\nstep = 0', agent) == '{"note":'
