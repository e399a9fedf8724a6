"""One run of the lab: a scenario, a strategy and a seed, and what came of them, ready to be stored."""

from __future__ import annotations

import asyncio
from contextlib import closing
from typing import Any, NamedTuple

from squall.canonical import dumps
from squall.decide import Decider
from squall.errors import LimitReached, SquallError, said, shown
from squall.runs.environment import Environment
from squall.runs.metrics import faults_met, metrics_of
from squall.runs.scenario import Scenario
from squall.runs.scenario.expectations import of_answer, of_trace, of_world
from squall.runs.stepping import Steps
from squall.runs.strategies import Env, Result
from squall.runs.strategies.finding import Chosen
from squall.store.record import Inputs, RunRecord, Status
from squall.trace import Trace
from squall.version import __version__


class Ran(NamedTuple):
    """A finished run: its record, and the lines of its trace."""

    record: RunRecord
    lines: tuple[bytes, ...]


class NotMet(SquallError):
    """What a scenario expects does not hold. Never shown: it marks a run as failed."""


def inputs_of(scenario: Scenario, strategy: Chosen, *, seed: int, run_index: int = 0, sample: int = 0) -> Inputs:
    """All that a run depends on."""
    return Inputs(
        scenario=scenario.data,
        seed=seed,
        run_index=run_index,
        strategy=strategy.id,
        squall=__version__,
        files=scenario.files,
        sample=sample,
    )


def run_one(scenario: Scenario, strategy: Chosen, inputs: Inputs, *, decider: Decider | None = None) -> Ran:
    """Run a scenario with a strategy. Raises UsageError for what no run can be made of, and nothing the agent does."""
    seed, run_index = inputs.seed, inputs.run_index
    far: list[Steps] = []

    def steps(clock: Any) -> Steps:
        far.append(Steps(scenario.spec.steps, clock))
        return far[0]

    name = f"{scenario.name}-{strategy.id.name}"
    environment = Environment(
        scenario.world,
        plan=scenario.plan,
        seed=seed,
        run_index=run_index,
        name=name,
        clock=strategy.clock,
        service=steps if scenario.spec.steps else None,
        decider=decider,
    )
    reasons: list[str] = []
    ended = Result("failed")
    with closing(environment):  # and not as its own context, which raises what did not hold
        run = environment.__enter__()
        seeded = run.world.snapshot() if scenario.world is not None else None
        error: BaseException | None = None
        try:
            if scenario.provider is not None:
                run.model.load(scenario.provider)
            ended = _result(
                asyncio.run(strategy.make().run(scenario.task, Env(run, scenario, far[0] if far else None)))
            )
        except (KeyboardInterrupt, SystemExit):
            raise
        except LimitReached as reached:
            error = reached
        except Exception as crash:  # noqa: BLE001 - whatever a strategy raises, the run has to be finished
            error = crash
        else:
            run.trace.final(ended.answer)

        def judge() -> None:
            if error is None:
                reasons.extend(of_answer(scenario, ended, far[0] if far else None))
            if scenario.world is not None:
                reasons.extend(of_world(scenario, run.world, seeded))
            reasons.extend(of_trace(scenario, run.trace))
            if reasons:
                raise NotMet(reasons[0])

        run.finally_(judge)
        result = run.finish(error)
    met = not reasons and result.status in ("passed", "not_fired")
    if not met and not reasons:
        reasons.append(
            f"{type(result.error).__name__}: {said(result.error)}" if result.error else f"the run {result.status}"
        )
    reasons += [said(each) for each in result.errors if not isinstance(each, NotMet)]
    faults = faults_met(run.plan, run.trace)
    recorder = run.recorder
    assert recorder is not None  # noqa: S101 - an environment records unless it is told not to
    record = RunRecord(
        scenario=scenario.name,
        strategy=strategy.id.name,
        description=scenario.description,
        seed=seed,
        run_index=run_index,
        sample=inputs.sample,
        hash=inputs.hash,
        run=f"{name}#{run_index}",
        status=_status(result.status),
        met=met,
        answered="" if error is not None else ended.status,
        answer=ended.answer,
        reasons=tuple(dict.fromkeys(reasons)),
        faults=faults,
        metrics=metrics_of(faults, run.trace, scenario.spec.prices, met=met),
        events=recorder.count,
        head=recorder.head,
        inputs=inputs,
        notes=result.notes,
    )
    return Ran(record, tuple(recorder.lines))


def _status(status: str) -> Status:
    return status  # type: ignore[return-value]  # the glossary's words, in either room


def _result(given: Any) -> Result:
    """What a strategy returned, if it is a result whose answer can be written down."""
    status = getattr(given, "status", None)
    if status not in ("completed", "failed"):
        raise TypeError(f"the strategy returned {shown(given)}, and not Result('completed' or 'failed', answer)")
    answer = getattr(given, "answer", None)
    try:
        dumps(answer)
    except ValueError as error:
        raise TypeError(f"the strategy's answer is not JSON-ready: {said(error)}") from None
    return Result(status, answer)


def trace_of(ran: Ran) -> Trace:
    """The trace of a finished run."""
    return Trace(ran.lines)
