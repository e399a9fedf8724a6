"""A brain that is a function of the user's: `def brain(request) -> Reply`, async too. Knows nothing of what it decides.

What it returns is checked, so that a mistake is told by the function's name and place and not by a broken reply.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

from squall.call import ModelRequest, Reply, ToolUse, Usage
from squall.documents import path_shown
from squall.errors import Problem, UsageError, shown
from squall.models.sentinels import Sentinels
from squall.models.turns import Turn

SHAPES = "Return text, Reply(…), say(…), call(…), calls(…), refuse(…), a ToolUse or a list of them."


class PythonBrain:
    """A brain that asks a function for each answer. Raises UsageError where it cannot take a request.

    It may return text, a `Reply`, what `say`, `call`, `calls` and `refuse` make, a `ToolUse` or a list of them, or an
    awaitable of one of these. It may raise `NoMatch`; what else it raises is its own.
    """

    def __init__(self, function: Callable[[ModelRequest], Any], *, sentinels: Iterable[str] = ()) -> None:
        if not callable(function):
            raise UsageError(Problem(f"a brain cannot be {shown(function)}", hint="Write def brain(request): …"))
        self._function = function
        self._sentinels = Sentinels(sentinels)
        try:
            inspect.signature(function).bind(object())
        except TypeError as error:
            hint = "Write def brain(request): …"
            raise UsageError(
                Problem(f"the brain {named(function)} cannot be called with a request: {error}", hint=hint)
            ) from None
        except ValueError:  # a function that keeps its signature to itself
            return

    def answer(self, request: ModelRequest) -> Reply | Awaitable[Reply]:
        """What the function returns, as a reply. Raises UnfitReply for what is none."""
        self._sentinels.check(request)
        found = self._function(request)
        if inspect.isawaitable(found):
            return self._awaited(found)
        return reply_of(found, self._function)

    async def _awaited(self, found: Awaitable[Any]) -> Reply:
        return reply_of(await found, self._function)

    def unused(self) -> list[str]:
        """Nothing: of a function that cannot be said."""
        return []


class UnfitReply(UsageError):
    """A brain returned what is no reply. The run fails."""


def reply_of(found: Any, function: Callable[..., Any]) -> Reply:
    """What a brain's `function` returned, as a reply whose parts have their types. Raises UnfitReply."""
    found = _as_reply(found)
    if not isinstance(found, Reply):
        raise UnfitReply(Problem(f"the brain {named(function)} returned {_what(found)}", hint=_hint(found)))
    given: Any = found.calls
    calls = tuple(given) if isinstance(given, list) else given
    wrong = _wrong(found, calls)
    if wrong is not None:
        raise UnfitReply(Problem(f"the brain {named(function)} returned {wrong}", hint=SHAPES))
    return found if calls is given else msgspec.structs.replace(found, calls=calls)


def named(function: Callable[..., Any]) -> str:
    """A function's name and where it stands."""
    plain: Any = inspect.unwrap(function)
    while isinstance(plain, functools.partial):
        plain = inspect.unwrap(plain.func)
    if not hasattr(plain, "__code__") and not hasattr(plain, "__name__"):
        plain = getattr(type(plain), "__call__", plain)  # noqa: B004 - the method is looked at, not whether there is one
    code = getattr(plain, "__code__", None)
    name = getattr(plain, "__qualname__", None) or shown(plain)
    return f"{name} ({path_shown(Path(code.co_filename))}:{code.co_firstlineno})" if code else str(name)


def _as_reply(found: Any) -> Any:
    """The reply that is meant by what is returned instead of one; anything else as it is."""
    match found:
        case str():
            return Reply(found)
        case Turn():
            return found.reply
        case ToolUse():
            return Reply(calls=(found,))
        case [*uses] if uses and all(isinstance(use, ToolUse) for use in uses):
            return Reply(calls=tuple(uses))
    return found


def _wrong(reply: Any, calls: Any) -> str | None:
    """What in a reply is not of its type."""
    for name in ("text", "refusal", "reasoning", "finish"):
        if not isinstance(getattr(reply, name), str | None):
            return f"a reply whose {name} is {_what(getattr(reply, name))}, not text"
    if not isinstance(reply.usage, Usage | None):
        return f"a reply whose usage is {_what(reply.usage)}, not Usage(input, output)"
    if not isinstance(calls, tuple):
        return f"a reply whose calls are {_what(calls)}, not ToolUse values"
    return next(filter(None, map(_wrong_call, calls)), None)


def _wrong_call(use: Any) -> str | None:
    if not isinstance(use, ToolUse):
        return f"a reply one of whose calls is {_what(use)}, not a ToolUse"
    parts: dict[str, Any] = msgspec.structs.asdict(use)
    if not isinstance(parts["name"], str) or not isinstance(parts["id"], str | None):
        return f"a call whose name and id are {shown(parts['name'])} and {shown(parts['id'])}, not text"
    if not isinstance(parts["arguments"], str):
        return f"a call of {use.name} whose arguments are {_what(parts['arguments'])}, not JSON text"
    return None


def _what(found: object) -> str:
    return "None" if found is None else f"{shown(found)} ({type(found).__name__})"


def _hint(found: object) -> str:
    if found is None:
        return "Is a return missing? " + SHAPES
    if isinstance(found, list | tuple) and any(isinstance(each, Turn) for each in found):
        return "Return calls(call(…), call(…)) for several calls at once."
    return SHAPES
