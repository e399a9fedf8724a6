"""What a strategy has in its hands: the steps of its task, tools, a model, time and chance.

Errors of calls are those of plain tools: `squall.ToolError` (with `status` and `retry_after`), `TimeoutError`,
`ConnectionError`, `json.JSONDecodeError`. Nothing here tells of faults.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.call import Target
from squall.canonical import uniform
from squall.errors import Problem, UsageError
from squall.interpose.interposer import Happening
from squall.runs.scenario.plan import asks_target, memory_target
from squall.runs.scenario.task import Step
from squall.runs.stepping import FIND, KEY, Steps
from squall.wire.callables import Tools, unwrap

if TYPE_CHECKING:
    from squall.runs.environment import Environment
    from squall.runs.model import Model
    from squall.runs.scenario import Scenario, Task
    from squall.wire.mcp import McpServer


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

    # a task of steps

    async def steps(self) -> AsyncIterator[Step]:
        """The steps of the task, in order, as somebody asks for them: one may be asked for more than once."""
        while True:
            for step in self.task.steps:
                yield step
                while self._happens(asks_target(step.index)):
                    yield step
            if not self._happens(asks_target(None)):
                return

    async def call(
        self, what: Step | str, arguments: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> Any:
        """Make a step, or call a tool of the world by its name. `key` is the idempotency key of a step.

        Raises what a plain tool raises, and `BrokenStream` where a result broke off.
        """
        if isinstance(what, Step):
            name, args = f"step{what.index}", dict(what.arguments if arguments is None else arguments)
            if key is not None:
                args[KEY] = key
        else:
            name, args = what, dict(arguments or {})
        outcome = await self._run.interposer.acall(name, args)
        if outcome.form == "lost" and outcome.value is not None:
            raise BrokenStream(outcome.error or "", outcome.value)
        return unwrap(outcome)

    async def find(self, step: Step) -> Found | None:
        """Ask what became of a step that may have been made: its result, or None where it was not."""
        found = await self.call(FIND, {"step": step.index})
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

    # a world and a model

    @property
    def tools(self) -> Tools:
        """The world's operations as plain callables; `tools.aio` for async code."""
        return self._run.tools

    @property
    def mcp_server(self) -> McpServer:
        """The world's operations as the official MCP SDK's server object."""
        return self._run.mcp_server

    @property
    def mcp_url(self) -> str:
        """The address of the MCP server, served in this event loop."""
        return self._run.mcp_url

    @property
    def has_tools(self) -> bool:
        """Whether there are tools to be reached over MCP."""
        return self._scenario.world is not None

    @property
    def has_model(self) -> bool:
        """Whether the scenario says what a model answers."""
        return self._scenario.spec.scenario.provider is not None

    @property
    def openai_base_url(self) -> str:
        """Where OpenAI's API is; OPENAI_BASE_URL holds it too. UsageError where the scenario has no provider."""
        return self._model().openai_base_url

    @property
    def anthropic_base_url(self) -> str:
        """Where Anthropic's API is; ANTHROPIC_BASE_URL holds it too. UsageError where the scenario has no provider."""
        return self._model().anthropic_base_url

    def tool_list(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them; none where the scenario has no world."""
        return self.tools.openai() if self._scenario.world is not None else []

    def key_field(self, tool: str) -> str | None:
        """The argument in which a tool of the world takes an idempotency key; None where it takes none."""
        world = self._run.world
        operation = world.operations.get(tool)
        names = () if operation is None else (param.name for param in operation.params)
        return next((name for name in names if name in world.idempotency_fields), None)

    async def find_row(self, tool: str, arguments: Mapping[str, Any]) -> Found | None:
        """Look for what a write may have left: a row of its service's lists that says the same as its arguments.

        None where there is no such row, or no list that could show it.
        """
        operations = self._run.world.operations
        written = operations.get(tool)
        lists = (
            []
            if written is None
            else [o for o in operations.values() if o.service == written.service and o.kind == "list"]
        )
        for each in lists:
            filters = {param.name: arguments[param.name] for param in each.params if param.name in arguments}
            if not filters:
                continue
            rows = await self.call(each.tool, filters)
            for row in rows if isinstance(rows, list) else rows.get("items", ()):
                if all(row[name] == value for name, value in arguments.items() if name in row):
                    return Found(row)
        return None

    def writes(self, tool: str) -> bool:
        """Whether a tool of the world changes something. Of a tool that is not there it is assumed."""
        operation = self._run.world.operations.get(tool)
        return operation is None or operation.access == "write"

    # time and chance

    async def sleep(self, seconds: float) -> None:
        """Let time pass; it is virtual unless the strategy is another process."""
        await asyncio.sleep(seconds)

    def uniform(self, *names: str | int) -> float:
        """A number in [0, 1), the same for the same names in every run of this seed."""
        return uniform(self.seed, self.run_index, "strategy", *names)

    def _model(self) -> Model:
        if not self.has_model:
            hint = 'Name its script: provider = "script.toml".'
            raise UsageError(Problem(f"the scenario {self.task.name!r} has no provider", hint=hint))
        return self._run.model

    def _happening(self, target: Target) -> Happening | None:
        happening = self._run.interposer.beside(target, {})
        if happening is not None:
            self._run.interposer.note(happening)
        return happening

    def _happens(self, target: Target) -> bool:
        return self._happening(target) is not None
