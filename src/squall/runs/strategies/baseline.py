"""`baseline`: does what it is asked, and fails at the first thing that goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.runs.scenario.task import Task
from squall.runs.strategies.env import Env
from squall.runs.strategies.strategy import Result
from squall.runs.strategies.talking import Talk, ToolCall


class Baseline:
    """Fail fast: no retry, no question asked. It believes its memory, and does again what it is asked again."""

    name = "baseline"
    deterministic = True
    parameters: Mapping[str, Any] = {}

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task."""
        return await (_follow(env) if task.steps else _talk(env))


async def _follow(env: Env) -> Result:
    results: dict[int, Any] = {}
    async for step in env.steps():
        memory = env.recall(step)
        try:
            results[step.index] = await env.call(step) if memory is None else memory.value
        except Exception as error:  # noqa: BLE001 - whatever went wrong, this strategy gives up
            return Result("failed", {"done": list(results.values()), "error": _said(error)})
    return Result("completed", list(results.values()))


async def _talk(env: Env) -> Result:
    async with Talk(env) as talk:

        async def use(call: ToolCall) -> Any:
            return await env.call(call.tool, call.arguments())

        try:
            return Result("completed", await talk.to_its_end(talk.ask, use))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, this strategy gives up
            return Result("failed", _said(error))


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
