"""A strategy of one's own: careful with what it writes, quick with what it reads.

Reads are tried again at once. A write gets an idempotency key, is tried again after a pause, and is looked for before;
whoever asks twice for the same gets the same answer. In a world it lets the model say what to do.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from squall.strategies import (
    Done,
    Env,
    Found,
    Reply,
    Result,
    Step,
    Talk,
    Task,
    ToolCall,
    found_first,
    found_row,
    fresh_memory,
    key_for,
    whole_reply,
    with_retries,
    within,
    worth_trying_again,
)

PATIENCE = 60.0  # seconds for one call
READS = 3


class Careful:
    """Does each write once, whatever becomes of its reply."""

    name = "careful"
    deterministic = True
    parameters = {"reads": READS, "patience": PATIENCE}

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task: its steps, or what a model says."""
        try:
            return Result("completed", await (self.follow(env) if task.steps else self.talk(env)))
        except Exception as error:  # noqa: BLE001 - whatever it was, it is said, and not hidden
            return Result("failed", f"{type(error).__name__}: {error}")

    async def follow(self, env: Env) -> list[Any]:
        """Make the steps in order."""
        done = Done()
        async for step in env.steps():
            if step.index not in done:
                memory = fresh_memory(env, step)
                done[step.index] = memory.value if memory is not None else await self.make(step, env)
        return done.results()

    async def make(self, step: Step, env: Env) -> Any:
        """Make one step."""
        if not step.writes:
            return await self.read(step, env)
        key = key_for(env, step.index, step.tool)
        before = partial(found_first, env, step)
        return await with_retries(
            lambda: within(PATIENCE, env.call(step, key=key)), env=env, name=step.tool, before=before
        )

    async def read(self, step: Step, env: Env) -> Any:
        """Make a step that changes nothing: again at once, for nobody is hurt."""
        for _ in range(READS - 1):
            try:
                return await within(PATIENCE, env.call(step))
            except Exception as error:
                if not worth_trying_again(error):
                    raise
        return await within(PATIENCE, env.call(step))

    async def talk(self, env: Env) -> str:
        """Do what the model says, and give its answer."""
        done = Done()
        async with Talk(env, own_ids=True) as talk:

            async def ask() -> Reply:
                return whole_reply(await talk.ask())

            async def asked() -> Reply:
                return await with_retries(ask, env=env, name=f"ask {talk.requests}")

            async def use(call: ToolCall) -> Any:
                if call not in done:
                    done[call] = await self.use(call, env)
                return done[call]

            return await talk.to_its_end(asked, use)

    async def use(self, call: ToolCall, env: Env) -> Any:
        """Call a tool of the world, and look for what it may have left before it is called again."""
        arguments = call.arguments()

        async def before(error: BaseException) -> Found | None:
            return await found_row(env, call.tool, arguments, error)

        return await with_retries(
            lambda: within(PATIENCE, env.call(call.tool, arguments)), env=env, name=call.id, before=before
        )
