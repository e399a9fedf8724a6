"""One run, built: world, clock, plan, interposer, tools, server and trace, and how it ends.

The pytest fixtures and `squall.world(...)` use the same one. Nothing is shared between two runs but caches of files.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from squall.canonical import instant
from squall.capture.current import capturing
from squall.clock import START, VirtualClock, WallClock
from squall.decide import Decider
from squall.errors import LimitReached, Problem, UsageError, nearest, said, shown
from squall.faults import CALM, Plan
from squall.interpose import Interposer
from squall.runs import elsewhere
from squall.runs.air import take
from squall.runs.current import enter, leave
from squall.runs.deliveries import attend
from squall.runs.ending import Nowhere, bugs, ended, tell_limit
from squall.runs.limits import limits_with, told_limits, unless_stated, whole
from squall.runs.not_fired import told
from squall.runs.plans import plan_for
from squall.runs.result import RunResult, first_deciding, status_of
from squall.trace import FileRecorder, Recorder, Trace
from squall.trace.kinds import AgentFinal, Effected, Faulted, RunEnd, RunStart
from squall.version import __version__
from squall.wire.callables import Tools
from squall.worlds import Effect, World
from squall.worlds.file.loading import Loaded

if TYPE_CHECKING:
    from squall.runs.captured import Captured
    from squall.runs.model import Model
    from squall.wire.mcp import McpServer
    from squall.wire.mcp.addresses import McpProcess, McpUrl

Faults = str | Path | Mapping[str, Any] | list[Any] | None
MODES = ("virtual", "wall")
VERSION_DIGITS = 12  # of the digest of a world's file
Far = Callable[[Any], Any]
"""Makes what stands where a world would, with the run's clock; `squall.runs.stepping.Steps` is one."""


class Environment:
    """One run. Use it as a context manager, or call `close()`.

    `path` is a world file, or one that is loaded (None: a run without a world); `faults` a plan file, a world file
    whose block is taken, or the rules themselves (None: nothing is injected); `seed` None takes the world's own, or 0;
    `limits` may set `seconds` (a number, or text such as `10m`), `calls` and `tokens`. `record=False` keeps no trace,
    which makes calls faster; a path writes it there line by line, and keeps none of it here. `endless`: only limits
    that are stated hold.

    Those who build runs by other means than a file give a `plan` in place of `faults`, a `decider` that follows it in
    its own way, and, where there is no world, a `service` to stand in its place (made with the run's clock).
    """

    def __init__(
        self,
        path: str | Path | Loaded | None = None,
        *,
        faults: Faults = None,
        seed: int | None = None,
        run_index: int = 0,
        clock: Literal["virtual", "wall"] = "virtual",
        name: str | None = None,
        record: bool | str | Path = True,
        limits: Mapping[str, Any] | None = None,
        wall_cap: float | None = None,
        endless: bool = False,
        service: Far | None = None,
        plan: Plan | None = None,
        decider: Decider | None = None,
    ) -> None:
        if clock not in MODES:
            message = f"the clock is {shown(clock)}"
            raise UsageError(Problem(message, nearest=nearest(clock, MODES), hint='It may be "virtual" or "wall".'))
        self.run_index = whole("run_index", run_index, least=0)
        if seed is not None:
            seed = whole("seed", seed)
        self.clock: Any = WallClock() if clock == "wall" else VirtualClock()
        self._world = None if path is None else _world(path, seed, self.clock)
        self.seed = seed if seed is not None else self._world.seed if self._world else 0
        self.faults = faults
        self._far = None if service is None else service(self.clock)
        self.plan: Plan = plan if plan is not None else CALM if faults is None else plan_for(faults, self._world)
        self.limits = limits_with(self.plan.limits, limits)
        self.weather = take()
        if self.weather is not None:
            self.weather.run = self
            self.plan, decider = self.weather.plan(self.limits), self.weather.decider()
        if endless:
            self.limits = unless_stated(self.limits)
        self.clock.limit = self.limits.seconds
        self.clock.wall_cap = self.plan.wall_cap if wall_cap is None else wall_cap
        self.name = name or (self._world.name if self._world else "run")
        self.recorder = self._recorder(record)
        self.trace = Trace(self.recorder.lines if self.recorder else [], self.recorder)
        self.interposer = self._interposer(decider)
        self.result: RunResult | None = None
        self._elsewhere: list[McpProcess] = []
        self._model: Model | None = None
        self._captured: Captured | None = None
        self._lock = threading.Lock()
        self._finally: list[Callable[[], Any]] = []
        self._stack = ExitStack()
        self._start()

    @property
    def world(self) -> World:
        """The run's world. Raises UsageError where the run has none."""
        if self._world is None:
            raise UsageError(Problem("this run has no world", hint='Name one: @pytest.mark.world("worlds/shop.yaml").'))
        return self._world

    @property
    def has_world(self) -> bool:
        """Whether the run has a world."""
        return self._world is not None

    @property
    def tokens(self) -> Mapping[str, int] | None:
        """The tokens that its model has read and written, `input` and `output`; None where nobody asked for a model."""
        return None if self._model is None else self._model.tokens

    @property
    def script_digest(self) -> str | None:
        """A digest of what the model says, where that stands in a file."""
        return None if self._model is None else self._model.script_digest

    @cached_property
    def tools(self) -> Tools:
        """The world's operations as plain callables."""
        return Tools(self.interposer, self.world.operations)

    @cached_property
    def mcp_server(self) -> McpServer:
        """The world's operations as the official MCP SDK's server object."""
        from squall.wire.mcp import McpServer  # the SDK takes 0.8 s to import, and many runs do without

        # not the run's own name, which is the test's: agents are told the name of a server
        name, version = self._introduced()
        return McpServer(name, self.interposer, self.world.operations, version=version)

    def _introduced(self) -> tuple[str, str]:
        """What the world's server says it is: the world's name, and a version by which its file is known again."""
        return self.world.name, self.world.digest[:VERSION_DIGITS]

    @cached_property
    def mcp_url(self) -> McpUrl:
        """The address of the world's MCP server on this machine, served in the run's own event loop."""
        from squall.wire.mcp.addresses import McpUrl  # as above

        return self._stack.enter_context(McpUrl.of(self.mcp_server, self.world))

    @cached_property
    def mcp_stdio(self) -> McpProcess:
        """How an MCP client starts the world's server as a process of its own, with a copy of the world."""
        from squall.wire.mcp.addresses import McpProcess  # as above

        process = self._stack.enter_context(McpProcess.of(self.world, self.faults, self.run_index))
        self._elsewhere.append(process)
        return process

    @cached_property
    def model(self) -> Model:
        """The run's model provider, served in the run's own event loop and under sync clients."""
        from squall.runs.model import Model  # with brains and dialects, which runs without a model need not pay for

        self._model = self._stack.enter_context(Model.of(self))
        return self._model

    def _between(self) -> Captured | None:
        """Who stands before models of somebody else's, so that faults can happen there; the run's own needs nobody."""
        if self._model is not None:
            return None
        with self._lock:  # agents ask from several threads
            if self._captured is None:
                from squall.runs.captured import Captured  # as above

                self._captured = Captured(self)
            return self._captured

    def finally_(self, fn: Callable[[], Any] | None) -> Callable[[], Any]:
        """Run `fn` (sync or async) when the agent has ended, however it ended. Once the run is over, a UsageError."""
        if not callable(fn):  # a forgotten `lambda:`
            hint = 'Give a function: squall.finally_(lambda: squall.at_most_once(world.refunds, by="order")).'
            raise UsageError(Problem(f"squall.finally_ was given {shown(fn)}, which is no function", hint=hint))
        if self.result is not None:
            hint = "Register it before the test's body ends: in the body, or in a fixture before its yield."
            raise UsageError(Problem("this run has ended, and a function given to finally_ would never run", hint=hint))
        self._finally.append(fn)
        return fn

    def __enter__(self) -> Self:
        self._stack.enter_context(self.clock.in_charge())
        self._stack.callback(leave, self)
        if self.recorder:
            tools = () if self._world is None else self._world.operations
            capture = self._stack.enter_context(capturing(self.recorder, self.interposer.numbers, tools))
            if self._world is not None:
                capture.server = self._introduced()
            if self.weather is not None:
                capture.between = self._between
        enter(self)
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        ended_before = self.result is not None
        try:
            result = self.finish(error)
        finally:
            self.close()
        raised = first_deciding(error, result.errors)
        if raised is None and result.status == "hung" and not ended_before:
            raised = LimitReached(self._limit_reached())  # whoever swallowed it: a run that hung must not look well
        for other in result.errors:
            if raised is not None and other is not raised:
                raised.add_note(f"This run also ended with {type(other).__name__}: {said(other)}")
        if raised is not None and raised is not error:
            raise raised

    def close(self) -> None:
        """Give back what the run took: the clock's charge, its place as the current run. Its tools are gone with it."""
        self.interposer.closed = True
        self._stack.close()

    def finish(self, error: BaseException | None = None) -> RunResult:
        """End the run: late effects land in order, the functions given to `finally_` run, the trace is closed.

        `error` is what ended the agent, if anything did. A second call gives the first one's result.
        """
        if self.result is not None:
            return self.result
        if self.recorder and error is not None and status_of(error) == "crashed" and not self.trace.finals():
            self.recorder.record(AgentFinal(error=f"{type(error).__name__}: {said(error)}"))
        waiting = self.interposer.waiting()
        errors: list[BaseException] = []
        for fn in self._endings():
            try:
                ended(fn())
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as failure:  # noqa: BLE001 - each runs, and all that fail are shown, a limit or pytest.fail too
                errors.append(failure)
        errors += bugs(self.interposer.bugs)
        failures = [] if self._model is None else self._model.failures
        errors += failures
        missing = self._not_fired()
        status = status_of(error, errors)
        if status == "crashed" and failures:
            status = "failed"  # whatever the agent raised: it had no answer, or was stopped
        if why := self._limit_reached():
            status = "hung"
            if error is not None:
                tell_limit(error, why, waiting)
        elif status == "passed" and missing:
            status = "not_fired"
        if self.recorder:
            final = status
            self.recorder.end(lambda count: RunEnd(status=final, count=count, not_fired=missing))
        self.result = RunResult(
            status=status,
            error=error,
            errors=tuple(errors),
            not_fired=tuple(self._told(rule) for rule in missing),
            trace=self.trace if self.recorder else None,
            drawn=self.plan.drawn,
            fired=sum(map(self._times_fired, self.plan.bound)),
            notes=(*self.clock.notes, *(self._model.unused() if self._model and status == "passed" else ())),
        )
        return self.result

    def _limit_reached(self) -> str | None:
        """Why the run was ended at a limit, even if the agent swallowed what was raised."""
        models = next((each.limit_reached for each in self._models if each.limit_reached), None)
        return self.interposer.limit_reached or models or self.clock.limit_reached

    @property
    def _models(self) -> list[Model | Captured]:
        """Whoever has answered requests to models, or stood before those who did."""
        return [each for each in (self._model, self._captured) if each is not None]

    def _endings(self) -> Iterator[Callable[[], Any]]:
        """What the end of a run calls, in order: late effects land, then the functions given to `finally_`."""
        yield self._learn
        yield self.interposer.leave
        yield self.interposer.keep_promises
        if (far := self._world or self._far) is not None:
            yield far.settle
            yield self.interposer.keep_promises  # of effects that came due while others landed
        while self._finally:
            yield self._finally.pop(0)

    def _learn(self) -> None:
        """What happened in other processes is a part of this run, and of its trace."""
        traces = [trace for process in self._elsewhere for trace in process.traces()]
        for event in elsewhere.told(traces, self.interposer.numbers.last):
            if isinstance(event, Faulted) and event.fired:
                self.interposer.fired[event.rule] += 1
            if self.recorder:
                self.recorder.record(event)

    def _not_fired(self) -> list[int]:
        return [rule.id for rule in self.plan.rules.faults if rule.counted and not self._times_fired(rule.id)]

    @property
    def spared(self) -> dict[int, str]:
        """By rule, why one that was reached at a model changed nothing."""
        return {rule: why for each in self._models for rule, why in each.spared.items()}

    def _told(self, rule: int) -> str:
        return told(rule, self.plan, self.trace, self.interposer, self.spared)

    def _times_fired(self, rule: int) -> int:
        return self.interposer.fired[rule] + sum(each.fired.get(rule, 0) for each in self._models)

    def _recorder(self, record: bool | str | Path) -> Recorder | None:  # noqa: FBT001 - what the constructor was given
        run = f"{self.name}#{self.run_index}"
        if isinstance(record, bool):
            return Recorder(run, self.clock.elapsed) if record else None
        return FileRecorder(run, self.clock.elapsed, record)

    def _interposer(self, decider: Decider | None) -> Interposer:
        world, far = self._world, self._far
        service: Any = world or far or Nowhere()
        return Interposer(
            service,
            getattr(service, "operations", {}) if world or far else {},
            self.clock,
            plan=self.plan,
            limits=self.limits,
            decider=decider,
            recorder=self.recorder,
            seed=self.seed,
            run_index=self.run_index,
            volatile=far.volatile if far else () if world is None else (*world.volatile, *world.idempotency_fields),
        )

    def _start(self) -> None:
        world = self._world
        if world is not None:
            world.on_effect.append(self._record_effect)
            attend(world, self.interposer, self.recorder)
        elif self._far is not None:
            self._far.on_effect.append(self._record_effect)
        if self.recorder:
            self.recorder.record(
                RunStart(
                    squall=__version__,
                    seed=self.seed,
                    run_index=self.run_index,
                    clock=self.clock.mode,
                    start=instant(START),
                    world=world.name if world else None,
                    world_digest=world.digest if world else None,
                    plan_digest=self.plan.digest,
                    plan=list(self.plan.described),
                    tools=list(world.operations) if world else [],
                    limits=told_limits(self.limits),
                )
            )

    def _record_effect(self, effect: Effect) -> None:
        if self.recorder:
            number = effect.call.id if effect.call else None
            self.recorder.record(
                Effected(
                    rev=effect.rev,
                    table=effect.table,
                    op=effect.op,
                    id=effect.id,
                    before=effect.before,
                    after=effect.after,
                    call=number,
                    late=number is not None and number in self.interposer.answered,
                )
            )


def _world(path: str | Path | Loaded, seed: int | None, clock: Any) -> World:
    return World(path, seed=seed, clock=clock) if isinstance(path, Loaded) else World.load(path, seed=seed, clock=clock)
