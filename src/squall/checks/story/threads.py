"""Which request goes on from which reply. A conversation is what hangs together so.

A request goes on from the reply that stands last in it. Ids of calls are looked at first, and alone they are not
enough: some are used again. Where a framework has put the reply into other words, the beginning that a request shares
with an earlier one tells it. A request that repeats an earlier one without its reply is another try, or another agent.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from squall.checks.story.content import as_text
from squall.checks.story.draft import Draft
from squall.checks.story.shapes import NOT_JSON, Message, Use

PREVIOUS = "previous_response_id"
THREAD, PREVIOUS_OF_THREAD = "thread", "previous_message_id"
KEPT = "conversation"
"""The field of a request that names a conversation which the provider keeps."""

BEGINNING = 2
"""Messages: what the system says, and the first of the user."""


class Threads:
    """Finds the parent of each request, as they come."""

    def __init__(self) -> None:
        self._open: dict[Hashable, list[Draft]] = {}  # replies that no request has gone on from, by what they say
        self._last: dict[Hashable, Draft] = {}
        self._responses: dict[str, Draft] = {}
        self._kept: dict[str, Draft] = {}

    def replies(self, draft: Draft, response: str | None) -> None:
        """A reply came. `response` is its own id."""
        draft.keys = _keys(draft.uses, draft.text)
        for key in draft.keys:
            self._open.setdefault(key, []).append(draft)
            self._last[key] = draft
        if isinstance(response, str):
            self._responses[response] = draft

    def asks(self, draft: Draft, continued: Draft | None) -> None:
        """A request came, which begins with the messages of `continued`, if any. Sets `parent`, `since` and `new`."""
        messages = draft.messages
        stored = self._stored(draft)
        if stored is not None:
            self._goes_on(draft, stored, 0)
            return
        for place in range(len(messages) - 1, -1, -1):
            if messages[place].role == "assistant":
                parent = self._saying(messages[place], draft, continued)
                if parent is not None:
                    self._goes_on(draft, parent, place + 1)
                    return
        if continued is None:
            return
        first = next((place for place, each in enumerate(messages) if each.role == "assistant"), None)
        if first is not None:
            self._goes_on(draft, continued, first + 1)
        else:
            self._repeats(draft, continued)

    def _stored(self, draft: Draft) -> Draft | None:
        """The request whose reply the provider has kept, and that this one names."""
        asked = draft.event.asked
        thread = asked.get(THREAD)
        held = thread.get(PREVIOUS_OF_THREAD) if isinstance(thread, dict) else None
        if (named := asked.get(PREVIOUS, held)) is not None:
            return self._responses.get(str(named))
        kept = asked.get(KEPT)
        name = kept.get("id") if isinstance(kept, dict) else kept
        if not isinstance(name, str):
            return None
        before = self._kept.get(name)
        self._kept[name] = draft
        return before

    def _saying(self, message: Message, draft: Draft, continued: Draft | None) -> Draft | None:
        """The reply that a message repeats: that of the request continued, else the last that is not gone on from."""
        for key in _keys(message.calls, message.text):
            waiting = self._open.get(key)
            if continued is not None and key in continued.keys:
                return self._twin(continued, waiting or ()) if continued.children else continued
            found = self._latest(key, waiting or ())
            if found is not None and (message.calls or _akin(draft, found.root)):
                return found
        return None

    def _latest(self, key: Hashable, waiting: Sequence[Draft]) -> Draft | None:
        """The last reply that nobody has gone on from. One of no use was thrown away, if another said the same."""
        last = self._last.get(key)
        usable = next((each for each in reversed(waiting) if not each.is_useless), None)
        if usable is not None or last is None or not last.is_useless:
            return usable or last
        return waiting[-1] if waiting else last

    @staticmethod
    def _twin(gone_on: Draft, waiting: Sequence[Draft]) -> Draft:
        """Of agents that were asked the same and answered the same, one whose reply nobody has gone on from yet."""
        begin = gone_on.root.messages
        waiting = [each for each in waiting if gone_on.is_useless or not each.is_useless]
        return next((each for each in reversed(waiting) if each.root.messages == begin), gone_on)

    def _waiting_twin(self, gone_on: Draft) -> Draft | None:
        """The same reply to the same request, by its ids where it has any, that nobody has gone on from yet."""
        waiting = (self._open.get(key, ()) for key in gone_on.keys[:1])
        twin = next((self._twin(gone_on, each) for each in waiting), gone_on)
        return None if twin is gone_on else twin

    def _goes_on(self, draft: Draft, parent: Draft, place: int) -> None:
        draft.parent, draft.root = parent, parent.root
        draft.since = draft.new = draft.messages[place:]
        parent.children += 1
        for key in parent.keys:
            waiting = self._open.get(key)
            if waiting and parent in waiting:
                waiting.remove(parent)

    def _repeats(self, draft: Draft, continued: Draft) -> None:
        parent = continued.parent
        another = None if parent is None else self._waiting_twin(parent)
        if another is not None and (another.seq > continued.seq or not continued.is_useless):
            self._goes_on(draft, another, len(draft.messages))
            draft.since = draft.new = continued.since + draft.messages
            return
        draft.retried, draft.parent = continued, parent
        draft.root = continued.root
        draft.new = draft.messages
        draft.since = continued.since + draft.messages
        if continued.parent is not None:
            continued.parent.children += 1


def _akin(draft: Draft, root: Draft) -> bool:
    """Whether two requests begin alike: words alone, said to others, do not make a conversation."""
    begin = {(each.role, each.text) for each in root.messages[:BEGINNING]}
    return draft.event.continues is not None or any((e.role, e.text) in begin for e in draft.messages[:BEGINNING])


def _keys(uses: tuple[Use, ...], text: str) -> list[Hashable]:
    """What a reply can be known by again, most certain first."""
    if uses:
        said = tuple([(use.name, _arguments(use)) for use in uses])
        ids = tuple([use.id for use in uses])
        exact: list[Hashable] = [] if None in ids else [(ids, said), ids]
        return [*exact, said]
    words = " ".join(text.split())
    return [words] if words else []


def _arguments(use: Use) -> str:
    return use.raw if use.arguments is NOT_JSON else as_text(use.arguments)
