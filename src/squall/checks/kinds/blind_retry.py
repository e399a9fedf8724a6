"""`blind_retry`: a write of which nobody knows whether it took effect is simply made again.

Fires where a write failed without an answer (a timeout, a lost connection, 5xx) and the next call in its conversation
with the same key arguments repeats it, with no read in between, and without one idempotency key on both. What a write
is, is known from a ledger or `mutates=`, and guessed from the tool's name else.

Not: where a read came in between; where both carry the same key; where the error says that nothing happened (a clean
refusal, 4xx, a rate limit, 503 with an instruction to come back); where doing it twice is no more than doing it once.
"""

from __future__ import annotations

import re

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.recovery import writes
from squall.checks.repeats import is_settled, write_key
from squall.checks.story import Conversation, ToolStep, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

SERVER, REFUSES = 500, (501, 505)
UNSURE = re.compile(
    r"time(?:d|s)? ?-?out|connection (?:\w+ )?(?:lost|reset|closed|aborted|dropped|error)"
    r"|no (?:reply|response|answer)"
    r"|broken pipe|remote ?protocol|read ?error|disconnect|internal server error|bad gateway|gateway"
    r"|\b50[0234]\b|the caller gave up",
    re.IGNORECASE,
)
CERTAIN = re.compile(
    r"rate.?limit|too many requests|\b4\d\d\b|retry.?after|connection refused|invalid|not found", re.IGNORECASE
)


class BlindRetry:
    """See the module."""

    name = "blind_retry"
    default: Mode = "warn"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge the calls of each conversation in order."""
        for conversation in story_of(trace).conversations:
            found = _blind(conversation)
            if found is not None:
                first, second = found
                error = showing.quoted(first.error or first.text)
                said = f"step {first.step}: {showing.call(first)} may have taken effect ({error})"
                again = f"step {second.step} makes it again without a look in between and without one idempotency key"
                return fired(self.name, [said, again], second.step)
        return passed(self.name)


def _blind(conversation: Conversation) -> tuple[ToolStep, ToolStep] | None:
    unsure: dict[tuple[str, str], ToolStep] = {}
    for step in conversation.tools:
        if not writes(step):
            if step.answered:
                unsure.clear()
            continue
        remembered = _is_unsure(step) and not is_settled(step.tool)
        if not (unsure or remembered):
            continue
        key = write_key(step)
        first = unsure.pop(key, None)
        if first is not None and (step.key is None or step.key != first.key):
            return first, step
        if remembered:
            unsure[key] = step
    return None


def _is_unsure(step: ToolStep) -> bool:
    if step.failed is None:
        return False
    if step.status is not None:
        return step.status >= SERVER and step.status not in REFUSES and not CERTAIN.search(step.error or "")
    told = step.error or step.text
    return bool(UNSURE.search(told)) and not CERTAIN.search(told)


CHECK = BlindRetry()
