"""Tools as plain callables, for agents that are handed functions. Knows no protocol and imports no SDK."""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from squall.call import Outcome
from squall.errors import PUBLIC, is_weather, nearest
from squall.interpose import Interposer

JSON_TYPES: Mapping[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
}
BROKEN = ("lost", "session_lost", "exited")  # the next call finds a new connection
__tracebackhide__ = is_weather


Bind = Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]


class ToolError(Exception):
    """A tool says that it failed; `status` is HTTP-like, `retry_after` in seconds, each where there is one."""

    __module__ = PUBLIC

    def __init__(self, message: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


class Shape(NamedTuple):
    """What a callable is made by, the same in every run: how it takes arguments, and what is told of them."""

    bound: Bind
    signature: inspect.Signature
    annotations: Mapping[str, Any]


_shapes: WeakKeyDictionary[Any, Shape] = WeakKeyDictionary()
"""By operation; those of one file are shared by all of its worlds."""


class _Callables:
    """Makes one callable per tool when it is first asked for."""

    def __init__(self, interposer: Interposer, operations: Mapping[str, Any]) -> None:
        self._interposer, self._operations = interposer, operations
        self._made: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if "_made" not in self.__dict__:  # a copy that is being made asks before it has anything
            raise AttributeError(name)
        tool = self.__dict__[name] = self[name]  # the next use is a plain look-up
        return tool

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """The tool of any name, also of one that an attribute cannot have (`aio`, `openai`, `anthropic`)."""
        if name not in self._made:
            operation = _find(self._operations, name)
            shape = _shape(operation)
            self._made[name] = _dressed(self._callable(name, shape.bound), operation, shape)
        return self._made[name]

    def __iter__(self) -> Iterator[Callable[..., Any]]:
        return (self[name] for name in self._interposer.visible())

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._interposer.visible()})

    def _callable(self, name: str, bound: Bind) -> Callable[..., Any]:
        raise NotImplementedError


class AsyncTools(_Callables):
    """`await tools.aio.NAME(...)`: the same tools for async agents; waits are the running loop's."""

    def _callable(self, name: str, bound: Bind) -> Callable[..., Any]:
        acall = self._interposer.acall

        async def tool(*args: Any, **kwargs: Any) -> Any:
            return unwrap(await acall(name, bound(args, kwargs)))

        return tool


class Tools(_Callables):
    """`tools.NAME(...)` calls a tool and returns its result, JSON-ready.

    Raises `ToolError` where the tool refuses, `TimeoutError` where no reply came, `ConnectionError` where the
    connection broke, `json.JSONDecodeError` where the reply was not JSON. Iterating gives the callables themselves.
    """

    def __init__(self, interposer: Interposer, operations: Mapping[str, Any]) -> None:
        super().__init__(interposer, operations)
        self.aio = AsyncTools(interposer, operations)

    def _callable(self, name: str, bound: Bind) -> Callable[..., Any]:
        call = self._interposer.call

        def tool(*args: Any, **kwargs: Any) -> Any:
            outcome = call(name, bound(args, kwargs))
            return outcome.value if outcome.form == "value" else unwrap(outcome)

        return tool

    def openai(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them under `tools`."""
        return [
            {
                "type": "function",
                "function": {"name": o.tool, "description": o.description, "parameters": deepcopy(o.input_schema)},
            }
            for o in self._visible()
        ]

    def anthropic(self) -> list[dict[str, Any]]:
        """The tools as Anthropic's messages take them under `tools`."""
        return [
            {"name": o.tool, "description": o.description, "input_schema": deepcopy(o.input_schema)}
            for o in self._visible()
        ]

    def _visible(self) -> list[Any]:
        return [self._operations[name] for name in self._interposer.visible()]


def _find(operations: Mapping[str, Any], name: str) -> Any:
    if name in operations:
        return operations[name]
    close = nearest(name, operations)
    hint = f"; did you mean {close!r}?" if close else f"; there are {', '.join(operations)}"
    raise AttributeError(f"there is no tool {name!r}{hint}")


def _shape(operation: Any) -> Shape:
    try:
        known = _shapes.get(operation)
    except TypeError:  # it is no key of such a dictionary
        return _shape_of(operation)
    if known is None:
        known = _shapes[operation] = _shape_of(operation)
    return known


def _shape_of(operation: Any) -> Shape:
    signature = _signature(operation)
    hints = {param.name: param.annotation for param in signature.parameters.values()}
    return Shape(_binder(operation, signature), signature, {**hints, "return": Any})


def _binder(operation: Any, signature: inspect.Signature) -> Bind:
    """Gives arguments their names, as a Python function would.

    None for what may be left out, and cannot be null, says the same as leaving it out: it is the default there.
    """
    tool, positional = operation.tool, [p.name for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    omissible = {p.name for p in operation.params if not (p.required or _nullable(p.schema))}

    def bound(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if args:
            if len(args) > len(positional):
                raise TypeError(f"{tool}() takes {len(positional)} arguments but {len(args)} were given")
            given = dict(zip(positional, args, strict=False))
            if twice := given.keys() & kwargs.keys():
                raise TypeError(f"{tool}() got multiple values for argument {min(twice)!r}")
            kwargs = given | kwargs
        for value in kwargs.values():  # any() takes longer, and each call is asked
            if value is None and omissible:
                return {name: value for name, value in kwargs.items() if value is not None or name not in omissible}
        return kwargs

    return bound


def _nullable(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    return kind is None or "null" in ([kind] if isinstance(kind, str) else kind)


def unwrap(outcome: Outcome) -> Any:
    """What a plain tool gives for an outcome, or raises."""
    if outcome.form == "value":
        return outcome.value
    message = outcome.error or ""
    if outcome.form == "text":
        import json  # here alone: a broken reply is rare

        return json.loads(outcome.value)
    if outcome.form == "timeout":
        raise TimeoutError(message)
    if outcome.form in BROKEN:
        raise ConnectionError(message)
    raise ToolError(message, outcome.status, outcome.retry_after)


def _signature(operation: Any) -> inspect.Signature:
    """What the callable takes: first what it must be given. Names that Python cannot spell go under `**more`."""
    params, more = [], []
    for param in operation.params:
        default = inspect.Parameter.empty if param.required else param.default
        hint = _hint(param.schema)
        if default is None and not _nullable(param.schema):
            hint |= None
        if not param.name.isidentifier() or keyword.iskeyword(param.name):
            more = [inspect.Parameter("more", inspect.Parameter.VAR_KEYWORD, annotation=Any)]
            continue
        params.append(
            inspect.Parameter(param.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=hint)
        )
    params.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    return inspect.Signature([*params, *more], return_annotation=Any)


def _dressed(tool: Callable[..., Any], operation: Any, shape: Shape) -> Callable[..., Any]:
    """Name, documentation and signature, so that frameworks can make a schema from the function."""
    tool.__name__ = tool.__qualname__ = operation.tool
    tool.__doc__ = operation.description
    tool.__signature__ = shape.signature  # type: ignore[attr-defined]  # read by inspect
    tool.__annotations__ = dict(shape.annotations)
    return tool


def _hint(schema: Mapping[str, Any]) -> Any:
    """The Python type of a JSON Schema, as plain as it can be said."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    kind = schema.get("type")
    if isinstance(kind, list):
        kinds = [JSON_TYPES.get(name, Any) for name in kind]
        union = kinds[0]
        for other in kinds[1:]:
            union |= other
        return union
    return JSON_TYPES.get(str(kind), Any)
