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
from squall.trace.asked import Kept, kept
from squall.trace.kinds import Attempt, AttemptEnd, ModelCall, ModelReply

ERRORS = 400  # HTTP's begin there
NOTHING = Said()


class ModelCalling:
    """A request to a model that is under way. `over`: its reply has been recorded; `sending`: attempts on the wire.

    `offers_known`: its body has all tools that it offers. `translated`: on the wire it may be in another provider's
    words.
    """

    def __init__(
        self,
        capture: Capture,
        target: str,
        body: Mapping[str, Any],
        *,
        offers_known: bool = True,
        translated: bool = False,
    ) -> None:
        self.capture, self.recorder, self.target = capture, capture.recorder, target
        self.model = str(body.get("model") or "")
        self.number = capture.numbers()
        self.attempts = self.sending = 0
        self.over = False
        self.translated = translated
        self.answer: Answer | None = None
        self.status: int | None = None
        self._returned = False
        self._began = self.recorder.elapsed()
        self._offers_known, self._stream, self._scope = offers_known, body.get("stream") is True, scope()
        self.recorder.later(partial(capture.guard, "a request to a model", self._asked, kept(target, body)))

    def _asked(self, request: Kept) -> ModelCall:
        asked = self.recorder.conversations.parted(self.number, request)
        return ModelCall(
            call=self.number,
            target=self.target,
            model=self.model,
            stream=self._stream,
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
        return Attempting(self, self.attempts, body, retries)

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
        self._over(lambda latency: self._event(said, latency, complete=complete, disconnected=disconnected))

    def _read(self, answer: Answer) -> None:
        """All that will come of an answer has come."""
        if self._returned and answer is self.answer:
            self._over(partial(self._reply_with, answer))

    def _over(self, make: Callable[[float], ModelReply]) -> None:
        if self.over:
            return
        self.over = True
        self.capture.open.pop(self.number, None)
        latency = round((self.recorder.elapsed() - self._began) * 1000, 3)
        self.recorder.later(partial(self.capture.guard, "the answer of a model", make, latency))

    def _reply_with(self, answer: Answer, latency: float) -> ModelReply:
        reader = READERS[(target_at(answer.path) if self.translated else None) or self.target]
        if answer.is_stream:
            said = reader.streamed(events_in(answer.content))
            complete = said.ended
        else:
            said, complete = _whole(reader, answer.content), answer.state == "whole"
        if answer.state == "broken" and not said.error:
            said.error = answer.error
        left = answer.state == "left" and not complete
        return self._event(said, latency, complete=complete and answer.state != "broken", disconnected=left)

    def _event(self, said: Said, latency: float, *, complete: bool, disconnected: bool) -> ModelReply:
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
            latency_ms=latency,
            response=said.response,
        )


class Attempting:
    """One request that is sent for a call."""

    def __init__(self, call: ModelCalling, number: int, body: bytes, retries: int) -> None:
        self.call, self.number = call, number
        self._began = call.recorder.elapsed()
        call.sending += 1
        self._sent = call.recorder.meeting.send(call.number, body, retries)

    def ended(self, status: int | None = None, retry_after: float | None = None, error: str | None = None) -> None:
        """The head of its answer has come, or none will."""
        call, recorder = self.call, self.call.recorder
        call.sending -= 1
        if not recorder.meeting.over(self._sent):
            recorder.later(
                Attempt(
                    call=call.number,
                    attempt=self.number,
                    number=self.number,
                    target=call.target,
                    scope=scope(),
                    digest="",
                    nth=0,
                )
            )
        recorder.later(
            AttemptEnd(
                call=call.number,
                attempt=self.number,
                status=status,
                retry_after=retry_after,
                error=error,
                latency_ms=round((recorder.elapsed() - self._began) * 1000, 3),
            )
        )

    def broke(self, error: BaseException) -> None:
        """No answer came."""
        self.ended(error=f"{type(error).__name__}: {words(error)}")


def _whole(reader: Any, content: bytes) -> Said:
    try:
        body = msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return Said(error=f"the body is not JSON: {error}")
    said: Said = reader.whole(mapping(body))
    return said


CALLING: ContextVar[ModelCalling | None] = ContextVar("squall_model_call", default=None)
"""The call that requests are sent for, in this context."""
