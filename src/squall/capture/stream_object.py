"""A stream that an SDK hands over as an object: its parts are kept as the agent takes them.

Python looks for `__next__` in an object's class, so that it is replaced there, once, and does nothing for objects that
nobody watches.
"""

from __future__ import annotations

from functools import wraps
from typing import Any

import msgspec

from squall.capture.answer import Answer

ATTRIBUTE = "_squall_answer"
_watched: set[type] = set()


def watch(stream: Any) -> Answer:
    """The answer that grows as `stream` is read. Its parts have to be models of pydantic."""
    answer = Answer(200, streams=True)
    kind = type(stream)
    if kind not in _watched:
        _watched.add(kind)
        if hasattr(kind, "__next__"):
            _sync(kind)
        if hasattr(kind, "__anext__"):
            _async(kind)
    setattr(stream, ATTRIBUTE, answer)
    return answer


def _sync(kind: Any) -> None:
    original = kind.__next__

    @wraps(original)
    def following(self: Any) -> Any:
        answer = self.__dict__.get(ATTRIBUTE)
        try:
            part = original(self)
        except StopIteration:
            _end(answer, None)
            raise
        except BaseException as error:
            _end(answer, error)
            raise
        _add(answer, part)
        return part

    kind.__next__ = following


def _async(kind: Any) -> None:
    original = kind.__anext__

    @wraps(original)
    async def following(self: Any) -> Any:
        answer = self.__dict__.get(ATTRIBUTE)
        try:
            part = await original(self)
        except StopAsyncIteration:
            _end(answer, None)
            raise
        except BaseException as error:
            _end(answer, error)
            raise
        _add(answer, part)
        return part

    kind.__anext__ = following


def _add(answer: Answer | None, part: Any) -> None:
    if answer is not None and hasattr(part, "model_dump"):
        answer.add(b"data: %b\n\n" % msgspec.json.encode(part.model_dump(mode="json")))


def _end(answer: Answer | None, error: BaseException | None) -> None:
    if answer is None:
        return
    if error is None:
        answer.end("whole")
    else:
        answer.failed(error)
