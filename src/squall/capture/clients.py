"""httpx and httpx2: each request that is sent for a call of an SDK is an attempt of it. Imports neither.

Requests that are sent for no such call are none of our business.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any

from squall.capture.answer import Answer
from squall.capture.calling import CALLING, ERRORS, Attempting, ModelCalling
from squall.capture.patching import Patches

WHERE = "a request of httpx"
RETRIES = "x-stainless-retry-count"


def patch(patches: Patches, module: ModuleType) -> None:
    """See what both kinds of client send, until the patches are undone."""
    send, asend = module.Client.send, module.AsyncClient.send
    single, asingle = module.Client._send_single_request, module.AsyncClient._send_single_request  # noqa: SLF001 - see `one`

    @wraps(send)
    def sent(self: Any, request: Any, **options: Any) -> Any:
        call = CALLING.get()
        if call is None:
            return send(self, request, **options)
        attempt = call.capture.guard(WHERE, _begin, call, request)
        try:
            response = send(self, request, **options)
        except BaseException as error:
            if attempt is not None:
                call.capture.guard(WHERE, attempt.broke, error)
            raise
        if attempt is not None:
            call.capture.guard(WHERE, _take, attempt, response)
        return response

    @wraps(asend)
    async def asent(self: Any, request: Any, **options: Any) -> Any:
        call = CALLING.get()
        if call is None:
            return await asend(self, request, **options)
        attempt = call.capture.guard(WHERE, _begin, call, request)
        try:
            response = await asend(self, request, **options)
        except BaseException as error:
            if attempt is not None:
                call.capture.guard(WHERE, attempt.broke, error)
            raise
        if attempt is not None:
            call.capture.guard(WHERE, _take, attempt, response)
        return response

    @wraps(single)
    def one(self: Any, request: Any) -> Any:
        """Above every transport, so that it does not matter whose it is, or who has put something below them."""
        call = CALLING.get()
        between = None if call is None or call.capture.between is None else call.capture.between()
        if between is None:
            return single(self, request)
        return between.send(single, self, request, call)

    @wraps(asingle)
    async def aone(self: Any, request: Any) -> Any:
        call = CALLING.get()
        between = None if call is None or call.capture.between is None else call.capture.between()
        if between is None:
            return await asingle(self, request)
        return await between.asend(asingle, self, request, call)

    patches.replace(module.Client, "send", sent)
    patches.replace(module.AsyncClient, "send", asent)
    patches.replace(module.Client, "_send_single_request", one)
    patches.replace(module.AsyncClient, "_send_single_request", aone)


def _begin(call: ModelCalling, request: Any) -> Attempting | None:
    if not call.under_way:  # of a task that a call has left behind
        return None
    if not call.attempts:  # looking it up takes a while
        return call.attempting(request.content, 0)
    said = request.headers.get(RETRIES, "0")
    return call.attempting(request.content, int(said) if said.isdecimal() else 0)


def _take(attempt: Attempting, response: Any) -> None:
    status, call = response.status_code, attempt.calling
    attempt.ended(status, retry_after(response.headers) if status >= ERRORS else None)
    call.answered(Answer.of(response))


def retry_after(headers: Any) -> float | None:
    """The seconds that an answer asks to wait, where it names them."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        said = headers.get(name)
        if said is not None:
            try:
                return float(said) / unit
            except ValueError:
                continue
    return None
