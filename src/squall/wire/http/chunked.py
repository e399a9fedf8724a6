"""A body that comes in chunks (RFC 9112, section 7.1), put together. Knows no head and no connection."""

from __future__ import annotations

from squall.wire.http.head import Wrong

MAX_LINE = 1024  # of a chunk's size and its extensions
MAX_TRAILERS = 64 * 1024
HEX = b"0123456789abcdefABCDEF"


class Chunked:
    """Takes what belongs to the body off the front of a buffer. `take` raises `Wrong`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._body = bytearray()
        self._left = 0  # bytes of the chunk, with the two that end it; none: a line comes next
        self._last = False
        self._trailers = 0

    def take(self, data: bytearray) -> bytes | None:
        """The whole body, or None if more must come."""
        while True:
            if not self._left:
                line = self._line(data)
                if line is None:
                    return None
                if not self._last:
                    self._begin(line)
                elif not line:
                    return bytes(self._body)
            elif not self._go_on(data):
                return None

    def _line(self, data: bytearray) -> bytes | None:
        most = MAX_TRAILERS - self._trailers if self._last else MAX_LINE
        end = data.find(b"\r\n", 0, most)
        if end < 0:
            if len(data) < most:
                return None
            raise Wrong(431, "the trailers are too long") if self._last else Wrong(400, "a chunk's size is no number")
        line = bytes(data[:end])
        del data[: end + 2]
        self._trailers += end + 2 if self._last else 0
        return line

    def _begin(self, line: bytes) -> None:
        size = line.partition(b";")[0].strip(b" \t")
        if not size or size.strip(HEX):
            raise Wrong(400, f"a chunk's size is no number: {size[:40]!r}")
        length = int(size, 16)
        if len(self._body) + length > self._most:
            raise too_large(self._most)
        if length:
            self._left = length + 2
        else:
            self._last = True

    def _go_on(self, data: bytearray) -> bool:
        """Move what is there of a chunk; whether it is whole now."""
        if self._left > 2:  # noqa: PLR2004 - the line break after it
            piece = data[: self._left - 2]
            self._body += piece
            del data[: len(piece)]
            self._left -= len(piece)
        if self._left > 2 or len(data) < 2:  # noqa: PLR2004 - as above
            return False
        if data[:2] != b"\r\n":
            raise Wrong(400, "a chunk is longer than it says")
        del data[:2]
        self._left = 0
        return True


def too_large(most: int) -> Wrong:
    """The refusal of a body beyond `most` bytes."""
    return Wrong(413, f"the body is larger than {most} bytes")
