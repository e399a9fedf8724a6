"""`retry_amplification`: one call of a model becomes more requests on the wire than `max_attempts`.

Retries multiply: those of an SDK, times those of a framework, times those of the agent. Fires where the requests of one
logical call are more than `max_attempts`. A request that is made again unchanged after a failure belongs to the call
before it.

Not: many calls that each get their answer; a request that is made anew because its reply was of no use.
"""

from __future__ import annotations

from squall.checks.options import Options
from squall.checks.story import Conversation, Turn, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace


class RetryAmplification:
    """See the module."""

    name = "retry_amplification"
    default: Mode = "warn"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Count the attempts of each logical call."""
        for conversation in story_of(trace).conversations:
            for turns in _logical(conversation):
                attempts = sum(turn.attempts for turn in turns)
                if attempts > options.max_attempts:
                    calls = "" if len(turns) == 1 else f" ({len(turns)} calls of the SDK, each with its own retries)"
                    said = f"step {turns[0].step}: {attempts} requests on the wire for one call of "
                    return fired(self.name, f"{said}{turns[0].model or 'a model'}{calls}", turns[0].step)
        return passed(self.name)


def _logical(conversation: Conversation) -> list[list[Turn]]:
    """The turns, those that only repeat a failed one with it."""
    found: list[list[Turn]] = []
    for turn in conversation.turns:
        before = found[-1][-1] if found else None
        if before is not None and before.dropped and before.replied and not before.ok and not turn.new:
            found[-1].append(turn)
        else:
            found.append([turn])
    return found


CHECK = RetryAmplification()
