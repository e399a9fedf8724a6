"""The parts that a resilient agent is made of, each with the fault that it answers. Use them in your own.

| part | answers |
|---|---|
| `worth_trying_again` | a timeout, a lost connection, 408, 409, 425, 429, 5xx, a broken or malformed reply |
| `pause` | an overloaded service: backoff that doubles, jitter from the run's seed, Retry-After obeyed |
| `key_for` | a retried write that would happen twice: the same key for the same write |
| `found_first` | a step whose reply was lost: ask what became of it before trying again |
| `found_row` | a write of a world whose reply was lost: look for its row before trying again |
| `fresh_memory` | stale memory: what is of another version is fetched anew |
| `whole_reply` | a model's reply that is cut short, empty, or wants a tool with broken arguments |
| `no_error_inside` | a reply that is no error, and says inside that the call failed: `{"ok": false}` |
| `within` | a call that never returns |
| `Done` | a call that is asked for twice: answered from what was done |
| `with_retries` | one call, tried again with pauses, and with a question before each |
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from json import JSONDecodeError
from typing import Any, TypeVar

from squall.canonical import digest
from squall.runs.scenario.task import Step
from squall.runs.strategies.env import Env, Found, Memory
from squall.runs.strategies.talking import Reply
from squall.wire.callables import ToolError

T = TypeVar("T")

TIMES = 2
BASE = 0.5  # seconds
CAP = 8.0  # seconds
JITTER = 0.25  # of a pause
PATIENCE = 120.0  # seconds: whoever asks to wait longer is not waited for
DEADLINE = 90.0  # seconds for one call of a tool
TRANSIENT = frozenset({408, 409, 425, 429})
UNDONE = frozenset({503, 529})
"""Of those from 500: overloaded, so that the request was most probably not carried out."""
SERVER_ERROR = 500
REQUEST_TIMEOUT = 408
KEY_LENGTH = 24


class Unfinished(Exception):
    """A model's reply is whole, and no answer: empty, cut short, filtered. `again`: another try may give more."""

    def __init__(self, message: str, *, again: bool) -> None:
        super().__init__(message)
        self.again = again


class ErrorInside(Exception):
    """A reply is no error, and its `result` says that the call failed."""

    def __init__(self, result: Mapping[str, Any]) -> None:
        super().__init__(f"the reply says that it failed: {dict(result)}")
        self.result = result


def worth_trying_again(error: BaseException) -> bool:
    """Whether the same call may well succeed later: what was lost, late, broken or overloaded, and no refusal."""
    if isinstance(error, Unfinished):
        return error.again
    advice = getattr(error, "should_retry", None)
    if isinstance(advice, bool):
        return advice
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return status in TRANSIENT or status >= SERVER_ERROR
    if isinstance(error, ToolError):
        return False
    return isinstance(error, TimeoutError | ConnectionError | JSONDecodeError | ErrorInside)


def ambiguous(error: BaseException) -> bool:
    """Whether the call may have had its effect although it failed: everything but a reply that refuses it."""
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return status >= SERVER_ERROR or status == REQUEST_TIMEOUT
    return not isinstance(error, ToolError)


def pause(env: Env, name: str, tried: int, error: BaseException) -> float | None:
    """Seconds to wait after the `tried`th try (from 1); None where the service asks for more than is bearable.

    What the service asks for goes before backoff; jitter is drawn from the run's seed, so that a run can be repeated.
    """
    asked = getattr(error, "retry_after", None)
    if isinstance(asked, int | float) and asked > 0:
        return None if asked > PATIENCE else float(asked)
    whole = min(CAP, BASE * 2.0 ** (tried - 1))
    return whole * (1 - JITTER * env.uniform("jitter", name, tried))


def key_for(env: Env, *parts: Any) -> str:
    """An idempotency key that is the same for every try of the same write, and for no other write."""
    return digest([env.task.name, env.seed, env.run_index, *parts])[:KEY_LENGTH]


async def found_first(env: Env, step: Step, error: BaseException) -> Found | None:
    """Before a step is tried again whose end is not known: what became of it, if it happened.

    Where even the question fails nothing is known, and None is given: the key has to prevent the second effect then.
    """
    if not step.writes or not ambiguous(error):
        return None
    try:
        return await env.find(step)
    except Exception:  # noqa: BLE001 - a question that fails leaves everything as unknown as it was
        return None


async def found_row(
    env: Env, tool: str, arguments: Mapping[str, Any], error: BaseException, besides: tuple[Any, ...] = ()
) -> Found | None:
    """Before a write of a world is tried again whose end is not known: the row that it left, if there is one.

    Rows in `besides` were left by others. Raises `error` where nothing can tell, so that it is not done twice; with an
    idempotency key it need not be asked.
    """
    if not env.writes(tool) or not ambiguous(error):
        return None
    try:
        return await with_retries(
            lambda: within(DEADLINE, env.find_row(tool, arguments, besides)), env=env, name=f"find {tool}"
        )
    except Exception:  # noqa: BLE001 - whatever came of the question, what became of the write is not known
        if getattr(error, "status", None) in UNDONE:
            return None
        raise error from None


def fresh_memory(env: Env, step: Step) -> Memory | None:
    """What is remembered of a step, unless it is stale: then None, and the step has to be made."""
    memory = env.recall(step)
    return memory if memory is not None and memory.version == env.version(step) else None


def whole_reply(reply: Reply) -> Reply:
    """The reply, if a model that is done would say so. Raises Unfinished, or JSONDecodeError for broken arguments."""
    if reply.refusal or reply.finish == "content_filter":
        raise Unfinished(f"the model refused: {reply.refusal or reply.finish}", again=False)
    if reply.finish == "length":
        raise Unfinished("the model's answer was cut at its limit of tokens", again=True)
    if not reply.calls and not reply.text.strip():
        raise Unfinished("the model said nothing", again=True)
    for call in reply.calls:
        call.arguments()
    return reply


async def no_error_inside(reply: Awaitable[T]) -> T:
    """A tool's result. Raises `ErrorInside` where it says that the call failed: its `ok` or `success` is false."""
    result = await reply
    if isinstance(result, Mapping) and (result.get("ok") is False or result.get("success") is False):
        raise ErrorInside(result)
    return result


async def within(seconds: float, attempt: Awaitable[T]) -> T:
    """What `attempt` gives, in so many seconds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        return await attempt


class Done:
    """What was done already, so that asking for it again does nothing a second time."""

    def __init__(self) -> None:
        self._results: dict[Any, Any] = {}

    def __contains__(self, what: object) -> bool:
        return what in self._results

    def __getitem__(self, what: Any) -> Any:
        return self._results[what]

    def __setitem__(self, what: Any, result: Any) -> None:
        self._results[what] = result

    def results(self) -> list[Any]:
        """The results, in the order in which they came."""
        return list(self._results.values())


async def with_retries(
    attempt: Callable[[], Awaitable[T]],
    *,
    env: Env,
    name: str,
    times: int = TIMES,
    before: Callable[[BaseException], Awaitable[Found | None]] | None = None,
) -> T:
    """What `attempt()` gives, tried again up to `times` times where that is worth it, with a pause each time.

    `before(error)` is asked before another try; what it finds is the result. The last error is raised. `name` tells
    this call's pauses from others.
    """
    tried = 0
    while True:
        tried += 1
        try:
            return await attempt()
        except Exception as error:
            wait = pause(env, name, tried, error)
            if tried > times or wait is None or not worth_trying_again(error):
                raise
            await env.sleep(wait)
            if before is not None and (found := await before(error)) is not None:
                value: T = found.value
                return value
