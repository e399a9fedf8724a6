"""`bad_tool_call`: the model calls a tool as it cannot be called, and does not mend it.

Fires where a call names a tool that its own request did not offer, has arguments that are no JSON object, or has
arguments that do not fit the tool's schema.

Not: where a later reply of the conversation mends it with a good call (of the same tool; of any tool, where the name
was wrong); where the reply was thrown away and asked for again, or the whole conversation was, with the same question;
where arguments that do not fit were taken all the same, and a hook saw the call work; where nobody knows what was
offered; what only a schema that is none, or one elsewhere, could tell; where the reply itself broke off
(`incomplete_stream`'s business); where the agent raised over it, also where the test expected that.
"""

from __future__ import annotations

from collections.abc import Mapping

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.recovery import came_out
from squall.checks.schemas import Schema, misfit
from squall.checks.story import NOT_JSON, Conversation, Turn, Use, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.errors import nearest
from squall.trace import Trace

ANY = None
"""Whose good call mends a call of a tool that there is not: that of any."""


class BadToolCall:
    """See the module."""

    name = "bad_tool_call"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each call that a model asked for."""
        reasons: list[str] = []
        step = None
        story = story_of(trace)
        for conversation in story.conversations:
            for turn, reason in () if conversation.given_up else _unmended(conversation):
                if came_out(story, conversation, turn.step):
                    continue
                reasons.append(f"step {turn.step}: {reason}")
                step = turn.step if step is None else min(step, turn.step)
        return fired(self.name, reasons, step) if reasons else passed(self.name)


def _unmended(conversation: Conversation) -> list[tuple[Turn, str]]:
    """The bad calls that no later good one mends, latest first read and then put in order."""
    worked = {id(step.use) for step in conversation.tools if step.hook and step.succeeded}
    good: set[str | None] = set()
    found: list[tuple[Turn, str]] = []
    for turn in reversed(conversation.turns):
        mended: set[str | None] = set()
        for use in reversed(turn.uses if turn.ok and turn.complete and not turn.dropped else ()):
            problem = _problem(use, turn.offered)
            if problem is None or (id(use) in worked and use.arguments is not NOT_JSON and _is_offered(use, turn)):
                mended |= {use.name, ANY}
            elif (use.name if _is_offered(use, turn) else ANY) not in good:
                found.append((turn, problem))
        good |= mended
    return found[::-1]


def _is_offered(use: Use, turn: Turn) -> bool:
    return turn.offered is None or use.name in turn.offered


def _problem(use: Use, offered: Mapping[str, Schema | None] | None) -> str | None:
    """What is wrong with a call."""
    if offered is not None and use.name not in offered:
        close = nearest(use.name, offered)
        there = f"did it mean {close!r}?" if close else f"there were {', '.join(offered) or 'none'}"
        return f"{use.name} is no tool that this request offers, {there}"
    if use.free:
        return None
    if use.arguments is NOT_JSON:
        return f"the arguments of {use.name} are no JSON: {showing.quoted(use.raw)}"
    if not isinstance(use.arguments, Mapping):
        return f"the arguments of {use.name} are no object: {showing.quoted(use.raw)}"
    schema = None if offered is None else offered.get(use.name)
    wrong = None if schema is None else misfit(use.arguments, schema)
    return None if wrong is None else f"{showing.call(use)} does not fit the schema of the tool: {wrong}"


CHECK = BadToolCall()
