from __future__ import annotations

import pytest

from squall.wire.http.response import LAST_CHUNK, chunk, head, whole


def test_a_whole_response_states_its_length():
    assert whole(404, {"x-a": "b"}, b"no") == b"HTTP/1.1 404 Not Found\r\nx-a: b\r\ncontent-length: 2\r\n\r\nno"


def test_headers_may_come_twice_as_pairs():
    assert head(200, [("a", "1"), ("a", "2")]) == b"HTTP/1.1 200 OK\r\na: 1\r\na: 2\r\n\r\n"


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (200, b"HTTP/1.1 200 OK"),
        (429, b"HTTP/1.1 429 Too Many Requests"),
        (529, b"HTTP/1.1 529 Overloaded"),
        (599, b"HTTP/1.1 599 Unknown"),
    ],
)
def test_every_status_has_a_phrase(status, line):
    assert head(status, length=0).startswith(line + b"\r\n")


def test_a_body_in_chunks_is_announced_and_ended():
    assert head(200, chunked=True).endswith(b"transfer-encoding: chunked\r\n\r\n")
    assert chunk(b"x" * 26) == b"1a\r\n" + b"x" * 26 + b"\r\n"
    assert chunk(b"") == b""
    assert LAST_CHUNK == b"0\r\n\r\n"
