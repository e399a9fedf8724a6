"""`context_overflow`: a reply stops at the token limit, or a request is refused as too long, and nothing corrects it.

Fires where the last reply before the user speaks again (or before the end) was cut by the limit of tokens, or where a
request that was refused as too long is followed by no good one.

Not: where a later reply of the same stretch is whole; where the agent began again with the same question (the next try
is judged); where the model is asked to go on; where the request itself asks for a few tokens only (`FEW`: labels,
probes); where the error left the agent or the test caught it; where the answer that the agent gave back owns up to it;
a rate limit that counts tokens.
"""

from __future__ import annotations

import re

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import may_admit
from squall.checks.recovery import came_out
from squall.checks.story import Conversation, Turn, story_of, stretches_of
from squall.checks.twins import Twins
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

FEW = 16
"""Tokens. Whoever asks for so few wants the reply to stop there."""
RATE_LIMITED, TOO_LARGE = 429, 413
TOO_LONG = re.compile(
    r"context[_ ]?length|context[_ ]?window|maximum context|too many (?:input )?tokens"
    r"|(?:prompt|input|request) is too long"
    r"|reduce the length|exceed\w*.{0,60}(?:context|token)|(?:token|context).{0,40}exceed|string_above_max_length"
    r"|request[_ ]too[_ ]large|input length and .?max_tokens",
    re.IGNORECASE,
)
GO_ON = re.compile(
    r"\b(?:continu\w*|go on|keep going|cut off|truncat\w*|the rest|shorter|left off|resume|finish|incomplete)\b",
    re.IGNORECASE,
)


class ContextOverflow:
    """See the module."""

    name = "context_overflow"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each conversation."""
        story = story_of(trace)
        suspects = [turn for turn in story.turns if _is_cut(turn) or _is_refused(turn)]
        if not suspects or (story.answer is not None and may_admit(story.answer)):
            return passed(self.name)
        twins = Twins(story)
        ends: dict[int, set[int]] = {}
        for turn in suspects:
            conversation = story.conversations[turn.conversation - 1]
            if conversation.number not in ends:
                ends[conversation.number] = _ends(conversation)
            if came_out(story, conversation, turn.step) or (conversation.again and turn is conversation.last):
                continue
            if turn.step in ends[conversation.number] if turn.ok else not twins.answered(conversation, turn.step):
                return fired(self.name, _told(turn), turn.step)
        return passed(self.name)


def _is_cut(turn: Turn) -> bool:
    return turn.ok and turn.finish == "length" and (turn.max_tokens is None or turn.max_tokens > FEW)


def _is_refused(turn: Turn) -> bool:
    if not turn.replied or turn.ok or turn.status == RATE_LIMITED:
        return False
    return turn.status == TOO_LARGE or bool(TOO_LONG.search(turn.error or ""))


def _ends(conversation: Conversation) -> set[int]:
    """The steps of the turns after which nothing more came, until the user said something else."""
    stretches = [stretch.turns for stretch in stretches_of(conversation) if stretch.turns]
    starts = [turns[0] for turns in stretches[1:]]
    ends = {turns[-1].step for turns in stretches[-1:]}
    for turns, start in zip(stretches, starts, strict=False):
        if not any(message.role == "user" and GO_ON.search(message.text) for message in start.new):
            ends.add(turns[-1].step)
    return ends


def _told(turn: Turn) -> str:
    if not turn.ok:
        return f"step {turn.step}: the request was refused as too long ({showing.quoted(turn.error or 'status 413')})"
    limit = "the limit of tokens" if turn.max_tokens is None else f"its limit of {turn.max_tokens} tokens"
    said = f", after {showing.quoted(turn.text[-60:])}" if turn.text.strip() else " before it said anything"
    return f"step {turn.step}: the reply stopped at {limit}{said}, and nothing came after it"


CHECK = ContextOverflow()
