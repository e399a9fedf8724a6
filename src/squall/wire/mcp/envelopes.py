"""Which bytes are a message of JSON-RPC, and what is answered to those that are none.

The SDK takes a request whose id has a wrong type for a notification, which nobody answers, and words what it cannot
read as its models do. Knows no transport.
"""

from __future__ import annotations

from typing import Any, Literal

import mcp_types as types
import msgspec
from pydantic import ValidationError
from pydantic_core import from_json

Id = int | str


class NoMessage(Exception):
    """What came in is no message. `answer` is owed to whoever sent it."""

    def __init__(self, answer: types.JSONRPCError) -> None:
        super().__init__(answer.error.message)
        self.answer = answer


class _Call(msgspec.Struct):
    """A request or a notification, as far as it takes to tell them apart; what its parameters hold is skipped."""

    jsonrpc: Literal["2.0"]
    method: str
    id: Any = msgspec.UNSET
    params: dict[str, msgspec.Raw] | None = None


_call = msgspec.json.Decoder(_Call)


def id_of(data: bytes) -> Id | None:
    """The id of a request; None for any other message. Raises `NoMessage` for what is none.

    Reads next to nothing of a call, however large: the SDK will read it all.
    """
    try:
        found = _call.decode(data)
    except (msgspec.DecodeError, RecursionError):
        pass  # a response, or whatever is wrong with it
    else:
        if found.id is msgspec.UNSET:
            return None
        if _names(found.id):
            name: Id = found.id
            return name
    message = message_of(data)
    return message.id if isinstance(message, types.JSONRPCRequest) else None


def message_of(data: bytes) -> types.JSONRPCMessage:
    """The message, as the SDK has it. Raises `NoMessage` for what is none."""
    try:
        message = types.jsonrpc_message_adapter.validate_json(data, by_name=False)
    except ValidationError as error:
        raise NoMessage(_refusal(error)) from None
    if not isinstance(message, types.JSONRPCRequest) and {"method", "id"} <= from_json(data).keys():
        raise NoMessage(error_of(types.INVALID_REQUEST, "Invalid Request: an id is a string or an integer"))
    return message


def error_of(code: int, message: str, name: Id | None = None) -> types.JSONRPCError:
    """An error of the protocol."""
    return types.JSONRPCError(jsonrpc="2.0", id=name, error=types.ErrorData(code=code, message=message))


def _refusal(error: ValidationError) -> types.JSONRPCError:
    """The answer to what the SDK's models refuse, with the id that it names, if it does."""
    found = error.errors(include_url=False, include_context=False)
    if found[0]["type"] == "json_invalid":
        return error_of(types.PARSE_ERROR, "Parse error")
    given = next((each["input"] for each in found if isinstance(each["input"], dict)), {})
    name = given.get("id")
    return error_of(types.INVALID_REQUEST, "Invalid Request", name if _names(name) else None)


def _names(value: Any) -> bool:
    """Whether it is an id that a request may have."""
    return isinstance(value, int | str) and not isinstance(value, bool)
