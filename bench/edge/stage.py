"""Where a case is played: a provider that answers from a script, below the SDKs' own clients, and its scripted replies.

The clients are the SDKs' own, on a transport in memory. Knows the three dialects, no agent and no check.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any, NamedTuple

import httpx2
import pytest
from anthropic import Anthropic
from openai import AsyncOpenAI, OpenAI

DONE = "data: [DONE]\n\n"
STOPS = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens", "refusal": "refusal"}
Call = tuple[str, Any]


class Reply(NamedTuple):
    """What the provider says. `calls` are names and arguments (text: as it is). `cut`: a stream ends without its end.

    `status` and `error` are for a refusal by HTTP; `broken` is an error in the midst of a stream.
    """

    text: str | None = None
    calls: tuple[Call, ...] = ()
    finish: str = "stop"
    ids: tuple[str, ...] = ()
    status: int = 200
    error: str = ""
    cut: bool = False
    broken: bool = False


def says(text: str | None, finish: str = "stop", **more: Any) -> Reply:
    """A reply of words."""
    return Reply(text, finish=finish, **more)


def calls(*wanted: Call, text: str | None = None, **more: Any) -> Reply:
    """A reply that calls tools."""
    return Reply(text, wanted, **{"finish": "tool_calls", **more})


def refuses(status: int, error: str) -> Reply:
    """No reply, but an error."""
    return Reply(status=status, error=error)


class Stage:
    """One case's provider. `expects` is `pytest.raises`, and tells `caught` what it has caught, if somebody listens."""

    def __init__(self, caught: Callable[[BaseException], None] | None = None) -> None:
        self.script: list[Reply] = []
        self.asked: list[dict[str, Any]] = []
        self._caught = caught
        self._ids = count(1)

    def plays(self, *replies: Reply) -> Stage:
        """The replies that come next."""
        self.script += replies
        return self

    def openai(self, **options: Any) -> OpenAI:
        """OpenAI's client."""
        client = httpx2.Client(transport=httpx2.MockTransport(self._answer), verify=_tls())
        return OpenAI(**{"api_key": "k", "max_retries": 0, "http_client": client, **options})

    def async_openai(self, **options: Any) -> AsyncOpenAI:
        """OpenAI's client for async code."""
        client = httpx2.AsyncClient(transport=httpx2.MockTransport(self._answer), verify=_tls())
        return AsyncOpenAI(**{"api_key": "k", "max_retries": 0, "http_client": client, **options})

    def anthropic(self, **options: Any) -> Anthropic:
        """Anthropic's client."""
        client = httpx2.Client(transport=httpx2.MockTransport(self._answer), verify=_tls())
        return Anthropic(**{"api_key": "k", "max_retries": 0, "http_client": client, **options})

    @contextmanager
    def expects(self, error: type[BaseException]) -> Iterator[None]:
        """The test expects that the block raises."""
        with pytest.raises(error) as caught:
            yield
        if self._caught is not None:
            self._caught(caught.value)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        body = json.loads(request.content)
        self.asked.append(body)
        if request.url.path.endswith("/embeddings"):
            return httpx2.Response(200, json=_embeddings(body))
        if not self.script:
            raise AssertionError("the case has asked for more replies than it has")
        reply = self.script.pop(0)
        shape = next(made for path, made in SHAPES.items() if request.url.path.endswith(path))
        if reply.status != 200:
            error = {"type": "error", "error": {"type": "api_error", "message": reply.error, "code": None}}
            return httpx2.Response(reply.status, json=error, headers={"retry-after-ms": "1"})
        if not reply.ids:
            reply = reply._replace(ids=tuple(f"call_{next(self._ids)}" for _ in reply.calls))
        made = shape(reply, bool(body.get("stream")))
        if isinstance(made, str):
            return httpx2.Response(200, text=made, headers={"content-type": "text/event-stream"})
        return httpx2.Response(200, json=made)


@cache
def _tls() -> Any:
    """Loading certificates takes longer than all else here, and none are asked for."""
    return httpx2.create_ssl_context()


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _chat(reply: Reply, stream: bool) -> Mapping[str, Any] | str:  # noqa: FBT001 - as a request says it
    uses: list[dict[str, Any]] = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
        for i, (name, arguments) in zip(reply.ids, reply.calls, strict=True)
    ]
    refused = reply.finish == "refusal"
    message: dict[str, Any] = {"role": "assistant", "content": None if refused else reply.text}
    if refused:
        message["refusal"] = reply.text
    if uses:
        message["tool_calls"] = uses
    finish = "stop" if refused else reply.finish
    whole = {"id": "c", "created": 1, "model": "m"}
    if not stream:
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choices = [{"index": 0, "finish_reason": finish, "message": message}]
        return {**whole, "object": "chat.completion", "choices": choices, "usage": usage}
    for place, use in enumerate(uses):
        use["index"] = place
    parts = (reply.text or "").split(" ")
    words: list[dict[str, Any]] = [{"content": part if place == 0 else f" {part}"} for place, part in enumerate(parts)]
    if uses:
        words = [{"tool_calls": uses}]
    deltas: list[tuple[Mapping[str, Any], str | None]] = [
        ({"role": "assistant"}, None),
        *((each, None) for each in words),
    ]
    if not (reply.cut or reply.broken):
        deltas.append(({}, finish))
    chunks = [
        {**whole, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": why}]}
        for delta, why in deltas
    ]
    lines = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks)
    if reply.broken:
        lines += f"data: {json.dumps({'error': {'message': 'the server had an error', 'type': 'server_error'}})}\n\n"
    return lines if reply.cut or reply.broken else lines + DONE


def _messages(reply: Reply, stream: bool) -> Mapping[str, Any] | str:  # noqa: FBT001 - as above
    blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
    blocks += [
        {"type": "tool_use", "id": i, "name": name, "input": arguments}
        for i, (name, arguments) in zip(reply.ids, reply.calls, strict=True)
    ]
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None, "usage": usage}
    if not stream:
        return {**message, "content": blocks, "stop_reason": STOPS[reply.finish]}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for place, block in enumerate(blocks):
        start: dict[str, Any]
        if block["type"] == "text":
            start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": place, "content_block": start},
            {"type": "content_block_delta", "index": place, "delta": delta},
        ]
        if not reply.cut:
            events.append({"type": "content_block_stop", "index": place})
    if not reply.cut:
        why = {"stop_reason": STOPS[reply.finish], "stop_sequence": None}
        events += [{"type": "message_delta", "delta": why, "usage": {"output_tokens": 1}}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def _responses(reply: Reply, stream: bool) -> Mapping[str, Any] | str:  # noqa: FBT001 - as above
    assert not stream
    items: list[dict[str, Any]] = []
    if reply.text is not None:
        said = {"type": "output_text", "text": reply.text, "annotations": []}
        items.append({"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [said]})
    items += [
        {"type": "function_call", "id": f"f{i}", "call_id": i, "name": name, "arguments": _text(arguments)}
        for i, (name, arguments) in zip(reply.ids, reply.calls, strict=True)
    ]
    cut = reply.finish == "length"
    return {
        "id": "r",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": items,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _embeddings(body: Mapping[str, Any]) -> dict[str, Any]:
    row = {"object": "embedding", "index": 0, "embedding": [0.5, 0.25]}
    return {"object": "list", "data": [row], "model": body["model"], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


SHAPES = {"/chat/completions": _chat, "/messages": _messages, "/responses": _responses}
