"""`@squall.tool`: a function that is a tool of an agent says itself what it is called with, and what comes of it.

Works beside the decorators of frameworks, as the inner one: the function keeps its name, signature and kind. Outside a
run it is the function as it was.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar, overload

from squall.capture.current import current
from squall.capture.tool_calling import ToolCalling
from squall.errors import Problem, UsageError, nearest, shown

F = TypeVar("F", bound=Callable[..., Any])
Key = str | Callable[..., Any] | None
OWN = ("self", "cls")


@overload
def tool(fn: F, /) -> F: ...


@overload
def tool(*, name: str | None = None, mutates: bool | None = None, idempotency_key: Key = None) -> Callable[[F], F]: ...


def tool(
    fn: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    mutates: bool | None = None,
    idempotency_key: Key = None,
) -> Any:
    """Record the calls of a function, sync or async, as those of a tool.

    `name` is what the model calls it (the function's own name by default); `mutates` says whether it changes something.
    `idempotency_key` names the argument that holds the key of a call, or makes it from the arguments. Raises UsageError
    for what is no function, and for an argument that it does not have.
    """
    if fn is None:
        return lambda made: tool_of(made, name, mutates, idempotency_key)
    return tool_of(fn, name, mutates, idempotency_key)


def tool_of(fn: Any, name: str | None, mutates: bool | None, key: Key) -> Callable[..., Any]:  # noqa: FBT001 - what `tool` was given
    """`fn`, recorded."""
    if not callable(fn):
        hint = "Write @squall.tool above a function, or @squall.tool(name=…)."
        raise UsageError(Problem(f"squall.tool was given {shown(fn)}, which is no function", hint=hint))
    told = _Told(fn, name, mutates, key)
    if inspect.iscoroutinefunction(fn):

        @wraps(fn)
        async def acalled(*args: Any, **kwargs: Any) -> Any:
            call = told.begin(args, kwargs)
            return await (fn(*args, **kwargs) if call is None else _followed(call, fn(*args, **kwargs)))

        return acalled

    @wraps(fn)
    def called(*args: Any, **kwargs: Any) -> Any:
        call = told.begin(args, kwargs)
        if call is None:
            return fn(*args, **kwargs)
        try:
            value = fn(*args, **kwargs)
        except BaseException as error:
            call.capture.guard(told.where, call.raised, error)
            raise
        if inspect.isawaitable(value):
            return _followed(call, value)
        call.capture.guard(told.where, call.returned, value)
        return value

    return called


class _Told:
    """What is known of a tool before it is called."""

    def __init__(self, fn: Callable[..., Any], name: str | None, mutates: bool | None, key: Key) -> None:  # noqa: FBT001 - as above
        self.name = str(name or getattr(fn, "__name__", type(fn).__name__))
        self.where = f"the tool {self.name}"
        self._mutates, self._key = mutates, key
        self._signature = _signature(fn)
        if isinstance(key, str) and self._signature is not None:
            names = list(self._signature.parameters)
            kinds = {each.kind for each in self._signature.parameters.values()}
            if key not in names and inspect.Parameter.VAR_KEYWORD not in kinds:
                message = f"the tool {self.name!r} has no argument {key!r} to be its idempotency key"
                raise UsageError(Problem(message, nearest=nearest(key, names), hint=f"It has {', '.join(names)}."))

    def begin(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCalling | None:
        """The call that begins, where somebody records it."""
        capture = current()
        if capture is None:
            return None
        begun: ToolCalling | None = capture.guard(self.where, self._call, capture, args, kwargs)
        return begun

    def _call(self, capture: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCalling:
        given = self._arguments(args, kwargs)
        key = given.get(self._key) if isinstance(self._key, str) else self._key and self._key(**given)
        return ToolCalling(capture, self.name, f"function.{self.name}", given, mutates=self._mutates, key=key)

    def _arguments(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Mapping[str, Any]:
        if self._signature is None:
            return {**{str(place): value for place, value in enumerate(args)}, **kwargs}
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError:  # which the function says in its own words
            return dict(kwargs)
        given: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            if self._signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
                given |= value
            elif name not in OWN:
                given[name] = value
        return given


async def _followed(call: ToolCalling, coming: Any) -> Any:
    try:
        value = await coming
    except BaseException as error:
        call.capture.guard("an async tool", call.raised, error)
        raise
    call.capture.guard("an async tool", call.returned, value)
    return value


def _signature(fn: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(fn)
    except (TypeError, ValueError):  # of functions written in C
        return None
