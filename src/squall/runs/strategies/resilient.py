"""`resilient`: what an agent should do in bad weather, made of the parts in `recovery`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from squall.canonical import dumps
from squall.errors import Problem, UsageError, shown
from squall.runs.scenario.task import Step, Task
from squall.runs.strategies.env import Env, Found
from squall.runs.strategies.recovery import (
    DEADLINE,
    TIMES,
    Done,
    ErrorInside,
    found_first,
    found_row,
    fresh_memory,
    key_for,
    no_error_inside,
    whole_reply,
    with_retries,
    within,
)
from squall.runs.strategies.strategy import Result
from squall.runs.strategies.talking import Reply, Talk, ToolCall


class Resilient:
    """Two retries with backoff and jitter, Retry-After obeyed, idempotency keys, a question before a write is retried.

    A broken stream is asked for anew, a stale memory refreshed, a repeated call answered from what was done. What fails
    three times stays failed, and is said to be; so does a write of which nobody can say whether it was done.
    """

    name = "resilient"
    deterministic = True

    def __init__(self, retries: int = TIMES) -> None:
        if retries < 0:
            raise UsageError(Problem(f"retries is {shown(retries)}", hint="Give a whole number from 0 on."))
        self.retries = retries
        self.parameters: Mapping[str, Any] = {"retries": retries}

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task."""
        return await (self._follow(env) if task.steps else self._talk(env))

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
            lambda: no_error_inside(within(DEADLINE, env.call(step, key=key))),
            env=env,
            name=f"step {step.index}",
            times=self.retries,
            before=partial(found_first, env, step),
        )

    async def _talk(self, env: Env) -> Result:
        done, left = Done(), list[Any]()
        async with Talk(env, own_ids=True) as talk:

            async def use(call: ToolCall) -> Any:
                if call not in done:  # the same id for another call is another call
                    done[call] = await self._use(call, env, left)
                return done[call]

            async def ask() -> Reply:
                return whole_reply(await talk.ask())

            async def asked() -> Reply:
                return await with_retries(ask, env=env, name=f"request {talk.requests}", times=self.retries)

            try:
                return Result("completed", await talk.to_its_end(asked, use))
            except Exception as error:  # noqa: BLE001 - it was tried again where that was worth it
                return Result("failed", f"{type(error).__name__}: {error}")

    async def _use(self, call: ToolCall, env: Env, left: list[Any]) -> Any:
        """Call a tool. `left` are the rows of the calls before, which say nothing about this one."""
        arguments = call.arguments()
        field = env.key_field(call.tool)
        if field is not None:
            arguments.setdefault(field, key_for(env, call.id, call.tool, dumps(arguments).decode()))
        elsewhere = tuple(left)

        async def before(error: BaseException) -> Found | None:
            return None if field is not None else await found_row(env, call.tool, arguments, error, elsewhere)

        try:
            result = await with_retries(
                lambda: no_error_inside(within(DEADLINE, env.call(call.tool, arguments))),
                env=env,
                name=call.id,
                times=self.retries,
                before=before,
            )
        except ErrorInside as error:
            result = error.result  # each time: the model may know what to make of it
        left.append(result)
        return result
