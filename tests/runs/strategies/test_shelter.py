"""What strategies do to the lab that runs them, on purpose or not: each ends its own run, in one way."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time

import pytest

from squall.strategies import Result
from tests.runs.strategies.scenarios import TWO


def strategy(fn):
    class Own:
        name = "own"

        async def run(self, task, env):
            return await fn(task, env)

    return Own


class Stop(BaseException):
    pass


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("no"), "ValueError: no"),
        (SystemExit(3), "StrategyEnded: the strategy called exit(3)"),
        (Stop("now"), "StrategyEnded: the strategy raised Stop: now"),
        (asyncio.CancelledError(), "StrategyEnded: the strategy let a cancellation of its own escape"),
    ],
)
def test_whatever_it_raises_its_run_has_crashed(lab, error, told):
    async def run(_task, env):
        async for step in env.steps():
            await env.call(step)
        raise error

    ran = lab.run(TWO, strategy(run))
    assert (ran.status, ran.met, ran.answered, ran.reasons[0]) == ("crashed", False, "", told)
    assert ran.metrics.calls == 2


def test_the_users_own_interrupt_ends_all(lab):
    async def run(_task, _env):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.run(TWO, strategy(run))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (None, "returned None, and not Result("),
        ("completed", "returned 'completed', and not Result("),
        (Result("done"), "and not Result("),  # type: ignore[arg-type]  # on purpose
        (Result("completed", {1, 2}), "the strategy's answer is not JSON-ready"),
        (Result("completed", float("nan")), "the strategy's answer is not JSON-ready"),
    ],
)
def test_a_result_that_is_none_is_told(lab, given, told):
    async def run(_task, _env):
        return given

    ran = lab.run(TWO, strategy(run))
    assert ran.status == "crashed"
    assert told in ran.reasons[0]


def test_a_limit_that_it_swallows_is_still_one(lab):
    async def run(_task, env):
        for _ in range(3):
            with contextlib.suppress(BaseException):
                await env.sleep(10_000)
        return Result("completed")

    ran = lab.run(TWO, strategy(run))
    assert (ran.status, ran.met) == ("hung", False)


def test_more_calls_than_its_limit_allows_end_it(lab):
    async def run(task, env):
        while True:
            with contextlib.suppress(Exception):
                await env.call(task.steps[1])

    ran = lab.run(TWO + "\n[limits]\nsteps = 5\n", strategy(run))
    assert (ran.status, ran.met) == ("hung", False)
    assert "more than 5 tool calls" in ran.reasons[0]


def test_one_that_never_awaits_is_fine(lab):
    async def run(_task, env):
        return Result("completed", [env.tools.issue_refund(order="1", amount=40), env.tools.get_order("1")])

    assert lab.run(TWO, strategy(run)).met


def test_one_that_blocks_waits_in_virtual_time(lab):
    async def run(_task, _env):
        time.sleep(600)  # noqa: ASYNC251 - what others do
        return Result("failed", "too late")

    ran = lab.run(TWO, strategy(run))
    assert (ran.status, ran.seconds) == ("failed", 600.0)


def test_threads_call_tools_as_well(lab):
    async def run(_task, env):
        results = []
        threads = [
            threading.Thread(target=lambda fn=fn: results.append(fn()))
            for fn in (lambda: env.tools.issue_refund(order="1", amount=40), lambda: env.tools.get_order("1"))
        ]
        for thread in threads:
            thread.start()
            thread.join()
        return Result("completed", results)

    assert lab.run(TWO, strategy(run)).met


@pytest.mark.parametrize("stubborn", [False, True])
def test_tasks_that_it_leaves_end_with_its_run(lab, stubborn):
    ended = []

    async def left():
        for _ in range(2 if stubborn else 1):
            try:
                await asyncio.sleep(50)
            except asyncio.CancelledError:
                ended.append("cancelled")
        ended.append("over")

    async def run(_task, _env):
        task = asyncio.create_task(left())
        await asyncio.sleep(1)
        return Result("failed", str(task.done()))

    ran = lab.run(TWO, strategy(run))
    assert (ran.answer, ended) == ("False", ["cancelled", "over"])
    assert ran.seconds == (51.0 if stubborn else 1.0)
