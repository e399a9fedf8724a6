"""`repeated_tool_call` (also `repeated_call`): the same call, again and again, with the same result.

Fires where one tool is called with the same arguments and gives the same result `repeat_threshold` times in one stretch
of a conversation (between two words of the user). Results are compared with time stamps, counters and ids masked.

Not: a poll that progresses in the end (the last result differs from the repeated one); a tool that waits, and
looking again when it has waited; reads with a successful write of something else between them, which are done to look
again; retries by the agent's own code, without a model, of what failed for a moment (408, 425, 429,
5xx, no reply): those are `retry_amplification`'s business.
"""

from __future__ import annotations

from collections import Counter

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.story import ToolStep, story_of, stretches_of
from squall.checks.story.naming import seems_to_write, words_of
from squall.checks.story.sameness import call_key, result_key
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

WAITS = frozenset(("wait", "sleep", "delay", "pause"))
PASSING = frozenset((408, 425, 429))
SERVER = 500


class RepeatedToolCall:
    """See the module."""

    name = "repeated_tool_call"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each stretch of each conversation."""
        for conversation in story_of(trace).conversations:
            for stretch in stretches_of(conversation):
                found = _repeated(stretch.tools, options.repeat_threshold)
                if found:
                    said = f"{showing.call(found[0])} gave the same result {len(found)} times"
                    where = f"{showing.steps([step.step for step in found])}"
                    return fired(self.name, f"{said} ({where})", found[options.repeat_threshold - 1].step)
        return passed(self.name)


def _repeated(tools: tuple[ToolStep, ...], threshold: int) -> list[ToolStep]:
    """The first call that was repeated without end: its steps with the same result."""
    often = {call for call, times in Counter(map(call_key, tools)).items() if times >= threshold}
    same: dict[tuple[str, str], list[ToolStep]] = {}
    results: dict[tuple[str, str], str] = {}
    found: list[list[ToolStep]] = []
    for step in tools:
        if not step.answered or _is_retry_by_code(step):
            continue
        if WAITS & words_of(step.tool):
            found += [steps for steps in same.values() if len(steps) >= threshold]
            same = {}
            results = {}
            continue
        if _wrote(step):
            found += [steps for steps in same.values() if len(steps) >= threshold and steps[0].tool != step.tool]
            same = {known: steps for known, steps in same.items() if known[0] == step.tool}
        call = call_key(step)
        if call not in often:
            continue
        result = result_key(step)
        if results.get(call) != result:
            same[call] = []
        results[call] = result
        same.setdefault(call, []).append(step)
    found += [steps for steps in same.values() if len(steps) >= threshold]
    return min(found, key=lambda steps: steps[threshold - 1].step, default=[])


def _wrote(step: ToolStep) -> bool:
    """Whether it changed something, as far as anybody can tell: then looking again has a reason."""
    writes = step.mutates if step.mutates is not None else seems_to_write(step.tool)
    return step.succeeded and (step.effects > 0 or bool(writes))


def _is_retry_by_code(step: ToolStep) -> bool:
    passing = step.status is not None and (step.status in PASSING or step.status >= SERVER)
    return step.turn is None and step.failed is not None and (passing or step.failed == "exception")


CHECK = RepeatedToolCall()
