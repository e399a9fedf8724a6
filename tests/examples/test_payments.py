"""examples/payments: what its tests say of the two agents, and that it holds for other seeds and harder weather."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import squall

PAYMENTS = Path(__file__).parents[2] / "examples/payments"
WORLD = PAYMENTS / "worlds/payments.yaml"
LATE = {
    f"payments.{tool}": {"errors": {"timeout": {"probability": 0.4, "phase": "late", "late_by": "2m"}}}
    for tool in ("create_charge", "create_refund")
}


def test_pytest_in_the_folder_is_red_for_the_fresh_key_agent_and_green_for_all_else(run_pytest):
    status, output, outcomes = run_pytest(PAYMENTS)
    assert outcomes == {
        "test_the_fresh_key_agent": "failure",
        "test_the_steady_key_agent": "passed",
        "test_both_agents_in_fair_weather[fresh_key_agent]": "passed",
        "test_both_agents_in_fair_weather[steady_key_agent]": "passed",
        "test_an_agent_that_begins_again_with_the_same_keys_pays_nothing_again": "passed",
        "test_a_key_belongs_to_one_request_and_is_not_remembered_for_ever": "passed",
        "test_no_more_is_paid_back_than_was_charged": "passed",
    }
    assert status == 1
    assert "create_refund!connection_lost(after) → create_refund" in output
    assert "exactly one refund per item, but 'bulb' has 2" in output
    assert "warnings summary" not in output


@pytest.fixture(scope="module")
def agents(load):
    return load(PAYMENTS / "payment_agents.py")


@pytest.fixture(scope="module")
def basket(agents):
    return agents.Basket("order-9", prices={"chair": 12_000, "desk": 30_000}, sold_out=("desk",))


def after(agent, basket, seed, index, faults=WORLD):
    """The world when the agent has ended, and its answer."""
    with squall.world(WORLD, faults=faults, seed=seed, run_index=index) as run:
        answer = asyncio.run(agent(run.mcp_server, basket))
    return run.world, answer


def rows(world):
    return world.charges.count(), world.refunds.count()


@pytest.mark.parametrize("seed", [1, 2])
def test_with_other_seeds_and_baskets_too_only_the_fresh_key_agent_pays_twice(agents, basket, seed):
    assert any(max(rows(after(agents.fresh_key_agent, basket, seed, index)[0])) > 1 for index in range(20))
    assert all(max(rows(after(agents.steady_key_agent, basket, seed, index)[0])) == 1 for index in range(20))


def test_what_lands_late_is_paid_once_by_the_steady_key_agent(agents, basket):
    found = [rows(after(agents.steady_key_agent, basket, 0, index, LATE)[0]) for index in range(20)]
    assert set(found) == {(1, 1)}


def test_the_random_keys_of_the_fresh_key_agent_do_not_change_its_weather(agents, basket):
    first, again = (
        [after(agents.fresh_key_agent, basket, 0, index)[0].snapshot() for index in range(10)] for _ in range(2)
    )
    assert first == again


def test_without_an_answer_the_agent_does_not_say_that_it_is_settled(agents, basket):
    silence = [{"target": "payments.create_refund", "kind": "http_503", "first": 99}]
    world, answer = after(agents.steady_key_agent, basket, 0, 0, silence)
    assert answer == agents.UNCERTAIN
    assert rows(world) == (1, 0)


def test_a_charge_that_is_paid_back_in_full_says_so(agents):
    basket = agents.Basket("order-9", prices={"desk": 30_000}, sold_out=("desk",))
    world, answer = after(agents.steady_key_agent, basket, 0, 0, faults=None)
    assert answer == agents.SETTLED
    assert world.charges.pick(order="order-9").status == "refunded"
