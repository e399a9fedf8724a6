"""An agent played by hand: what it asks, what it is told, what its tools do, as a trace that checks can judge."""

from __future__ import annotations

import json
from itertools import count

import pytest

from squall.trace import Recorder, Trace
from squall.trace.kinds import (
    AgentFinal,
    CaptureIncomplete,
    Effected,
    Mark,
    ModelCall,
    ModelReply,
    ToolCall,
    ToolResult,
)

SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["q"],
    "additionalProperties": False,
}


class Run:
    """One run. `talk()` begins another conversation in it."""

    def __init__(self):
        self.recorder = Recorder("test_it#0", lambda: float(self.time))
        self.time = 0
        self.numbers = count(1)
        self.ids = count(1)

    @property
    def trace(self):
        return Trace([], self.recorder)

    def talk(self, user="find the order", *, system=None, tools=(), **asked):
        return Talk(self, user, system, tools, asked)

    def hook(
        self, tool, args=None, result=None, *, access="read", error=None, form=None, status=None, effects=0, key=None
    ):
        number = next(self.numbers)
        target = f"shop.{tool}"
        self.recorder.record(
            ToolCall(call=number, tool=tool, target=target, access=access, args=args or {}, digest="", nth=1, key=key)
        )
        for rev in range(effects):
            self.recorder.record(Effected(rev=rev + 1, table="t", op="insert", id="1", call=number))
        form = form or ("refused" if error else "value")
        ok = form in ("value", "text")
        self.recorder.record(ToolResult(call=number, ok=ok, form=form, result=result, error=error, status=status))

    def final(self, answer=None, error=None):
        self.recorder.record(AgentFinal(answer=answer, error=error))

    def expected(self, error):
        """The test has caught what left the agent."""
        self.recorder.record(Mark(name="expected_error", data={"error": error}))

    def gap(self, why="a hook broke"):
        self.recorder.record(CaptureIncomplete(why=why))


class Talk:
    """One conversation, in the shape of chat completions. Each reply is asked for first, with all that was said."""

    def __init__(self, run, user, system, tools, asked):
        self.run, self.asked = run, asked
        self.tools = [{"type": "function", "function": {"name": t, "parameters": SCHEMA}} for t in tools]
        self.messages = [{"role": "system", "content": system}] if system else []
        self.user(user)

    def user(self, text):
        self.messages.append({"role": "user", "content": text})
        return self

    def ask(self):
        number = next(self.run.numbers)
        body = {"messages": self.messages, "tools": self.tools, **self.asked}
        asked = self.run.recorder.conversations.take(number, "model.chat", body)
        self.run.recorder.record(
            ModelCall(
                call=number,
                target="model.chat",
                model="m",
                continues=asked.continues,
                messages=asked.messages,
                tools=asked.tools,
                asked=asked.rest,
                stream=bool(self.asked.get("stream")),
            )
        )
        return number

    def reply(self, text=None, uses=(), *, keep=True, call=None, ids=None, **said):
        number = self.ask() if call is None else call
        given = [use if isinstance(use, tuple) else (use, {}) for use in uses]
        raw = [(name, args if isinstance(args, str) else json.dumps(args)) for name, args in given]
        names = ids or [f"call_{next(self.run.ids)}" for _ in raw]
        calls = [{"name": name, "arguments": text, "id": i} for i, (name, text) in zip(names, raw, strict=True)]
        said = {"ok": True, "attempt": 1, "finish": "tool_calls" if calls else "stop"} | said
        self.run.recorder.record(ModelReply(call=number, text=text, calls=calls, **said))
        if keep:
            message = {"role": "assistant", "content": text}
            if calls:
                message["tool_calls"] = [
                    {"id": c["id"], "type": "function", "function": {"name": c["name"], "arguments": c["arguments"]}}
                    for c in calls
                ]
            self.messages.append(message)
        return self

    def says(self, text, **said):
        return self.reply(text, **said)

    def calls(self, *uses, **said):
        return self.reply(None, uses, **said)

    def results(self, *results):
        """The results of the calls of the last reply, in order."""
        uses = next(m["tool_calls"] for m in reversed(self.messages) if m.get("tool_calls"))
        for use, result in zip(uses, results, strict=False):
            text = result if isinstance(result, str) else json.dumps(result)
            self.messages.append({"role": "tool", "tool_call_id": use["id"], "content": text})
        return self

    def uses(self, name, args=None, result="ok"):
        """One call and its result."""
        return self.calls((name, args or {})).results(result)


@pytest.fixture
def run():
    return Run()
