"""OpenAI's and Anthropic's SDKs, at the one method that each call of them goes through, its retries inside.

So `create`, `parse`, `stream`, their beta and async twins, `with_raw_response` and `with_streaming_response`, and
whatever a framework makes of these are seen alike: by the path that they ask, and the body that goes there.
"""

from __future__ import annotations

from functools import wraps
from types import ModuleType, NoneType
from typing import Any

from squall.capture.answer import Answer
from squall.capture.calling import CALLING, ModelCalling
from squall.capture.current import Capture, current
from squall.capture.patching import Patches
from squall.capture.replies import PATHS

WHERE = "a call of an SDK"
PLAIN = frozenset((str, int, float, bool, list, dict, NoneType))
UNSAID = frozenset(("Omit", "NotGiven"))  # types of what stands for arguments that were not given, and is not sent


def patch(patches: Patches, module: ModuleType) -> None:
    """See the calls of every client, until the patches are undone."""
    request, arequest = module.SyncAPIClient.request, module.AsyncAPIClient.request

    @wraps(request)
    def asked(self: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        call = _begin(options)
        if call is None:
            return request(self, cast_to, options, *args, **kwargs)
        token = CALLING.set(call)
        try:
            result = request(self, cast_to, options, *args, **kwargs)
        except BaseException as error:
            call.capture.guard(WHERE, call.failed, error)
            raise
        finally:
            CALLING.reset(token)
        call.capture.guard(WHERE, _returned, call, result)
        return result

    @wraps(arequest)
    async def aasked(self: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        call = _begin(options)
        if call is None:
            return await arequest(self, cast_to, options, *args, **kwargs)
        token = CALLING.set(call)
        try:
            result = await arequest(self, cast_to, options, *args, **kwargs)
        except BaseException as error:
            call.capture.guard(WHERE, call.failed, error)
            raise
        finally:
            CALLING.reset(token)
        call.capture.guard(WHERE, _returned, call, result)
        return result

    patches.replace(module.SyncAPIClient, "request", asked)
    patches.replace(module.AsyncAPIClient, "request", aasked)


def _begin(options: Any) -> ModelCalling | None:
    """The call that begins; None where nobody records it, or it is a part of one that is recorded already."""
    capture = current()
    if capture is None:
        return None
    outer = CALLING.get()
    if outer is not None and outer.under_way:
        return None
    begun: ModelCalling | None = capture.guard(WHERE, _call, capture, options)
    return begun


def _call(capture: Capture, options: Any) -> ModelCalling | None:
    target = PATHS.get(options.url.partition("?")[0])
    body = options.json_data
    if target is None or not isinstance(body, dict) or options.method.lower() != "post":
        return None
    if options.extra_json:
        body = {**body, **options.extra_json}
    if not PLAIN.issuperset(map(type, body.values())):
        body = {name: each for name, each in body.items() if type(each).__name__ not in UNSAID}
    return ModelCalling(capture, target, body)


def _returned(call: ModelCalling, result: Any) -> None:
    if call.answer is None:  # a client of the user's own makes, that does not send as others do
        response = getattr(result, "http_response", None) or getattr(result, "response", None)
        if hasattr(response, "status_code"):
            call.answered(Answer.of(response))
        elif hasattr(result, "model_dump_json"):
            call.answered(Answer.given(result.model_dump_json().encode()))
    call.returned()
