"""What is known of each turn and each hooked call while a trace is being read. Mutable, and gone afterwards."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from squall.checks.story.said import Offers
from squall.checks.story.shapes import UNUSABLE, Message, Use
from squall.trace.kinds import ModelCall, ToolCall, ToolResult

NO_CALLS: tuple[Use, ...] = ()


class Draft:
    """A turn. `seq` is its place in the trace, `replied_at` that of its reply (0: none yet).

    `messages` are those that the trace has for it, `since` those after the reply of `parent`, `retried` the request
    that it repeats. `children` are the requests that go on from its reply, `keys` what that can be known by again.
    """

    __slots__ = (
        "attempts",
        "call",
        "children",
        "complete",
        "conversation",
        "disconnected",
        "dropped",
        "error",
        "event",
        "finish",
        "hosted",
        "keys",
        "messages",
        "new",
        "offered",
        "ok",
        "parent",
        "replied",
        "replied_at",
        "reply_attempt",
        "retried",
        "root",
        "seq",
        "since",
        "status",
        "step",
        "t",
        "text",
        "tokens",
        "uses",
    )

    def __init__(self, event: ModelCall, seq: int, t: float, messages: list[Message], offered: Offers | None) -> None:
        self.event, self.call, self.seq, self.t = event, event.call, seq, t
        self.messages, self.offered = messages, offered
        self.parent: Draft | None = None
        self.retried: Draft | None = None
        self.root = self
        self.children = 0
        self.since: list[Message] = messages
        self.new: list[Message] = messages
        self.conversation = self.step = self.replied_at = self.attempts = self.reply_attempt = 0
        self.replied = self.ok = self.complete = self.disconnected = self.dropped = False
        self.error: str | None = None
        self.status: int | None = None
        self.finish: str | None = None
        self.text = ""
        self.uses = NO_CALLS
        self.tokens: dict[str, int] = {}
        self.hosted: tuple[str, ...] = ()
        self.keys: list[Hashable] = []

    @property
    def says(self) -> bool:
        """Whether its reply has anything that a conversation can go on from."""
        return bool(self.uses or self.text.strip())

    @property
    def is_useless(self) -> bool:
        """Whether a reply came that an agent had better throw away: an error, nothing, or not all of it."""
        return self.replied and not (self.ok and self.says and self.complete and self.finish not in UNUSABLE)


class Hooked:
    """A call of a tool seen where it happened. `ended` is the place of its result in the trace (0: none yet)."""

    __slots__ = ("effects", "ended", "event", "result", "seq", "t")

    def __init__(self, event: ToolCall, seq: int, t: float) -> None:
        self.event, self.seq, self.t = event, seq, t
        self.result: ToolResult | None = None
        self.ended = 0
        self.effects = 0


class Asked:
    """A call of a tool as a turn asked for it, and what came of it: the message with its result, the hooked call."""

    __slots__ = ("answer", "answered_at", "hooked", "place", "seq", "turn", "use")

    def __init__(self, use: Use, turn: Draft, seq: int, place: int) -> None:
        self.use, self.turn, self.seq, self.place = use, turn, seq, place
        self.answer: Message | None = None
        self.answered_at = 0
        self.hooked: Hooked | None = None


def whole(value: Any) -> int | None:
    """A number of tokens, where it is one."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
