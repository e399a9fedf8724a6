"""How a reply goes over the wire: at once, or slowly, or not to its end. Steps only; whoever follows them acts.

Knows the faults of delivery by their actions, and neither what is delivered nor to whom.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import count
from typing import Any

from squall.call import BadRequest
from squall.faults.at_model import AtChunk, Pace, Shorten
from squall.interpose import Exchange
from squall.wire.dialect import Frames, Shapes
from squall.wire.http.response import LAST_CHUNK, chunk, head, whole
from squall.wire.http.steps import Fin, Reset, Send, Step, Steps, Wait

CUT = 0.6  # how much of a malformed event's data is left
DATA = b"data:"
OF_THE_NEXT = ("malformed_event", "clean_eof")  # what happens to an event that is still to come
JSON = {"content-type": "application/json"}
NO_STREAM, A_STREAM = "the reply was no stream", "the reply was a stream"
TOO_SHORT = "the stream had no more than {} chunks"
EVENTS = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}


class Delivery:
    """The delivery of one reply."""

    def __init__(self, exchange: Exchange, headers: Mapping[str, str], shapes: Shapes) -> None:
        self.exchange, self.headers, self.shapes = exchange, headers, shapes
        pace, end = exchange.action("pace"), exchange.action("end")
        self.pace = pace if isinstance(pace, Pace) else None
        self.shorten = end if isinstance(end, Shorten) else None
        self.cut = end if isinstance(end, AtChunk) else None
        self._paced: dict[str, Any] | None = None

    def body(self, status: int, content: bytes) -> Steps:
        """A response that is one body."""
        exchange, headers = self.exchange, {**JSON, **self.headers}
        exchange.status = status
        for slot in ("pace", "end"):
            exchange.spared[slot] = NO_STREAM
        pace = self.pace if self.pace is not None and self.pace.pieces else None
        if pace is None and self.shorten is None:
            yield Send(whole(status, headers, content))
            exchange.complete = True
            return
        left = content
        if self.shorten is not None:
            left = content[: min(int(len(content) * self.shorten.share), len(content) - 1)]
        yield Send(head(status, headers, length=len(content)))
        for piece in [left] if pace is None else _pieces(left, pace.pieces):
            if pace is not None:
                yield from self._pause(pace, "pieces")
            yield Send(piece)
        if len(left) < len(content):
            exchange.fired("end", bytes=len(left), promised=len(content))
            exchange.injected = True
            yield Fin()
        else:
            exchange.complete = True

    def stream(self, frames: Frames) -> Steps:
        """A response that is a stream of events."""
        exchange, events = self.exchange, frames.events
        exchange.status = 200
        exchange.spared["end"] = TOO_SHORT.format(len(events)) if self.shorten is None else A_STREAM
        exchange.spared.setdefault("pace", "the reply was one chunk")
        if self.pace is None and self.cut is None:
            yield Send(streamed(self.headers, events))
            exchange.complete = True
            return
        yield Send(head(200, {**EVENTS, **self.headers}, chunked=True))
        place = len(events) + 1
        if self.cut is not None:
            place = len(events) - frames.terminal if self.cut.after is None else self.cut.after
        yield from self._chunks(events[:place])
        if self.cut is None or place > len(events) or (place == len(events) and self.cut.what in OF_THE_NEXT):
            yield from self._ending()
        else:
            yield from self._at_chunk(self.cut, events[place:], exchange.fired("end", after=place))

    def _ending(self) -> Steps:
        yield Send(LAST_CHUNK)
        self.exchange.complete = True

    def _chunks(self, events: Sequence[bytes], *, first: bool = True) -> Steps:
        """Events, each a chunk of the body; where the pace says pieces, the chunks begin and end wherever that cuts."""
        if self.pace is None:
            if events:
                yield Send(b"".join(map(chunk, events)))
            return
        parts = list(_pieces(b"".join(events), self.pace.pieces)) if self.pace.pieces else events
        for part in parts:
            if not first or self.pace.pieces:
                yield from self._pause(self.pace, "pieces" if self.pace.pieces else "chunks")
            first = False
            yield Send(chunk(part))

    def _at_chunk(self, cut: AtChunk, rest: Sequence[bytes], measured: dict[str, Any]) -> Steps:
        """What happens in a stream at that place."""
        exchange = self.exchange
        if cut.what in ("disconnect", "reset"):
            exchange.injected = True
            yield Fin() if cut.what == "disconnect" else Reset()
        elif cut.what == "stall":
            yield from self._wait(cut, measured)
            yield from self._chunks(rest)
            yield from self._ending()
        elif cut.what == "clean_eof":
            yield Send(LAST_CHUNK)
        elif cut.what == "ping_only":
            ping = chunk(self.shapes.ping(exchange.request.endpoint))
            for number in count(1) if cut.forever else range(1, cut.times + 1):
                in_real_time = yield from self._wait(cut, measured)
                yield Send(ping)
                measured["pings"] = number
                if cut.forever and in_real_time and number * cut.seconds >= exchange.owner.clock.wall_cap:
                    break  # nobody stated how long it goes on
            exchange.injected = True
            yield Fin()
        elif cut.what == "error_event":
            problem = BadRequest(self.shapes.in_words(cut.status), status=cut.status)
            exchange.error = problem.message
            event = self.shapes.error_event(problem, exchange.id("req_"), exchange.request.endpoint)
            yield Send(chunk(event) + LAST_CHUNK)
        else:
            yield from self._chunks([_malformed(rest[0]), *rest[1:]], first=False)
            yield from self._ending()

    def _pause(self, pace: Pace, unit: str) -> Steps:
        if self._paced is None:
            self._paced = self.exchange.fired("pace", **{unit: 0})
        yield from self._wait(pace, self._paced)
        self._paced[unit] += 1

    def _wait(self, action: Pace | AtChunk, measured: dict[str, Any]) -> Generator[Step, Any, bool]:
        """Let time pass. Whether it was real time."""
        clock = self.exchange.owner.clock
        began, before = clock.elapsed(), measured.get("seconds", 0.0)
        try:
            return bool((yield Wait(action.seconds, capped=not action.stated)))
        finally:
            measured["seconds"] = round(before + clock.elapsed() - began, 6)


def streamed(headers: Mapping[str, str], events: Sequence[bytes]) -> bytes:
    """A response that is a stream which nothing slows or cuts."""
    return head(200, {**EVENTS, **headers}, chunked=True) + b"".join(map(chunk, events)) + LAST_CHUNK


def _malformed(event: bytes) -> bytes:
    """The event with its data cut inside: the line ends as it should."""
    before, mark, data = event.partition(DATA)
    data = data.rstrip(b"\r\n")
    return before + mark + data[: max(1, int(len(data) * CUT))] + b"\n\n"


def _pieces(content: bytes, number: int) -> Iterator[bytes]:
    size = max(1, -(-len(content) // max(1, number)))
    return (content[start : start + size] for start in range(0, len(content), size))
