"""What a strategy of your own is written with: its result, what it has in its hands, and the parts of `resilient`.

    from squall.strategies import Env, Result, Task, key_for, with_retries

A door like `squall` itself, for those who write strategies; nothing inside the package imports it. How to write one,
and which fault each part answers, is in docs/strategies.md.
"""

from __future__ import annotations

from squall.runs.scenario.task import Step, Task
from squall.runs.strategies.env import BrokenStream, Env, Found, Memory
from squall.runs.strategies.recovery import (
    Done,
    ErrorInside,
    Unfinished,
    ambiguous,
    found_first,
    found_row,
    fresh_memory,
    key_for,
    no_error_inside,
    pause,
    whole_reply,
    with_retries,
    within,
    worth_trying_again,
)
from squall.runs.strategies.resilient import Resilient
from squall.runs.strategies.strategy import Result, Strategy
from squall.runs.strategies.talking import ModelError, Reply, Talk, ToolCall

__all__ = [
    "BrokenStream",
    "Done",
    "Env",
    "ErrorInside",
    "Found",
    "Memory",
    "ModelError",
    "Reply",
    "Resilient",
    "Result",
    "Step",
    "Strategy",
    "Talk",
    "Task",
    "ToolCall",
    "Unfinished",
    "ambiguous",
    "found_first",
    "found_row",
    "fresh_memory",
    "key_for",
    "no_error_inside",
    "pause",
    "whole_reply",
    "with_retries",
    "within",
    "worth_trying_again",
]
