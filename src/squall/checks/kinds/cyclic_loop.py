"""`cyclic_loop`: the agent goes round in a circle of calls, A-B-A-B, and learns nothing.

Fires where two to `LONGEST` calls, not all the same, come again in the same order with the same arguments and the same
results, `cycle_threshold` times in a row within one stretch of a conversation. Results are compared with time stamps,
counters and ids masked.

Not: where a result differs (a poll that progresses); where a write that succeeded lies in between, so that looking
again has a reason; where a tool that waits is in the circle; where the user asks again. One call alone, again and
again, is `repeated_tool_call`'s business.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.recovery import writes
from squall.checks.story import ToolStep, story_of, stretches_of
from squall.checks.story.naming import words_of
from squall.checks.story.sameness import call_key, result_key
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

LONGEST = 6
WAITS = frozenset(("wait", "sleep", "delay", "pause", "poll"))
Key = tuple[tuple[str, str], str]


class CyclicLoop:
    """See the module."""

    name = "cyclic_loop"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each stretch of each conversation."""
        for conversation in story_of(trace).conversations:
            for stretch in stretches_of(conversation):
                found = _circle(stretch.tools, options.cycle_threshold)
                if found is not None:
                    start, length = found
                    circle = stretch.tools[start : start + length]
                    last = stretch.tools[start + length * options.cycle_threshold - 1]
                    calls = " → ".join(showing.call(step) for step in circle)
                    said = f"{calls}, {options.cycle_threshold} times in a row with the same results"
                    return fired(self.name, f"{said} (steps {circle[0].step} to {last.step})", last.step)
        return passed(self.name)


def _circle(tools: tuple[ToolStep, ...], threshold: int) -> tuple[int, int] | None:
    """Where a circle begins and how long it is, of the shortest and first."""
    if len(tools) < 2 * threshold:
        return None
    calls = [call_key(step) for step in tools]
    often = _repeated(calls, threshold)
    keys = [
        (call, result_key(step)) if call in often and _counts(step) else None
        for call, step in zip(calls, tools, strict=True)
    ]
    for length in range(2, LONGEST + 1):
        same = 0
        for place in range(length, len(keys)):
            same = same + 1 if keys[place] is not None and keys[place] == keys[place - length] else 0
            if same == length * (threshold - 1):
                start = place + 1 - length * threshold
                if len(set(keys[start : start + length])) > 1:
                    return start, length
                same -= 1
    return None


def _repeated(calls: list[tuple[str, str]], threshold: int) -> set[tuple[str, str]]:
    counted: dict[tuple[str, str], int] = {}
    for call in calls:
        counted[call] = counted.get(call, 0) + 1
    return {call for call, times in counted.items() if times >= threshold}


def _counts(step: ToolStep) -> bool:
    wrote = step.succeeded and (step.effects > 0 or writes(step))
    return step.answered and not wrote and not WAITS & words_of(step.tool)


CHECK = CyclicLoop()
