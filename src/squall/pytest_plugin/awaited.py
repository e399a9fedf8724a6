"""A coroutine test runs on the run's clock, and one that nothing awaits is noticed.

The test is replaced by a coroutine function that puts the running loop on the clock and notes that it was driven to its
end. Knows how test functions are called by pytest, unittest and Hypothesis, not who drives coroutines.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any

import pytest

Attach = Callable[[], None]
UNAWAITED = (
    "{test} is `async def` and nothing awaited it, so it tested nothing. Install pytest-asyncio and mark it "
    "@pytest.mark.asyncio, or use anyio's plug-in and @pytest.mark.anyio."
)
GENERATOR = "{test} is an async generator, so it was never run. A test awaits; it does not yield."


class Unawaited(Exception):
    """A coroutine test that ended without having run. The message says what to do."""


@contextmanager
def driven(item: pytest.Function, attach: Attach) -> Iterator[None]:
    """While the test's body is called: `attach` runs first in its coroutine; one that nobody drove is an error."""
    owner, name, test = _slot(item)
    function = inspect.unwrap(test)
    if inspect.isasyncgenfunction(function):
        yield
        raise Unawaited(GENERATOR.format(test=item.nodeid))
    if not inspect.iscoroutinefunction(function):
        yield
        return
    ended: list[bool] = []
    made: list[Coroutine[Any, Any, Any]] = []
    setattr(owner, name, _noting(test, attach, ended, made))
    try:
        yield
    finally:
        if owner is item.instance:
            vars(owner).pop(name, None)  # the method of the class shows again
        else:
            setattr(owner, name, test)
    if not ended:
        for coroutine in made:
            coroutine.close()  # or Python would warn of it besides, in whichever test comes next
        raise Unawaited(UNAWAITED.format(test=item.nodeid))


def _slot(item: pytest.Function) -> tuple[Any, str, Callable[..., Any]]:
    """Where the callable lives that will be called: unittest finds it by name, Hypothesis holds it inside another."""
    inner = getattr(getattr(item.obj, "hypothesis", None), "inner_test", None)
    if inner is not None:
        return item.obj.hypothesis, "inner_test", inner
    if type(item).__name__ == "TestCaseFunction" and item.instance is not None:
        return item.instance, item.originalname, item.obj
    return item, "obj", item.obj


def _noting(
    test: Callable[..., Any], attach: Attach, ended: list[bool], made: list[Coroutine[Any, Any, Any]]
) -> Callable[..., Any]:
    """`test`, but it notes that it `ended`, and which coroutines were `made` for others to await."""

    async def to_its_end(coroutine: Awaitable[Any]) -> Any:
        attach()
        try:
            return await coroutine
        finally:
            ended.append(True)

    if inspect.iscoroutinefunction(test):

        @functools.wraps(test)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            return await to_its_end(test(*args, **kwargs))

        return awaited

    @functools.wraps(test)
    def handed_out(*args: Any, **kwargs: Any) -> Any:  # a plain wrapper around a coroutine function
        result = test(*args, **kwargs)
        if inspect.iscoroutine(result):
            made.extend((result, noting := to_its_end(result)))
            return noting
        ended.append(True)
        return result

    return handed_out


def on_clock(function: Callable[..., Any], attach: Attach) -> Callable[..., Any]:
    """A coroutine fixture (or async generator fixture) that puts the running loop on the clock first."""
    if inspect.ismethod(function):  # pytest binds its function to the instance of each test anew
        return MethodType(on_clock(function.__func__, attach), function.__self__)
    if inspect.isasyncgenfunction(function):

        @functools.wraps(function)
        async def generator(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            attach()
            async for value in function(*args, **kwargs):
                yield value

        return generator

    @functools.wraps(function)
    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        attach()
        return await function(*args, **kwargs)

    return coroutine
