"""`incomplete_stream`: a stream of a reply ends without its terminal event, and is used as if it were complete.

Fires where a streamed reply ended early without an error that the client could see, and the agent neither asked again
nor raised; where it broke with an error, and the conversation goes on from what had come all the same.

Not: where the request was made again, or the agent began again with the same question; where the error left the agent
or the test caught it; where the client itself left early; where the agent's own answer owns up to it, or holds nothing
of what had come.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import may_admit
from squall.checks.recovery import came_out
from squall.checks.story import Conversation, Story, Turn, story_of
from squall.checks.twins import Twins
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

LOWEST = 400


class IncompleteStream:
    """See the module."""

    name = "incomplete_stream"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each reply that was streamed."""
        story = story_of(trace)
        suspects = [turn for turn in story.turns if _ended_early(turn)]
        if not suspects:
            return passed(self.name)
        twins = Twins(story)
        for turn in suspects:
            conversation = story.conversations[turn.conversation - 1]
            if _was_used(turn, conversation, story, twins) and not came_out(story, conversation, turn.step):
                what = f" ({showing.quoted(turn.error)})" if turn.error else ""
                had = showing.call(turn.uses[-1]) if turn.uses else showing.quoted(turn.text[-60:])
                said = f"step {turn.step}: the stream ended without its terminal event{what}, after {had}"
                return fired(self.name, f"{said}, and was used as if it were complete", turn.step)
        return passed(self.name)


def _ended_early(turn: Turn) -> bool:
    begun = turn.status is None or turn.status < LOWEST
    return turn.streamed and turn.replied and begun and not (turn.complete or turn.disconnected or turn.dropped)


def _was_used(turn: Turn, conversation: Conversation, story: Story, twins: Twins) -> bool:
    last = conversation.last
    if last is not None and last.step > turn.step:
        return True
    if turn.error is not None or conversation.again is not None or twins.answered(conversation, turn.step):
        return False
    answer = story.answer
    if answer is None:
        return True
    return not may_admit(answer) and turn.text.strip() in answer


CHECK = IncompleteStream()
