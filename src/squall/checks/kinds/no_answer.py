"""`no_answer`: a conversation ends without an answer.

Fires where the last turn of a conversation came, and is empty, was filtered, was refused, or ends on a call of a tool.

Not: where the last call is of a tool by which agents end (`terminal_tools`, and those that frameworks end with), or the
request forced a call, so that nothing else could come; where the agent gave an answer back itself (`agent_final`), or
ended by an exception; where the reply was an error or was cut (other checks' business); where the provider ran tools of
its own, whose result is the answer (a picture); where it goes on in the background; where the agent began again with
the same question, so that the next try has to have the answer; a call after which a history is begun anew that quotes
the user's question, as summaries do; a reply that was filtered or refused, where the same is asked again afterwards, in
the user's words or in others that are mostly his, and answered.
"""

from __future__ import annotations

import re

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.story import Conversation, Story, Turn, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

TELLING = 12
"""Characters of a question that is not found in a text by chance."""
UNWILLING = ("content_filter", "refusal")
WORD = re.compile(r"[^\W\d_]{4,}|\d+")
LEAST_ALIKE, MOSTLY = 3, 0.6
TERMINAL = (
    "final_result",  # pydantic-ai
    "final_answer",  # smolagents
    "json_tool_call",  # litellm
    "attempt_completion",
    "complete_task",
    "task_complete",
    "submit",
    "submit_answer",
    "finish",
    "transfer_to_human",
    "transfer_to_human_agents",
)
"""Tools by whose call agents end, in frameworks and in public benchmarks; `final_result_Order` is one as well."""


class NoAnswer:
    """See the module."""

    name = "no_answer"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge how each conversation ends."""
        story = story_of(trace)
        if story.errors:
            return passed(self.name)
        answered = bool((story.answer or "").strip())
        for conversation in story.conversations:
            why = _missing(conversation, story, options, answered=answered)
            if why is not None and conversation.last is not None:
                return fired(self.name, why, conversation.last.step)
        return passed(self.name)


def _missing(conversation: Conversation, story: Story, options: Options, *, answered: bool) -> str | None:
    """Why a conversation has no answer."""
    last = conversation.last
    if last is None or not last.ok or not last.complete or last.disconnected or conversation.again is not None:
        return None
    at = f"the last reply (step {last.step})"
    if last.finish in UNWILLING and _is_asked_again(conversation, last, story):
        return None
    if last.finish == "content_filter":
        return f"{at} was stopped by a content filter"
    if last.finish == "refusal":
        return f"{at} is a refusal: {showing.quoted(last.text)}" if last.text else f"{at} is a refusal"
    if answered:
        return None
    if last.uses:
        ends = _may_end(last, options) or _is_taken_up(conversation, last, story)
        return None if ends else f"{at} ends on a call: {showing.call(last.uses[-1])}"
    return f"{at} is empty" if last.silent and not last.hosted and last.finish != "pause" else None


def _may_end(turn: Turn, options: Options) -> bool:
    if turn.choice not in ("auto", "none"):
        return True
    return any(use.name in options.terminal_tools or use.name.startswith(TERMINAL) for use in turn.uses)


def _is_taken_up(conversation: Conversation, last: Turn, story: Story) -> bool:
    """Whether a later conversation begins with more than the user's words, and with these among them."""
    asked = conversation.users[-1].strip() if conversation.users else ""
    if len(asked) < TELLING:
        return False
    later = (each for each in story.conversations if each.turns and each.turns[0].step > last.step)
    return any(asked in text and asked != text.strip() for each in later for text in each.users)


def _is_asked_again(conversation: Conversation, last: Turn, story: Story) -> bool:
    """Whether a later conversation asks the same, as the same agent or in the same words, and has an answer."""
    if not conversation.users:
        return False
    said = conversation.users[-1]
    for each in story.conversations:
        if each.turns and each.turns[0].step > last.step and each.users and _answers(each.last):
            is_same = said in each.users
            if is_same or (each.system == conversation.system and _is_alike(said, each.users[-1])):
                return True
    return False


def _answers(last: Turn | None) -> bool:
    return last is not None and last.ok and last.complete and last.finish not in UNWILLING and bool(last.text.strip())


def _is_alike(one: str, other: str) -> bool:
    """Whether two questions have most of their longer words in common, and are about the same numbers."""
    first, second = _words(one), _words(other)
    if {*filter(str.isdigit, first)} != {*filter(str.isdigit, second)}:
        return False
    return len(first & second) >= max(LEAST_ALIKE, min(len(first), len(second)) * MOSTLY)


def _words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


CHECK = NoAnswer()
