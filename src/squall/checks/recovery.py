"""Whether a later call makes up for one that failed, and whether what failed left the agent as an error.

Read generously: where a later call may be the mended one, it is. What an answer says about it is not known here.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import Any

from squall.checks.story import Conversation, Story, ToolStep
from squall.checks.story.content import as_text
from squall.checks.story.naming import WORD, seems_to_write, words_of

KEYS = frozenset(
    "id ids key number no num code sku email uuid guid slug ref reference isbn username account order ticket user "
    "customer reservation booking invoice payment symbol ticker url uri path file filename address phone table".split()
)
"""What the name of an argument ends with that says which thing is meant."""
ASIDE = frozenset("user customer account tenant org session card payment method billing".split())
"""Words of names of such arguments that say for whom or with what, where another one says which thing."""
TUNING = frozenset(
    "limit page offset per_page page_size size max_results top_k k n count timeout retries retry attempt verbose "
    "format sort order_by dry_run force cursor fields include".split()
)
"""Arguments that say how, not what."""
IDEMPOTENCY = frozenset(("idempotencykey", "requestid", "nonce", "idempotencytoken", "clienttoken"))
ABOUT_ARGUMENTS = re.compile(
    r"invalid|not found|no such|n['’]t exist|not exist|missing|required|must|should|unknown|unsupported|malformed"
    r"|expected|validat|bad request|format|pars(?:e|ing)|argument|parameter|field|schema|range|too (?:long|large|many"
    r"|short|small)|not (?:match|valid|allowed|supported|a valid|available)|incorrect|mismatch|exceed|cannot be"
    r"|does not|did you mean|type"
    r"|fix (?:the errors|your mistakes)"
    r"|not enough|insufficient|already|only|can['’]?t\b|cannot|\b4(?:00|04|09|13|16|22)\b|no (?:match|result|record)",
    re.IGNORECASE,
)
"""What an error says that other arguments can mend."""
ABSENT = re.compile(r"not found|no such|n['’]t exist|not exist|missing|\b404\b", re.IGNORECASE)
"""What an error says of a thing that is not there."""
PASSING = re.compile(
    r"time(?:d|s)? ?-?out|unavailable|connection|internal (?:server )?error|rate.?limit|overload|temporar"
    r"|\b(?:429|5\d\d)\b",
    re.IGNORECASE,
)
"""What an error says that has nothing to do with arguments."""
PLAIN = frozenset(
    "get fetch read load list find search lookup look query show view describe retrieve check tool tools api call run "
    "execute do make by for from to of in on at with the a an all and or info information detail details data new v "
    "create update set add delete remove".split()
)
"""Words in names of tools that many have."""
SEARCHES = frozenset("search find lookup query browse retrieve".split())
ANYTHING = frozenset("bash shell python sql terminal command code browser http request computer exec script".split())
"""Tools that can do what another one does."""
HANDS_OVER = frozenset("transfer escalate handoff handover human agent support ticket delegate".split())
BY_A_PERSON = re.compile(
    r"\b(?:user|human|operator|approver)\b.{0,40}\b(?:declin|reject|den(?:y|ied)|cancel|abort|interrupt|refus|stop)"
    r"|\b(?:declined|rejected|denied|cancelled|canceled|interrupted) by (?:the )?(?:user|human|operator)",
    re.IGNORECASE,
)
LEFT_ALONE = ("the caller gave up", "the run ended while", "CancelledError", "cancelled")
LATEST = 16
"""So many later calls of one tool are looked at word by word."""
SHORTEST = 3


def is_failure(step: ToolStep) -> bool:
    """Whether a call failed of itself: not because a person said no, and not because its caller gave up."""
    if step.failed is None:
        return False
    error = step.error or step.text
    return not error.startswith(LEFT_ALONE) and not BY_A_PERSON.search(error)


def writes(step: ToolStep) -> bool:
    """Whether a call changes something: by what is known of its tool, else by its name."""
    return bool(step.mutates) if step.mutates is not None else step.effects > 0 or seems_to_write(step.tool) is True


def key_of(step: ToolStep) -> tuple[str, str]:
    """What a call is about: its tool, and the arguments that name a thing; all that say what, where none does."""
    arguments = _telling(step.arguments)
    named = _naming(arguments)
    return step.tool, as_text(sorted((name, as_text(arguments[name])) for name in named or arguments))


class Later:
    """The calls that worked after a certain point. Filled from the end backwards, after those of the tries `again`."""

    def __init__(self, again: Iterable[ToolStep] = ()) -> None:
        self._keys: set[tuple[str, str]] = set()
        self._latest: dict[str, deque[ToolStep]] = defaultdict(lambda: deque(maxlen=LATEST))
        self._by_word: dict[tuple[bool, str], set[str]] = defaultdict(set)
        self._by_value: dict[tuple[bool, str], set[str]] = defaultdict(set)
        self._words: set[str] = set()
        for step in again:
            self.add(step)

    def add(self, step: ToolStep) -> None:
        """A call worked."""
        self._keys.add(key_of(step))
        self._latest[step.tool].append(step)
        kind = writes(step)
        for word in _nouns(step.tool):
            self._by_word[kind, word].add(step.tool)
        for value in _values(step.arguments):
            self._by_value[kind, value].add(step.tool)
        self._words |= words_of(step.tool)

    def mends(self, step: ToolStep) -> bool:
        """Whether the tool itself worked later: for the same thing, or with the arguments put right."""
        same = self._latest.get(step.tool)
        if not same:
            return False
        if not isinstance(step.arguments, Mapping) or key_of(step) in self._keys:
            return True
        apart = [each for each in same if each.turn is None or each.turn != step.turn]
        if apart and _blames_arguments(step):
            return True
        return any(_is_about_the_same(step.arguments, each.arguments) for each in same)

    def replaces(self, step: ToolStep) -> bool:
        """Whether another tool took its place: one that can do the same, a person, or one that made what was absent."""
        if not self._latest:
            return False
        if self._words & (ANYTHING | HANDS_OVER):
            return True
        kind = writes(step)
        others = {tool for word in _nouns(step.tool) for tool in self._by_word[kind, word]}
        others |= {
            tool for value in _values(step.arguments) for tool in self._by_value[kind, value] if _akin(tool, step.tool)
        }
        if not kind and ABSENT.search(step.error or step.text):
            made = {tool for value in _values(step.arguments) for tool in self._by_value[True, value]}
            others |= {tool for tool in made if not _nouns(tool).isdisjoint(_nouns(step.tool))}
        return bool(others - {step.tool})


def came_out(story: Story, conversation: Conversation, step: int) -> bool:
    """Whether what failed at a step left the agent as an error, wrapped or not, so that the test was told."""
    if story.status in ("crashed", "hung"):
        return True
    for raised in story.raised:
        if raised.step < step:
            continue
        if story.steps[raised.step - 1].conversation == conversation.number:
            return True
        last = conversation.last
        if last is None or last.step > raised.step or last.uses or last.silent:
            return True
    return False


def next_tries(story: Story, conversation: Conversation) -> list[ToolStep]:
    """The calls that worked in later tries of a conversation, last first."""
    found: list[ToolStep] = []
    each = conversation
    for _ in range(LATEST):
        if each.again is None:
            break
        each = story.conversations[each.again - 1]
        found += [step for step in each.tools if step.succeeded]
    return found[::-1]


def _telling(arguments: Any) -> dict[str, Any]:
    if not isinstance(arguments, Mapping):
        return {}
    return {
        str(name): value
        for name, value in arguments.items()
        if str(name) not in TUNING and str(name).replace("_", "").replace("-", "").lower() not in IDEMPOTENCY
    }


def _naming(arguments: Mapping[str, Any]) -> list[str]:
    """The arguments that name a thing."""
    named = [name for name in arguments if not KEYS.isdisjoint(_words(name)[-1:])]
    return [name for name in named if ASIDE.isdisjoint(_words(name))] or named


def _words(name: str) -> list[str]:
    return [word.lower() for word in WORD.findall(name)]


def _blames_arguments(step: ToolStep) -> bool:
    error = step.error or step.text
    passing = step.status is not None and step.status >= 500  # noqa: PLR2004 - HTTP's own number
    return not passing and not PASSING.search(error) and bool(ABOUT_ARGUMENTS.search(error))


def _is_about_the_same(one: Any, other: Any) -> bool:
    """Whether arguments that name no thing are about the same: each is equal, or has a word in common."""
    first, second = _telling(one), _telling(other)
    if _naming(first) or _naming(second):
        return False
    shared = first.keys() & second.keys()
    return bool(shared) and all(first[name] == second[name] or _alike(first[name], second[name]) for name in shared)


def _alike(one: Any, other: Any) -> bool:
    if not isinstance(one, str) or not isinstance(other, str):
        return False
    return not _long_words(one).isdisjoint(_long_words(other))


def _long_words(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"\w+", text) if len(word) >= SHORTEST}


def _nouns(tool: str) -> set[str]:
    return {word.removesuffix("s") for word in words_of(tool) if word not in PLAIN and len(word) >= SHORTEST}


def _akin(one: str, other: str) -> bool:
    """Not a tool of the same verb for something else: `get_time` is no `get_weather`, though both want a city."""
    if words_of(one) & words_of(other) & (PLAIN - SEARCHES) and _nouns(one) and _nouns(other):
        return not _nouns(one).isdisjoint(_nouns(other))
    return True


def _values(arguments: Any) -> set[str]:
    values = _telling(arguments).values()
    return {as_text(value).lower() for value in values if isinstance(value, str | int) and len(as_text(value)) > 1}
