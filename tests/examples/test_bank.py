"""examples/bank: what its tests say of the two agents, and that it holds for other seeds and harder weather."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import squall

BANK = Path(__file__).parents[2] / "examples/bank"
WORLD = BANK / "worlds/bank.yaml"
LATE = {
    "default": {"latency_ms": [20, 120]},
    "transfers.transfer": {"errors": {"timeout": {"probability": 0.4, "phase": "late", "late_by": "2m"}}},
}


def test_pytest_in_the_folder_is_red_for_the_two_step_agent_and_green_for_all_else(run_pytest):
    status, output, outcomes = run_pytest(BANK)
    assert outcomes == {
        "test_the_two_step_agent": "failure",
        "test_the_one_step_agent": "passed",
        "test_both_agents_in_fair_weather[two_step_agent]": "passed",
        "test_both_agents_in_fair_weather[one_step_agent]": "passed",
        "test_of_two_transfers_at_once_the_second_sees_what_the_first_has_left[two_step_agent]": "passed",
        "test_of_two_transfers_at_once_the_second_sees_what_the_first_has_left[one_step_agent]": "passed",
        "test_a_call_that_is_repeated_moves_nothing_and_gets_the_first_answer": "passed",
        "test_a_transfer_that_is_refused_leaves_nothing_behind": "passed",
    }
    assert status == 1
    assert "update_account!timeout(after)" in output
    assert "the sum of accounts.account.balance was 200000 after seeding and is " in output
    assert "warnings summary" not in output


@pytest.fixture(scope="module")
def agents(load):
    return load(BANK / "bank_agents.py")


def after(agent, orders, seed, index, faults=WORLD):
    """The world when the agent has ended, and its answers."""
    with squall.world(WORLD, faults=faults, seed=seed, run_index=index) as run:
        answers = asyncio.run(agent(run.mcp_server, orders))
    return run.world, answers


def total(world):
    return sum(account.balance for account in world.accounts)


@pytest.fixture(scope="module")
def bills(agents):
    pairs = [("1", "2"), ("1", "3"), ("2", "3"), ("3", "1")]
    return [agents.Order(f"bill-{number}", *pair, 9_000) for number, pair in enumerate(pairs)]


@pytest.mark.parametrize("seed", [1, 2])
def test_with_other_seeds_and_bills_too_only_the_two_step_agent_makes_or_loses_money(agents, bills, seed):
    assert any(total(after(agents.two_step_agent, bills, seed, index)[0]) != 200_000 for index in range(20))
    assert all(total(after(agents.one_step_agent, bills, seed, index)[0]) == 200_000 for index in range(20))


def test_transfers_that_land_late_are_made_once_by_the_one_step_agent(agents, bills):
    for index in range(20):
        world, answers = after(agents.one_step_agent, bills, 0, index, LATE)
        squall.conserved(world.accounts, "balance")
        squall.at_most_once(world.transfers, by="idempotency_key")
        made = {transfer.idempotency_key for transfer in world.transfers}
        done = {bill.idempotency_key for bill, answer in zip(bills, answers, strict=True) if answer == agents.DONE}
        assert done <= made


def test_a_bill_that_cannot_be_paid_is_declined_and_the_others_are_paid(agents):
    orders = [agents.Order("too-much", "2", "3", 45_000), agents.Order("fine", "1", "3", 45_000)]
    world, answers = after(agents.one_step_agent, orders, 0, 0, faults=None)
    assert answers == [agents.DECLINED, agents.DONE]
    assert [account.balance for account in world.accounts] == [55_000, 50_000, 95_000]


def test_without_an_answer_an_agent_does_not_say_done(agents, bills):
    silence = [{"target": "accounts.get_account", "kind": "http_503", "first": 99}]
    for agent in (agents.two_step_agent, agents.one_step_agent):
        assert set(after(agent, bills, 0, 0, silence)[1]) == {agents.UNCERTAIN}


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [("1", "1", "the same account"), ("2", "1", "holds less than 60000"), ("9", "1", "no account with id '9'")],
)
def test_what_the_bank_refuses_is_refused_in_words(source, target, words):
    wanted = {"idempotency_key": "k", "source": source, "target": target, "amount": 60_000, "version": 1}
    with squall.world(WORLD) as run, pytest.raises(squall.ToolError, match=words):
        run.tools.transfer(**wanted)
    assert run.finish().status == "passed"
