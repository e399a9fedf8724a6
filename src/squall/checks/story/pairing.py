"""Calls paired with their results: by order among the outstanding ones, never by an id alone, since ids are used again.

A call that a hook has seen too is the same call: the one with these arguments that was asked for before and answered
after it, else the next one of that name.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable

from squall.checks.story.content import as_text
from squall.checks.story.conversations import Talk
from squall.checks.story.draft import Asked, Draft, Hooked
from squall.checks.story.shapes import NOT_JSON, Message, Use

MOST_OUTSTANDING = 256
BETWEEN = ("__", "_", ".", "-", "/", ":")
"""What frameworks put between the name of a server and that of its tool."""


def asked_in(talk: Talk) -> list[Asked]:
    """The calls that the turns of a conversation ask for, in order, with their results."""
    found: list[Asked] = []
    waiting: list[Asked] = []
    for draft in talk.drafts:
        if draft is not talk.drafts[0]:
            before = draft.parent or draft
            for message in draft.new:
                if message.role == "tool":
                    _answer(message, waiting, draft.seq)
                elif message.calls:  # of a reply that was not captured
                    _ask(message.calls, before, before.replied_at, found, waiting)
        if not draft.dropped:
            _ask(draft.uses, draft, draft.replied_at, found, waiting)
        del waiting[:-MOST_OUTSTANDING]
    for seq, message in talk.left:
        if message.role == "tool":
            _answer(message, waiting, seq)
    return found


def _ask(uses: Iterable[Use], turn: Draft, seq: int, found: list[Asked], waiting: list[Asked]) -> None:
    for use in uses:
        asked = Asked(use, turn, seq, len(found))
        found.append(asked)
        waiting.append(asked)


def _answer(message: Message, waiting: list[Asked], seq: int) -> None:
    chosen = _chosen(message, waiting)
    if chosen is not None:
        chosen.answer, chosen.answered_at = message, seq
        waiting.remove(chosen)


def _chosen(message: Message, waiting: list[Asked]) -> Asked | None:
    """Of the calls of the last turn the first that fits; else of those before, the last."""
    if not waiting:
        return None
    if len(waiting) == 1 and message.answers is not None and waiting[0].use.id == message.answers:
        return waiting[0]
    last = waiting[-1].turn
    order = [each for each in waiting if each.turn is last] + [e for e in reversed(waiting) if e.turn is not last]
    if message.answers is not None:
        named = next((each for each in order if each.use.id == message.answers), None)
        if named is not None or all(each.use.id is not None for each in order):
            return named
        order = [each for each in order if each.use.id is None]
    if message.name is not None:
        return next((each for each in order if each.use.name == message.name), None)
    return order[0]


def join(asked: list[Asked], hooked: list[Hooked]) -> None:
    """Say of each call that was asked for which hooked call it is, if any."""
    if not hooked or not asked:
        return
    tools = {each.event.tool for each in hooked}
    names = {name: _tool(name, tools) for name in {each.use.name for each in asked}}
    in_order = sorted(asked, key=lambda each: (each.seq, each.place))
    exact: dict[tuple[str, str], deque[Asked]] = defaultdict(deque)
    for each in in_order:
        exact[names[each.use.name], _written(each.use.arguments)].append(each)
    left = [hook for hook in hooked if not _take(hook, exact[hook.event.tool, _written(hook.event.args)])]
    named: dict[str, deque[Asked]] = defaultdict(deque)
    for each in in_order:
        if each.hooked is None:
            named[names[each.use.name]].append(each)
    for hook in left:
        _take(hook, named[hook.event.tool])


def _take(hook: Hooked, queue: deque[Asked]) -> bool:
    """The first in the queue that was asked for before the hooked call, and whose result was told after it."""
    while queue and queue[0].answered_at and queue[0].answered_at < hook.seq:
        queue.popleft()
    if not queue or queue[0].seq > hook.seq:
        return False
    queue.popleft().hooked = hook
    return True


def _tool(name: str, tools: set[str]) -> str:
    """The hooked tool that a model's name for it means."""
    if name in tools:
        return name
    ends = [tool for tool in tools if any(name.endswith(between + tool) for between in BETWEEN)]
    return max(ends, key=len) if ends else name


def _written(arguments: object) -> str:
    return "" if arguments is NOT_JSON else as_text(arguments)
