"""One run of the lab, `runs/lab.py`: what it depends on, how it is judged, what is recorded of it."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from pathlib import Path

import pytest

from squall.runs.lab import Doing, NotMet, inputs_of, run_one
from squall.runs.scenario import load_scenario
from squall.runs.strategies.finding import Chosen
from squall.store.record import StrategyId
from squall.strategies import Result

PAY = """
[scenario]
name = "pay"
description = "Pays."
seed = 4
[[steps]]
tool = "pay"
arguments = { amount = 40 }
result = { payment = "p_1" }
"""
LOST = '[[faults]]\nkind = "timeout"\nstep = 0\n'


class Once:
    name = "once"

    async def run(self, task, env):
        return Result("completed", [await env.call(step) async for step in env.steps()])


class Blind(Once):
    async def run(self, task, env):
        async for step in env.steps():
            try:
                await env.call(step)
            except TimeoutError:
                answer = await env.call(step)
        return Result("completed", [answer])


class Gives:
    """Returns, or raises, what it was made with."""

    name = "gives"

    def __init__(self, what):
        self.what = what

    async def run(self, task, env):
        if isinstance(self.what, BaseException):
            raise self.what
        return self.what


@pytest.fixture
def scenario(tmp_path):
    def make(text=PAY):
        (tmp_path / "pay.toml").write_text(text, encoding="utf-8")
        return load_scenario(tmp_path / "pay.toml")

    return make


@pytest.fixture
def run(scenario):
    def make(strategy, text=PAY, **options):
        found = scenario(text)
        chosen = Chosen(StrategyId("own", digest="d"), lambda: strategy)
        return run_one(found, chosen, inputs_of(found, chosen, seed=found.seed, **options)).record

    return make


def test_a_run_that_meets_its_expectations(run):
    record = run(Once())
    assert (record.status, record.met, record.answered, record.reasons) == ("passed", True, "completed", ())
    assert (record.scenario, record.strategy, record.seed, record.run) == ("pay", "own", 4, "pay-own#0")
    assert (record.description, record.answer) == ("Pays.", [{"payment": "p_1"}])
    assert (record.metrics.calls, record.metrics.duplicate_effects) == (1, 0)


def test_a_run_that_does_not_says_what_and_how_often_it_happened(run):
    record = run(Blind(), PAY + LOST)
    assert (record.status, record.met) == ("failed", False)
    assert record.reasons == ("step 0, pay, happened 2 times",)
    assert [(fault.kind, fault.fired) for fault in record.faults] == [("timeout", 1)]
    assert record.metrics.duplicate_effects == 1


def test_all_that_does_not_hold_is_told(run):
    record = run(Gives(Result("failed", "no idea")), PAY + '[expect]\nanswer_contains = ["paid", "40"]\n')
    assert record.reasons == (
        "the strategy says failed, and completed is expected: 'no idea'",
        "the answer does not say 'paid': 'no idea'",
        "the answer does not say '40': 'no idea'",
    )


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (None, "the strategy returned None, and not Result('completed' or 'failed', answer)"),
        (Result("done", "x"), "the strategy returned Result("),  # type: ignore[arg-type]  # what users may return
        (Result("completed", {1, 2}), "the strategy's answer is not JSON-ready: "),
        (KeyError("k"), "KeyError: 'k'"),
    ],
)
def test_what_a_strategy_may_not_do_is_its_crash(run, what, reason):
    record = run(Gives(what))
    assert (record.status, record.met, record.answered) == ("crashed", False, "")
    assert any(reason in each for each in record.reasons)


def test_an_interrupt_is_no_outcome(run):
    with pytest.raises(KeyboardInterrupt):
        run(Gives(KeyboardInterrupt()))


def test_who_goes_round_for_ever_hangs(run):
    class Forever(Once):
        async def run(self, task, env):
            while True:
                with suppress(Exception):
                    await env.call("find_result", {"step": 0})

    record = run(Forever(), PAY + "[limits]\nsteps = 10\n")
    assert (record.status, record.met) == ("hung", False)


def test_the_identity_covers_all_that_a_run_depends_on(scenario):
    found = scenario()
    one = Chosen(StrategyId("own", {"tries": 2}, "d"), Once)
    base = inputs_of(found, one, seed=4)
    others = [
        inputs_of(found, one, seed=5),
        inputs_of(found, one, seed=4, run_index=1),
        inputs_of(found, one, seed=4, sample=1),
        inputs_of(scenario(PAY + LOST), one, seed=4),
        inputs_of(found, Chosen(StrategyId("own", {"tries": 3}, "d"), Once), seed=4),
        inputs_of(found, Chosen(StrategyId("own", {"tries": 2}, "e"), Once), seed=4),
        inputs_of(found, Chosen(StrategyId("other", {"tries": 2}, "d"), Once), seed=4),
    ]
    hashes = {each.hash for each in (base, *others)}
    assert len(hashes) == len(others) + 1
    assert inputs_of(scenario(), one, seed=4).hash == base.hash


def test_the_same_run_has_the_same_record(run):
    assert run(Blind(), PAY + LOST) == run(Blind(), PAY + LOST)


@pytest.mark.parametrize(
    ("may_give_up", "names"), [(False, ["the strategy says failed, and completed is expected"]), (True, [])]
)
def test_who_says_it_failed_may_be_taken_at_its_word(scenario, may_give_up, names):
    chosen = Chosen(StrategyId("own"), lambda: Gives(Result("failed")))
    doing = Doing(scenario(), chosen, seed=1, may_give_up=may_give_up)
    with closing(doing.environment()) as environment:
        environment.__enter__()
        doing.act(environment)
        result = environment.finish()
    assert [error.identity for error in result.errors if isinstance(error, NotMet)] == names
    assert doing.ended == Result("failed")


def test_what_alters_the_end_state_comes_before_it_is_judged(scenario):
    heard = []

    def alter(run, steps):
        heard.append((run.name, list(steps.done)))
        steps.repeat(0)

    chosen = Chosen(StrategyId("own"), Once)
    doing = Doing(scenario(), chosen, seed=1, alter=alter)
    with closing(doing.environment()) as environment:
        environment.__enter__()
        doing.act(environment)
        assert environment.finish().status == "failed"
    assert heard == [("pay-own", [1])]
    assert [each.name for each in doing.unmet] == ["step 0, pay, happened more than once"]


class Strays(Once):
    async def run(self, task, env):
        print("on my way")  # noqa: T201 - what agents do
        os.chdir("/")
        return await super().run(task, env)


def test_what_a_strategy_prints_is_no_output_of_a_command_and_the_next_run_begins_where_it_did(run, capsys):
    here = Path.cwd()
    assert run(Strays()).status == "passed"
    assert Path.cwd() == here
    assert capsys.readouterr() == ("", "on my way\n")
