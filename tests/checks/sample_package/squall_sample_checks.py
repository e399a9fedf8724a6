"""Two checks that squall does not have: one that counts words, and one that breaks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.checks import Options, Verdict
from squall.checks.story import story_of
from squall.checks.verdict import Mode, fired, passed
from squall.trace import Trace

MOST = 50


class AnswerLength:
    """The answer has more words than `[tool.squall.answer_length]` allows (`words`, 50 if nothing is said)."""

    name = "answer_length"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        most = options.extra.get(self.name, {}).get("words", MOST)
        for conversation in story_of(trace).conversations:
            last = conversation.last
            if last is not None and len(last.text.split()) > most:
                counted = f"step {last.step}: the answer has {len(last.text.split())} words"
                return fired(self.name, [counted, f"{most} are allowed"], last.step)
        return passed(self.name)

    def misfits(self, said: Mapping[str, Any]) -> Iterable[str]:
        """What is wrong with its options."""
        for key, value in said.items():
            if key != "words":
                yield f"there is no option {key!r}, only words"
            elif type(value) is not int or value < 1:
                yield f"words is a whole number from 1 on, not {value!r}"


class Brittle:
    """It breaks where the answer is about China."""

    name = "brittle"
    default: Mode = "fail"

    def run(self, trace: Trace, options: Options) -> Verdict:
        last = story_of(trace).conversations[0].last
        if last is not None and "china" in last.text.lower():
            raise LookupError("no such shelf")
        return passed(self.name)


BRITTLE = Brittle()


class Loud:
    """No check: `run` is missing, the default is none, and so is the name."""

    name = "Very Loud"
    default = "loud"
