"""A trace's events, each read once: turns, hooked calls, how the run ended. What belongs together is not known yet."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import msgspec

from squall.checks.story import anthropic, chat, responses
from squall.checks.story.content import as_text, listed, text_of, use_of
from squall.checks.story.draft import Draft, Hooked
from squall.checks.story.said import NOTHING, Offers, Said
from squall.checks.story.shapes import Message, Use
from squall.checks.story.threads import Threads
from squall.trace import Trace
from squall.trace.kinds import (
    AgentFinal,
    AnyEvent,
    Attempt,
    CaptureIncomplete,
    Effected,
    Mark,
    ModelCall,
    ModelReply,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)

READERS: dict[str, ModuleType] = {"model.chat": chat, "model.responses": responses, "model.messages": anthropic}
EMBEDDINGS = "model.embeddings"
LEFT = "left"
"""The mark of an imported run with messages that no request carries any more: results of the last calls."""
EXPECTED = "expected_error"
"""The mark of an error that left the agent and that the test expected, as `pytest.raises` does: `error` in its data is
type and text, with those of its causes where it has any. Whoever sees the test catch it writes the mark, then."""
WORDS = {**anthropic.REASONS, **chat.FINISHES, **responses.NEUTRAL}
"""Providers' words for why a model stopped, where an exported trace has them as they were."""
SYSTEM = {"model.messages": "system", "model.responses": "instructions"}
"""Where a request says as system what it has outside of its messages."""


class Reading:
    """Everything that a trace says, in order."""

    def __init__(self, trace: Trace) -> None:
        self.run = ""
        self.drafts: list[Draft] = []
        self.hooked: list[Hooked] = []
        self.finals: list[AgentFinal] = []
        self.raised: list[tuple[int, str]] = []
        self.gaps: list[str] = []
        self.left: list[tuple[int, Draft, list[Message]]] = []
        self.status: str | None = None
        self.has_ledger = False
        self._threads = Threads()
        self._by_call: dict[int, Draft] = {}
        self._hooked: dict[int, Hooked] = {}
        self._offers: dict[int, Offers | None] = {}
        readers: dict[type[AnyEvent], Callable[[Any, int, float], None]] = {
            ModelCall: self._call,
            ModelReply: self._reply,
            ToolCall: self._tool_call,
            ToolResult: self._tool_result,
            Attempt: self._attempt,
            Effected: self._effect,
            AgentFinal: self._final,
            Mark: self._mark,
            CaptureIncomplete: self._gap,
            RunStart: self._start,
            RunEnd: self._end,
        }
        for envelope, event in trace.entries():
            self.run = self.run or envelope.run
            if (read := readers.get(type(event))) is not None:  # the other kinds say nothing to a story
                read(event, envelope.seq, envelope.t)

    def _tool_call(self, event: ToolCall, seq: int, t: float) -> None:
        hooked = self._hooked[event.call] = Hooked(event, seq, t)
        self.hooked.append(hooked)

    def _tool_result(self, event: ToolResult, seq: int, _t: float) -> None:
        if (known := self._hooked.get(event.call)) is not None:
            known.result, known.ended = event, seq

    def _attempt(self, event: Attempt, _seq: int, _t: float) -> None:
        if (draft := self._by_call.get(event.call)) is not None:
            draft.attempts = max(draft.attempts, event.attempt)

    def _effect(self, event: Effected, _seq: int, _t: float) -> None:
        self.has_ledger = True
        if event.call is not None and (known := self._hooked.get(event.call)) is not None:
            known.effects += 1

    def _final(self, event: AgentFinal, seq: int, _t: float) -> None:
        self.finals.append(event)
        if event.error is not None:
            self.raised.append((seq, event.error))

    def _mark(self, event: Mark, seq: int, _t: float) -> None:
        if event.name == LEFT and self.drafts:
            self.left.append((seq, self.drafts[-1], chat.messages(listed(event.data.get("messages")))))
        elif event.name == EXPECTED:
            self.raised.append((seq, str(event.data.get("error") or "")))

    def _gap(self, event: CaptureIncomplete, _seq: int, _t: float) -> None:
        self.gaps.append(event.why)

    def _start(self, event: RunStart, _seq: int, _t: float) -> None:
        self.has_ledger = self.has_ledger or event.world is not None

    def _end(self, event: RunEnd, _seq: int, _t: float) -> None:
        self.status = event.status

    def _call(self, event: ModelCall, seq: int, t: float) -> None:
        if event.target == EMBEDDINGS:
            return
        reader = READERS.get(event.target, chat)
        raw = event.messages
        listed_ = [{"role": "user", "content": raw}] if isinstance(raw, str) else listed(raw)
        messages: list[Message] = reader.messages(listed_)
        outside = event.asked.get(SYSTEM.get(event.target, ""))
        if outside and event.continues is None:
            messages.insert(0, Message("system", text_of(outside)))
        draft = Draft(event, seq, t, messages, self._offered(event, reader))
        self._by_call[event.call] = draft
        self.drafts.append(draft)
        continued = None if event.continues is None else self._by_call.get(event.continues)
        self._threads.asks(draft, continued)

    def _offered(self, event: ModelCall, reader: ModuleType) -> Offers | None:
        """Of a request whose tools are those of the request that it continues: the same object."""
        if event.tools is None:
            found = None if event.continues is None else self._offers.get(event.continues)
        else:
            found = reader.offers(event.tools, event.asked)
        self._offers[event.call] = found
        return found

    def _reply(self, event: ModelReply, seq: int, _t: float) -> None:
        draft = self._by_call.get(event.call)
        if draft is None or event.attempt < draft.reply_attempt:
            return
        reader = READERS.get(draft.event.target, chat)
        said: Said = reader.reply(event.response) if event.ok or event.error is None else NOTHING
        draft.reply_attempt, draft.replied_at, draft.replied = event.attempt, seq, True
        draft.attempts = max(draft.attempts, event.attempt)
        draft.ok, draft.error, draft.status = event.ok, event.error, event.status
        draft.complete, draft.disconnected = event.complete, event.disconnected
        draft.text = said.text if event.text is None else event.text
        draft.uses = _uses(event, said)
        finish = event.finish or said.finish
        if finish is None and event.ok and event.complete and draft.says:
            finish = "tool_calls" if draft.uses else "stop"
        draft.finish = WORDS.get(finish, finish) if finish else None
        draft.tokens, draft.hosted = event.usage, said.hosted
        self._threads.replies(draft, said.id)


def _uses(event: ModelReply, said: Said) -> tuple[Use, ...]:
    """The calls in a reply: in the words of the event, with the ids of the body."""
    if not event.calls:
        return said.uses if event.text is None else ()
    bodies: list[Use | None] = [*said.uses] if len(said.uses) == len(event.calls) else [None] * len(event.calls)
    return tuple(_use(call, body) for call, body in zip(event.calls, bodies, strict=True))


def _use(call: dict[str, Any], body: Use | None) -> Use:
    arguments = call.get("arguments")
    if body is None:
        return use_of(call.get("name"), arguments, call.get("id"))
    known = call.get("id") or body.id
    if body.raw == arguments:
        return body if known == body.id else msgspec.structs.replace(body, id=known)
    return use_of(call.get("name"), as_text(arguments) if body.free else arguments, known, free=body.free)
