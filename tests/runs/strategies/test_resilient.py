from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.runs.strategies.resilient import Resilient
from tests.runs.strategies.scenarios import BLIND, KEYED, LARGE, REFUND, SAID, TWO, fault, turn

DONE = {"refund": "r_1"}
ORDER = {"order": "1", "status": "refunded", "total": 40}


def test_it_makes_every_step_once(lab):
    ran = lab.run(TWO, "resilient")
    assert (ran.met, ran.answer, ran.seconds) == (True, [DONE, ORDER], 0.0)


@pytest.mark.parametrize(
    "keys",
    [
        {"kind": "timeout"},
        {"kind": "timeout", "phase": "before"},
        {"kind": "timeout", "phase": "late"},
        {"kind": "connection_lost"},
        {"kind": "hang"},
        {"kind": "provider_error"},
        {"kind": "http_503", "phase": "after"},
        {"kind": "http_429", "retry_after": "3s"},
        {"kind": "malformed_output"},
        {"kind": "malformed_output", "phase": "after"},
        {"kind": "partial_stream"},
        {"kind": "session_lost"},
        {"kind": "server_exit"},
        {"kind": "late_reply"},
        {"kind": "progress_only"},
        {"kind": "stale_memory"},
        {"kind": "repeated_call"},
    ],
    ids=lambda keys: "-".join(map(str, keys.values())),
)
@pytest.mark.parametrize("step", [0, 1])
def test_one_fault_at_a_step_leaves_it_done_once_and_right(lab, keys, step):
    ran = lab.run(TWO + fault(**keys, step=step), "resilient")
    assert ran.reasons == ()
    assert (ran.met, ran.answer) == (True, [DONE, ORDER])
    assert ran.faults[0].fired == 1


def test_a_write_that_is_delivered_twice_has_its_key(lab):
    ran = lab.run(TWO + fault(kind="duplicate_delivery", step=0), "resilient")
    assert (ran.met, ran.faults[0].fired, len(ran.events("Effected"))) == (True, 1, 1)


def test_a_task_that_is_handed_over_twice_is_done_once(lab):
    ran = lab.run(TWO + fault(kind="duplicate_task"), "resilient")
    assert (ran.met, ran.metrics.attempts) == (True, 2)


@pytest.mark.parametrize("kind", ["timeout", "http_503", "malformed_output", "partial_stream", "connection_lost"])
def test_what_fails_three_times_stays_a_deliberate_failure(lab, kind):
    ran = lab.run(TWO + fault(kind=kind, step=1, repeat=3), "resilient")
    assert (ran.status, ran.answered) == ("failed", "failed")
    assert ran.answer["done"] == [DONE]
    assert ran.faults[0].fired == 3
    assert ran.metrics.attempts == 4


def test_what_fails_twice_is_done_at_the_third_try(lab):
    assert lab.run(TWO + fault(kind="http_503", step=1, repeat=2), "resilient").met


def test_a_refusal_is_not_tried_again(lab):
    ran = lab.run(TWO + fault(kind="http_403", step=1), "resilient")
    assert (ran.answered, ran.metrics.attempts) == ("failed", 2)
    assert ran.answer["error"] == "ToolError: 403 Forbidden"


def test_it_waits_exactly_as_long_as_a_tool_asks_for(lab):
    ran = lab.run(TWO + fault(kind="http_429", step=0, repeat=2, retry_after="7s"), "resilient")
    assert ran.met
    assert ran.starts == [0.0, 7.0, 14.0, 14.0]


def test_it_waits_exactly_as_long_as_a_model_asks_for(lab):
    rules = fault(kind="http_429", target="model.chat", nth=1, retry_after="9s")
    ran = lab.run(LARGE + rules + fault(kind="http_503", target="model.chat", nth=2, retry_after_ms=1500), "resilient")
    assert ran.met
    assert ran.starts == [0.0, 9.0, 10.5, 10.5, 10.5]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (TWO, {"kind": "http_503", "step": 0, "retry_after": "121s"}),
        (LARGE, {"kind": "http_503", "target": "model.chat", "nth": 1, "retry_after": "121s"}),
    ],
)
def test_whoever_asks_for_more_than_two_minutes_is_not_waited_for(lab, text, rule):
    ran = lab.run(text + fault(**rule), "resilient")
    assert (ran.answered, ran.seconds) == ("failed", 0.0)


def test_its_pauses_are_the_seeds(lab):
    text = TWO + fault(kind="http_429", step=0, repeat=2)
    first, again, other = (lab.run(text, "resilient", seed=seed) for seed in (1, 1, 2))
    assert first.lines == again.lines
    assert first.starts != other.starts
    _, second, third, _ = first.starts
    assert 0.375 <= second <= 0.5
    assert 0.75 <= third - second <= 1.0


# tasks over a world and a model


def test_a_row_that_is_there_is_not_written_again(lab):
    ran = lab.run(LARGE + fault(kind="timeout", target="payments.issue_refund", nth=1), "resilient")
    assert ran.met
    assert [event.tool for event in ran.events("ToolCall")] == ["issue_refund", "list_refunds"]


def test_a_row_that_is_not_there_is_written(lab):
    rule = fault(kind="timeout", target="payments.issue_refund", nth=1, phase="before")
    ran = lab.run(LARGE + rule, "resilient")
    assert ran.met
    assert [event.tool for event in ran.events("ToolCall")] == ["issue_refund", "list_refunds", "issue_refund"]


def test_a_write_that_was_done_behind_an_error_of_the_service_is_found(lab):
    rule = fault(kind="http_500", target="payments.issue_refund", nth=1, phase="after")
    assert lab.run(LARGE + rule, "resilient").met


def test_the_question_itself_is_tried_again(lab):
    rules = fault(kind="timeout", target="payments.issue_refund", nth=1)
    rules += fault(kind="http_503", target="payments.list_refunds", nth=1)
    assert lab.run(LARGE + rules, "resilient").met


@pytest.mark.parametrize("keys", [{}, {"phase": "late"}])
def test_a_tool_that_takes_keys_gets_one_and_is_not_asked(lab, keys):
    rule = fault(kind="timeout", target="payments.issue_refund", nth=1, **keys)
    ran = lab.run(LARGE + rule, "resilient", world=KEYED)
    assert ran.met
    calls = ran.events("ToolCall")
    assert [event.tool for event in calls] == ["issue_refund", "issue_refund"]
    assert calls[0].args == calls[1].args
    assert len(calls[0].args["request_id"]) == 24


@pytest.mark.parametrize("kind", ["timeout", "connection_lost", "http_500"])
def test_a_write_of_which_nobody_can_tell_is_not_done_again(lab, kind):
    ran = lab.run(LARGE + fault(kind=kind, target="payments.issue_refund", nth=1), "resilient", world=BLIND)
    assert (ran.answered, ran.metrics.duplicate_effects) == ("failed", 0)
    assert [event.tool for event in ran.events("ToolCall")] == ["issue_refund"]


def test_an_overloaded_service_has_not_written(lab):
    rule = fault(kind="http_503", target="payments.issue_refund", nth=1)
    assert lab.run(LARGE + rule, "resilient", world=BLIND).met


def test_a_tool_that_fails_three_times_fails_the_task(lab):
    ran = lab.run(LARGE + fault(kind="http_503", target="payments.issue_refund", first=3), "resilient")
    assert (ran.answered, ran.answer[:20]) == ("failed", "ToolError: 503 Servi")


def test_the_row_of_an_equal_write_before_is_not_taken_for_its_own(lab):
    script = turn(**REFUND, call_id="call_a") + turn(**REFUND, call_id="call_b") + turn(**SAID)
    text = LARGE.partition("[[expect.properties]]")[0]
    rule = fault(kind="timeout", target="payments.issue_refund", nth=2, phase="before")
    ran = lab.run(text + rule, "resilient", script=script)
    assert ran.met
    assert len(ran.events("Effected")) == 2


def test_a_refusal_of_a_tool_is_told_to_the_model(lab):
    ran = lab.run(LARGE + fault(kind="http_422", target="payments.issue_refund", nth=1), "resilient")
    assert ran.met  # which asks for the same again
    assert ran.events("ModelCall")[1].messages[-1]["content"] == '{"error":"422 Unprocessable Content"}'


def test_a_call_that_comes_twice_with_its_id_is_answered_from_what_was_done(lab):
    script = turn(**REFUND, call_id="call_a") * 2 + turn(**SAID)
    ran = lab.run(LARGE, "resilient", script=script)
    assert ran.met
    assert len(ran.events("ToolCall")) == 1
    ids = [call["id"] for call in ran.events("ModelCall")[2].messages[0]["tool_calls"]]
    assert ids == ["call_a_2"]


def test_how_often_it_tries_again_is_a_parameter(lab):
    ran = lab.run(TWO + fault(kind="http_503", step=0, repeat=4), Resilient(retries=4))
    assert ran.met
    assert lab.run(TWO + fault(kind="http_503", step=1), Resilient(retries=0)).answered == "failed"
    with pytest.raises(UsageError, match="retries is -1"):
        Resilient(retries=-1)


def test_a_reply_that_says_inside_that_it_failed_is_no_result_of_a_step(lab):
    ran = lab.run(TWO + fault(kind="error_in_200", step=0), "resilient")
    assert ran.met
    assert ran.metrics.duplicate_effects == 0
    assert [event.tool for event in ran.events("ToolCall")] == [
        "issue_refund",
        "find_result",
        "issue_refund",
        "get_order",
    ]


def test_a_step_that_says_so_each_time_is_said_to_have_failed(lab):
    ran = lab.run(TWO + fault(kind="error_in_200", step=0, repeat=3), "resilient")
    assert ran.answered == "failed"
    assert "the reply says that it failed" in ran.answer["error"]


def test_in_a_world_what_a_tool_says_each_time_is_the_models_to_judge(lab):
    once = fault(kind="error_in_200", target="payments.issue_refund", nth=1)
    assert lab.run(LARGE + once, "resilient").met
    ran = lab.run(LARGE + fault(kind="error_in_200", target="payments.issue_refund", first=3), "resilient")
    assert ran.answered == "completed"  # the script's model says that it is done, whatever it is told
    assert '"ok":false' in ran.events("ModelCall")[1].messages[-1]["content"]
