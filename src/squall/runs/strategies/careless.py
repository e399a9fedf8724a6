"""`careless`: tries everything again, at once and blindly: what is often called resilient."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from squall.runs.scenario.task import Task
from squall.runs.strategies.env import Env
from squall.runs.strategies.strategy import Result
from squall.runs.strategies.talking import Talk, ToolCall

TRIES = 4


class Careless:
    """Whatever fails is tried again up to three times: writes too, with no key and without asking what became of them.

    It believes its memory, and does again what it is asked again.
    """

    name = "careless"
    deterministic = True
    parameters: Mapping[str, Any] = {"tries": TRIES}

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task."""
        return await (_follow(env) if task.steps else _talk(env))


async def _follow(env: Env) -> Result:
    results: dict[int, Any] = {}
    async for step in env.steps():
        memory = env.recall(step)
        if memory is not None:
            results[step.index] = memory.value
            continue
        try:
            results[step.index] = await _again_and_again(lambda step=step: env.call(step))  # type: ignore[misc]  # bound now
        except Exception as error:  # noqa: BLE001 - whatever went wrong, it went wrong every time
            return Result("failed", {"done": list(results.values()), "error": f"{type(error).__name__}: {error}"})
    return Result("completed", list(results.values()))


async def _talk(env: Env) -> Result:
    async with Talk(env) as talk:

        async def use(call: ToolCall) -> Any:
            return await _again_and_again(lambda: env.call(call.tool, call.arguments()))

        try:
            return Result("completed", await talk.to_its_end(lambda: _again_and_again(talk.ask), use))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, it went wrong every time
            return Result("failed", f"{type(error).__name__}: {error}")


async def _again_and_again(attempt: Callable[[], Awaitable[Any]]) -> Any:
    for _ in range(TRIES - 1):
        with suppress(Exception):
            return await attempt()
    return await attempt()
