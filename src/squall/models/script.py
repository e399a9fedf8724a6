"""A script: turns in order. Which one is due follows from the conversation (see `progress`), never from a counter.

Knows no protocol. A script may be used by any number of conversations at once: it remembers which turns were ever
given, so that those that never were can be told, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from squall.call import ModelRequest, Reply
from squall.errors import Problem, UsageError, shown
from squall.models.brain import NoMatch
from squall.models.conditions import Conditions
from squall.models.progress import Progress
from squall.models.seen import Seen
from squall.models.sentinels import Sentinels
from squall.models.turns import Turn

Step = Turn | Conditions


class Script:
    """A brain that goes through its turns; `expect(…)` before a turn is what has to hold before it is given.

        Script(call("get_order", id="1"), expect(tool="get_order", result_has="shipped"), say("It is on its way."))

    An expectation that is not met, a sentinel in the messages, and a request after the last turn are `NoMatch`. An
    equal request gets an equal answer. `sentinels` are texts that must never appear anywhere in the messages. Raises
    UsageError.
    """

    def __init__(self, *steps: Step, sentinels: Iterable[str] = ()) -> None:
        self.turns = _turns(steps)
        self._progress = Progress([turn.reply for turn in self.turns])
        self._sentinels = Sentinels(sentinels)
        self._given: set[int] = set()

    def answer(self, request: ModelRequest) -> Reply:
        """The turn that is due. Raises NoMatch."""
        self._sentinels.check(request)
        due, begun = self._progress.place(request.messages)
        if due == len(self.turns):
            last = f"the last one, {self._called(due - 1)}, has been said already"
            raise NoMatch("no turn of the script is left for this request", last)
        turn = self.turns[due]
        if turn.expects:
            seen = Seen(request, begun)
            failures = [failure for each in turn.expects for failure in each.failures(seen)]
            if failures:
                reason = f"{self._called(due)}, is due, but {'; '.join(failures)}"
                raise NoMatch("the turn of the script that is due does not fit this request", reason)
        self._given.add(due)
        return turn.reply

    def unused(self) -> list[str]:
        """A sentence about each turn that no request has got so far."""
        left = (number for number in range(len(self.turns)) if number not in self._given)
        return [f"{self._called(number)}, was never used" for number in left]

    def _called(self, number: int) -> str:
        turn = self.turns[number]
        at = f" ({turn.at})" if turn.at else ""
        return f"turn {number + 1} of {len(self.turns)}{at}, {turn}"


def _turns(steps: Iterable[Any]) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    waiting: list[Conditions] = []
    for number, step in enumerate(steps, start=1):
        if isinstance(step, Conditions):
            waiting.append(step)
        elif isinstance(step, Turn):
            turns.append(step.after(*waiting))
            waiting = []
        else:
            words = "say(…), call(…), calls(…), refuse(…) or expect(…)"
            hint = f"Write {f'say({shown(step)})' if isinstance(step, str) else words}."
            raise UsageError(Problem(f"step {number} of the script is {shown(step)}, which is no turn", hint=hint))
    if waiting:
        hint = "Write the turn that it is for after it, or take it out."
        raise UsageError(
            Problem(f"the script ends with expect({waiting[-1]}), and no turn comes after that", hint=hint)
        )
    if not turns:
        raise UsageError(Problem("the script has no turns", hint="Write say('text'), for example."))
    return tuple(turns)
