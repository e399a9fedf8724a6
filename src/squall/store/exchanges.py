"""The record of a provider, format 1: one JSON line for each finished request, in the order in which they finished.

    {"t":0.013,"endpoint":"chat","model":"mock-chat","request":{…},"headers":{…},"scope":"","attempt":1,
     "call":1,"try":1,"status":200,"faults":[{"fault":"stream_stall","rule":0,"after":2,"seconds":2.0}],
     "response":{…},"response_complete":true,"injected_disconnect":false,"disconnected":false,"latency_ms":2001.2}

`t` is when it arrived, in seconds of the run's clock. `attempt` counts the requests of its endpoint, model and scope
from 1; `call` and `try` say which logical call it belongs to, and how often that has been tried. `status` is null where
no byte of an answer went out. `faults` are those that really happened, with what was measured. `response` is the body
as it was planned, a stream's as if it had been none. `response_complete` says that all of it was written, not that the
client got it; `injected_disconnect` that a fault broke the connection off, `disconnected` that the client did. A
request that asks no model anything (lists of models, kept completions, counts) has its path as the endpoint, no
attempt, call or try, and a scope only where it names one. So has one that was refused, without a scope and with its
error as the response. In both `request` is null where it was no JSON object. Secrets are never written; the file is its
owner's alone (mode 0600), and it is appended to.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import msgspec

from squall.call import ModelRequest
from squall.errors import Problem, UsageError

PRIVATE = 0o600


class Told(Protocol):
    """A fault that happened."""

    def told(self) -> dict[str, Any]:
        """For records."""
        ...


class Finished(Protocol):
    """What a finished request came to."""

    @property
    def request(self) -> ModelRequest:
        """As it was read."""
        ...

    @property
    def happened(self) -> Sequence[Told]:
        """The faults that really happened."""
        ...

    number: int
    call: int
    attempt: int
    status: int | None
    response: Any
    complete: bool
    injected: bool
    disconnected: bool
    began: float
    ended: float


class Unasked(Protocol):
    """What came of a request that asks no model anything. `asked`: its body, if that is a JSON object."""

    path: str
    asked: Mapping[str, Any] | None
    headers: Mapping[str, str]
    scope: str | None
    status: int
    response: Any
    complete: bool
    disconnected: bool
    began: float
    ended: float


class ExchangeRecord:
    """Appends to one file. Raises UsageError where it cannot be written."""

    def __init__(self, path: Path) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
            os.fchmod(descriptor, PRIVATE)  # one that was there already
        except OSError as error:
            hint = "Name a file in a folder that is there."
            raise UsageError(
                Problem(f"cannot write the record to {str(path)!r}: {error.strerror}", hint=hint)
            ) from None
        self._file = os.fdopen(descriptor, "ab", buffering=0)
        self._lock = Lock()

    def close(self) -> None:
        """Nothing comes any more."""
        self._file.close()

    def finished(self, exchange: Finished) -> None:
        """Write down what a request came to."""
        request = exchange.request
        self._write(
            {
                "t": round(exchange.began, 6),
                "endpoint": request.endpoint,
                "model": request.model,
                "request": request.body,
                "headers": request.headers,
                "scope": request.scope,
                "attempt": exchange.number,
                "call": exchange.call,
                "try": exchange.attempt,
                "status": exchange.status,
                "faults": [each.told() for each in exchange.happened],
                "response": exchange.response,
                "response_complete": exchange.complete,
                "injected_disconnect": exchange.injected,
                "disconnected": exchange.disconnected,
                "latency_ms": round((exchange.ended - exchange.began) * 1000, 3),
            }
        )

    def refused(
        self,
        t: float,
        path: str,
        asked: Mapping[str, Any] | None,
        headers: Mapping[str, str],
        status: int,
        response: Any,
    ) -> None:
        """Write down a request that was refused, of which no attempt was counted. `asked`: its body, if it has one."""
        self._write(_aside(t, path, asked, headers) | {"status": status, "response": response})

    def unasked(self, request: Unasked) -> None:
        """Write down a request that asked no model anything, of which no attempt was counted."""
        line = _aside(request.began, request.path, request.asked, request.headers)
        self._write(
            line
            | {
                "scope": request.scope,
                "status": request.status,
                "response": request.response,
                "response_complete": request.complete,
                "disconnected": request.disconnected,
                "latency_ms": round((request.ended - request.began) * 1000, 3),
            }
        )

    def _write(self, line: dict[str, Any]) -> None:
        with self._lock:
            if not self._file.closed:
                self._file.write(msgspec.json.encode(line) + b"\n")


def _aside(t: float, path: str, asked: Mapping[str, Any] | None, headers: Mapping[str, str]) -> dict[str, Any]:
    """The line of a request that is no attempt, before it is known what came of it."""
    model = None if asked is None else asked.get("model")
    return {
        "t": round(t, 6),
        "endpoint": path,
        "model": model if isinstance(model, str) else None,
        "request": asked,
        "headers": headers,
        "scope": None,
        "attempt": None,
        "call": None,
        "try": None,
        "status": None,
        "faults": [],
        "response": None,
        "response_complete": True,
        "injected_disconnect": False,
        "disconnected": False,
        "latency_ms": 0.0,
    }
