"""`announced_not_done`: the agent announces its next step, and stops. English only.

Fires where the last text of a conversation that has tools ends with what the agent is about to do ("I will now cancel
it.", "Let me check.", "One moment please."), and no call follows.

Not: an offer, a condition or a question ("once you confirm, I will …", "let me know"); what will come later by itself
("within 5 days", "I will be happy to"); where the text asks the user for something; where no tool is there to do it
with; where the agent began again with the same question; where the reply was cut, or the agent gave back another
answer.
"""

from __future__ import annotations

import re

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import STOCK, asks, is_english, sentences
from squall.checks.story import Conversation, story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

DOES = (
    r"(?:check|look|search|find|fetch|get|retrieve|process|proceed|cancel|book|rebook|update|create|transfer|calculate"
    r"|verify|pull|open|run|execute|try|call|send|submit|apply|gather|review|investigate|start|begin|continue|issue"
    r"|initiate|change|modify|make|do|complete|finali[sz]e|read|query|examine|analy[sz]e|see|use|add|remove|delete|write"
    r"|edit|fix|refund|order|place|schedule|reserve|inspect|load|compute|determine|confirm|go ahead|connect)"
)
SOON = r"(?:(?:now|first|next|then|just|also|quickly|go ahead and|need to|go and|immediately) )*"
ANNOUNCES = re.compile(
    r"(?:\b(?:i|we)(?: will|['’]ll| am going to|['’]m going to| are going to| am about to| need to)"
    r"|\blet me|\blet['’]s"
    rf"|\bnext, i(?:['’]ll| will)|\bnow i(?:['’]ll| will)) {SOON}{DOES}\b"
    r"|\b(?:one|just a|a) moment\b(?: please)?"
    r"|\b(?:please )?(?:hold on|stand by|bear with me|wait a moment)\b"
    r"|\b(?:i am|i['’]m) (?:now )?"
    r"(?:checking|looking|searching|processing|proceeding|working on|fetching|retrieving)\b",
    re.IGNORECASE,
)
LATER = re.compile(
    r"\b(?:if|once|when|whenever|after|unless|until|as soon as|before|should you|would you|in case|happy to|glad to"
    r"|be able to"
    r"|let me know|tomorrow|within|hours?|days?|weeks?|later|future|keep you|shortly receive|next time|always|not)\b",
    re.IGNORECASE,
)
AT_END = 2
"""Sentences from the end of the text in which an announcement counts."""


class AnnouncedNotDone:
    """See the module."""

    name = "announced_not_done"
    default: Mode = "warn"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge what each conversation ends with."""
        story = story_of(trace)
        if story.errors:
            return passed(self.name)
        for conversation in story.conversations:
            last = conversation.last
            text = _last_text(conversation)
            other = story.answer is not None and text.strip() not in story.answer
            if last is not None and text and not other and (said := _announcement(text)):
                return fired(
                    self.name,
                    f"the last reply (step {last.step}) announces {showing.quoted(said)}, and nothing follows",
                    last.step,
                )
        return passed(self.name)


def _last_text(conversation: Conversation) -> str:
    """What a conversation with tools ends with, in words; nothing where it ends otherwise."""
    last = conversation.last
    if last is None or not last.ok or last.uses or not last.complete or last.finish not in ("stop", None):
        return ""
    if conversation.again is not None:
        return ""
    return last.text if conversation.tools or last.offered else ""


def _announcement(text: str) -> str | None:
    if not is_english(text) or asks(text):
        return None
    for sentence in sentences(STOCK.sub(" ", text))[-AT_END:]:
        if ANNOUNCES.search(sentence) and not LATER.search(sentence):
            return sentence
    return None


CHECK = AnnouncedNotDone()
