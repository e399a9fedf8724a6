"""`squall.run`: what a test can ask a run of its own."""

from __future__ import annotations

import asyncio
import json

import pytest

import squall
from squall.capture.current import current
from squall.capture.run import Run
from squall.checks import Settings

pytestmark = pytest.mark.usefixtures("alone")


def asks(sought):
    call = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": json.dumps({"q": sought})}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return {"choices": [{"message": message, "finish_reason": "tool_calls"}]}


SAYS = {
    "choices": [{"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 7, "completion_tokens": 2},
}
QUESTION = [{"role": "user", "content": "Find x."}]


def agent(times, answer=SAYS, sought="x"):
    """Searches as often as that, finds the same each time, and answers."""
    messages: list[object] = [*QUESTION]
    for _ in range(times):
        squall.record_model_call(messages=messages, response=asks(sought), model="m")
        messages = [
            *messages,
            asks(sought)["choices"][0]["message"],
            {"role": "tool", "tool_call_id": "c1", "content": "x is 1"},
        ]
    squall.record_model_call(messages=messages, response=answer, model="m")


def test_a_clean_run_passes_and_says_what_it_was():
    with squall.run("find", user_id="u1") as run:
        agent(1)
    result = run.check()
    assert result.passed
    assert result.fired == []
    assert {each.verdict for each in result.verdicts} <= {"pass", "skipped"}
    assert run.assert_clean().passed
    assert [type(step).__name__ for step in run.steps] == ["Turn", "ToolStep", "Turn"]
    assert run.steps[1].tool == "search"  # type: ignore[union-attr]  # the second is a tool


def test_what_fires_is_raised_with_its_step():
    with squall.run("find") as run:
        agent(4)
    result = run.check()
    assert not result.passed
    assert [each.check for each in result.fired] == ["repeated_tool_call"]
    with pytest.raises(squall.AgentCheckFailed, match=r"the run 'find': 1 check fired\n  repeated_tool_call: .*search"):
        run.assert_clean()
    with pytest.raises(AssertionError):
        run.assert_clean(checks="search_loop,repeated_call")
    assert run.assert_clean(skip=["repeated_tool_call"]).passed
    assert run.assert_clean(checks=["no_answer"]).passed


def test_a_check_that_is_not_there_is_told():
    with squall.run("find") as run:
        pass
    with pytest.raises(squall.UsageError, match="did you mean 'search_loop'"):
        run.check(checks="serch_loop")


def test_a_run_can_be_checked_before_its_end():
    with squall.run("find") as run:
        agent(1)
        assert run.check().passed
        agent(4)
        assert not run.check().passed


def test_a_report_counts_and_holds_the_verdicts():
    with squall.run("find") as run:
        agent(4)
    report = run.report
    assert not report["checked_by_test"]
    assert {name: report[name] for name in ("scenario", "model_calls", "steps", "tokens", "capture_complete")} == {
        "scenario": "find",
        "model_calls": 5,
        "steps": 9,
        "tokens": {"input": 7, "output": 2},
        "capture_complete": True,
    }
    assert {each["check"] for each in report["verdicts"] if each["fired"]} == {"repeated_tool_call"}
    run.check(checks="no_answer")
    assert run.report["checked_by_test"]
    assert [each["check"] for each in run.report["verdicts"]] == ["no_answer"]


def test_an_error_that_leaves_a_run_is_recorded_and_goes_on():
    with pytest.raises(ZeroDivisionError), squall.run("find") as run:
        raise ZeroDivisionError("away")
    assert run.trace.finals()[0].error == "ZeroDivisionError: away"
    assert run.trace.status == "crashed"


def test_runs_inside_runs_keep_their_own_calls():
    with squall.run("outer") as outer:
        agent(0)
        with squall.run("inner") as inner:
            agent(1)
    assert (len(outer.steps), len(inner.steps)) == (1, 3)
    assert current() is None


def test_a_run_of_async_code():
    async def main():
        async with squall.run("find") as run:
            await asyncio.gather(*(asyncio.to_thread(agent, 0) for _ in range(3)))
        return run

    run = asyncio.run(main())
    assert len(run.steps) == 3


def test_whoever_wants_is_told_of_runs(monkeypatch):
    told: list[Run] = []
    monkeypatch.setattr(Run, "begun", [told.append])
    with squall.run("find") as run:
        pass
    assert told == [run]


def test_policies_hold_calls_against_whom_the_run_is_for():
    policy = {"tools": {"search": {"identity_arg": "q"}}}
    for user, passed in (("x", True), ("y", False)):
        with squall.run("find", user_id=user) as run:
            agent(1)
        assert run.check(policy=policy).passed is passed


def said(text):
    return {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}


MODEST = "I couldn't find any information about x."


@pytest.mark.parametrize("named", ["abstention", ["abstention"], "default, abstention", ("abstention", "no_answer")])
def test_a_check_that_is_off_runs_and_fails_where_it_is_named(named):
    with squall.run("find") as run:
        agent(1, said(MODEST))
    assert run.check().fired == []
    result = run.check(checks=named)
    assert ([each.check for each in result.fired], result.passed) == (["abstention"], False)
    softer = run.check(checks="abstention=warn")
    assert ([each.check for each in softer.fired], softer.passed) == (["abstention"], True)


def test_a_check_that_is_named_runs_whatever_the_session_leaves_out(monkeypatch):
    settings = Settings(only=("no_answer",), skip=("repeated_tool_call",), modes={"repeated_tool_call": "off"})
    monkeypatch.setattr(Run, "usual", settings)
    with squall.run("find") as run:
        agent(4)
    assert run.check().passed
    assert [each.check for each in run.check(checks="repeated_call").fired] == ["repeated_tool_call"]
    assert run.check(checks="repeated_call", skip="repeated_call").fired == []


def test_all_names_that_there_are_not_are_told_at_once():
    with squall.run("find") as run:
        agent(1)
    with pytest.raises(squall.UsageError) as caught:
        run.check(checks=["serch_loop", "no_answer", "polcy"])
    assert "did you mean 'search_loop'" in str(caught.value)
    assert "did you mean 'policy'" in str(caught.value)


@pytest.mark.parametrize("redaction", ["builtin", "off"])
def test_reasons_and_reports_are_masked_as_the_session_says(monkeypatch, redaction):
    monkeypatch.setattr(Run, "usual", Settings(redaction=redaction))
    with squall.run("for ann@example.org") as run:
        agent(4, sought="ann@example.org")
    with pytest.raises(squall.AgentCheckFailed) as caught:
        run.assert_clean()
    told = [str(caught.value), caught.value.result.fired[0].reason, json.dumps(run.report)]
    assert [text.count("ann@example.org") > 0 for text in told] == [redaction == "off"] * 3
    assert [text.count("[masked email]") > 0 for text in told] == [redaction == "builtin"] * 3
    assert run.name == "for ann@example.org"
