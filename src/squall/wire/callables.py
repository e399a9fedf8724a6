"""Tools as plain callables, for agents that are handed functions. Knows no protocol and imports no SDK."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal

from squall.call import Outcome
from squall.errors import nearest
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


class ToolError(Exception):
    """A tool says that it failed; `status` is HTTP-like, `retry_after` in seconds, each where there is one."""

    def __init__(self, message: str, status: int | None = None, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.status, self.retry_after = status, retry_after


class AsyncTools:
    """`await tools.aio.NAME(...)`: the same tools for async agents; waits are the running loop's."""

    def __init__(self, interposer: Interposer, operations: Mapping[str, Any]) -> None:
        self._interposer, self._operations = interposer, operations

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = _find(self._operations, name)
        acall, names = self._interposer.acall, [param.name for param in operation.params]

        async def tool(*args: Any, **kwargs: Any) -> Any:
            return _unwrap(await acall(name, _bound(name, names, args, kwargs) if args else kwargs))

        self.__dict__[name] = _dressed(tool, operation)
        return tool

    def __dir__(self) -> list[str]:
        return sorted(self._interposer.visible())


class Tools:
    """`tools.NAME(...)` calls a tool and returns its result, JSON-ready.

    Raises `ToolError` where the tool refuses, `TimeoutError` where no reply came, `ConnectionError` where the
    connection broke, `json.JSONDecodeError` where the reply was not JSON. Iterating gives the callables themselves.
    """

    def __init__(self, interposer: Interposer, operations: Mapping[str, Any]) -> None:
        self._interposer, self._operations = interposer, operations
        self.aio = AsyncTools(interposer, operations)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        operation = _find(self._operations, name)
        call, names = self._interposer.call, [param.name for param in operation.params]

        def tool(*args: Any, **kwargs: Any) -> Any:
            outcome = call(name, _bound(name, names, args, kwargs) if args else kwargs)
            return outcome.value if outcome.form == "value" else _unwrap(outcome)

        self.__dict__[name] = _dressed(tool, operation)
        return tool

    def __iter__(self) -> Iterator[Callable[..., Any]]:
        return (getattr(self, name) for name in self._interposer.visible())

    def __getitem__(self, name: str) -> Callable[..., Any]:
        """The tool of any name, also of one that an attribute cannot have (`aio`, `openai`, `anthropic`)."""
        return self.__dict__[name] if name in self._operations and name in self.__dict__ else self.__getattr__(name)

    def __dir__(self) -> list[str]:
        return sorted([*self._interposer.visible(), "aio", "anthropic", "openai"])

    def openai(self) -> list[dict[str, Any]]:
        """The tools as OpenAI's chat completions take them under `tools`."""
        return [
            {
                "type": "function",
                "function": {"name": o.tool, "description": o.description, "parameters": dict(o.input_schema)},
            }
            for o in self._visible()
        ]

    def anthropic(self) -> list[dict[str, Any]]:
        """The tools as Anthropic's messages take them under `tools`."""
        return [
            {"name": o.tool, "description": o.description, "input_schema": dict(o.input_schema)}
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


def _bound(tool: str, names: Sequence[str], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Positional arguments by name, as a Python function would take them."""
    if len(args) > len(names):
        raise TypeError(f"{tool}() takes {len(names)} arguments but {len(args)} were given")
    given = dict(zip(names, args, strict=False))
    if twice := given.keys() & kwargs.keys():
        raise TypeError(f"{tool}() got multiple values for argument {min(twice)!r}")
    return given | dict(kwargs)


def _unwrap(outcome: Outcome) -> Any:
    if outcome.form == "value":
        return outcome.value
    message = outcome.error or ""
    if outcome.form == "text":
        import json  # here alone: a broken reply is rare

        return json.loads(outcome.value)
    if outcome.form == "timeout":
        raise TimeoutError(message)
    if outcome.form == "lost":
        raise ConnectionError(message)
    raise ToolError(message, outcome.status, outcome.retry_after)


def _dressed(tool: Callable[..., Any], operation: Any) -> Callable[..., Any]:
    """Name, documentation and signature, so that frameworks can make a schema from the function."""
    params = []
    for param in operation.params:
        default = inspect.Parameter.empty if param.required else None
        hint = _hint(param.schema) if param.required else _hint(param.schema) | None
        params.append(
            inspect.Parameter(param.name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=hint)
        )
    params.sort(key=lambda p: p.default is not inspect.Parameter.empty)
    tool.__name__ = tool.__qualname__ = operation.tool
    tool.__doc__ = operation.description
    tool.__signature__ = inspect.Signature(params, return_annotation=Any)  # type: ignore[attr-defined]  # read by inspect
    tool.__annotations__ = {p.name: p.annotation for p in params} | {"return": Any}
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
