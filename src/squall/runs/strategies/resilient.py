"""`resilient`: what an agent should do in bad weather, made of the parts in `recovery`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from squall.runs.scenario.task import Step, Task
from squall.runs.strategies.env import Env, Found
from squall.runs.strategies.recovery import TIMES, Done, ambiguous, found_first, fresh_memory, key_for, with_retries
from squall.runs.strategies.strategy import Result
from squall.runs.strategies.talking import Talk, ToolCall


class Resilient:
    """Two retries with backoff and jitter, Retry-After obeyed, idempotency keys, a question before a write is retried.

    A broken stream is asked for anew, a stale memory refreshed, a repeated call answered from what was done. What fails
    three times stays failed, and is said to be.
    """

    name = "resilient"
    deterministic = True

    def __init__(self, retries: int = TIMES) -> None:
        self.retries = retries
        self.parameters: Mapping[str, Any] = {"retries": retries}

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task."""
        return await (self._follow(env) if task.steps else self._talk(task, env))

    async def _follow(self, env: Env) -> Result:
        done = Done()
        async for step in env.steps():
            if step.index in done:
                continue
            memory = fresh_memory(env, step)
            try:
                done[step.index] = await self._make(step, env) if memory is None else memory.value
            except Exception as error:  # noqa: BLE001 - it was tried again where that was worth it
                return Result("failed", {"done": done.results(), "error": f"{type(error).__name__}: {error}"})
        return Result("completed", done.results())

    async def _make(self, step: Step, env: Env) -> Any:
        key = key_for(env, step.index, step.tool) if step.writes else None
        return await with_retries(
            lambda: env.call(step, key=key),
            env=env,
            name=f"step {step.index}",
            times=self.retries,
            before=partial(found_first, env, step),
        )

    async def _talk(self, task: Task, env: Env) -> Result:
        done = Done()
        async with Talk(task, env) as talk:

            async def use(call: ToolCall) -> Any:
                if call.id not in done:
                    done[call.id] = await self._use(call, env)
                return done[call.id]

            async def ask() -> Any:
                return await with_retries(talk.ask, env=env, name=f"request {talk.requests}", times=self.retries)

            try:
                return Result("completed", await talk.to_its_end(ask, use))
            except Exception as error:  # noqa: BLE001 - it was tried again where that was worth it
                return Result("failed", f"{type(error).__name__}: {error}")

    async def _use(self, call: ToolCall, env: Env) -> Any:
        """Call a tool of the world. Where a write may have happened, its service is asked before it is tried again."""
        arguments = call.arguments()
        field = env.key_field(call.tool)
        if field is not None:
            arguments.setdefault(field, key_for(env, call.id, call.tool))

        async def before(error: BaseException) -> Found | None:
            if not env.writes(call.tool) or not ambiguous(error):
                return None
            return await env.find_row(call.tool, arguments)

        return await with_retries(
            lambda: env.call(call.tool, arguments), env=env, name=call.id, times=self.retries, before=before
        )
