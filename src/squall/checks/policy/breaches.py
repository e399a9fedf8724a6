"""Where a run did what its policy does not allow. Calls count where they are asked for, whatever came of them.

A model's parallel calls count in the order in which it asks for them. Independent conversations of a run are judged
apart: each has its own count of calls, and a tool that has to have succeeded did so in the same conversation, or in one
that goes on at the same time (an agent and those that it hands work to). A budget is the run's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from squall.checks.policy.arguments import as_written, number_of, values_at, whole_at
from squall.checks.policy.denied import Denied
from squall.checks.policy.limits import Policy, ToolLimits
from squall.checks.policy.together import together
from squall.checks.story import NOT_JSON, Conversation, Story, ToolStep
from squall.errors import nearest, shown

PLAIN = re.compile(r"[\w.:/-]{1,80}")
UNKNOWN_USER = "nobody says whom the run is for; say it: squall.run(user_id=…)"
UNKNOWN_END = "nothing was recorded of how the run ended"


class Breach(NamedTuple):
    """One thing that was not allowed. `what` names the step, the tool and the argument; `step` None: the whole run."""

    step: int | None
    what: str


class Judged(NamedTuple):
    """All breaches in order, and what could not be told, each once."""

    breaches: tuple[Breach, ...]
    untold: tuple[str, ...]


def breaches(story: Story, policy: Policy, user_id: object = None) -> Judged:
    """What a run did against a policy. `user_id` is whom it is for, None where nobody said so."""
    judging = _Judging(story, policy, user_id)
    found = [Breach(step.step, f"step {step.step}: {why}") for step in story.tools for why in judging.of(step)]
    if policy.require_complete:
        found += judging.incomplete()
    return Judged(tuple(found), tuple(dict.fromkeys(judging.untold)))


class _Judging:
    """What the calls so far came to."""

    def __init__(self, story: Story, policy: Policy, user_id: object) -> None:
        self._story, self._policy = story, policy
        self._user = None if user_id is None else str(user_id)
        users = (text for conversation in story.conversations for text in conversation.users)
        self._denied = Denied(policy.denied, users)
        self._group = together(story)
        self._calls: Counter[int] = Counter()
        self._calls_of: Counter[tuple[int, str]] = Counter()
        self._succeeded: set[tuple[int, str]] = set()
        self._called: set[str] = set()
        self._spent: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
        self.untold: list[str] = []

    def of(self, step: ToolStep) -> Iterator[str]:
        """What is not allowed about one call. Takes the calls in their order."""
        policy, tool = self._policy, _named(step.tool)
        if policy.allow is not None and step.tool not in policy.allow:
            yield f"{tool} is not among the tools that are allowed{_near(step.tool, policy.allow)}"
        self._calls[step.conversation] += 1
        if policy.max_calls is not None and self._calls[step.conversation] == policy.max_calls + 1:
            yield f"{tool} is one call more than max_calls ({policy.max_calls})"
        raw = None if step.use is None else step.use.raw
        if policy.max_arg_chars is not None:
            length = len(raw if raw is not None else as_written(step.arguments))
            if length > policy.max_arg_chars:
                yield f"the arguments of {tool} have {length} characters, max_arg_chars is {policy.max_arg_chars}"
        found = self._denied.found(step.arguments, raw)
        if found is not None:
            where = f"{tool}: {_named(found.path)} holds" if found.path else f"the arguments of {tool} hold"
            yield f"{where} the denied text {_shown(found.denied)}"
        limits = policy.tools.get(step.tool)
        if limits is not None:
            yield from self._of_tool(step, tool, limits)
        self._called.add(step.tool)
        if step.succeeded:
            self._succeeded.add((self._group[step.conversation], step.tool))

    def _of_tool(self, step: ToolStep, tool: str, limits: ToolLimits) -> Iterator[str]:
        made = (step.conversation, step.tool)
        self._calls_of[made] += 1
        if limits.max_calls is not None and self._calls_of[made] == limits.max_calls + 1:
            yield f"{tool} is called once more than max_calls ({limits.max_calls})"
        arguments = {} if step.arguments is NOT_JSON else step.arguments
        for path, most in limits.limits.items():
            for where, value in values_at(arguments, path):
                number = number_of(value)
                if number is not None and number > _decimal(most):
                    yield f"{tool}: {_named(where)} is {_shown(value)}, more than its limit of {most:.15g}"
        for path, allowed in limits.allowed_values.items():
            yield from self._not_allowed(tool, arguments, path, allowed)
        for path in limits.required_args:
            if not _is_there(arguments, path):
                yield f"{tool} is called without {_named(path)}, which is required"
        if limits.identity_arg is not None:
            yield from self._wrong_user(tool, arguments, limits.identity_arg)
        for other in limits.requires:
            if (self._group[step.conversation], other) not in self._succeeded:
                yield f"{tool} is called, and {self._lacking(other)}"
        if step.failed is None or step.effects:
            yield from self._overspent(step.tool, tool, arguments, limits.budget)

    @staticmethod
    def _not_allowed(tool: str, arguments: Any, path: str, allowed: tuple[Any, ...]) -> Iterator[str]:
        if any(_same(whole_at(arguments, path), each) for each in allowed):
            return  # a list that is allowed as a whole
        for where, value in values_at(arguments, path):
            if not any(_same(value, each) for each in allowed):
                listed = _shown(list(allowed), 120)
                yield f"{tool}: {_named(where)} is {_shown(value)}, and allowed are {listed}"

    def _wrong_user(self, tool: str, arguments: Any, path: str) -> Iterator[str]:
        if self._user is None:
            self.untold.append(f"whether {_named(path)} of {tool} is the user's own: {UNKNOWN_USER}".replace(";", ","))
            return
        found = list(values_at(arguments, path))
        if not found:
            yield f"{tool} is called without {_named(path)}, which has to be the user {_shown(self._user)}"
        for where, value in found:
            if isinstance(value, bool) or str(value) != self._user:
                yield f"{tool}: {_named(where)} is {_shown(value)}, and the run is for the user {_shown(self._user)}"

    def _lacking(self, other: str) -> str:
        name = _named(other)
        if any(tool == other for _, tool in self._succeeded):
            return f"{name} succeeded before only in another conversation"
        if other in self._called:
            return f"{name} was called before without success"
        return f"no {name} succeeded before{_near(other, self._called)}"

    def _overspent(self, name: str, tool: str, arguments: Any, budget: Mapping[str, float]) -> Iterator[str]:
        for path, most in budget.items():
            numbers = [number for _, value in values_at(arguments, path) if (number := number_of(value)) is not None]
            before, limit = self._spent[name, path], _decimal(most)
            after = self._spent[name, path] = sum(numbers, before)
            if before <= limit < after:
                yield f"{tool}: {_named(path)} comes to {after:.15g} over the run, more than its budget of {most:.15g}"

    def incomplete(self) -> Iterator[Breach]:
        """What shows that the run did not end with an answer."""
        story = self._story
        for error in story.errors:
            yield Breach(None, f"the run has to be complete, and ended by {_shown(error, 160)}")
        if story.errors or (story.answer or "").strip():
            return
        ended = [each for each in story.conversations if each.turns and not each.given_up]
        if not ended:
            self.untold.append(f"whether the run is complete: {UNKNOWN_END}")
        for conversation in ended:
            why = _unanswered(conversation)
            if why is not None and conversation.last is not None:
                step = conversation.last.step
                yield Breach(step, f"step {step}: the run has to be complete, and its last reply {why}")


def _unanswered(conversation: Conversation) -> str | None:
    """What keeps the end of a conversation from being an answer."""
    last = conversation.last
    if last is None:
        return None
    if not last.ok:
        return f"is an error ({_shown(last.error)})" if last.replied else "never came"
    if last.finish in {"length", "content_filter", "refusal"}:
        return {"length": "was cut off", "content_filter": "was filtered", "refusal": "is a refusal"}[last.finish]
    if not last.complete and not last.disconnected:
        return "broke off"
    if last.uses:
        return None if last.choice not in {"auto", "none"} else f"is a call of {_named(last.uses[-1].name)}"
    return "is empty" if last.silent and not last.hosted else None


def _is_there(arguments: Any, path: str) -> bool:
    value = whole_at(arguments, path)
    return value is not None or next(values_at(arguments, path), None) is not None


def _same(value: Any, other: Any) -> bool:
    """Whether two values of JSON are one: `1` and `1.0` are, `1` and `true` are not."""
    return bool(value == other) and isinstance(value, bool) == isinstance(other, bool)


def _decimal(number: float) -> Decimal:
    return Decimal(repr(number))


def _near(word: str, words: object) -> str:
    found = nearest(word, words) if isinstance(words, set | frozenset | tuple) else None
    return "" if found is None or found == word else f", did it mean {found!r}?"


def _named(name: str) -> str:
    """The name of a tool or an argument. Models make them up, and `;` would part the reason."""
    return name if PLAIN.fullmatch(name) else _shown(name)


def _shown(value: object, limit: int = 80) -> str:
    return shown(value, limit).replace(";", ",")
