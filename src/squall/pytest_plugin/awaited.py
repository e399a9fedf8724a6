"""A coroutine test runs on the run's clock, and one that nothing awaits is noticed.

The test is replaced by a coroutine function that puts the running loop on the clock and notes that it was driven to its
end. Knows how test functions are called by pytest, unittest and Hypothesis, not who drives coroutines.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from traceback import walk_tb
from types import FrameType, MethodType
from typing import Any

import pytest

from squall.pytest_plugin.runs import KEY

Attach = Callable[[], None]
MACHINERY = {"_pytest", "pluggy", "pytest_plugin"}


class Unawaited(Exception):
    """A test that ended without having run, since nothing awaits it. The message says what to do."""


def beside_others(error: pytest.ExceptionInfo[BaseException]) -> bool:
    """Hide our frames from a traceback that has others to show; pytest cannot show one without any."""
    if isinstance(error.value, pytest.fail.Exception) and not error.value.pytrace:
        return False
    return any(MACHINERY.isdisjoint(Path(entry.path).parts) for entry in error.traceback)


def nothing() -> None:
    """What a coroutine does first when its run has no virtual clock."""


class Guard:
    """Sees to it that coroutine tests which ask nothing of squall do not pass without having run."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # outermost: whoever swallows an error does so inside
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """Run the test's body; where it is a run of squall's, `phases` does the same and more."""
        __tracebackhide__ = beside_others
        if not isinstance(item, pytest.Function) or KEY in item.stash:
            return (yield)
        try:
            with driven(item, nothing):
                return (yield)
        except Unawaited as unawaited:
            why = str(unawaited)
        raise pytest.fail.Exception(why, pytrace=False)


@contextmanager
def driven(item: pytest.Function, attach: Attach) -> Iterator[None]:
    """While the test's body is called: `attach` runs first in its coroutine; one that nobody drove is an error."""
    owner, name, test = _slot(item)
    function = inspect.unwrap(test)
    is_coroutine, is_generator = inspect.iscoroutinefunction(function), inspect.isasyncgenfunction(function)
    ended: list[bool] = []
    made: list[Coroutine[Any, Any, Any]] = []
    given_up = False
    if is_coroutine:
        setattr(owner, name, _noting(test, attach, ended, made))
    try:
        yield
    except pytest.fail.Exception as failure:
        frame = _of_pytest(failure)
        if frame is None or ended:
            raise
        given_up = True
        made.extend(each for each in frame.f_locals.values() if inspect.iscoroutine(each))
    finally:
        if is_coroutine and owner is item.instance:
            vars(owner).pop(name, None)  # the method of the class shows again
        elif is_coroutine:
            setattr(owner, name, test)
    if given_up or is_generator or (is_coroutine and not ended):
        for coroutine in made:
            coroutine.close()  # or Python would warn of it besides, in whichever test comes next
        from squall.pytest_plugin import advice  # few sessions need it

        what = advice.GENERATOR if is_generator else None if is_coroutine else advice.RETURNED
        raise Unawaited(advice.about(item, what))


def _of_pytest(failure: BaseException) -> FrameType | None:
    """Where pytest called a test that it cannot await, if that is what it says; the frame holds what came back."""
    frames = [frame for frame, _ in walk_tb(failure.__traceback__)]
    said = next((at for at, frame in enumerate(frames) if frame.f_code.co_name == "async_fail"), 0)
    return frames[said - 1] if said else None


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
