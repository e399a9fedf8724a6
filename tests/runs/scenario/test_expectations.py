"""What must hold at the end: each expectation is met by one run and not by another, and says why not."""

from __future__ import annotations

import contextlib

import pytest

from squall.runs.strategies import Result
from squall.wire.callables import ToolError
from tests.runs.scenario.texts import LARGE, STEPPED, fault

RESULTS = [{"order": "7", "total": 40, "note": "to be paid back"}, {"payment": "p_1", "state": "sent"}]


def answering(answer, status="completed", *, make=(0, 1)):
    """A strategy that makes these steps, and answers whatever came of them."""

    class Answering:
        name = "answering"

        async def run(self, task, env):
            for index in make:
                await env.call(task.steps[index])
            return Result(status, answer)

    return Answering()


def expecting(text, base=STEPPED):
    return f"{base}\n[expect]\n{text}\n"


@pytest.mark.parametrize(
    ("status", "given", "reasons"),
    [
        ("completed", "completed", ()),
        ("failed", "failed", ()),
        ("completed", "failed", ("the strategy says failed, and completed is expected: 'so it is'",)),
        ("failed", "completed", ("the strategy says completed, and failed is expected",)),
    ],
)
def test_the_strategy_says_itself_how_it_ended(lab, status, given, reasons):
    record = lab.run(expecting(f'status = "{status}"'), answering("so it is", given)).record
    assert record.reasons == reasons
    assert record.met == (not reasons)


@pytest.mark.parametrize(
    ("wanted", "answer", "met"),
    [
        ('"paid"', "It is PAID.", True),
        ('"paid"', "It is not.", False),
        ('["paid", "40"]', "paid 40", True),
        ('["paid", "40"]', "paid", False),
        ('"p_1"', RESULTS, True),
        ('"p_2"', RESULTS, False),
        ('"straße"', "STRASSE", True),
        ('"x"', None, False),
        ('"null"', None, True),
    ],
)
def test_texts_are_looked_for_in_the_answer_whatever_their_case(lab, wanted, answer, met):
    assert lab.run(expecting(f"answer_contains = {wanted}"), answering(answer)).record.met == met


def test_each_text_that_is_missing_is_told(lab):
    record = lab.run(expecting('answer_contains = ["a", "b"]'), answering("…")).record
    assert record.reasons == ("the answer does not say 'a': '…'", "the answer does not say 'b': '…'")


@pytest.mark.parametrize(
    ("answer", "make", "reasons"),
    [
        (RESULTS, (0, 1), ()),
        ("all done", (0, 1), ()),
        (RESULTS, (1,), ()),  # a read may be left out by who knows its result
        (RESULTS[:1], (0, 1), ("the answer has 1 results, and there are 2 steps",)),
        ([RESULTS[0], {"payment": "p_2"}], (0, 1), ("the answer has a wrong result of step 1, pay: ",)),
        (RESULTS, (0, 0, 1), ()),
        (RESULTS, (0, 1, 1), ("step 1, pay, happened 2 times",)),
        (RESULTS, (0,), ("step 1, pay, never happened",)),
        ("all done", (), ("step 1, pay, never happened",)),
    ],
)
def test_results_are_in_the_answer_and_writes_happened_once(lab, answer, make, reasons):
    record = lab.run(STEPPED, answering(answer, make=make)).record
    assert len(record.reasons) == len(reasons)
    assert all(found.startswith(wanted) for found, wanted in zip(record.reasons, reasons, strict=True))


class Paying:
    """A strategy that pays by the tool's name, as somebody does who knows no steps."""

    name = "paying"

    def __init__(self, *calls):
        self.calls = calls

    async def run(self, task, env):
        for arguments in self.calls:
            with contextlib.suppress(ToolError):
                await env.call("pay", arguments)
        return Result("completed", "done")


RIGHT = {"order": "7", "amount": 40}


@pytest.mark.parametrize(
    ("calls", "why"),
    [
        ([], ""),
        ([{"order": "7", "amount": "40"}], ": refused once for other arguments: amount is '40' and not 40"),
        ([{"order": 1}, {"order": "7"}], ": refused 2 times for other arguments: the last time, amount is missing"),
        ([RIGHT | {"note": "x"}], ": refused once for other arguments: note is none of its arguments"),
        (
            [{"a": 1, "b": 2}],
            ": refused once for other arguments: amount is missing, order is missing, a is none of its arguments, …",
        ),
    ],
)
def test_of_a_step_that_never_happened_it_is_told_how_it_was_called(lab, calls, why):
    assert lab.run(STEPPED, Paying(*calls)).record.reasons == (f"step 1, pay, never happened{why}",)


def test_a_step_that_was_called_rightly_in_the_end_has_happened(lab):
    assert lab.run(STEPPED, Paying({"order": 1}, RIGHT)).record.reasons == ()


def test_of_two_steps_with_one_tool_the_other_one_is_told_of(lab):
    again = STEPPED + '\n[[steps]]\ntool = "pay"\narguments = { order = "8", amount = 2 }\nresult = { ok = true }\n'
    reasons = lab.run(again, Paying(RIGHT, {"order": "8", "amount": 3})).record.reasons
    assert reasons == ("step 2, pay, never happened: refused once for other arguments: amount is 3 and not 2",)


def test_who_gave_up_has_to_have_done_nothing_but_nothing_twice(lab):
    text = expecting('status = "failed"')
    assert lab.run(text, answering(None, "failed", make=())).record.met
    assert lab.run(text, answering(None, "failed", make=(1,))).record.met
    assert lab.run(text, answering(None, "failed", make=(1, 1))).record.reasons == ("step 1, pay, happened 2 times",)


def test_what_is_expected_of_steps_can_be_taken_back(lab):
    assert lab.run(expecting("steps = false"), answering([], make=(1, 1))).record.met


@pytest.mark.parametrize(("strategy", "met"), [("careless", False), ("resilient", True)])
def test_a_check_that_fires_is_a_reason(lab, strategy, met):
    text = expecting('checks = ["duplicate_side_effect"]', LARGE)
    record = lab.run(text + fault("timeout", target="payments.issue_refund", nth=1), strategy).record
    assert record.met == met
    assert met or record.reasons[0].startswith("duplicate_side_effect: ")


def test_a_check_that_cannot_tell_does_not_hold(lab, monkeypatch):
    def crash(*_args):
        raise RuntimeError

    monkeypatch.setattr("squall.checks.kinds.no_answer.NoAnswer.run", crash)
    record = lab.run(expecting('checks = ["no_answer"]', LARGE)).record
    assert not record.met
    assert record.reasons[0].startswith("no_answer cannot tell: ")


@pytest.mark.parametrize(("most", "met"), [(1, True), (0, False)])
def test_a_policy_is_held_against_the_calls(lab, most, met):
    lab.write("policy.json", f'{{"tools": {{"issue_refund": {{"max_calls": {most}}}}}}}')
    record = lab.run(expecting('policy = "policy.json"', LARGE)).record
    assert record.met == met
    assert met or record.reasons[0].startswith("policy: ")


def test_other_checks_of_the_trace_stay_out_of_it(lab):
    class Nothing:
        name = "nothing"

        async def run(self, _task, _env):
            return Result("completed", "")

    assert lab.run(LARGE, Nothing()).record.met
    record = lab.run(expecting('checks = ["no_answer"]', LARGE), Nothing()).record
    assert record.status in ("passed", "failed")


def test_nothing_that_is_expected_is_shown_to_the_agent(lab, doing):
    seen = []

    async def look(env):
        seen.append((repr(env.task), env.tool_list()))
        return "done"

    doing(expecting('answer_contains = "the secret"', LARGE), look)
    assert "secret" not in repr(seen)
