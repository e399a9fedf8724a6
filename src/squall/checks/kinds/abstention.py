"""`abstention`: the answer says that the information could not be found. English only, and off unless it is asked for.

Fires where the last text of a conversation says that something was not found, is not known or not available. Such an
answer may be the right one: the check is for tests whose question has an answer.

Not: an empty answer (`no_answer`), a refusal; where the agent began again with the same question; and a text that says
so of something on the way and then goes on to answer at length.
"""

from __future__ import annotations

import re

from squall.checks import showing
from squall.checks.options import Options
from squall.checks.prose import is_english
from squall.checks.story import story_of
from squall.checks.verdict import Mode, Verdict, fired, passed
from squall.trace import Trace

NOT = r"(?:could|can|was|were|am|is|are|did|do|does)(?:n['’]t| ?not)|cannot|unable to|not able to|failed to"
ABSTAINS = re.compile(
    rf"\b(?:{NOT})\s+(?:able to\s+|been able to\s+|seem to\s+)?"
    r"(?:find|locate|determine|identify|retrieve|answer|tell|know|access|have)\b"
    r"|\bno (?:\w+ ){0,3}(?:information|data|results?|records?|match(?:es)?|answers?|documents?)\b"
    r"(?: (?:was|were|is|are))?(?: (?:found|available|given|provided))"
    r"|\b(?:is|are|was|were)(?:n['’]t| not) (?:\w+ )?"
    r"(?:found|available|specified|mentioned|provided|known|listed|in the)\b"
    r"|\bnot (?:enough|sufficient) information\b|\binsufficient (?:information|data)\b"
    r"|\b(?:i|we) (?:don['’]t|do not) know\b"
    r"|\bno information\b"
    r"|\bthere (?:is|are) no (?:\w+ ){0,3}(?:information|data|results?|records?|mention)\b",
    re.IGNORECASE,
)
LONGEST = 600
"""Characters: a longer text goes on to answer."""


class Abstention:
    """See the module."""

    name = "abstention"
    default: Mode = "off"

    def run(self, trace: Trace, options: Options) -> Verdict:
        """Judge what each conversation ends with."""
        for conversation in story_of(trace).conversations:
            last = conversation.last
            if last is None or not last.ok or last.uses or last.finish == "refusal" or conversation.again:
                continue
            text = last.text.strip()
            if text and len(text) <= LONGEST and is_english(text) and (found := ABSTAINS.search(text)):
                near = text[max(0, found.start() - 40) : found.end() + 40]
                said = f"the answer (step {last.step}) says that it was not found: {showing.quoted(near)}"
                return fired(self.name, said, last.step)
        return passed(self.name)


CHECK = Abstention()
