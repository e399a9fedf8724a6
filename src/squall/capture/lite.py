"""litellm, at the functions that its users call. What it sends itself, or through OpenAI's SDK, are attempts of that.

What was asked is told in OpenAI's shape, as it was given; what came of it is read from the wire where squall knows the
provider's words, and else from what litellm makes of them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from types import ModuleType
from typing import Any

import msgspec

from squall.capture.answer import Answer
from squall.capture.calling import CALLING, ModelCalling
from squall.capture.current import Capture, current
from squall.capture.patching import Patches
from squall.capture.replies import target_at
from squall.capture.stream_object import watch

FUNCTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "completion": ("model.chat", ("model", "messages")),
    "responses": ("model.responses", ("input", "model")),
    "embedding": ("model.embeddings", ("model", "input")),
}
"""Their targets, and their first parameters."""

HOMES = ("litellm", "litellm.main", "litellm.responses.main")
SENT = frozenset(
    """model messages input instructions tools tool_choice functions function_call parallel_tool_calls stream n stop
    seed temperature top_p max_tokens max_completion_tokens max_output_tokens reasoning_effort response_format
    dimensions previous_response_id user""".split()
)
"""The arguments that are a part of the request; among the others are keys, and objects of Python."""

WHERE = "a call of litellm"


def patch(patches: Patches, _module: ModuleType) -> None:
    """See the calls of its functions, until the patches are undone."""
    for name, (target, first) in FUNCTIONS.items():
        for function, wrap in ((name, _sync), (f"a{name}", _async)):
            for home in map(sys.modules.get, HOMES):
                original = None if home is None else home.__dict__.get(function)
                if callable(original):
                    patches.replace(home, function, wrap(original, target, first))


def _sync(original: Callable[..., Any], target: str, first: tuple[str, ...]) -> Callable[..., Any]:
    @wraps(original)
    def asked(*args: Any, **kwargs: Any) -> Any:
        call = _begin(target, first, args, kwargs)
        if call is None:
            return original(*args, **kwargs)
        token = CALLING.set(call)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            call.capture.guard(WHERE, call.failed, error)
            raise
        finally:
            CALLING.reset(token)
        if inspect.isawaitable(result):  # its async functions ask the others for one
            return _awaited(call, result)
        call.capture.guard(WHERE, _returned, call, result)
        return result

    return asked


def _async(original: Callable[..., Any], target: str, first: tuple[str, ...]) -> Callable[..., Any]:
    @wraps(original)
    async def asked(*args: Any, **kwargs: Any) -> Any:
        call = _begin(target, first, args, kwargs)
        if call is None:
            return await original(*args, **kwargs)
        return await _awaited(call, original(*args, **kwargs))

    return asked


async def _awaited(call: ModelCalling, coming: Any) -> Any:
    token = CALLING.set(call)
    try:
        result = await coming
    except BaseException as error:
        call.capture.guard(WHERE, call.failed, error)
        raise
    finally:
        CALLING.reset(token)
    call.capture.guard(WHERE, _returned, call, result)
    return result


def _begin(target: str, first: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> ModelCalling | None:
    capture = current()
    outer = CALLING.get()
    if capture is None or (outer is not None and outer.under_way):
        return None
    begun: ModelCalling | None = capture.guard(
        WHERE, _call, capture, target, dict(zip(first, args, strict=False)) | kwargs
    )
    return begun


def _call(capture: Capture, target: str, given: Mapping[str, Any]) -> ModelCalling:
    body = {name: _plain(value) for name, value in given.items() if name in SENT and value is not None}
    return ModelCalling(capture, target, body, translated=True)


def _plain(value: Any) -> Any:
    """Its own objects as JSON has them: messages that it gave are handed back to it."""
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, type):  # a class that an answer is to be an instance of
        return value.__name__
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def _returned(call: ModelCalling, result: Any) -> None:
    if call.answer is None or target_at(call.answer.path) is None:
        if hasattr(result, "model_dump"):
            call.answered(Answer.given(msgspec.json.encode(result.model_dump(mode="json"))))
        elif hasattr(result, "__next__") or hasattr(result, "__anext__"):
            call.answered(watch(result))
    call.returned()
