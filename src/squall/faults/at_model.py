"""What a fault does to one request to a model, as data. Nothing here acts: `interpose` and the provider's wire do.

Rules on this wire decide slot by slot, so that several can combine on one reply: `wait` (before anything), `answer`
(what comes instead of a reply), `reply` (what is said), `pace` (how fast it goes over the wire), `end` (how that ends).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from squall.call import ModelRequest, Reply

Slot = Literal["wait", "answer", "reply", "pace", "end"]
SLOTS: tuple[Slot, ...] = ("wait", "answer", "reply", "pace", "end")
Vector = list[float]


class Slow(msgspec.Struct, frozen=True):
    """`wait`: so many seconds pass before the first byte."""

    seconds: float
    stated: bool = True


class Refuse(msgspec.Struct, frozen=True):
    """`answer`: an error status with a body in the provider's shape. None: the provider's own words for the status."""

    status: int
    message: str | None = None
    code: str | None = None
    retry_after: float | None = None
    retry_after_ms: float | None = None
    should_retry: bool | None = None


class Silence(msgspec.Struct, frozen=True):
    """`answer`: nothing comes for so many seconds, then the connection is closed without a byte."""

    seconds: float
    stated: bool = True
    forever: bool = False


class Drop(msgspec.Struct, frozen=True):
    """`answer`: the connection ends before the first byte."""

    how: Literal["fin", "reset"]


class Garble(msgspec.Struct, frozen=True):
    """`answer` to a request that is no stream, or that becomes none: a 200 whose body is not what it should be.

    `malformed_json`: the text is cut inside; `error`: it is an error's body, of `status`; `empty`: nobody chose
    anything (no choices, no content, no output).
    """

    what: Literal["malformed_json", "error", "empty"]
    status: int = 503


class Alter(msgspec.Struct, frozen=True):
    """`reply`: what the model says is made worse; None from `change` where that is not possible: nothing has fired."""

    change: Callable[[Reply, ModelRequest], Reply | None]


class Vectors(msgspec.Struct, frozen=True):
    """`reply` of embeddings: the vectors are made worse, or None as above. `reordered`: each keeps its own index."""

    change: Callable[[list[Vector]], list[Vector] | None]
    reordered: bool = False


class Pace(msgspec.Struct, frozen=True):
    """`pace`: so many seconds pass before each chunk of a stream but the first, or each of the `pieces` of a body."""

    seconds: float
    pieces: int = 0
    stated: bool = True


class Interleave(msgspec.Struct, frozen=True):
    """`pace`: the deltas of a stream's parallel calls come by turns."""


class Shorten(msgspec.Struct, frozen=True):
    """`end` of a body: the connection is closed when that share of the bytes promised has been sent."""

    share: float


class AtChunk(msgspec.Struct, frozen=True):
    """`end` of a stream, after so many chunks (None: when only the terminal events are left).

    `disconnect`: the connection is closed in the middle of a chunked body; `reset`: it is broken; `stall`: nothing
    comes for `seconds`, then the stream goes on; `clean_eof`: the body ends properly, with no terminal event;
    `ping_only`: only signs of life come, `times` of them, one each `seconds`, then the connection is closed (`forever`:
    until the run's limit, in real time until `wall_cap`); `error_event`: the provider's event for an error of `status`,
    and the end; `malformed_event`: the next event's JSON is cut. A stream with fewer chunks never gets there, and
    nothing has fired.
    """

    what: Literal["disconnect", "reset", "stall", "clean_eof", "ping_only", "error_event", "malformed_event"]
    after: int | None = None
    seconds: float = 0.0
    times: int = 0
    stated: bool = True
    forever: bool = False
    status: int = 503


ModelAction = Slow | Refuse | Silence | Drop | Garble | Alter | Vectors | Pace | Interleave | Shorten | AtChunk
