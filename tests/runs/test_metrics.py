"""The numbers of a run, on runs where each of them is known."""

from __future__ import annotations

from typing import Any

import openai
import pytest

from squall.runs.metrics import metrics_of
from squall.runs.scenario.spec import PricesSpec
from squall.runs.strategies import Result
from squall.store.record import FaultMet
from squall.trace import Recorder, Trace
from squall.trace.kinds import Attempt, ModelCall, ModelReply
from tests.runs.scenario.conftest import Lab
from tests.runs.scenario.texts import LARGE, STEPPED, fault

PAY = "payments.issue_refund"


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path)


@pytest.fixture
def numbers(lab):
    """`numbers(text, fn)`: the metrics of a run in which `await fn(task, env)` is all that the strategy does."""

    def run(text, fn):
        class Doing:
            name = "doing"

            async def run(self, task, env):
                return Result("completed", await fn(task, env))

        return lab.run(text, Doing()).record.metrics

    return run


def test_a_calm_run_of_two_steps(lab):
    metrics = lab.run(STEPPED).record.metrics
    assert (metrics.calls, metrics.attempts, metrics.steps, metrics.retries_per_call) == (2, 2, 2, 0.0)
    assert (metrics.planned, metrics.reached, metrics.fired, metrics.recovered) == (0, 0, 0, False)
    assert (metrics.latency_s, metrics.cost, metrics.tokens, metrics.duplicate_effects) == (0.0, 2.0, 0, 0)


def test_an_equal_call_is_another_attempt(numbers):
    async def four(task, env):
        for index in (0, 0, 0, 1):
            await env.call(task.steps[index])

    metrics = numbers(STEPPED, four)
    assert (metrics.calls, metrics.attempts) == (2, 4)
    assert metrics.retries_per_call == 1.0


def test_a_key_makes_no_other_call_of_it(numbers):
    async def two(task, env):
        await env.call(task.steps[1], key="a")
        await env.call(task.steps[1], key="b")

    metrics = numbers(STEPPED, two)
    assert (metrics.calls, metrics.attempts, metrics.duplicate_effects) == (1, 2, 1)


def test_a_write_that_happens_again_is_counted_and_one_that_is_told_again_is_not(numbers):
    async def thrice(task, env):
        for key in ("a", "a", None):
            await env.call(task.steps[1], key=key)

    assert numbers(STEPPED, thrice).duplicate_effects == 1


def test_what_differs_inside_of_an_argument_is_left_out_as_the_point_does(numbers):
    text = STEPPED.replace("amount = 40", "meta = { at = 40 }")

    async def twice(task, env):
        step = task.steps[1]
        await env.call(step)
        await env.call(step)

    assert numbers(text, twice).duplicate_effects == 1


def test_the_same_request_of_two_steps_is_two_writes(numbers):
    both = STEPPED + '\n[[steps]]\ntool = "pay"\narguments = { order = "7", amount = 40 }\n'

    async def each(task, env):
        for step in task.steps:
            await env.call(step)

    assert numbers(both, each).duplicate_effects == 0


@pytest.mark.parametrize(("strategy", "again"), [("baseline", 1), ("careless", 1), ("resilient", 0)])
def test_a_request_that_is_delivered_twice_may_have_its_effect_twice(lab, strategy, again):
    record = lab.run(STEPPED + fault("duplicate_delivery", step=1), strategy).record
    assert record.metrics.duplicate_effects == again
    assert record.met == (not again)


def test_in_a_world_too(lab):
    record = lab.run(LARGE + fault("duplicate_delivery", target=PAY, nth=1)).record
    assert record.metrics.duplicate_effects == 1


def test_time_is_the_agents_and_not_that_of_what_lands_after_it(lab):
    late = fault("timeout", step=1, answer_after=20, phase="late", late_by=500)
    assert lab.run(STEPPED + late).record.metrics.latency_s == 20.0


def test_a_run_that_hangs_takes_until_its_end(lab):
    hung = lab.run(f"{STEPPED}{fault('hang', step=1)}\n[limits]\nseconds = 90\n").record
    assert (hung.status, hung.metrics.latency_s) == ("hung", 90.0)


def test_planned_reached_and_fired_are_three_things(lab):
    several = [fault("timeout", step=0), fault("http_503", step=1), fault("hang", step=1, occurrence=2)]
    record = lab.run(STEPPED + "".join(several)).record
    assert record.faults == (
        FaultMet("timeout", "tool", "step 0, get_order", 1, 1),
        FaultMet("http_503", "tool", "step 1, pay", 0, 0),
        FaultMet("hang", "tool", "step 1, pay", 0, 0),
    )
    assert (record.metrics.planned, record.metrics.reached, record.metrics.fired) == (3, 1, 1)


def test_a_fault_that_is_reached_may_not_fire(lab):
    lab.write("script.toml", '[[turn]]\nsay = "no"\n')
    record = lab.run(LARGE + fault("stream_disconnect", target="model.chat", nth=1, after=99)).record
    assert (record.faults[0].reached, record.faults[0].fired) == (1, 0)
    assert (record.metrics.reached, record.metrics.fired, record.status) == (1, 0, "not_fired")


@pytest.mark.parametrize(("strategy", "recovered"), [("baseline", False), ("resilient", True)])
def test_recovered_is_a_run_that_is_good_in_spite_of_a_fault(lab, strategy, recovered):
    assert lab.run(STEPPED + fault("timeout", step=1), strategy).record.metrics.recovered == recovered
    assert not lab.run(STEPPED, strategy).record.metrics.recovered


def test_places_are_told_in_words(lab):
    several = [fault("stale_memory", step=0), fault("repeated_call", step=1), fault("duplicate_task")]
    record = lab.run(STEPPED + "".join(several), "resilient").record
    assert [each.place for each in record.faults] == ["step 0", "step 1", "the task"]


@pytest.mark.parametrize(
    ("strategy", "reached", "fired"), [("baseline", 2, 1), ("careless", 5, 4), ("resilient", 3, 1)]
)
def test_a_rate_limit_is_a_fault_that_fires_where_it_refuses(lab, strategy, reached, fired):
    lab.write(
        "script.toml",
        '[[turn]]\ncalls = [{ call = "issue_refund", arguments = { order = "7", amount = 1 } }, '
        '{ call = "issue_refund", arguments = { order = "8", amount = 1 } }]\n[[turn]]\nsay = "done"\n',
    )
    record = lab.run(LARGE + fault("rate_limit", target=PAY, calls=1, per_seconds=30), strategy).record
    assert record.faults == (FaultMet("rate_limit", "tool", PAY, reached, fired),)
    assert record.metrics.planned == 1


def test_a_refusal_by_another_fault_is_none_of_a_rate_limit(lab):
    text = LARGE + fault("http_429", target=PAY, nth=1) + fault("rate_limit", target=PAY, calls=9, per_seconds=30)
    record = lab.run(text, "resilient").record
    assert [(each.kind, each.reached, each.fired) for each in record.faults] == [
        ("http_429", 1, 1),
        ("rate_limit", 2, 0),
    ]


def test_a_rate_limit_of_the_model_counts_its_requests(lab):
    record = lab.run(LARGE + fault("rate_limit", target="model.chat", calls=1, per_seconds=30), "resilient").record
    assert record.faults == (FaultMet("rate_limit", "model", "model.chat", 3, 1),)
    assert record.met


def test_calls_and_tokens_of_both_wires_are_counted_and_priced(lab):
    prices = "\n[prices]\ncall = 2\nrequest = 10\ninput_token = 0.5\noutput_token = 4\n"
    script = [
        '[[turn]]\ncall = "issue_refund"\narguments = { order = "7", amount = 40 }',
        "usage = { input = 100, output = 7 }",
        '[[turn]]\nsay = "done"\nusage = { input = 120, output = 3 }',
    ]
    lab.write("script.toml", "\n".join(script))
    metrics = lab.run(LARGE + fault("http_503", target="model.chat", nth=1) + prices, "resilient").record.metrics
    assert (metrics.calls, metrics.attempts, metrics.steps) == (3, 4, 3)
    assert metrics.tokens == 230
    assert metrics.cost == 1 * 2 + 3 * 10 + 220 * 0.5 + 10 * 4
    assert metrics.retries_per_call == round(1 / 3, 6)


def test_without_prices_calls_and_requests_cost_one_each(lab):
    metrics = lab.run(LARGE).record.metrics
    assert metrics.cost == metrics.attempts == 3
    assert metrics.tokens > 0


def test_what_the_provider_counted_goes_before_what_replies_tell():
    recorder = Recorder("x#0", lambda: 0.0)
    recorder.record(ModelCall(call=1, target="model.chat", model="m", messages=[]))
    recorder.record(Attempt(call=1, attempt=1, number=1, target="model.chat", digest="d", nth=1))
    recorder.record(ModelReply(call=1, attempt=1, ok=True, usage={"input": 5, "output": 1}))
    trace, prices = Trace(list(recorder.lines)), PricesSpec(input_token=1.0, request=0.0)
    assert metrics_of((), trace, prices, met=True).tokens == 6
    counted = metrics_of((), trace, prices, met=True, tokens={"input": 50, "output": 10})
    assert (counted.tokens, counted.cost) == (60, 50.0)


def test_tokens_of_streams_that_tell_no_usage_are_counted_and_limited(lab):
    class Asking:
        name = "asking"

        async def run(self, _task, env):
            async with openai.AsyncOpenAI(base_url=env.openai_base_url, api_key="sk", max_retries=0) as client:
                hi: Any = [{"role": "user", "content": "hi"}]
                stream = await client.chat.completions.create(model="m", messages=hi, stream=True)
                return Result("completed", [chunk.id async for chunk in stream][:0])

    text = f"{STEPPED}\n[expect]\nsteps = false\n[prices]\ninput_token = 1\nrequest = 0\n"
    metrics = lab.run(text, Asking()).record.metrics
    assert metrics.tokens > metrics.cost > 0
    record = lab.run(f"{text}[limits]\ntokens = {metrics.tokens - 1}\n", Asking()).record
    assert record.status == "hung"
    assert f"the run used more than {metrics.tokens - 1} tokens of models" in record.reasons[0]
    assert lab.run(f"{text}[limits]\ntokens = {metrics.tokens}\n", Asking()).record.status == "passed"
