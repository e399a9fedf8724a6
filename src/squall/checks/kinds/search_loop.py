"""`search_loop`: the agent goes on looking, finds little, and never answers.

Fires where the last stretch of a conversation (from the last word of the user on) has at least `loop_min_steps` calls
of tools, at least half of their results are empty, and no answer follows: its last turn says nothing, or calls again.

Not: where there is an answer, whatever it says; where the agent began again with the same question (the next try is
judged); where the empty results are those of writes (a deletion gives nothing back) or failures (which are other
checks' business); where no model was seen, since then nobody knows of an answer.
"""

from __future__ import annotations

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.story import Conversation, Story, ToolStep, story_of, stretches_of
from squall.checks.story.naming import seems_to_write
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace


class SearchLoop:
    """See the module."""

    name = "search_loop"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge each conversation by its last stretch."""
        story = story_of(trace)
        for conversation in story.conversations:
            tools = stretches_of(conversation)[-1].tools
            results = [step for step in tools if step.answered]
            empty = [step for step in results if _found_nothing(step)]
            enough = len(tools) >= options.loop_min_steps and 2 * len(empty) >= len(results) > 0
            if enough and not conversation.given_up and _has_no_answer(conversation, story):
                last = tools[-1]
                said = f"{len(tools)} calls of tools and no answer, {len(empty)} of {len(results)} results were empty"
                return fired(self.name, [said, f"the last was step {last.step}: {showing.call(last)}"], last.step)
        return passed(self.name)


def _found_nothing(step: ToolStep) -> bool:
    writes = step.mutates if step.mutates is not None else seems_to_write(step.tool)
    return step.empty and not writes


def _has_no_answer(conversation: Conversation, story: Story) -> bool:
    last = conversation.last
    if last is None or not last.ok or (story.answer or "").strip():
        return False
    return last.silent or bool(last.uses)


CHECK = SearchLoop()
