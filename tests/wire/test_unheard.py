"""What serves in the background outlives the end that a loop makes of its async generators."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from squall.wire.unheard import unheard


def in_the_middle(how):
    """Ends a loop's generators while one is open in the background; what became of it."""
    seen = []

    @asynccontextmanager
    async def open_until_told():
        try:
            yield
        finally:
            seen.append("closed")

    async def background(told):
        async with open_until_told():
            seen.append(await told)

    async def main():
        told = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(how(background(told)))
        await asyncio.sleep(0)
        await asyncio.get_running_loop().shutdown_asyncgens()
        told.set_result("told")
        await task

    asyncio.run(main())
    return seen


async def as_usual(inner):
    await inner


async def apart(inner):
    await unheard(inner)


def test_its_generators_are_not_ended_with_those_of_the_loop():
    assert in_the_middle(apart) == ["told", "closed"]


def test_others_are():
    assert in_the_middle(as_usual) == ["closed", "told"]


def test_it_comes_to_what_the_coroutine_comes_to_and_leaves_the_loops_hooks_as_they_were():
    async def value():
        await asyncio.sleep(0)
        return 7

    async def main():
        return await unheard(value())

    assert asyncio.run(main()) == 7
    with pytest.raises(ValueError, match="as well"):
        asyncio.run(unheard_failure())


async def unheard_failure():
    async def fails():
        await asyncio.sleep(0)
        raise ValueError("as well")

    await unheard(fails())


def test_it_is_cancelled_like_any_other():
    seen = []

    async def waits():
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("ended")

    async def main():
        task = asyncio.ensure_future(apart(waits()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert seen == ["ended"]
