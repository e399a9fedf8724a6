"""`unrecovered_model_error`: a call of a model raises, none like it succeeds later, and the agent carries on.

Fires where a request was refused or came to an error, and neither its conversation nor another one with the same words
of the user has a good reply to a later request.

Not: where the error left the agent, as it is or wrapped, or the test caught it (`expected_error`); where the answer
that the agent gave back owns up to it; where it went to an outer agent as the failure of a tool; where the client left
by itself; where a stream merely ended early (`incomplete_stream`), or the run was over before a reply.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import may_admit
from squall.checks.recovery import came_out
from squall.checks.story import Story, Turn, story_of
from squall.checks.twins import Twins
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

LOWEST = 400


class UnrecoveredModelError:
    """See the module."""

    name = "unrecovered_model_error"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge the end of each conversation."""
        story = story_of(trace)
        failed = [turn for turn in story.turns if _raised(turn)]
        if not failed or (story.answer is not None and may_admit(story.answer)):
            return passed(self.name)
        twins = Twins(story)
        for turn in failed:
            conversation = story.conversations[turn.conversation - 1]
            if twins.answered(conversation, turn.step) or came_out(story, conversation, turn.step):
                continue
            if not _handed_up(story, turn):
                why = turn.error or f"status {turn.status}"
                return fired(
                    self.name,
                    f"step {turn.step}: the call of {turn.model or 'a model'} came to {showing.quoted(why)}, "
                    "no later one succeeded, and the agent carried on",
                    turn.step,
                )
        return passed(self.name)


def _raised(turn: Turn) -> bool:
    if not turn.replied or turn.ok or turn.disconnected:
        return False
    return turn.error is not None or (turn.status or 0) >= LOWEST or not (turn.complete or turn.streamed)


def _handed_up(story: Story, turn: Turn) -> bool:
    """Whether an outer agent was told: a tool that it called before the request failed, or a later text owns up."""
    for step in story.steps:
        if isinstance(step, Turn):
            if step.step > turn.step and step.ok and step.text and may_admit(step.text):
                return True
        elif (
            step.failed is not None and step.conversation != turn.conversation and (step.turn or turn.step) < turn.step
        ):
            return True
    return False


CHECK = UnrecoveredModelError()
