"""Two agents that refund what a customer asks for: one pays from arguments that broke off, its repaired twin does not.

They differ in one function, which tells when a streamed message may be acted upon. They know nothing of squall: the
client is Anthropic's own, and `run` carries out a tool that `tools` describes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from anthropic import Anthropic
from anthropic.lib.streaming import MessageStream
from anthropic.types import Message, MessageParam

ATTEMPTS = 4
UNSURE = "I could not reach a decision. A colleague will look into it."

Read = Callable[[MessageStream], Message]
Run = Callable[[str, dict[str, Any]], Any]


class Incomplete(Exception):
    """The stream ended before the message did."""


def trusting_agent(wish: str, tools: Any, run: Run) -> str:
    """The bug: `get_final_message()` gives what has arrived, and the SDK closes any brackets that are still open."""
    return work(wish, tools, run, lambda stream: stream.get_final_message())


def checking_agent(wish: str, tools: Any, run: Run) -> str:
    """Acts when the message says that it is complete, and when the arguments are JSON as they came."""
    return work(wish, tools, run, whole_message)


def whole_message(stream: MessageStream) -> Message:
    arguments: dict[int, str] = {}
    for event in stream:
        if event.type == "content_block_start" and event.content_block.type == "tool_use":
            arguments[event.index] = ""
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            arguments[event.index] += event.delta.partial_json
    message = stream.get_final_message()
    if message.stop_reason not in {"end_turn", "tool_use"}:
        raise Incomplete(message.stop_reason)
    for text in arguments.values():
        try:
            json.loads(text or "{}")  # a call without arguments sends no text
        except json.JSONDecodeError as error:
            raise Incomplete(text) from error
    return message


def work(wish: str, tools: Any, run: Run, read: Read) -> str:
    """The loop of any agent: ask, do what the model wants done, tell it what came of that, until it only talks."""
    messages: list[MessageParam] = [{"role": "user", "content": wish}]
    with Anthropic() as client:
        while True:
            try:
                message = ask(client, messages, tools, read)
            except Incomplete:
                return UNSURE
            calls = [block for block in message.content if block.type == "tool_use"]
            if not calls:
                return "".join(block.text for block in message.content if block.type == "text")
            messages.append({"role": "assistant", "content": message.content})
            results = [(call.id, run(call.name, call.input)) for call in calls]
            messages.append(
                {
                    "role": "user",
                    "content": [
                        {"type": "tool_result", "tool_use_id": id, "content": json.dumps(result)}
                        for id, result in results
                    ],
                }
            )


def ask(client: Anthropic, messages: list[MessageParam], tools: Any, read: Read) -> Message:
    """One step of the model; nothing has been done yet, so that it is safe to ask again."""
    for left in reversed(range(ATTEMPTS)):
        try:
            with client.messages.stream(
                model="claude-sonnet-5-5", max_tokens=1_000, messages=messages, tools=tools
            ) as stream:
                return read(stream)
        except Incomplete:
            if not left:
                raise
    raise AssertionError("never reached")
