"""A conversation cut where the user speaks again after an answer: what was asked before explains no call after it."""

from __future__ import annotations

from itertools import pairwise

import msgspec

from squall.checks.story.shapes import Conversation, ToolStep, Turn


class Stretch(msgspec.Struct, frozen=True):
    """From one word of the user to the next: the turns and the calls of tools that belong to them."""

    turns: tuple[Turn, ...]
    tools: tuple[ToolStep, ...]


def stretches_of(conversation: Conversation) -> tuple[Stretch, ...]:
    """The stretches of a conversation, in order; one where the user speaks only once."""
    starts = [turn.step for before, turn in pairwise(conversation.turns) if _asks_anew(before, turn)]
    if not starts:
        return (Stretch(conversation.turns, conversation.tools),)
    last = max((step.step for step in conversation.tools), default=0)
    bounds = [*starts, max(last, conversation.turns[-1].step) + 1]
    found = []
    turn = tool = 0
    for end in bounds:
        turns, tools = [], []
        while turn < len(conversation.turns) and conversation.turns[turn].step < end:
            turns.append(conversation.turns[turn])
            turn += 1
        while tool < len(conversation.tools) and conversation.tools[tool].step < end:
            tools.append(conversation.tools[tool])
            tool += 1
        found.append(Stretch(tuple(turns), tuple(tools)))
    return tuple(found)


def _asks_anew(before: Turn, turn: Turn) -> bool:
    """Whether the user speaks after an answer in words, not a framework that pushes an agent on."""
    answered = before.ok and not before.uses and not before.silent
    return answered and any(message.role == "user" for message in turn.new)
