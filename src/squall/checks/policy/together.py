"""Which conversations of a run belong together: one goes on while the other does, or shares its beginning.

An agent and those that it hands work to do; agents that a test drives one after the other do not.
"""

from __future__ import annotations

from squall.checks.story import Story


def together(story: Story) -> dict[int, int]:
    """For each conversation by its number the first one that it belongs together with."""
    group: dict[int, int] = {}
    until, current = -1, 0
    spans = sorted((each.steps[0].step, each.steps[-1].step, each.number) for each in story.conversations if each.steps)
    for first, last, number in spans:
        if first > until:
            current = number
        group[number] = current
        until = max(until, last)
    for conversation in story.conversations:
        if conversation.forks in group and conversation.number in group:
            joined, into = group[conversation.number], group[conversation.forks]
            if joined != into:
                group = {number: into if each == joined else each for number, each in group.items()}
    return group
