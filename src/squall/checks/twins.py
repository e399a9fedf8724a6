"""Conversations that ask the same: a request that failed in one may have been made good in another.

So it is where an agent turns to another model, or begins anew. Knows nothing of why a request failed.
"""

from __future__ import annotations

from squall.checks.story import Conversation, Story


class Twins:
    """The last good reply to each thing that was asked in a run."""

    def __init__(self, story: Story) -> None:
        self._last: dict[str | int, int] = {}
        self._roots: dict[int, int] = {}
        for conversation in story.conversations:
            forks = conversation.forks
            self._roots[conversation.number] = conversation.number if forks is None else self._roots[forks]
            last = max((turn.step for turn in conversation.turns if turn.ok), default=0)
            for key in self._keys(conversation):
                self._last[key] = max(last, self._last.get(key, 0))

    def answered(self, conversation: Conversation, step: int) -> bool:
        """Whether a good reply to what a conversation asks was requested after a step, here or elsewhere."""
        return any(self._last[key] > step for key in self._keys(conversation))

    def _keys(self, conversation: Conversation) -> list[str | int]:
        """What the user says, and the first conversation of those that begin like it."""
        return [self._roots[conversation.number], *conversation.users]
