"""`squall.record_model_call`: a request to a model that was made over raw HTTP, told by whoever made it.

The shape of the response says whose words it is in. Outside a run nothing happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.capture.calling import ModelCalling
from squall.capture.current import current
from squall.capture.replies import READERS, Said
from squall.capture.replies.said import mapping
from squall.errors import Problem, UsageError, shown

FIELDS = {"model.responses": "input"}


def record_model_call(
    *,
    messages: Sequence[Any] | str,
    response: Any = None,
    error: BaseException | None = None,
    model: str = "",
    tools: Sequence[Any] | None = None,
    **asked: Any,
) -> None:
    """Record a call of a model, with what came of it.

    `messages` are those of the request in the provider's shape, `response` the body of its answer (OpenAI's chat
    completions and responses, Anthropic's messages; a mapping, or an object of an SDK), text where only that is known;
    `error` is the exception that was raised instead. `tools` are those that were offered, if that is known; what else
    the request held may be given by name. Raises UsageError for a response that is none of these.
    """
    if isinstance(response, BaseException):
        response, error = None, response
    body = _body(response)
    target = _target(body, response, error)
    capture = current()
    if capture is None:
        return
    request = {"model": model, **asked, FIELDS.get(target, "messages"): messages, "tools": tools or ()}
    body_sent = {name: _plain(value) for name, value in request.items()}
    call = ModelCalling(capture, target, body_sent, offers_known=tools is not None)
    if error is not None:
        call.failed(error)
    elif isinstance(response, str):
        call.reply(Said(text=response or None, finish="stop"))
    else:
        call.reply(READERS[target].whole(body))


def _body(response: Any) -> Mapping[str, Any]:
    return mapping(_plain(response))


def _target(body: Mapping[str, Any], response: Any, error: BaseException | None) -> str:
    if "choices" in body or error is not None or isinstance(response, str):
        return "model.chat"
    if isinstance(body.get("output"), list):
        return "model.responses"
    if isinstance(body.get("content"), list):
        return "model.messages"
    if "error" in body:
        return "model.chat"
    hint = "Give the body of the provider's answer, its text, or the exception that was raised."
    raise UsageError(Problem(f"record_model_call was given the response {shown(response)}", hint=hint))


def _plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    if value is None or isinstance(value, str | int | float | bytes | type):
        return value
    return _plain(vars(value)) if hasattr(value, "__dict__") else value  # a plain object with a provider's fields
