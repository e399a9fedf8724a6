"""Finding power of the real thing: planted bugs are found, their twins stay green, failures shrink and replay."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import uuid

import pytest

import squall
from squall.canonical import digest
from squall.explore import Choice
from squall.runs.environment import Environment
from squall.runs.exploring import Options, search
from squall.runs.exploring.executing import Runner

WIRES = {"tool", "model"}
REPLAYS = """
import sys
import planted, squall
for bug, path in zip(planted.PLANTED, sys.argv[1:], strict=True):
    print(squall.replay_failure(path, bug.buggy, "planted.yaml", holds=bug.holds).how)
"""


def test_a_planted_bug_is_found_with_just_so_many_faults_and_replays(planted, explore, world, tmp_path):
    explored = explore(planted, planted.buggy, planted.faults)
    (found,) = explored.found
    assert (found.observed.status, len(found.schedule), found.minimal) == (planted.ends, planted.faults, True)
    assert explored.baseline.status == "passed"
    assert planted.faults > 1 or found.finding.first <= explored.coverage.shares[0].possible
    path = squall.keep_failure(found, tmp_path, test=planted.name)
    again = squall.replay_failure(path, planted.buggy, world, holds=planted.holds)
    assert (again.how, again.leniently) == ("reproduced", ())


def test_a_repaired_twin_stands_every_pair_of_faults(planted, explore):
    explored = explore(planted, planted.repaired, 2)
    assert explored.found == ()
    assert explored.statistical == ""
    assert [share.faults for share in explored.coverage.shares] == [1, 2]
    assert all(share.covered + share.never_fired == share.possible for share in explored.coverage.shares)


def test_failures_at_both_wires_replay_in_a_new_process_and_in_another_folder(agents, explore, world, tmp_path):
    wires, kept = set(), []
    for number, planted in enumerate(agents.PLANTED):
        found = explore(planted, planted.buggy, planted.faults, first=True).found[0]
        wires |= {choice.point.wire for choice in found.schedule}
        kept.append(squall.keep_failure(found, tmp_path / str(number), test=planted.name))
    for name in ("planted.py", "planted.yaml"):
        shutil.copy(world.with_name(name), tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", REPLAYS, *kept], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.stdout.splitlines() == ["reproduced"] * len(kept), done.stderr
    assert wires == WIRES


def test_bugs_are_planted_at_both_depths_and_with_each_ending(agents):
    assert len(agents.PLANTED) >= 15
    assert {planted.faults for planted in agents.PLANTED} == {1, 2}
    assert {planted.ends for planted in agents.PLANTED} == {"failed", "crashed", "hung"}


# two faults


def test_a_second_point_that_only_recovery_leads_to_is_found(agents, explore):
    planted = agents.PLANTED[0]
    shallow = explore(planted, planted.buggy, 1)
    assert (shallow.found, shallow.coverage.claim) == (
        (),
        "Every single fault (4) of the kinds connection_lost, http_429, empty_result: no failure.",
    )
    deep = explore(planted, planted.buggy, 2)
    (found,) = deep.found
    assert [str(choice) for choice in found.schedule] == [
        "connection_lost (after) at money.issue_refund",
        "empty_result (before) at money.list_refunds",
    ]
    assert found.schedule[1].point not in {seen.point for seen in deep.baseline.seen}
    assert dict(deep.coverage.revealed)["money.list_refunds"] >= 1
    assert deep.coverage.never_true == ()


def test_a_budget_of_retries_is_used_up_by_two_faults_and_no_fewer(agents, explore):
    (planted,) = (each for each in agents.PLANTED if "budget" in each.name)
    assert explore(planted, planted.buggy, 1).found == ()
    assert len(explore(planted, planted.buggy, 2).found[0].schedule) == 2


# what may be claimed


def test_nothing_is_claimed_where_a_call_is_another_one_each_time(world):
    def agent(run):
        try:
            run.tools.send_mail(to="ann", text=f"Your number is {uuid.uuid4()}.")
        except Exception:
            run.trace.mark("failed")

    explored = squall.find_failures(agent, world, depth=2)
    assert explored.statistical.startswith("Two runs without faults differ: call 1, shop.send_mail, had other argum")
    single, *_ = explored.coverage.shares
    assert single.covered == 0
    assert single.never_fired == single.run > 0
    assert explored.coverage.claim.startswith("No single fault (0 of ")
    assert "shop.send_mail" not in {line.target for line in explored.coverage.lines if line.faulted}


def test_a_number_of_its_own_in_an_argument_of_its_own_hides_no_place(agents, explore):
    (planted,) = (each for each in agents.PLANTED if "fresh key" in each.name)
    explored = explore(planted, planted.buggy, 1)
    assert explored.statistical
    assert explored.coverage.claim == "Every single fault (13): 1 failure."


def test_a_loop_that_swallows_everything_ends_as_hung(agents, world):
    explored = squall.find_failures(agents.retry_forever, world, depth=2)
    (found,) = explored.found
    assert (found.observed.status, found.observed.message) == ("hung", "the run made more than 1000 tool calls")
    assert explored.coverage.claim == "Nothing was explored: 1 failure."
    assert explored.runs < 10


def test_an_agent_without_a_world_has_nothing_to_change(agents):
    def agent(run):
        run.model.brain(lambda _request: "Hello!")
        agents.asked(run)

    explored = squall.find_failures(agent, kinds=("http_503",))
    assert explored.coverage.claim == "Every single fault (1) of the kinds http_503: no failure."
    assert explored.coverage.notes == ()


# leaving out what is known


def outcomes(explore, planted, agent, **options):
    """All that runs with up to two faults came to, as the agent and the world have it, and the exploration."""
    ends: set[str] = set()

    def holds(run):
        bad = ""
        try:
            planted.holds(run)
        except AssertionError as error:
            bad = str(error)
            raise
        finally:
            calls = [[call.tool, call.args, call.ok, call.result, call.error, call.ts] for call in run.trace.calls()]
            ends.add(digest([calls, run.world.snapshot(), bad]))

    return ends, explore(planted, agent, 2, holds=holds, **options)


@pytest.mark.parametrize("which", ["buggy", "repaired"])
def test_leaving_out_what_is_known_changes_no_outcome(agents, explore, which):
    for planted in (each for each in agents.PLANTED if "fresh key" not in each.name):
        agent = getattr(planted, which)
        with_less, less = outcomes(explore, planted, agent)
        with_all, all_ = outcomes(explore, planted, agent, prune=False)
        assert with_less == with_all, planted.name
        assert {found.finding.failure for found in less.found} == {found.finding.failure for found in all_.found}


def test_runs_are_saved_where_an_agent_cannot_tell_two_faults_apart(agents, explore):
    (planted,) = (each for each in agents.PLANTED if "swallowed" in each.name)
    kinds = ("empty_result", "stale_read", "timeout")
    with_less, less = outcomes(explore, planted, planted.repaired, kinds=kinds)
    with_all, all_ = outcomes(explore, planted, planted.repaired, kinds=kinds, prune=False)
    assert with_less == with_all
    assert less.coverage.pruned == all_.coverage.runs - less.coverage.runs > 0


def test_calls_that_are_on_their_way_at_the_same_time_are_told_apart_by_their_faults(agents, explore):
    (planted,) = (each for each in agents.PLANTED if "two calls at once" in each.name)
    assert explore(planted, planted.repaired, 2).coverage.pruned == 0


# shrinking


def busy(run):
    """Reads that are tried again until they work, between them a refund that must not be."""
    tools = run.tools

    def insist(call):
        for _ in range(6):
            try:
                return call()
            except Exception as error:
                run.trace.mark(type(error).__name__)
        return None

    insist(lambda: tools.get_order(id="A1"))
    insist(lambda: tools.list_parcels(order="A1"))
    for _ in range(2):
        try:
            tools.issue_refund(order="A1", amount=40)
            break
        except Exception:
            if insist(lambda: tools.list_refunds(order="A1")):
                break
    insist(lambda: tools.list_charges(order="A1"))
    insist(lambda: tools.get_account(id="ann"))


def one_refund(run):
    squall.at_most_once(run.world.refunds, by="order")


def test_any_schedule_shrinks_to_the_smallest_that_fails(world):
    def build():
        run = Environment(world)
        run.finally_(lambda: one_refund(run))
        return run

    runner = Runner(build, busy, ("http_503", "connection_lost", "empty_result"))
    lost, listed = (
        Choice(point(runner, choice), kind, phase)
        for kind, phase, choice in (
            ("connection_lost", "after", "issue_refund"),
            ("empty_result", "before", "list_refunds"),
        )
    )
    others = [
        choice
        for seen in runner(()).seen
        if seen.point.target not in ("money.issue_refund", "money.list_refunds")
        for choice in seen.choices
    ]
    dice, runs = random.Random(7), 0
    for _ in range(40):
        points = {choice.point: choice for choice in dice.choices(others, k=dice.randint(1, 6))}
        schedule = [lost, listed, *points.values()]
        dice.shuffle(schedule)
        options = Options(kinds=("http_503", "connection_lost", "empty_result"), runs=1)
        explored = search(runner, options, regressions=[tuple(schedule)])
        (found,) = explored.found
        assert [str(choice) for choice in found.schedule] == [
            "connection_lost (after) at money.issue_refund",
            "empty_result (before) at money.list_refunds",
        ]
        assert found.minimal
        runs += explored.runs
    assert runs > 300


def point(runner, tool):
    """Where a tool is called, once the refund has been lost."""
    (asked,) = (seen for seen in runner(()).seen if seen.point.target == "money.issue_refund")
    if tool == "issue_refund":
        return asked.point
    seen = runner((Choice(asked.point, "connection_lost", "after"),)).seen
    return next(each.point for each in seen if each.point.target == f"money.{tool}")
