"""What judging a run costs, by its length: reading it as a story, and all checks over it.

Two kinds of runs: one of an agent for whom everything works, and the worst one, where every call fails, each text must
be read, and nothing is ever found. Seconds are of CPU time; the trace is new in each round, since a story is kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from _table import Figure, at_most, median, plain, show, turns

from squall.checks import Settings, judge
from squall.checks.registry import names
from squall.trace import Recorder, Trace
from squall.trace.kinds import ModelCall, ModelReply, ToolCall, ToolResult

LENGTHS = (100, 400, 1600)
LIMIT_MS = 30.0
MOST_TIMES = 6.0
"""Four times the turns may take so many times as long: quadratic would be sixteen."""
ROUNDS = 7
ALL = Settings(only=tuple(names()))
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}
    for name in ("get_order", "charge_card")
]
ORDER = {"id": 1, "status": "placed", "items": [{"sku": "a-1", "price": 9.5}, {"sku": "b-2", "price": 3.25}]}


class Run:
    """A run of an agent: each turn calls a tool, the last one answers."""

    def __init__(self, length: int, *, bad: bool) -> None:
        self.recorder = Recorder("bench#0", lambda: 0.0)
        self.bad = bad
        self.messages: list[dict[str, Any]] = [{"role": "user", "content": "Where are my orders?"}]
        for number in range(1, length):
            self.turn(number)
        self.reply(length, "They are all on their way and arrive on Friday.", [])

    def turn(self, number: int) -> None:
        """A call of a tool, and what comes of it."""
        name, args = ("charge_card" if self.bad else "get_order"), {"order_id": str(number)}
        raw = json.dumps(args)
        uses = [{"name": name, "arguments": raw, "id": f"c{number}"}]
        self.reply(number, f"Here goes the {number}th." if self.bad else None, uses)
        tool = 1_000_000 + number
        call = ToolCall(call=tool, tool=name, target=f"shop.{name}", access="", args=args, digest="", nth=1)
        self.recorder.record(call)
        text = "Error: boom" if self.bad else json.dumps(ORDER | {"id": number})
        if self.bad:
            self.recorder.record(ToolResult(call=tool, ok=False, form="crashed", error=text))
        else:
            self.recorder.record(ToolResult(call=tool, ok=True, form="value", result=ORDER | {"id": number}))
        function = {"name": name, "arguments": raw}
        said = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}
        self.messages += [said, {"role": "tool", "tool_call_id": f"c{number}", "content": text}]

    def reply(self, number: int, text: str | None, uses: list[dict[str, Any]]) -> None:
        """A request with all that was said, and what the model says to it."""
        asked = self.recorder.conversations.take(number, "model.chat", {"messages": self.messages, "tools": TOOLS})
        call = ModelCall(
            call=number,
            target="model.chat",
            model="m",
            continues=asked.continues,
            messages=asked.messages,
            tools=asked.tools,
        )
        self.recorder.record(call)
        finish = "tool_calls" if uses else "stop"
        self.recorder.record(ModelReply(call=number, attempt=1, ok=True, text=text, calls=uses, finish=finish))


def judging(run: Run) -> Callable[[], object]:
    return lambda: judge(Trace(run.recorder.lines), ALL)


def figures(title: str, *, bad: bool) -> list[Figure]:
    runs = [Run(length, bad=bad) for length in LENGTHS]
    took = [1000 * median(times) for times in turns(*(judging(run) for run in runs), rounds=ROUNDS)]
    found = []
    for length, ms in zip(LENGTHS, took, strict=True):
        name = f"{title}, {length} turns"
        found.append(at_most(name, ms, LIMIT_MS, "ms") if length == 400 else plain(name, ms, "ms"))
    return [*found, at_most(f"{title}, 1600 turns against 400", took[2] / took[1], MOST_TIMES, "times")]


def main() -> None:
    rows = figures("all goes well", bad=False) + figures("every call fails", bad=True)
    show(f"Judging a run by all {len(names())} checks", rows)


if __name__ == "__main__":
    main()
