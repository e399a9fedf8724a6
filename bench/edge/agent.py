"""The agents of the cases: the plain loops that people write, over each SDK. They are as good as their case wants them.

Knows no case and no check. `tool` is the decorator of whichever tool watches.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from edge.stage import Stage

OPEN: dict[str, Any] = {"type": "object", "properties": {}}
MODEL = "m"
Function = Callable[..., object]


class Use(NamedTuple):
    """A call that the model asks for; `arguments` are its text."""

    id: str
    name: str
    arguments: str


class Said(NamedTuple):
    """What the model said."""

    text: str
    uses: list[Use]
    finish: str


def tool(name: str, fn: Function, *, mutates: bool | None = None, key: str | None = None) -> Function:
    """`fn` as the tool called `name`, known to whichever watches: only squall asks what it changes."""
    watched: Function
    try:
        squall = importlib.import_module("squall")
    except ImportError:
        watched = importlib.import_module("faultgate_zero").tool(name=name)(fn)
    else:
        watched = squall.tool(name=name, mutates=mutates, idempotency_key=key)(fn)
    return watched


class Chat:
    """OpenAI's chat completions."""

    def __init__(self, stage: Stage, user: str, tools: Mapping[str, Any] | Iterable[str] = (), **asked: Any) -> None:
        self.client: Any = asked.pop("client", None) or stage.openai(**asked.pop("options", {}))
        schemas = tools if isinstance(tools, Mapping) else dict.fromkeys(tools, OPEN)
        self.asked: dict[str, Any] = {"model": MODEL, **asked}
        if schemas:
            self.asked["tools"] = [
                {"type": "function", "function": {"name": name, "parameters": schema}}
                for name, schema in schemas.items()
            ]
        self.messages: list[Any] = [{"role": "user", "content": user}]

    def says(self, text: str) -> None:
        """The user goes on."""
        self.messages.append({"role": "user", "content": text})

    def ask(self, **more: Any) -> Said:
        """One request."""
        reply = self.client.chat.completions.create(messages=self.messages, **self.asked, **more)
        choice = reply.choices[0]
        self.messages.append(choice.message.model_dump(exclude_none=True))
        uses = [Use(each.id, each.function.name, each.function.arguments) for each in choice.message.tool_calls or ()]
        return Said(choice.message.content or "", uses, choice.finish_reason)

    def stream(self) -> str:
        """One request, streamed; the text that came."""
        text = ""
        for chunk in self.client.chat.completions.create(messages=self.messages, stream=True, **self.asked):
            text += chunk.choices[0].delta.content or ""
        self.messages.append({"role": "assistant", "content": text})
        return text

    def result(self, use: Use, value: object) -> None:
        """What came of a call."""
        text = value if isinstance(value, str) else json.dumps(value)
        self.messages.append({"role": "tool", "tool_call_id": use.id, "content": text})

    def work(self, tools: Mapping[str, Any] | None = None, steps: int = 20) -> str:
        """Ask and call until there is an answer, or `steps` requests have been made; the last text.

        `tools` are functions, or the results of their calls in order.
        """
        given = {name: value if callable(value) else iter(value) for name, value in (tools or {}).items()}
        said = Said("", [], "")
        for _ in range(steps):
            said = self.ask()
            for use in said.uses:
                self.result(use, _called(given[use.name], use))
            if not said.uses:
                break
        return said.text


class Messages(Chat):
    """Anthropic's messages."""

    def __init__(self, stage: Stage, user: str, tools: Iterable[str] = (), **asked: Any) -> None:
        super().__init__(stage, user, (), client=stage.anthropic(), max_tokens=1024, **asked)
        if tools:
            self.asked["tools"] = [{"name": name, "input_schema": OPEN} for name in tools]
        self.pending: list[Any] = []

    def ask(self, **more: Any) -> Said:
        """One request, with the results of the calls before it in one message."""
        if self.pending:
            self.messages.append({"role": "user", "content": self.pending})
            self.pending = []
        reply = self.client.messages.create(messages=self.messages, **self.asked, **more)
        self.messages.append({"role": "assistant", "content": [each.model_dump() for each in reply.content]})
        uses = [Use(each.id, each.name, json.dumps(each.input)) for each in reply.content if each.type == "tool_use"]
        text = "".join(each.text for each in reply.content if each.type == "text")
        return Said(text, uses, reply.stop_reason)

    def stream(self) -> str:
        """One request, streamed; the text that came."""
        text = ""
        for event in self.client.messages.create(messages=self.messages, stream=True, **self.asked):
            if event.type == "content_block_delta":
                text += event.delta.text
        return text

    def result(self, use: Use, value: object) -> None:
        """What came of a call; an exception is marked as an error."""
        text = str(value) if isinstance(value, str | Exception) else json.dumps(value)
        block = {"type": "tool_result", "tool_use_id": use.id, "content": text}
        self.pending.append({**block, "is_error": True} if isinstance(value, Exception) else block)


class Responses(Chat):
    """OpenAI's responses."""

    def __init__(self, stage: Stage, user: str, tools: Iterable[str] = (), **asked: Any) -> None:
        super().__init__(stage, user, (), **asked)
        if tools:
            self.asked["tools"] = [
                {"type": "function", "name": name, "parameters": OPEN, "strict": False} for name in tools
            ]

    def ask(self, **more: Any) -> Said:
        """One request."""
        reply = self.client.responses.create(input=self.messages, **self.asked, **more)
        self.messages += [each.model_dump(exclude_none=True) for each in reply.output]
        uses = [Use(each.call_id, each.name, each.arguments) for each in reply.output if each.type == "function_call"]
        return Said(reply.output_text, uses, reply.status)

    def result(self, use: Use, value: object) -> None:
        """What came of a call."""
        text = value if isinstance(value, str) else json.dumps(value)
        self.messages.append({"type": "function_call_output", "call_id": use.id, "output": text})


def _called(given: Any, use: Use) -> object:
    if not callable(given):
        return next(given)
    try:
        return given(**json.loads(use.arguments or "{}"))
    except Exception as error:  # noqa: BLE001 - agents tell the model whatever goes wrong
        return f"Error: {error}"
