"""Exploring a scenario, `runs/exploring/of_lab.py`."""

from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.runs.exploring.of_lab import Subject, alterations, filed, replay, runner
from squall.runs.exploring.search import Options, search
from squall.runs.scenario import load_scenario
from squall.runs.strategies.finding import strategy_named, strategy_of_command

PAY = """
[scenario]
name = "pay"
seed = 1
[[steps]]
tool = "look"
arguments = { of = "1" }
result = { of = "1", due = 40 }
writes = false
[[steps]]
tool = "pay"
arguments = { of = "1", amount = 40 }
result = { payment = "p_1", state = "sent" }
[[faults]]
kind = "timeout"
step = 1
"""


@pytest.fixture
def subject(tmp_path):
    path = tmp_path / "pay.toml"
    path.write_text(PAY, encoding="utf-8")

    def make(strategy, **options):
        scenario = load_scenario(path)
        return Subject(scenario, strategy_named(strategy), scenario.seed, **options)

    return make


def explored(subject, *kinds, depth=1):
    return search(runner(subject, kinds), Options(depth=depth, kinds=kinds))


def test_without_faults_of_the_search_there_are_none(subject):
    observed = runner(subject("careless"))(())
    assert (observed.status, observed.effects) == ("passed", 1)


def test_points_of_steps_stand_in_the_order_in_which_the_agent_meets_them(subject):
    observed = runner(subject("resilient"))(())
    assert [seen.point.target for seen in observed.seen] == [
        "memory.step0",
        "step0.look",
        "asks.step0",
        "memory.step1",
        "step1.pay",
        "asks.step1",
        "asks.task",
    ]
    assert [seen.place for seen in observed.seen] == list(range(7))


@pytest.mark.parametrize(
    ("strategy", "kind", "violated"),
    [
        ("careless", "repeated_call", ["step 1, pay, happened more than once"]),
        ("careless", "duplicate_task", ["step 1, pay, happened more than once"]),
        (
            "careless",
            "stale_memory",
            ["the answer has a wrong result of step 0, look", "the answer has a wrong result of step 1, pay"],
        ),
        ("resilient", "repeated_call", []),
        ("resilient", "duplicate_task", []),
        ("resilient", "stale_memory", []),
        ("resilient", "stream_disconnect", []),
    ],
)
def test_what_happens_beside_the_calls_breaks_who_does_not_look(subject, strategy, kind, violated):
    found = explored(subject(strategy), kind)
    assert [each.observed.what for each in found.found] == violated
    assert found.coverage.shares[0].whole
    assert found.coverage.shares[0].possible > 0


def test_leaving_out_what_is_known_changes_no_outcome_of_steps(subject):
    kinds = ("timeout", "repeated_call", "stale_memory", "duplicate_task")
    for strategy in ("resilient", "careless"):
        outcomes = []
        for prune in (True, False):
            options = Options(depth=2, kinds=kinds, prune=prune, shrink=False)
            found = search(runner(subject(strategy), kinds), options)
            outcomes.append({each.finding.failure for each in found.found})
        assert outcomes[0] == outcomes[1]


def test_two_faults_that_only_together_break_it_are_found_at_depth_2(subject):
    kinds = ("timeout",)
    assert not explored(subject("resilient"), *kinds).found
    deeper = explored(subject("resilient"), *kinds, depth=2)
    assert deeper.coverage.revealed


def test_a_failure_goes_into_a_file_and_replays_from_it_alone(subject):
    own = subject("careless")
    (found,) = explored(own, "timeout").found
    regression = filed(own, found)
    assert (regression.test, regression.violated) == ("pay × careless", "step 1, pay, happened more than once")
    assert set(regression.digests) == {"agent", "scenario"}
    assert replay(regression).how == "reproduced"


def test_who_may_give_up_may_do_so_in_its_replay_too(subject):
    blamed = subject("baseline")
    assert explored(blamed, "timeout").found
    assert not explored(subject("baseline", may_give_up=True), "timeout").found


def test_altered_end_states_are_noticed(subject):
    found = alterations(subject("resilient"))
    assert found is not None
    assert [tuple(each) for each in found] == [
        ("step 1, pay, happened once more", "step 1, pay, happened more than once"),
        ("step 1, pay, never happened", "step 1, pay, never happened"),
    ]


def test_a_command_is_not_explored(subject):
    scenario, _, seed, _ = subject("baseline")
    with pytest.raises(UsageError, match="a command cannot be explored"):
        runner(Subject(scenario, strategy_of_command("true"), seed))
