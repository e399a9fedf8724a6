"""What happened in a run's other processes, told as a part of the run. Knows traces; starts and asks nobody."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from squall.trace import Trace
from squall.trace.kinds import RunEnd, RunStart


def told(traces: Iterable[Trace], calls: int) -> Iterator[Any]:
    """The events of one process after another, but for how each began and ended.

    Each process counts its calls from 1; here they go on from the `calls` that there were before.
    """
    for trace in traces:
        most = calls
        for _, event in trace:
            if isinstance(event, RunStart | RunEnd):
                continue
            number = getattr(event, "call", None)
            if number:  # 0 and None stand for what is no call
                event = replace(event, call=calls + number)
                most = max(most, calls + number)
            yield event
        calls = most
