"""Conversations that ask the same: a request that failed in one may have been made good in another.

So it is where an agent turns to another model, or begins anew. Knows nothing of why a request failed.
"""

from __future__ import annotations

from squall.checks.story import Conversation, Story


class Twins:
    """The last good reply to each thing that was asked in a run."""

    def __init__(self, story: Story) -> None:
        self._last: dict[str | int, int] = {}
        for conversation in story.conversations:
            last = max((turn.step for turn in conversation.turns if turn.ok), default=0)
            for key in _keys(conversation):
                self._last[key] = max(last, self._last.get(key, 0))

    def answered(self, conversation: Conversation, step: int) -> bool:
        """Whether a good reply to what a conversation asks was requested after a step, here or elsewhere."""
        return any(self._last[key] > step for key in _keys(conversation))


def _keys(conversation: Conversation) -> list[str | int]:
    """What the user says, and the conversation that it belongs to or begins like."""
    return [conversation.number, *([] if conversation.forks is None else [conversation.forks]), *conversation.users]
