"""A small agent over a model: asks by OpenAI's chat completions, streamed, and uses the tools that it is told to use.

The loop that the built-in strategies share; what they do when something goes wrong is theirs. A real HTTP client with
deadlines of its own, so that faults of the wire are what they are for anybody.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from functools import cache
from types import TracebackType
from typing import Any, NamedTuple, Self

from squall.canonical import dumps
from squall.runs.strategies.env import BrokenStream, Env
from squall.wire.callables import ToolError

MODEL = "gpt-5"
DEADLINE = 60.0  # seconds for each read
WHOLE = 300.0  # seconds for one answer, from its request to its end: signs of life alone are none
MOST_TURNS = 50
OK = 200
SERVER_ERROR = 500
EVENT = b"data:"
LAST = b"[DONE]"
THOUSAND = 1000


class ModelError(Exception):
    """The model's provider refuses a request. `should_retry` is what it advises, where it does."""

    def __init__(
        self, message: str, status: int, *, retry_after: float | None = None, should_retry: bool | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.retry_after, self.should_retry = status, retry_after, should_retry


class ToolCall(NamedTuple):
    """What the model wants done. `text` is the JSON of its arguments, as it came."""

    id: str
    tool: str
    text: str

    def arguments(self) -> dict[str, Any]:
        """The arguments. Raises JSONDecodeError where they are no JSON object."""
        found = json.loads(self.text or "{}")
        if not isinstance(found, dict):
            raise json.JSONDecodeError("arguments are an object", self.text, 0)
        return found


class Reply(NamedTuple):
    """A whole answer of the model. `finish` is why it ended, in the provider's word: `stop`, `tool_calls`, `length`."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    refusal: str = ""


@cache
def _authorities() -> ssl.SSLContext:
    """Whom to trust, read once: that takes 20 ms, longer than a whole run."""
    return ssl.create_default_context()


class Talk:
    """One conversation. `requests` counts the answers that came.

    `own_ids`: calls whose id was used before get another in the history, which providers refuse otherwise.
    """

    def __init__(self, env: Env, *, own_ids: bool = False) -> None:
        import httpx2  # 60 ms, and scenarios with steps need none

        self._httpx2, self._env, self._own_ids = httpx2, env, own_ids
        headers = {"authorization": "Bearer sk"}
        self._client = httpx2.AsyncClient(
            base_url=env.openai_base_url, timeout=DEADLINE, headers=headers, verify=_authorities()
        )
        self._messages: list[dict[str, Any]] = [{"role": "user", "content": env.text}]
        self._ids: set[str] = set()
        self.requests = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self._client.aclose()

    async def to_its_end(self, ask: Callable[[], Awaitable[Reply]], use: Callable[[ToolCall], Awaitable[Any]]) -> str:
        """Ask, use the tools that the model wants used, and ask again, until it answers; its last text.

        A tool's refusal is told to the model, which may know what to do; every other error is raised.
        """
        for _ in range(MOST_TURNS):
            reply = await ask()
            if not reply.calls:
                return reply.text
            ids = [self._id(call) for call in reply.calls]
            self._messages.append({"role": "assistant", "content": reply.text or None, "tool_calls": _told(reply, ids)})
            for name, call in zip(ids, reply.calls, strict=True):
                try:
                    result = await use(call)
                except ToolError as error:
                    if error.status is not None and error.status >= SERVER_ERROR:
                        raise
                    result = {"error": str(error)}
                self._messages.append({"role": "tool", "tool_call_id": name, "content": dumps(result).decode()})
        raise RuntimeError(f"the model wanted tools used {MOST_TURNS} times and never answered")

    async def ask(self) -> Reply:
        """One request. Raises ModelError (refused), TimeoutError, ConnectionError, BrokenStream, JSONDecodeError."""
        body = {
            "model": MODEL,
            "messages": self._messages,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if tools := self._env.tool_list():
            body["tools"] = tools
        try:
            async with asyncio.timeout(WHOLE), self._client.stream("POST", "/chat/completions", json=body) as response:
                if response.status_code != OK:
                    raise _refused(response.status_code, await response.aread(), response.headers)
                reply = await _whole(_lines(response.aiter_bytes()))
        except self._httpx2.TimeoutException as error:
            raise TimeoutError(str(error) or "the model did not answer in time") from error
        except self._httpx2.TransportError as error:
            raise ConnectionError(f"{type(error).__name__}: {error}") from error
        self.requests += 1
        return reply

    def _id(self, call: ToolCall) -> str:
        name, number = call.id, 1
        while self._own_ids and (not name or name in self._ids):
            number += 1
            name = f"{call.id or 'call'}_{number}"
        self._ids.add(name)
        return name


def _told(reply: Reply, ids: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": name, "type": "function", "function": {"name": call.tool, "arguments": call.text}}
        for name, call in zip(ids, reply.calls, strict=True)
    ]


async def _lines(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Whole lines, which end with a newline and nothing else."""
    rest = b""
    async for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line.strip()
    yield rest.strip()


async def _whole(lines: AsyncIterator[bytes]) -> Reply:
    """The answer that the pieces make.

    Raises BrokenStream where the last never came, ConnectionError for an error in their place, JSONDecodeError.
    """
    text = refusal = finish = ""
    calls: dict[int, list[str]] = {}
    async for line in lines:
        if line.startswith(b"{"):  # no stream at all
            _look_for_error(json.loads(line))
        if not line.startswith(EVENT):
            continue
        data = line.removeprefix(EVENT).strip()
        if data == LAST and finish:
            return Reply(text, tuple(ToolCall(*parts) for _, parts in sorted(calls.items())), finish, refusal)
        if data == LAST:
            break
        event = json.loads(data)
        _look_for_error(event)
        for choice in event.get("choices") or ():
            delta = choice.get("delta") or {}
            text += delta.get("content") or ""
            refusal += delta.get("refusal") or ""
            finish = choice.get("finish_reason") or finish
            for piece in delta.get("tool_calls") or ():
                parts = calls.setdefault(piece["index"], ["", "", ""])
                function = piece.get("function") or {}
                parts[0] += piece.get("id") or ""
                parts[1] += function.get("name") or ""
                parts[2] += function.get("arguments") or ""
    raise BrokenStream("the model's answer broke off", text)


def _look_for_error(event: Any) -> None:
    if isinstance(event, Mapping) and event.get("error"):
        raise ConnectionError(f"the model failed: {_message(event)}")


def _refused(status: int, body: bytes, headers: Mapping[str, str]) -> ModelError:
    try:
        message = _message(json.loads(body))
    except ValueError:
        message = body.decode(errors="replace")
    after, milliseconds = _seconds(headers.get("retry-after")), _seconds(headers.get("retry-after-ms"))
    after = after if milliseconds is None else milliseconds / THOUSAND
    advice = {"true": True, "false": False}.get(headers.get("x-should-retry", ""))
    return ModelError(f"{status}: {message}", status, retry_after=after, should_retry=advice)


def _message(body: Any) -> str:
    error = body.get("error", body) if isinstance(body, Mapping) else body
    return str(error.get("message", error) if isinstance(error, Mapping) else error)


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else float(header)
    except ValueError:
        return None
