"""Turns put together to conversations. Independent ones are told apart, and so are agents that were asked the same."""

from __future__ import annotations

from bisect import bisect_right

from squall.checks.story.draft import Draft, Hooked
from squall.checks.story.shapes import Message


class Talk:
    """A conversation in the making; `forks` is the number of the one whose beginning it shares.

    `left` are messages after its last request, each with its place in the trace.
    """

    def __init__(self, number: int, forks: int | None = None) -> None:
        self.number, self.forks = number, forks
        self.drafts: list[Draft] = []
        self.left: list[tuple[int, Message]] = []


class Gathering:
    """Gives each turn its conversation, in order of the requests."""

    def __init__(self, hooked: list[Hooked]) -> None:
        self.talks: list[Talk] = []
        self._hooked = hooked
        self._starts = [each.seq for each in hooked]

    def add(self, draft: Draft) -> None:
        """Where a request belongs."""
        before = draft.parent or draft.retried
        talk = None if before is None else self.talks[before.conversation - 1]
        tail = None if talk is None else talk.drafts[-1]
        if talk is None or tail is None:
            self._begin(draft)
        elif draft.parent is not None and tail is draft.parent:
            self._join(draft, talk)
        elif tail.parent is draft.parent and self._tries_again(tail, draft):
            tail.dropped = True
            _without_said(draft, tail)
            self._join(draft, talk)
        else:
            self._begin(draft, None if draft.parent is None else talk.number)

    def _begin(self, draft: Draft, forks: int | None = None) -> None:
        talk = Talk(len(self.talks) + 1, forks)
        self.talks.append(talk)
        draft.new = draft.since
        self._join(draft, talk)

    @staticmethod
    def _join(draft: Draft, talk: Talk) -> None:
        draft.conversation = talk.number
        talk.drafts.append(draft)

    def _tries_again(self, tail: Draft, draft: Draft) -> bool:
        """Whether a request asks anew because nothing came of the one before; else it is another agent's."""
        if tail.children or not tail.replied or tail.replied_at > draft.seq or self._ran(tail, draft):
            return False
        return tail.is_useless or bool(tail.uses) or draft.parent is not None or bool(draft.new)

    def _ran(self, tail: Draft, draft: Draft) -> bool:
        """Whether a tool that the reply asked for was called before the next request."""
        names = {use.name for use in tail.uses}
        between = self._hooked[bisect_right(self._starts, tail.replied_at) : bisect_right(self._starts, draft.seq)]
        return any(each.event.tool in names for each in between)


def _without_said(draft: Draft, before: Draft) -> None:
    """A request that repeats one before says again what that one has said."""
    if draft.retried is not None:
        return
    same = 0
    said: list[Message] = before.since
    while same < min(len(said), len(draft.since)) and said[same] == draft.since[same]:
        same += 1
    draft.new = draft.since[same:]
