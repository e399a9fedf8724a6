"""`unrecovered_tool_error`: a tool fails, nothing makes up for it, and the answer does not say so.

Fires where a call failed, the same tool never worked later for the same thing (the arguments that name one: ids,
paths, addresses; all of them, where none does), no other tool took its place, the agent answered after it, and no later
text of it admits a failure or turns to the user.

Not: where the agent came to no answer and began again with the same question (the next try is judged; calls that worked
in it count as later ones); where arguments were to blame and later ones put it right; where another tool of the same
kind was used instead, or a person, or one that made what was not there; where the error left the agent, as it is or
wrapped, or the test caught it (`expected_error`); where a person said no to the call, or its caller gave up; where
nobody knows of an answer. Words only ever hold it back: text that is not English, and any sentence that may admit
something, count as admissions.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import may_admit
from squall.checks.recovery import Later, came_out, is_failure, next_tries
from squall.checks.story import Conversation, Story, ToolStep, Turn, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

MOST = 5
"""Failures that are told one by one."""


class UnrecoveredToolError:
    """See the module."""

    name = "unrecovered_tool_error"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each conversation from its end."""
        story = story_of(trace)
        if story.answer is not None and may_admit(story.answer):
            return passed(self.name)
        for conversation in story.conversations:
            found = _hidden(story, conversation)
            if found:
                reasons = [_told(step, answer) for step, answer in found[:MOST]]
                if len(found) > MOST:
                    reasons.append(f"and {len(found) - MOST} more")
                return fired(self.name, reasons, found[0][0].step)
        return passed(self.name)


def _hidden(story: Story, conversation: Conversation) -> list[tuple[ToolStep, str]]:
    """The failures that nothing made up for, each with the answer that came after it."""
    if conversation.given_up or not any(step.failed is not None for step in conversation.tools):
        return []
    later = Later(next_tries(story, conversation))
    answer = story.answer if story.answer is not None and len(story.conversations) == 1 else None
    found: list[tuple[ToolStep, str]] = []
    for step in reversed(conversation.steps):
        if isinstance(step, Turn):
            if step.text.strip() and not step.dropped:
                if may_admit(step.text):
                    break
                answer = step.text if answer is None and not step.uses else answer
        elif step.succeeded:
            later.add(step)
        elif is_failure(step) and answer is not None and not later.mends(step) and not later.replaces(step):
            found.append((step, answer))
    return [(step, said) for step, said in reversed(found) if not came_out(story, conversation, step.step)]


def _told(step: ToolStep, answer: str) -> str:
    error = showing.quoted(step.error or step.text)
    return f"step {step.step}: {showing.call(step)} failed with {error}, and the answer says {showing.quoted(answer)}"


CHECK = UnrecoveredToolError()
