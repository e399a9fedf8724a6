"""Which conversation is another try of which: what was asked is asked again, from its start or from a place on the way.

An agent that starts over sends the first words of the user again, after the try before has come to its end. What goes
on at the same time is another agent's. Whether the first try was of any use is not known here.
"""

from __future__ import annotations

from bisect import bisect_right

from squall.checks.story.conversations import Talk
from squall.checks.story.draft import Draft

NEAREST = 16
"""So many later conversations that begin alike are looked at."""
TELLING = 12
"""Characters of a question that two agents are not asked by chance."""


def tries(talks: list[Talk]) -> dict[int, int]:
    """For each conversation that was begun again: its number, and that of the next try."""
    alike: dict[str, list[Talk]] = {}
    for talk in talks:
        if (words := _first_words(talk.drafts[0].root)) is not None:
            alike.setdefault(words, []).append(talk)
    found = {}
    for group in alike.values():
        starts = [talk.drafts[0].seq for talk in group]
        asked: dict[int, list[str]] = {}
        for talk in group:
            end = talk.drafts[-1]
            after = bisect_right(starts, end.replied_at) if end.replied else len(group)
            for later in group[after : after + NEAREST]:
                for each in (talk, later):
                    if each.number not in asked:
                        asked[each.number] = _questions(each)
                if _asks_it(asked[later.number], asked[talk.number]):
                    found[talk.number] = later.number
                    break
    return found


def _first_words(root: Draft) -> str | None:
    """What the user said first; with what the system says, where that is too short to know a question by."""
    said = root.messages
    first = next((each.text.strip() for each in said if each.role == "user"), "")
    if len(first) >= TELLING:
        return first
    return "\n".join([*(each.text for each in said if each.role == "system"), first]).strip() or None


def _questions(talk: Talk) -> list[str]:
    """All that the user asked on the way to the end of a conversation, what was asked before it forked too."""
    way: list[Draft] = []
    before = talk.drafts[0].parent
    while before is not None:
        way.append(before)
        before = before.parent
    said = [*((draft, draft.since) for draft in reversed(way)), *((draft, draft.new) for draft in talk.drafts)]
    return [each.text for draft, new in said if _may_ask(draft) for each in new if each.role == "user"]


def _may_ask(draft: Draft) -> bool:
    """Whether the user's words in a request are more than a framework's that pushes an agent on."""
    before = draft.parent
    return before is None or (before.says and not before.uses)


def _asks_it(again: list[str], before: list[str]) -> bool:
    """Whether both go the same way as far as the shorter one goes, or the last thing asked is asked again."""
    length = min(len(again), len(before))
    return again[:length] == before[:length] or before[-1] in again
