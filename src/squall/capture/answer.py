"""The body of an answer as the agent's SDK reads it, kept along the way, and how the reading ended.

The response stays the client library's own object; only the methods that its reading goes through are replaced, on this
one object. Works on responses of httpx and httpx2, and imports neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Literal

from squall.errors import said

State = Literal["open", "whole", "left", "broken"]
EVENTS = "text/event-stream"


class Answer:
    """`state`: `open` until it is read to its end (`whole`), or closed before (`left`), or it fails (`broken`)."""

    __slots__ = ("_chunks", "_response", "_streams", "error", "on_over", "reading", "state", "status")

    def __init__(self, status: int, *, streams: bool = False, response: Any = None) -> None:
        self.status, self._streams, self._response = status, streams, response
        self.state: State = "open"
        self.error: str | None = None
        self.reading = False
        self.on_over: Callable[[Answer], None] = _nobody
        self._chunks: list[bytes] = []

    @classmethod
    def of(cls, response: Any) -> Answer:
        """Of a response whose head has come. What is to be read yet is watched."""
        answer = cls(response.status_code, response=response)
        if response.is_stream_consumed or response.is_closed:
            answer.add(response.content)
            answer.state = "whole"
        elif hasattr(response.stream, "__aiter__") and not hasattr(response.stream, "__iter__"):
            _watch_async(response, answer)
        else:
            _watch(response, answer)
            if hasattr(response.stream, "__aiter__"):  # a body that can be read in both ways
                _watch_async(response, answer)
        return answer

    @classmethod
    def given(cls, content: bytes) -> Answer:
        """One that is there already, as a body."""
        answer = cls(200)
        answer.add(content)
        answer.state = "whole"
        return answer

    @property
    def is_stream(self) -> bool:
        """Whether it comes as events."""
        return self._streams or (
            self._response is not None and EVENTS in self._response.headers.get("content-type", "")
        )

    @property
    def path(self) -> str:
        """What was asked for it; empty where nobody has sent anything."""
        return "" if self._response is None else str(self._response.request.url.path)

    @property
    def over(self) -> bool:
        """Whether nothing comes any more."""
        return self.state != "open"

    @property
    def content(self) -> bytes:
        """All that has come."""
        return b"".join(self._chunks)

    def add(self, chunk: bytes) -> None:
        """A piece has come."""
        self._chunks.append(chunk)

    def end(self, state: State, error: BaseException | None = None) -> None:
        """Nothing comes any more; the first reason counts."""
        if not self.over:
            self.state = state
            if error is not None:
                self.error = f"{type(error).__name__}: {said(error)}"
            self.on_over(self)

    def failed(self, error: BaseException) -> None:
        """Reading has failed; or whoever reads has been told to stop."""
        self.end("broken" if isinstance(error, Exception) else "left", error)


def _nobody(_answer: Answer) -> None:
    """Nobody waits for it yet."""


def _watch(response: Any, answer: Answer) -> None:
    iter_bytes, close = response.iter_bytes, response.close

    def watched(chunk_size: int | None = None) -> Iterator[bytes]:
        if answer.over:
            yield from iter_bytes(chunk_size)
            return
        answer.reading = True
        try:
            for chunk in iter_bytes(chunk_size):
                answer.add(chunk)
                answer.reading = False
                yield chunk
                answer.reading = True
        except BaseException as error:
            answer.failed(error)
            raise
        finally:
            answer.reading = False
        answer.end("whole")

    def closed() -> None:
        close()
        if not answer.reading:  # a library closes a response itself when it has read it all
            answer.end("left")

    response.iter_bytes, response.close = watched, closed


def _watch_async(response: Any, answer: Answer) -> None:
    aiter_bytes, aclose = response.aiter_bytes, response.aclose

    async def watched(chunk_size: int | None = None) -> AsyncIterator[bytes]:
        if answer.over:
            async for chunk in aiter_bytes(chunk_size):
                yield chunk
            return
        answer.reading = True
        try:
            async for chunk in aiter_bytes(chunk_size):
                answer.add(chunk)
                answer.reading = False
                yield chunk
                answer.reading = True
        except BaseException as error:
            answer.failed(error)
            raise
        finally:
            answer.reading = False
        answer.end("whole")

    async def closed() -> None:
        await aclose()
        if not answer.reading:
            answer.end("left")

    response.aiter_bytes, response.aclose = watched, closed
