"""aiohttp: each request that is sent with it for a call of an SDK is an attempt of it. Imports nothing of it.

Where it only carries what httpx sends, the attempt is httpx's. What comes of a request is read by whoever sent it, from
bodies that nobody looks into here.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType
from typing import Any

from squall.capture.calling import CALLING, ERRORS, Attempting, ModelCalling
from squall.capture.clients import retry_after
from squall.capture.patching import Patches

WHERE = "a request of aiohttp"


def patch(patches: Patches, module: ModuleType) -> None:
    """See what every session sends, until the patches are undone."""
    session = module.ClientSession
    original = session._request  # noqa: SLF001 - what all of its methods go through

    @wraps(original)
    async def requested(self: Any, method: str, url: Any, **options: Any) -> Any:
        call = CALLING.get()
        if call is None:
            return await original(self, method, url, **options)
        attempt = call.capture.guard(WHERE, _begin, call, self, options)
        try:
            response = await original(self, method, url, **options)
        except BaseException as error:
            if attempt is not None:
                call.capture.guard(WHERE, attempt.broke, error)
            raise
        if attempt is not None:
            call.capture.guard(WHERE, _ended, attempt, response)
        return response

    patches.replace(session, "_request", requested)


def _begin(call: ModelCalling, session: Any, options: dict[str, Any]) -> Attempting | None:
    if not call.under_way or call.sending:
        return None
    return call.attempting(_body(session, options), 0)


def _body(session: Any, options: dict[str, Any]) -> bytes:
    """The bytes that will be sent; none where only aiohttp itself can make them."""
    body = options.get("data")
    if options.get("json") is not None:
        make = getattr(session, "_json_serialize_bytes", None) or session.json_serialize
        body = make(options["json"])
    return body.encode() if isinstance(body, str) else body if isinstance(body, bytes) else b""


def _ended(attempt: Attempting, response: Any) -> None:
    status = response.status
    attempt.ended(status, retry_after(response.headers) if status >= ERRORS else None)
    attempt.calling.status = status
