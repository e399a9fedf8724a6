"""A small agent over a model: asks by OpenAI's chat completions, streamed, and uses the tools that it is told to use.

The loop that the built-in strategies share; what they do when something goes wrong is theirs. A real HTTP client with
a deadline of its own, so that faults of the wire are what they are for anybody.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from types import TracebackType
from typing import Any, NamedTuple, Self

from squall.canonical import dumps
from squall.errors import UsageError
from squall.runs.scenario.task import Task
from squall.runs.strategies.env import BrokenStream, Env
from squall.wire.callables import ToolError

MODEL = "gpt-5"
DEADLINE = 60.0  # seconds for each read
MOST_TURNS = 50
OK = 200
EVENT = "data: "
LAST = "[DONE]"


class ToolCall(NamedTuple):
    """What the model wants done. `text` is the JSON of its arguments, as it came."""

    id: str
    tool: str
    text: str

    def arguments(self) -> dict[str, Any]:
        """The arguments. Raises JSONDecodeError where they are no JSON."""
        found = json.loads(self.text)
        return found if isinstance(found, dict) else {}


class Reply(NamedTuple):
    """A whole answer of the model."""

    text: str
    calls: tuple[ToolCall, ...]


class Talk:
    """One conversation. `requests` counts the answers that came."""

    def __init__(self, task: Task, env: Env) -> None:
        import httpx2  # 60 ms, and scenarios with steps need none

        self._httpx2, self._env = httpx2, env
        self._client = httpx2.AsyncClient(
            base_url=env.openai_base_url, timeout=DEADLINE, headers={"authorization": "Bearer sk"}
        )
        self._messages: list[dict[str, Any]] = [{"role": "user", "content": task.text or task.name}]
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
            calls = [
                {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": call.text}}
                for call in reply.calls
            ]
            self._messages.append({"role": "assistant", "content": reply.text or None, "tool_calls": calls})
            for call in reply.calls:
                try:
                    result = dumps(await use(call)).decode()
                except ToolError as error:
                    if error.status is not None and error.status >= 500:  # noqa: PLR2004 - the service is broken
                        raise
                    result = f"Error: {error}"
                self._messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        raise UsageError(f"the model wanted tools used {MOST_TURNS} times and never answered")

    async def ask(self) -> Reply:
        """One request. Raises ToolError for a refusal (with `status`, `retry_after`), TimeoutError, ConnectionError."""
        body = {"model": MODEL, "messages": self._messages, "stream": True}
        if tools := self._env.tool_list():
            body["tools"] = tools
        try:
            async with self._client.stream("POST", "/chat/completions", json=body) as response:
                if response.status_code != OK:
                    await response.aread()
                    raise ToolError(response.text, response.status_code, _seconds(response.headers.get("retry-after")))
                reply = await _whole(response.aiter_lines())
        except self._httpx2.TimeoutException as error:
            raise TimeoutError(str(error) or "the model did not answer in time") from error
        except self._httpx2.TransportError as error:
            raise ConnectionError(f"{type(error).__name__}: {error}") from error
        self.requests += 1
        return reply


async def _whole(lines: AsyncIterator[str]) -> Reply:
    """The answer that the pieces make. Raises BrokenStream where the last never came, JSONDecodeError for garbage."""
    text, calls, seen = "", dict[int, list[str]](), False
    async for line in lines:
        if not line.startswith(EVENT):
            continue
        data = line.removeprefix(EVENT)
        if data == LAST:
            made = tuple(ToolCall(*parts) for _, parts in sorted(calls.items()))
            if not seen:
                break
            return Reply(text, made)
        event = json.loads(data)
        if "error" in event:
            raise ConnectionError(f"the model failed: {event['error']}")
        for choice in event.get("choices", ()):
            delta = choice.get("delta", {})
            text += delta.get("content") or ""
            seen = seen or choice.get("finish_reason") is not None
            for piece in delta.get("tool_calls") or ():
                parts = calls.setdefault(piece["index"], ["", "", ""])
                function = piece.get("function", {})
                parts[0] += piece.get("id") or ""
                parts[1] += function.get("name") or ""
                parts[2] += function.get("arguments") or ""
    raise BrokenStream("the model's answer broke off", text)


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else float(header)
    except ValueError:
        return None
