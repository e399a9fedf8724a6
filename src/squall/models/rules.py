"""Rules: the first one whose conditions hold decides the answer. Knows no protocol, and no more than the request.

For an agent that asks in no order that one could write down, or whose requests bring no history along.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Unpack

import msgspec

from squall.call import ModelRequest, Reply
from squall.errors import Problem, UsageError, shown
from squall.models.brain import NoMatch
from squall.models.conditions import ANY, Conditions, Wanted, conditions
from squall.models.seen import Seen
from squall.models.sentinels import Sentinels
from squall.models.turns import Turn


class Rule(msgspec.Struct, frozen=True):
    """What is answered (`then`) to requests for which the conditions hold (`when`). `at`: where it was written."""

    when: Conditions
    then: Turn
    at: str = ""


def rule(*, then: Turn, **when: Unpack[Wanted]) -> Rule:
    """A rule: `rule(user="refund", offers="issue_refund", then=call("issue_refund", order="o1"))`.

    The conditions are those of `expect` (all have to hold); without any it answers whatever is left. Raises UsageError.
    """
    if not isinstance(then, Turn):
        raise UsageError(
            Problem(f"rule(then={shown(then)}): this is no turn", hint="Write then=say('text'), for example.")
        )
    if then.expects:
        raise UsageError(
            Problem(f"rule(then={then}): its turn has expectations of its own", hint="Give them to rule(…).")
        )
    return Rule(conditions(when, "rule"), then)


class Rules:
    """A brain that looks for the first rule that matches.

        Rules(
            rule(tool="issue_refund", then=say("Refunded.")),
            rule(user="refund", then=call("issue_refund", order="o1")),
        )

    None that matches, and a sentinel in the messages, are `NoMatch`. Raises UsageError for a rule that never could
    match.
    """

    def __init__(self, *rules: Rule, sentinels: Iterable[str] = ()) -> None:
        self.rules = _checked(rules)
        self._sentinels = Sentinels(sentinels)
        self._used: set[int] = set()

    def answer(self, request: ModelRequest) -> Reply:
        """What the first rule that matches says. Raises NoMatch."""
        self._sentinels.check(request)
        seen = Seen(request)
        for number, each in enumerate(self.rules):
            if each.when.met(seen):
                self._used.add(number)
                return each.then.reply
        raise NoMatch("no rule matches this request", self._nearest(seen))

    def unused(self) -> list[str]:
        """A sentence about each rule that has answered nothing so far."""
        left = (number for number in range(len(self.rules)) if number not in self._used)
        return [f"{self._called(number)}, was never used" for number in left]

    def _nearest(self, seen: Seen) -> str:
        """The rule of which the largest share holds, and what of it does not."""
        failures = [each.when.failures(seen) for each in self.rules]
        shares = [
            len(failed) / len(list(each.when.checks(seen))) for failed, each in zip(failures, self.rules, strict=True)
        ]
        number = shares.index(min(shares))
        return f"{self._called(number)}, is nearest, but {'; '.join(failures[number])}"

    def _called(self, number: int) -> str:
        each = self.rules[number]
        at = f" ({each.at})" if each.at else ""
        return f"rule {number + 1} of {len(self.rules)}{at}, {each.when}: {each.then}"


def unreachable(rules: Sequence[Rule]) -> Iterator[tuple[Problem, int]]:
    """What is wrong with rules that never match, since one before them does whenever they would; and their index."""
    first: dict[Conditions, int] = {}
    for number, each in enumerate(rules):
        for before, what in ((first.get(ANY), "answers everything"), (first.get(each.when), "has the same conditions")):
            if before is not None:
                message = f"rule {number + 1} can never match: rule {before + 1} before it {what}"
                yield Problem(message, hint="Move it up, or take it out."), number
                break
        first.setdefault(each.when, number)


def _checked(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    hint = "Write rule(user='text', then=say('text')), for example."
    if not rules:
        raise UsageError(Problem("there are no rules", hint=hint))
    for number, each in enumerate(rules, start=1):
        if not isinstance(each, Rule):
            raise UsageError(Problem(f"rule {number} is {shown(each)}", hint=hint))
    problems = [problem for problem, _ in unreachable(rules)]
    if problems:
        raise UsageError(problems)
    return rules
