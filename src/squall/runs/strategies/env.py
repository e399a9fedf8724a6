"""What a strategy has in its hands: the steps of its task, tools, a model, time and chance.

Errors of calls are those of plain tools: `squall.ToolError` (with `status` and `retry_after`), `TimeoutError`,
`ConnectionError`, `json.JSONDecodeError`. Nothing here tells of faults, results or expectations.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.call import Outcome, Target
from squall.canonical import dumps, uniform
from squall.errors import Problem, UsageError
from squall.interpose.interposer import Happening
from squall.runs.scenario.plan import asks_target, memory_target
from squall.runs.scenario.task import Step
from squall.runs.stepping import FIND, KEY, Steps
from squall.runs.strategies import rows
from squall.runs.strategies.step_tools import StepTools
from squall.wire.callables import Tools, unwrap

if TYPE_CHECKING:
    from squall.runs.environment import Environment
    from squall.runs.model import Model
    from squall.runs.scenario import Scenario, Task

MOST_PAGES = 100
SERVER = "tools"  # what the MCP server of a scenario with steps calls itself


class BrokenStream(ConnectionError):
    """A result that came in pieces broke off; `part` is the text that came."""

    def __init__(self, message: str, part: str) -> None:
        super().__init__(message)
        self.part = part


class Memory(NamedTuple):
    """What the agent remembers of a step, and the version of the truth that it was."""

    value: Any
    version: int


class Found(NamedTuple):
    """What became of a write: it happened, and this was its result."""

    value: Any


class Env:
    """One run, from the side of the agent. Made by whoever runs scenarios."""

    def __init__(self, run: Environment, scenario: Scenario, steps: Steps | None) -> None:
        self._run, self._scenario, self._far = run, scenario, steps
        self.task: Task = scenario.task
        self.seed, self.run_index = run.seed, run.run_index

    @property
    def text(self) -> str:
        """The task in words: what the scenario says, or else its steps, one after the other."""
        if self.task.text or not self.task.steps:
            return self.task.text or "Do what there is to do."
        steps = (f"{step.index + 1}. {step.tool} {dumps(step.arguments).decode()}" for step in self.task.steps)
        return "\n".join(("Make these calls in order, each once:", *steps))

    # a task of steps

    async def steps(self) -> AsyncIterator[Step]:
        """The steps of the task, in order, as somebody asks for them: one may be asked for more than once."""
        for step in self._asked():
            yield step

    async def call(
        self, what: Step | str, arguments: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Any:
        """Make a step, or call a tool by its name. `key` is the idempotency key of a step.

        Raises what a plain tool raises, and `BrokenStream` where a result broke off.
        """
        if isinstance(what, Step):
            args = dict(what.arguments if arguments is None else arguments)
            return _value(await self._run.interposer.acall(f"step{what.index}", _with(args, key)))
        interposer = self._run.interposer if self._step_tools is None else self._step_tools
        return _value(await interposer.acall(what, _with(dict(arguments or {}), key)))

    async def find(self, step: Step) -> Found | None:
        """Ask what became of a step that may have been made: its result, or None where it was not."""
        found = _value(await self._run.interposer.acall(FIND, {"step": step.index}))
        return Found(found["result"]) if found["found"] else None

    def recall(self, step: Step) -> Memory | None:
        """What the agent's memory holds of a step; None where it holds nothing."""
        happening = self._happening(memory_target(step.index))
        if happening is None or self._far is None:
            return None
        stated = dict(happening.rule.params).get("value")
        return Memory(self._far.old_value(step.index, stated), version=0)

    def version(self, step: Step) -> int:
        """The version of the truth as it is now: a memory of another version is stale."""
        del step
        return 1

    # tools

    @property
    def has_tools(self) -> bool:
        """Whether there are tools to be called by name: those of the world, or of the steps."""
        return self._scenario.world is not None or bool(self.task.steps)

    @cached_property
    def tools(self) -> Tools:
        """The tools as plain callables; `tools.aio` for async code. UsageError where there are none."""
        if self._step_tools is not None:
            return Tools(_as_interposer(self._step_tools), self._step_tools.operations)
        self._need_world()
        return self._run.tools

    def tool_list(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them; none where there are none."""
        return self.tools.openai() if self.has_tools else []

    @cached_property
    def mcp_url(self) -> str:
        """The address of an MCP server with the tools, `http://127.0.0.1:PORT/mcp`. UsageError where there are none."""
        if self._step_tools is None:
            self._need_world()
            return str(self._run.mcp_url)  # the text alone: the address itself knows the world's rows
        from squall.runs.strategies.step_server import served  # the MCP SDK takes 0.8 s to import

        steps = self._step_tools
        url, close = served(SERVER, _as_interposer(steps), steps.operations, self._run.clock)
        self._run.finally_(close)
        return url

    # what a write may have left in a world

    def key_field(self, tool: str) -> str | None:
        """The argument in which a tool takes an idempotency key; None where it takes none."""
        operation: Any = self._operations.get(tool)
        fields = self._run.world.idempotency_fields if self._scenario.world is not None else (KEY,)
        names = () if operation is None else (param.name for param in operation.params)
        return next((name for name in names if name in fields), None)

    def writes(self, tool: str) -> bool:
        """Whether a tool changes something. Of a tool that is not there it is assumed."""
        operation: Any = self._operations.get(tool)
        return operation is None or operation.access == "write"

    async def find_row(self, tool: str, arguments: Mapping[str, Any], besides: tuple[Any, ...] = ()) -> Found | None:
        """Look for what a write may have left: a row of its service's lists that says the same as its arguments.

        All pages are looked at; rows in `besides` are another's. None where there is no such row. Raises LookupError
        where no list could show it, and what a call of a list raises.
        """
        asked = False
        for listing in rows.lists_for(tool, self._operations):
            asked = True
            filters = rows.filters_of(listing, arguments)
            for _ in range(MOST_PAGES):
                page, following = rows.page_of(await self.call(listing.tool, filters))
                for row in page:
                    if rows.says_the_same(row, arguments) and row not in besides:
                        return Found(row)
                if following is None:
                    break
                filters = filters | {rows.CURSOR: following}
        if not asked:
            raise LookupError(f"no list shows what {tool} leaves")
        return None

    # a model

    @property
    def has_model(self) -> bool:
        """Whether there is a model: the scenario says what it answers, or it asks for the steps one by one."""
        return self._scenario.provider is not None or bool(self.task.steps)

    @property
    def openai_base_url(self) -> str:
        """Where OpenAI's API is; OPENAI_BASE_URL holds it too from then on. UsageError where there is no model."""
        return self._model.openai_base_url

    @property
    def anthropic_base_url(self) -> str:
        """Where Anthropic's API is; ANTHROPIC_BASE_URL holds it too from then on. UsageError where there is none."""
        return self._model.anthropic_base_url

    # time and chance

    async def sleep(self, seconds: float) -> None:
        """Let time pass; it is virtual unless the strategy is another process."""
        await asyncio.sleep(seconds)

    def uniform(self, *names: str | int) -> float:
        """A number in [0, 1), the same for the same names in every run of this seed."""
        return uniform(self.seed, self.run_index, "strategy", *names)

    # behind it

    def _asked(self) -> Iterator[Step]:
        while True:
            for step in self.task.steps:
                yield step
                while self._happening(asks_target(step.index)) is not None:
                    yield step
            if self._happening(asks_target(None)) is None:
                return

    def _happening(self, target: Target) -> Happening | None:
        happening = self._run.interposer.beside(target, {})
        if happening is not None:
            self._run.interposer.note(happening)
        return happening

    @cached_property
    def _step_tools(self) -> StepTools | None:
        return StepTools(self._run.interposer, self.task.steps) if self.task.steps else None

    @property
    def _operations(self) -> Mapping[str, Any]:
        if self._step_tools is not None:
            return self._step_tools.operations
        return {} if self._scenario.world is None else self._run.world.operations

    def _need_world(self) -> None:
        if self._scenario.world is None:
            hint = 'Name a world: world = "world.yaml".'
            raise UsageError(Problem(f"the scenario {self.task.name!r} has no tools", hint=hint))

    @cached_property
    def _model(self) -> Model:
        if not self.has_model:
            hint = 'Name its script: provider = "script.toml".'
            raise UsageError(Problem(f"the scenario {self.task.name!r} has no provider", hint=hint))
        model = self._run.model
        if self._scenario.provider is None:
            from squall.runs.strategies.step_model import StepModel  # with brains, which most runs of steps do without

            model.brain(StepModel(self._asked()))
        return model


def _with(arguments: dict[str, Any], key: str | None) -> dict[str, Any]:
    return arguments if key is None else arguments | {KEY: key}


def _value(outcome: Outcome) -> Any:
    if outcome.form == "lost" and outcome.value is not None:
        raise BrokenStream(outcome.error or "", outcome.value)
    return unwrap(outcome)


def _as_interposer(steps: StepTools) -> Any:
    """What a wire asks of an interposer, it finds there."""
    return steps
