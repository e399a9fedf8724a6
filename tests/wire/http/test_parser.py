from __future__ import annotations

import gc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.wire.http.head import MAX_HEADERS
from squall.wire.http.parser import MAX_HEAD, Expect, Parser
from squall.wire.http.steps import HttpRequest, Malformed

POST = b"POST /v1/x HTTP/1.1\r\nHost: api.openai.com:443\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = (
    b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n"
    b"5;name=value\r\nhello\r\n0006 \r\n world\r\n0\r\nA: trailer\r\n\r\n"
)
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
EXPECTING = b"POST /e HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n!"
LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
UPGRADE = b"POST /u HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nab"
OLD = b"GET /old HTTP/1.0\r\n\r\n"
VALID = [POST, CHUNKED, GET, EXPECTING, LAST, UPGRADE, OLD, b"\r\n" + GET]


def events(*pieces, **options):
    """Everything that comes of bytes in these pieces."""
    parser = Parser(**options)
    found = []
    for piece in pieces:
        parser.feed(piece)
        while (event := parser.next()) is not None:
            found.append(event)
    return found


def only(data, **options):
    (event,) = events(data, **options)
    return event


def with_header(line, body=b""):
    return b"POST /p HTTP/1.1\r\nHost: x\r\n" + line + b"\r\n\r\n" + body


def cut(data, places):
    places = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(places)]


class TestRequests:
    def test_a_request_is_what_it_says(self):
        request = only(
            b"PUT /v1/a%20b?x=1&y=%C3%A9&x=2&z= HTTP/1.1\r\nHOST: API.openai.com:443\r\nX-Two: 1\r\nx-two:  2 \r\n"
            b"Content-Length: 2\r\n\r\nhi"
        )
        assert request == HttpRequest(
            "PUT",
            "/v1/a b",
            {"x": "2", "y": "é", "z": ""},
            {"host": "API.openai.com:443", "x-two": "2", "content-length": "2"},
            b"hi",
        )

    @pytest.mark.parametrize(
        ("target", "path", "query"),
        [
            (b"http://api.openai.com/v1/x?a=b", "/v1/x", {"a": "b"}),
            (b"http://api.openai.com", "/", {}),
            (b"*", "*", {}),
            (b"/x?", "/x", {}),
            (b"/%ff%zz", "/\ufffd%zz", {}),
            (b"//x/y", "//x/y", {}),
        ],
    )
    def test_targets_of_all_forms_have_a_path(self, target, path, query):
        request = only(b"OPTIONS " + target + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (request.path, request.query) == (path, query)

    def test_a_body_in_chunks_is_put_together(self):
        request = only(CHUNKED)
        assert request.body == b"hello world"
        assert "a" not in request.headers

    def test_who_waits_to_hear_that_its_body_is_wanted_is_told_apart(self):
        expects, request = events(EXPECTING)
        assert expects is Expect.CONTINUE
        assert request.body == b"!"
        assert isinstance(only(with_header(b"Expect: 100-continue\r\nContent-Length: 0")), HttpRequest)

    @pytest.mark.parametrize("last", [LAST, OLD, LAST.replace(b"close", b"close\r\nConnection: x")])
    def test_after_the_last_request_there_is_no_other(self, last):
        assert len(events(last + GET, GET)) == 1

    def test_what_is_done_to_one_request_does_not_show_in_the_next_with_the_same_head(self):
        first, second = events(GET.replace(b"/", b"/?a=b", 1) * 2)
        first.headers.clear()
        first.query.clear()
        assert second.headers == {"host": "x"}
        assert second.query == {"a": "b"}

    def test_nothing_is_parsed_before_it_is_asked_for(self):
        parser = Parser()
        parser.feed(GET + b"\x00 nonsense")
        assert isinstance(parser.next(), HttpRequest)
        assert parser.held == len(b"\x00 nonsense")
        assert isinstance(parser.next(), Malformed)
        assert parser.held == 0


class TestRefusals:
    @pytest.mark.parametrize(
        "data",
        [
            b"\x00",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
            b"GET / HTTP/2.0\r\nHost: x\r\n\r\n",
            b"GET / RTSP/1.0\r\nHost: x\r\n\r\n",
            b"GET /\r\n\r\n",
            b"GET /\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"FETCH / HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET / HTTP/1.1\nHost: x\n\n",
            with_header(b"A : b"),
            with_header(b"A: b\r\n c"),
            with_header(b"A: b\x00"),
            with_header(b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
            with_header(b"Transfer-Encoding: chunked\r\nContent-Length: 5", b"0\r\n\r\n"),
            with_header(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
            with_header(b"Transfer-Encoding: gzip, chunked", b"0\r\n\r\n"),
            with_header(b"Transfer-Encoding: gzip"),
            with_header(b"Content-Length: 1\r\nContent-Length: 1", b"a"),
            with_header(b"Content-Length: -1"),
            with_header(b"Content-Length: +1", b"a"),
            with_header(b"Content-Length: 0x1", b"a"),
            with_header(b"Content-Length: 1_0", b"a"),
            with_header(b"Content-Length:"),
            with_header(b"Content-Length: 99999999999999999999999999"),
            with_header(b"Transfer-Encoding: chunked", b"x\r\n"),
            with_header(b"Transfer-Encoding: chunked", b"\r\n"),
            with_header(b"Transfer-Encoding: chunked", b"0x1\r\na\r\n"),
            with_header(b"Transfer-Encoding: chunked", b"+1\r\na\r\n"),
            with_header(b"Transfer-Encoding: chunked", b"1\r\nab\r\n"),
            with_header(b"Transfer-Encoding: chunked", b"1;" + b"x" * 2000),
        ],
    )
    def test_malformed_framing_is_refused_with_400(self, data):
        refused = only(data)
        assert refused.status == 400
        assert refused.message
        assert events(data, GET) == [refused]

    def test_the_path_is_told_as_far_as_it_is_known(self):
        assert only(with_header(b"Content-Length: x")).path == "/p"
        assert only(b"\x00").path == ""

    def test_a_head_may_be_as_long_as_it_may_and_no_longer(self):
        room = MAX_HEAD - len(with_header(b"A: "))
        assert isinstance(only(with_header(b"A: " + b"b" * room)), HttpRequest)
        assert only(with_header(b"A: " + b"b" * (room + 1))).status == 431
        assert only(b"GET /" + b"a" * MAX_HEAD).status == 431
        assert only(with_header(b"A: " + b" " * MAX_HEAD)).status == 431

    def test_there_may_be_as_many_headers_as_there_may_and_no_more(self):
        lines = b"\r\n".join(b"A: %d" % number for number in range(MAX_HEADERS - 1))
        assert isinstance(only(with_header(lines)), HttpRequest)
        assert only(with_header(lines + b"\r\nB: b")).status == 431

    def test_trailers_have_an_end(self):
        chunked = with_header(b"Transfer-Encoding: chunked", b"0\r\n")
        assert only(chunked + b"A: b\r\n" * 20_000).status == 431
        assert only(chunked + b"A: " + b"b" * 80_000).status == 431

    def test_a_body_may_be_as_large_as_it_may_and_no_larger(self):
        assert only(with_header(b"Content-Length: 5", b"hello"), max_body=5).body == b"hello"
        assert only(with_header(b"Content-Length: 6"), max_body=5).status == 413
        chunked = with_header(b"Transfer-Encoding: chunked", b"3\r\nabc\r\n")
        assert only(chunked + b"2\r\nde\r\n0\r\n\r\n", max_body=5).body == b"abcde"
        assert only(chunked + b"3\r\n", max_body=5).status == 413
        assert only(chunked + b"ffffffffffffffffffffffff\r\n", max_body=5).status == 413


class TestAnyBytes:
    @given(st.lists(st.sampled_from(VALID), max_size=4), st.lists(st.integers(0, 10_000), max_size=8))
    def test_the_same_bytes_give_the_same_requests_however_they_are_cut(self, parts, places):
        data = b"".join(parts)
        assert events(*cut(data, places)) == events(data)

    @given(st.sampled_from(VALID))
    def test_also_byte_by_byte(self, data):
        assert events(*[data[at : at + 1] for at in range(len(data))]) == events(data)

    @given(st.binary(max_size=400), st.lists(st.integers(0, 10_000), max_size=4))
    def test_any_bytes_are_requests_or_one_refusal(self, data, places):
        check(data, places)

    def test_a_target_that_is_wrong_is_refused_alike_however_it_is_cut(self):
        data = b"POST /\x00/x HTTP/1.1\r\nHost: x\r\n\r\n"
        assert [events(data[:at], data[at:]) for at in range(1, len(data))] == [events(data)] * (len(data) - 1)

    @given(
        st.lists(st.sampled_from(VALID), min_size=1, max_size=3),
        st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.binary(max_size=6)), min_size=1, max_size=3),
        st.lists(st.integers(0, 10_000), max_size=6),
    )
    def test_so_are_requests_that_were_tampered_with(self, parts, changes, places):
        data = b"".join(parts)
        for at, gone, instead in changes:
            at %= len(data) + 1
            data = data[:at] + instead + data[at + gone :]
        check(data, places)


def check(data, places):
    whole = events(data)
    for event in whole[:-1]:
        assert not isinstance(event, Malformed)
    for event in whole:
        assert event is Expect.CONTINUE or isinstance(event, HttpRequest) or event.status in {400, 413, 431}
    assert events(*cut(data, places)) == whole


def test_a_request_leaves_nothing_for_the_garbage_collector():
    gc.collect()
    gc.disable()
    try:
        events(*VALID * 10)
        assert gc.collect() < len(VALID)
    finally:
        gc.enable()
