"""One logical request to a model, from where an SDK is asked to where all of its answer has been read.

Writes `model_call` when it begins, `attempt` and `attempt_end` for each request below it that no provider of ours
records, and one `model_reply`. Knows no SDK: hooks tell it what they see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import partial
from typing import Any

import msgspec

from squall.canonical import plain
from squall.capture.answer import Answer
from squall.capture.current import Capture, scope
from squall.capture.replies import READERS, Said, target_at
from squall.capture.replies.events import events_in
from squall.capture.replies.said import mapping
from squall.errors import said as words
from squall.trace.asked import kept
from squall.trace.kinds import Attempt, AttemptEnd, Event, ModelCall, ModelReply
from squall.trace.meeting import Sent

ERRORS = 400  # HTTP's begin there
NOTHING = Said()


class ModelCalling:
    """A request to a model that is under way. `over`: its reply has been recorded; `sending`: attempts on the wire.

    `latest` is the attempt that was begun last, where somebody stands between who wants to know. `offers_known`: its
    body has all tools that it offers. `translated`: on the wire it may be in another provider's words. Events are made
    when they are written: a call holds what they need.
    """

    _make: Callable[[], ModelReply]

    __slots__ = (
        "_began",
        "_body",
        "_make",
        "_now",
        "_offers_known",
        "_returned",
        "_scope",
        "answer",
        "attempts",
        "capture",
        "latest",
        "number",
        "over",
        "recorder",
        "sending",
        "status",
        "target",
        "translated",
    )

    def __init__(
        self,
        capture: Capture,
        target: str,
        body: Mapping[str, Any],
        *,
        offers_known: bool = True,
        translated: bool = False,
    ) -> None:
        self.capture, self.target, self.translated = capture, target, translated
        self.recorder = recorder = capture.recorder
        self.number = capture.numbers()
        self.attempts = self.sending = 0
        self.over = self._returned = False
        self.latest: Attempting | None = None
        self.answer: Answer | None = None
        self.status: int | None = None
        self._offers_known, self._scope = offers_known, scope()
        self._body = kept(body)
        self._began = self._now = recorder.elapsed()
        recorder.later(self._asked, self._began)

    def _asked(self) -> ModelCall | None:
        event: ModelCall | None = self.capture.guard("a request to a model", self._call)
        return event

    def _call(self) -> ModelCall:
        asked = self.recorder.conversations.parted(self.number, self.target, self._body)
        self._body = b""
        return ModelCall(
            call=self.number,
            target=self.target,
            model=str(asked.rest.get("model") or ""),
            stream=asked.rest.get("stream") is True,
            scope=self._scope,
            continues=asked.continues,
            messages=asked.messages,
            tools=asked.tools if self._offers_known else None,
            asked=asked.rest,
        )

    @property
    def under_way(self) -> bool:
        """Whether the SDK has yet to return from it."""
        return not (self.over or self._returned)

    def attempting(self, body: bytes, retries: int) -> Attempting:
        """A request is about to be sent for it."""
        self.attempts += 1
        self.answer = self.status = None
        attempt = Attempting(self, self.attempts, body, retries)
        if self.capture.between is not None:
            self.latest = attempt
        return attempt

    def answered(self, answer: Answer) -> None:
        """The head of an answer has come, and maybe all of it."""
        self.answer, self.status = answer, answer.status
        answer.on_over = self._read

    def returned(self) -> None:
        """The SDK gives its answer to the agent, who may have to read it yet."""
        self._returned = True
        if self.answer is None:
            self.capture.broke("a call of an SDK", LookupError("its answer came in a way that squall does not know"))
            self.reply(NOTHING)
        elif self.answer.over:
            self._read(self.answer)
        else:
            self.capture.open[self.number] = self

    def failed(self, error: BaseException) -> None:
        """The SDK raises instead."""
        status = getattr(error, "status_code", None)
        self.status = status if isinstance(status, int) else self.status
        said = Said(
            error=f"{type(error).__name__}: {words(error)}",
            response=plain(mapping(getattr(error, "body", None))) or None,
        )
        self.reply(said, complete=False, disconnected=not isinstance(error, Exception))

    def cut_short(self) -> None:
        """The run is over, and the agent has not read it all."""
        if self.answer is not None and not self.answer.over:
            self.answer.end("left")

    def reply(self, said: Said, *, complete: bool = True, disconnected: bool = False) -> None:
        """Record what it came to, once."""
        self._over(partial(self._event, said, complete=complete, disconnected=disconnected))

    def _read(self, answer: Answer) -> None:
        """All that will come of an answer has come."""
        if self._returned and answer is self.answer:
            self._over(self._reply_with_answer)

    def _over(self, make: Callable[[], ModelReply]) -> None:
        if self.over:
            return
        self.over = True
        if self.capture.open:
            self.capture.open.pop(self.number, None)
        self._make, self._now = make, self.recorder.elapsed()
        self.recorder.later(self._replied, self._now)

    def _replied(self) -> ModelReply | None:
        event: ModelReply | None = self.capture.guard("the answer of a model", self._make)
        return event

    def _reply_with_answer(self) -> ModelReply:
        answer = self.answer
        assert answer is not None  # noqa: S101 - whoever waits for it has it
        reader = READERS[(target_at(answer.path) if self.translated else None) or self.target]
        if answer.is_stream:
            said = reader.streamed(events_in(answer.content))
            complete = said.ended
        else:
            said, complete = _whole(reader, answer.content), answer.state == "whole"
        if answer.state == "broken" and not said.error:
            said.error = answer.error
        left = answer.state == "left" and not complete
        return self._event(said, complete=complete and answer.state != "broken", disconnected=left)

    def _event(self, said: Said, *, complete: bool, disconnected: bool) -> ModelReply:
        if said.id is not None:
            self.recorder.conversations.replied(self.number, said.id)
        return ModelReply(
            call=self.number,
            attempt=max(1, self.attempts),
            ok=complete and said.error is None and (self.status is None or self.status < ERRORS),
            status=self.status,
            text=said.text,
            calls=said.calls,
            finish=said.finish,
            usage=said.usage,
            error=said.error,
            complete=complete,
            disconnected=disconnected,
            latency_ms=_milliseconds(self._now - self._began),
            response=said.response,
        )


class Attempting(Sent):
    """One request that is sent for a call."""

    __slots__ = ("_began", "_end", "_now", "_scope", "calling", "number")

    def __init__(self, calling: ModelCalling, number: int, body: bytes, retries: int) -> None:
        super().__init__(calling.number, body, retries)
        self.calling, self.number = calling, number
        recorder = calling.recorder
        self._began = recorder.elapsed()
        calling.sending += 1
        recorder.meeting.send(self)

    def ended(self, status: int | None = None, retry_after: float | None = None, error: str | None = None) -> None:
        """The head of its answer has come, or none will."""
        recorder = self.calling.recorder
        self.calling.sending -= 1
        self._end, self._now, self._scope = (status, retry_after, error), recorder.elapsed(), scope()
        recorder.meeting.over(self)
        recorder.later(self._events, self._now)

    def _events(self) -> list[Event]:
        call, attempt = self.call, self.number
        status, retry_after, error = self._end
        end = AttemptEnd(
            call=call,
            attempt=attempt,
            status=status,
            retry_after=retry_after,
            error=error,
            latency_ms=_milliseconds(self._now - self._began),
        )
        if self.taken:  # whoever answers it records it
            return [end]
        sent = Attempt(
            call=call,
            attempt=attempt,
            number=attempt,
            target=self.calling.target,
            scope=self._scope,
            digest="",
            nth=0,
        )
        return [sent, end]

    def broke(self, error: BaseException) -> None:
        """No answer came."""
        self.ended(error=f"{type(error).__name__}: {words(error)}")


def _milliseconds(seconds: float) -> float:
    return round(seconds * 1000, 3)


def _whole(reader: Any, content: bytes) -> Said:
    try:
        body = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Said(error=f"the body is not JSON: {error}")
    said: Said = reader.whole(mapping(body))
    return said


CALLING: ContextVar[ModelCalling | None] = ContextVar("squall_model_call", default=None)
"""The call that requests are sent for, in this context."""
