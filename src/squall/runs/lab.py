"""One run of the lab: a scenario, a strategy and a seed, and what came of them, ready to be stored."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import chdir, closing, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from squall.canonical import dumps
from squall.errors import LimitReached, SquallError, said, shown
from squall.runs.environment import Environment
from squall.runs.metrics import faults_met, metrics_of
from squall.runs.result import RunResult
from squall.runs.scenario import Scenario
from squall.runs.scenario.expectations import Unmet, of_answer, of_steps, of_trace, of_world
from squall.runs.stepping import Steps
from squall.runs.strategies import Env, Result
from squall.runs.strategies.finding import Chosen
from squall.store.record import Inputs, RunRecord
from squall.version import __version__

Alter = Callable[[Environment, Steps | None], None]


class Ran(NamedTuple):
    """A finished run: its record, and the lines of its trace."""

    record: RunRecord
    lines: tuple[bytes, ...]


class NotMet(SquallError):
    """What a scenario expects does not hold. `identity` is the same in every run in which the same does not hold."""

    def __init__(self, unmet: Unmet) -> None:
        super().__init__(unmet.sentence)
        self.identity = unmet.name


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


class Doing:
    """One run of a scenario with a strategy, while it goes on: built, done, judged. Made for one run.

    With `may_give_up` a strategy that says `failed` is not held against its expectations of the answer. `alter` is
    called with the run and its steps when the strategy has ended and nothing is judged yet.
    """

    def __init__(
        self,
        scenario: Scenario,
        strategy: Chosen,
        *,
        seed: int,
        run_index: int = 0,
        may_give_up: bool = False,
        alter: Alter | None = None,
    ) -> None:
        self.scenario, self.strategy = scenario, strategy
        self.name = f"{scenario.name}-{strategy.id.name}"
        self.ended: Result | None = None
        self.unmet: list[Unmet] = []
        self._seed, self._run_index, self._may_give_up = seed, run_index, may_give_up
        self._alter = alter
        self._steps: Steps | None = None

    def environment(self) -> Environment:
        """What it runs in."""
        return Environment(
            self.scenario.world,
            plan=self.scenario.plan,
            seed=self._seed,
            run_index=self._run_index,
            name=self.name,
            clock=self.strategy.clock,
            service=self._far if self.scenario.spec.steps else None,
        )

    def act(self, run: Environment) -> None:
        """Let the strategy do the task; what has come of it is judged when the run ends. Raises what it raises."""
        seeded = run.world.snapshot() if run.has_world else None
        run.finally_(lambda: self._judge(run, seeded))
        if self.scenario.provider is not None:
            run.model.load(self.scenario.provider, name=self.scenario.spec.scenario.provider)
        env = Env(run, self.scenario, self._steps)
        # What it prints is none of a command's output, and where it goes to is none of the next run's business.
        with redirect_stdout(sys.stderr), chdir(Path.cwd()):
            self.ended = _result(asyncio.run(self.strategy.make().run(self.scenario.task, env)))
        run.trace.final(self.ended.answer)

    def _far(self, clock: Any) -> Steps:
        self._steps = Steps(self.scenario.spec.steps, clock)
        return self._steps

    def _judge(self, run: Environment, seeded: Any) -> None:
        if self._alter is not None:
            self._alter(run, self._steps)
        ended = self.ended
        gave_up = self._may_give_up and ended is not None and ended.status == "failed"
        if ended is not None and not gave_up:
            self.unmet.extend(of_answer(self.scenario, ended, self._steps))
        if self._steps is not None:
            self.unmet.extend(of_steps(self.scenario, self._steps))
        if run.has_world:
            self.unmet.extend(of_world(self.scenario, run.world, seeded))
        self.unmet.extend(of_trace(self.scenario, run.trace))
        if self.unmet:
            raise NotMet(self.unmet[0])


def run_one(scenario: Scenario, strategy: Chosen, inputs: Inputs) -> Ran:
    """Run a scenario with a strategy. Raises UsageError for what no run can be made of, and nothing the agent does."""
    doing = Doing(scenario, strategy, seed=inputs.seed, run_index=inputs.run_index)
    environment = doing.environment()
    with closing(environment):  # and not as its own context, which raises what did not hold
        run = environment.__enter__()
        error: BaseException | None = None
        try:
            doing.act(run)
        except (KeyboardInterrupt, SystemExit):
            raise
        except (Exception, LimitReached) as raised:  # noqa: BLE001 - whatever a strategy raises, its run is finished
            error = raised
        result = run.finish(error)
        return Ran(_record(doing, run, result, inputs), tuple(run.trace.lines))


def _record(doing: Doing, run: Environment, result: RunResult, inputs: Inputs) -> RunRecord:
    reasons = [each.sentence for each in doing.unmet]
    met = not reasons and result.status in ("passed", "not_fired")
    if not met and not reasons:
        what = f"{type(result.error).__name__}: {said(result.error)}" if result.error else f"the run {result.status}"
        reasons.append(what)
    reasons += [said(each) for each in result.errors if not isinstance(each, NotMet)]
    faults = faults_met(run.plan, run.trace)
    ended = doing.ended or Result("failed")
    return RunRecord(
        scenario=doing.scenario.name,
        strategy=doing.strategy.id.name,
        description=doing.scenario.description,
        seed=inputs.seed,
        run_index=inputs.run_index,
        sample=inputs.sample,
        hash=inputs.hash,
        run=f"{doing.name}#{inputs.run_index}",
        status=result.status,
        met=met,
        answered="" if doing.ended is None else ended.status,
        answer=ended.answer,
        reasons=tuple(dict.fromkeys(map(doing.scenario.portable, reasons))),
        faults=faults,
        metrics=metrics_of(faults, run.trace, doing.scenario.spec.prices, met=met, tokens=run.tokens),
        events=len(run.trace),
        head="" if run.recorder is None else run.recorder.head,
        inputs=inputs,
        notes=tuple(map(doing.scenario.portable, result.notes)),
    )


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
