"""Faults at steps: which rule each one becomes, and which could never happen."""

from __future__ import annotations

import pytest

from squall.runs.scenario.stepped import possible_kinds
from tests.runs.scenario.texts import STEPPED, fault


def rule(lab, *args, **more):
    (found,) = lab.load(STEPPED + fault(*args, **more)).plan.rules.faults
    return found


@pytest.mark.parametrize(
    ("kind", "target"),
    [
        ("timeout", "step1.pay"),
        ("provider_error", "step1.pay"),
        ("partial_stream", "step1.pay"),
        ("stale_memory", "memory.step1"),
        ("repeated_call", "asks.step1"),
    ],
)
def test_a_fault_is_at_the_call_the_memory_or_what_asks(lab, kind, target):
    assert rule(lab, kind, step=1).targets == (target,)


def test_a_task_is_handed_over_twice_as_a_whole(lab):
    assert rule(lab, "duplicate_task").targets == ("asks.task",)


def test_occurrence_and_repeat_count_attempts(lab):
    found = rule(lab, "timeout", step=1, occurrence=2, repeat=3)
    assert [number for number in range(1, 8) if found.hits(number)] == [2, 3, 4]


def test_parameters_are_those_of_the_kind(lab):
    found = rule(lab, "http_429", step=0, retry_after="1m", message="later")
    assert found.params == {"retry_after": 60.0, "message": "later"}
    assert rule(lab, "partial_stream", step=0).params == {"after": 1}
    assert rule(lab, "partial_stream", step=0, after=2).params == {"after": 2}


def test_the_phase_may_be_chosen(lab):
    assert rule(lab, "timeout", step=1).phase == "after"
    found = rule(lab, "timeout", step=1, phase="late", late_by="5s")
    assert (found.phase, found.params) == ("late", {"late_by": 5.0})


def test_the_plan_says_where_each_fault_stands(lab):
    plan = lab.load(STEPPED + fault("timeout", step=1) + fault("timeout", step=0)).plan
    assert [plan.where[number].rpartition("/")[2] for number in (0, 1)] == ["scenario.toml:15:1", "scenario.toml:19:1"]


@pytest.mark.parametrize("kind", [each for each in possible_kinds() if each != "http_STATUS"])
def test_every_kind_that_is_possible_at_a_step_can_be_there(lab, kind):
    where = {} if kind == "duplicate_task" else {"step": 1}
    assert lab.load(STEPPED + fault(kind, **where)).plan.rules.faults


@pytest.mark.parametrize("kind", [each for each in possible_kinds() if each not in ("http_STATUS", "duplicate_task")])
def test_every_kind_that_is_possible_at_a_step_fires_there(lab, kind):
    assert [each.fired for each in lab.run(STEPPED + fault(kind, step=1)).record.faults] == [1]


@pytest.mark.parametrize(
    ("one", "problem"),
    [
        (fault("tiemout", step=0), "16:8: unknown kind of fault 'tiemout'; did you mean 'timeout'?"),
        (fault("http_999", step=0), "16:8: unknown kind of fault 'http_999'"),
        (fault("rate_limit", step=0), "16:8: unknown kind of fault 'rate_limit'"),
        (fault("refusal", step=0), "16:8: refusal is a fault of a model, and a scenario with steps has none"),
        (fault("stale_read", step=0), "16:8: stale_read needs a world to happen in, and steps have none"),
        (fault("tool_removed", step=0), "16:8: tool_removed needs a world to happen in, and steps have none"),
        (fault("paged_tools", step=0), "16:8: paged_tools needs a world to happen in, and steps have none"),
        (fault("timeout", step=2), "17:8: there is no step 2; did you mean '1'?"),
        (fault("timeout", step=-1), "17:8: 'step' must be greater than or equal to 0, not -1"),
        (fault("timeout", step="0"), "17:8: 'step' must be a whole number, not '0'"),
        (fault("timeout"), "16:8: timeout is at no step"),
        (fault("timeout", stpe=1), "17:1: unknown key 'stpe'; did you mean 'step'?"),
        (fault("timeout", target="payments.pay"), "17:1: in a scenario with steps, faults are at steps"),
        (fault("timeout", step=0, occurrence=0), "18:14: 'occurrence' must be greater than or equal to 1, not 0"),
        (fault("timeout", step=0, repeat=0), "18:10: 'repeat' must be greater than or equal to 1, not 0"),
        (fault("timeout", step=0, ocurrence=2), "18:1: unknown key 'ocurrence'; did you mean 'occurrence'?"),
        (fault("timeout", step=0, nth=2), "18:1: unknown key 'nth'; did you mean 'occurrence'?"),
        (fault("timeout", step=0, times=2), "18:1: unknown key 'times'; did you mean 'repeat'?"),
        (fault("timeout", step=0, probability=0.5), "18:1: 'probability' is for calls of a world, and this is a step"),
        (fault("timeout", step=0, phase="later"), "18:9: 'phase' cannot be 'later'; did you mean 'late'?"),
        (fault("timeout", step=0, late_by=5), "18:1: late_by says nothing without phase: late"),
        (fault("timeout", step=0, answer_after="soon"), "18:16: 'soon' is no length of time"),
        (fault("stale_memory", step=0, phase="after"), "18:1: stale_memory has no phase to choose"),
        (fault("stale_memory", step=0, late_by=5), "18:1: unknown key 'late_by'"),
        (fault("duplicate_task", step=0), "17:1: duplicate_task is about the whole task"),
        (fault("duplicate_delivery", step=0), "16:8: duplicate_delivery could never fire: step 0 is a read"),
        (fault("partial_stream", step=1, after=9), "16:8: partial_stream could never fire: the result of step 1 is {"),
        (fault("missing_field", step=1, field="stat"), "18:9: missing_field could never fire: step1.pay returns no"),
        (fault("timeout", step=0, occurrence=1001), "18:14: timeout could never fire: it waits for attempt 1001"),
    ],
)
def test_a_fault_that_could_never_happen_is_refused(lab, one, problem):
    (wrong,) = lab.wrong_with(STEPPED + one)
    assert wrong.startswith(f"scenario.toml:{problem}")


def test_a_memory_of_what_is_true_is_not_stale(lab):
    text = f'{STEPPED}\n[[faults]]\nkind = "stale_memory"\nstep = 1\nvalue = {{ payment = "p_1", state = "sent" }}\n'
    assert lab.wrong_with(text) == ["scenario.toml:18:9: what is remembered is what is true: that is no stale memory"]
    lab.load(text.replace('state = "sent" }\n', 'state = "open" }\n').replace("open", "sent", 1))


def test_a_limit_on_calls_counts_against_faults(lab):
    text = f"{STEPPED}{fault('timeout', step=0, occurrence=6)}\n[limits]\nsteps = 5\n"
    assert lab.wrong_with(text)[0].endswith("it waits for attempt 6, and limits.steps ends the run after 5")


@pytest.mark.parametrize(
    ("first", "second", "attempt"),
    [((1, 1), (1, 1), 1), ((1, 3), (2, 1), 2), ((2, 2), (1, 2), 2), ((1, 2), (2, 9), 2)],
)
def test_two_faults_at_one_attempt_are_refused(lab, first, second, attempt):
    one, other = (
        fault(kind, step=1, occurrence=occurrence, repeat=repeat)
        for kind, (occurrence, repeat) in (("timeout", first), ("http_503", second))
    )
    (wrong,) = lab.wrong_with(STEPPED + one + other)
    assert wrong.startswith(f"scenario.toml:21:1: attempt {attempt} at step 1, pay has timeout (")


def test_faults_at_different_attempts_steps_or_sides_go_together(lab):
    several = [
        fault("timeout", step=1, occurrence=1, repeat=2),
        fault("http_503", step=1, occurrence=3),
        fault("http_503", step=0),
        fault("stale_memory", step=1),
        fault("repeated_call", step=1),
        fault("duplicate_task"),
    ]
    assert len(lab.load(STEPPED + "".join(several)).plan.rules.faults) == len(several)
