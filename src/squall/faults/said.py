"""Changing what a model says: a reply cut short, one of its calls made another. Knows no kind of fault."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from squall.call import Reply, ToolUse
from squall.faults.kind import Draw


def with_one_call(reply: Reply, draw: Draw, edit: Callable[[ToolUse], ToolUse | None]) -> Reply | None:
    """`reply` with one of its calls edited, the drawn one or else the next that can be; None where none can."""
    start = int(draw("call") * len(reply.calls))
    for place in (*range(start, len(reply.calls)), *range(start)):
        call = edit(reply.calls[place])
        if call is not None:
            return replace(reply, calls=(*reply.calls[:place], call, *reply.calls[place + 1 :]))
    return None


def cut_short(reply: Reply, keep: float) -> Reply | None:
    """The first `keep` (a share) of the text and, after it, of the calls' arguments; None of what says nothing."""
    text = reply.text or ""
    whole = len(text) + sum(len(call.arguments) for call in reply.calls)
    if not whole:
        return None
    rest = int(whole * keep)
    kept, rest = text[:rest], rest - len(text)
    calls: list[ToolUse] = []
    for call in reply.calls:
        if rest > 0:
            calls.append(replace(call, arguments=call.arguments[:rest]))
            rest -= len(call.arguments)
    return replace(reply, text=None if reply.text is None and calls else kept, calls=tuple(calls), finish="length")
