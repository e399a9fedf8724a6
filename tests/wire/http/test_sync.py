from __future__ import annotations

import asyncio

import httpcore2
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.clock import VirtualClock, WallClock
from squall.errors import LimitReached
from squall.wire.http.response import head, whole
from squall.wire.http.steps import Await, Disconnected, Fin, Reset, Send, Wait
from squall.wire.http.sync import SyncConversation, TimedOut

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.fixture
def clock():
    return VirtualClock(limit=1000)


@pytest.fixture
def conversation(clock, refusing):
    """A conversation with an answer, or with one that is always these steps."""

    def begin(answer, *more, **options):
        def always(request):
            yield from (answer, *more)

        return SyncConversation(answer if callable(answer) else always, refusing, clock, **options)

    return begin


def to_the_end(talk, timeout=None):
    pieces = []
    while piece := talk.read(65536, timeout):
        pieces.append(piece)
    return pieces


class TestReading:
    def test_requests_are_answered_one_after_another(self, conversation, echoing):
        talk = conversation(echoing)
        talk.write(GET[:9])
        talk.write(GET[9:])
        assert talk.read(65536).endswith(b"GET /a 0")
        talk.write(GET + LAST)
        assert talk.read(65536).count(b"200 OK") == 2
        assert talk.read(65536) == b""
        assert talk.read(65536) == b""

    def test_what_was_sent_with_no_time_between_comes_together_as_far_as_there_is_room(self, conversation):
        talk = conversation(Send(b"abc"), Send(b"def"), Fin())
        talk.write(GET)
        assert [talk.read(4), talk.read(4), talk.read(4)] == [b"abcd", b"ef", b""]

    def test_what_was_sent_with_time_between_comes_apart_wherever_it_was_cut(self, conversation, streamed, clock):
        euro = "€".encode()
        talk = conversation(Send(b"data: " + euro[:2]), Wait(1), Send(euro[2:] + b"\n"), Wait(0), Send(b"\n"), Fin())
        talk.write(GET)
        assert to_the_end(talk) == [b"data: " + euro[:2], euro[2:] + b"\n", b"\n"]
        assert clock.elapsed() == 1

    def test_an_answer_that_has_been_read_to_its_last_byte_has_ended(self, conversation):
        ended = []

        def answer(request):
            yield Send(whole(200, {}, bytes(200_000)))
            ended.append(request.path)

        talk = conversation(answer)
        talk.write(GET)
        read = 0
        while read < 200_000:
            assert not ended or read > 100_000
            read += len(talk.read(65536))
        talk.close()
        assert ended == ["/a"]

    def test_a_long_answer_is_not_made_before_it_is_read(self, conversation):
        made = []

        def answer(request):
            for number in range(1000):
                made.append(number)
                yield Send(bytes(10_000))
            yield Fin()

        talk = conversation(answer)
        talk.write(GET)
        assert len(made) < 10
        assert sum(map(len, to_the_end(talk))) == 10_000_000

    def test_an_answer_begins_when_its_request_is_whole_and_not_when_it_is_read(self, conversation, streamed):
        stream = streamed(b"one")
        talk = conversation(stream)
        talk.write(GET[:-1])
        assert stream.ended == []
        talk.write(GET[-1:])
        assert stream.ended == ["whole"]

    def test_a_reset_is_an_error_after_what_was_sent(self, conversation):
        done = []

        def answer(request):
            yield Send(b"abc")
            yield Reset()
            done.append(True)

        talk = conversation(answer)
        talk.write(GET)
        assert talk.read(10) == b"abc"
        for _ in range(2):
            with pytest.raises(ConnectionResetError):
                talk.read(10)
        assert done == [True]

    def test_who_waits_to_hear_that_its_body_is_wanted_hears_it(self, conversation, echoing):
        talk = conversation(echoing)
        talk.write(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert talk.read(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        talk.write(b"ab")
        assert talk.read(65536).endswith(b"POST / 2")

    def test_what_is_no_request_is_refused_and_then_it_ends(self, conversation, echoing):
        talk = conversation(echoing, max_body=3)
        talk.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n")
        talk.write(b"abcd")
        assert talk.read(65536).startswith(b"HTTP/1.1 413 ")
        assert talk.read(65536) == b""

    def test_an_answer_that_fails_breaks_the_connection_and_says_why(self, conversation):
        def answer(request):
            yield Send(b"one")
            raise RuntimeError("a bug")

        talk = conversation(answer)
        talk.write(GET)
        assert talk.read(10) == b"one"
        with pytest.raises(ConnectionResetError) as caught:
            talk.read(10)
        assert str(caught.value.__cause__) == "a bug"
        with pytest.raises(ConnectionResetError):
            talk.read(10)


class TestTime:
    def test_each_reading_has_a_timeout_of_its_own_and_what_is_left_of_a_wait_stays(self, conversation, clock):
        talk = conversation(Wait(10), Send(b"late"), Fin())
        talk.write(GET)
        for passed in (4, 8):
            with pytest.raises(TimedOut):
                talk.read(10, 4)
            assert clock.elapsed() == passed
        assert talk.read(10, 4) == b"late"
        assert clock.elapsed() == 10

    def test_several_waits_are_one_to_a_reading(self, conversation, clock):
        talk = conversation(Wait(3), Wait(3), Send(b"late"), Fin())
        talk.write(GET)
        with pytest.raises(TimedOut):
            talk.read(10, 5)
        assert clock.elapsed() == 5
        assert talk.read(10, 5) == b"late"
        assert clock.elapsed() == 6

    def test_a_wait_as_long_as_the_timeout_is_not_too_long(self, conversation, clock):
        talk = conversation(Wait(5), Send(b"in time"), Fin())
        talk.write(GET)
        assert talk.read(10, 5) == b"in time"

    def test_a_drip_never_times_out(self, conversation, clock):
        talk = conversation(*[step for _ in range(20) for step in (Wait(4), Send(b"."))], Fin())
        talk.write(GET)
        assert to_the_end(talk, 5) == [b"."] * 20
        assert clock.elapsed() == 80

    def test_for_ever_times_out_or_ends_at_the_limit(self, conversation, clock):
        talk = conversation(Wait(forever=True))
        talk.write(GET)
        with pytest.raises(TimedOut):
            talk.read(10, 600)
        assert clock.elapsed() == 600
        with pytest.raises(LimitReached):
            talk.read(10)
        assert clock.elapsed() == 1000

    def test_reading_what_nobody_has_asked_for_times_out_or_ends_at_the_limit(self, conversation, clock, echoing):
        talk = conversation(echoing)
        with pytest.raises(TimedOut):
            talk.read(10, 7)
        assert clock.elapsed() == 7
        with pytest.raises(LimitReached):
            talk.read(10)

    def test_wall_time_cuts_what_nobody_has_stated(self, refusing, echoing):
        def answer(request):
            yield Wait(forever=True)
            yield Send(b"on")

        talk = SyncConversation(answer, refusing, WallClock(wall_cap=0.01))
        talk.write(GET)
        assert talk.read(10, 1000) == b"on"
        assert talk.read(10) == b""

    @pytest.mark.parametrize(("clock", "told"), [(VirtualClock(), None), (WallClock(), True)])
    def test_an_answer_hears_whether_its_wait_was_real(self, refusing, clock, told):
        heard = []

        def answer(request):
            heard.append((yield Wait(0.001)))
            yield Send(b"on")

        talk = SyncConversation(answer, refusing, clock)
        talk.write(GET)
        assert talk.read(10) == b"on"
        assert heard == [told]

    def test_wall_time_times_out_too(self, refusing):
        def answer(request):
            yield Wait(forever=True)

        talk = SyncConversation(answer, refusing, WallClock(wall_cap=1000))
        talk.write(GET)
        with pytest.raises(TimedOut):
            talk.read(10, 0.01)


class TestAwaiting:
    def test_the_result_is_sent_in_and_an_error_thrown_in(self, conversation):
        async def brain(fails):
            await asyncio.sleep(0)
            if fails:
                raise ValueError("no idea")
            return b"thought"

        def answer(request):
            thought = yield Await(brain(fails=False))
            try:
                yield Await(brain(fails=True))
            except ValueError as error:
                yield Send(thought + b"; " + str(error).encode())

        talk = conversation(answer)
        talk.write(GET)
        assert talk.read(100) == b"thought; no idea"

    def test_it_happens_also_under_a_running_loop(self, conversation):
        async def brain():
            return b"thought"

        def answer(request):
            yield Send((yield Await(brain())))

        async def main():
            talk = conversation(answer)
            talk.write(GET)
            return talk.read(100)

        assert asyncio.run(main()) == b"thought"

    def test_a_thought_that_takes_longer_than_the_timeout_comes_to_the_next_reading(self, conversation, clock):
        def answer(request):
            yield Send((yield Await(clock_sleeps())))

        async def clock_sleeps():
            await clock.asleep(9)
            return b"thought"

        talk = conversation(answer)
        talk.write(GET)
        with pytest.raises(TimedOut):
            talk.read(100, 5)
        assert talk.read(100, 5) == b"thought"


class TestClosing:
    def test_an_answer_under_way_hears_that_nobody_reads_it(self, conversation, streamed):
        stream = streamed(b"one", Wait(5), b"two")
        talk = conversation(stream)
        talk.write(GET)
        assert talk.read(65536).endswith(b"one\r\n")
        talk.close()
        talk.close()
        assert stream.ended == ["Disconnected"]
        with pytest.raises(BrokenPipeError):
            talk.write(GET)
        assert talk.read(10) == b""

    def test_an_answer_may_go_on_to_its_own_end(self, conversation):
        done = []

        def answer(request):
            try:
                yield Wait(5)
            except Disconnected:
                done.append(True)
                yield Send(b"nobody reads this")
                done.append(False)

        talk = conversation(answer)
        talk.write(GET)
        talk.close()
        assert done == [True]

    def test_a_conversation_in_which_nothing_is_under_way_just_ends(self, conversation, echoing):
        talk = conversation(echoing)
        talk.write(GET)
        talk.close()

    def test_a_short_body_ends_early(self, conversation):
        talk = conversation(Send(head(200, {}, length=9) + b"short"), Fin())
        talk.write(GET)
        assert b"".join(to_the_end(talk)).endswith(b"short")
        talk.close()


def test_the_limit_of_the_run_ends_the_answer_and_the_reading(conversation, streamed):
    stream = streamed(b"one", Wait(5000), b"two")
    talk = conversation(stream)
    talk.write(GET)
    assert talk.read(65536)
    with pytest.raises(LimitReached):
        talk.read(65536)
    assert stream.ended == ["LimitReached"]


def test_what_an_answer_says_whole_is_read_whole(conversation):
    talk = conversation(Send(whole(200, {}, b"hello")))
    talk.write(GET)
    assert talk.read(65536) == whole(200, {}, b"hello")


@given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from([GET, LAST, GET[:20], GET[20:]])), max_size=6))
def test_whatever_is_written_it_is_answered_or_refused_and_nothing_is_raised(pieces):
    def answer(request):
        yield Send(whole(200, {}, b"fine"))

    def refuse(malformed):
        return whole(malformed.status)

    talk = SyncConversation(answer, refuse, VirtualClock())
    read = bytearray()
    try:
        for piece in pieces:
            talk.write(piece)
        while piece := talk.read(65536, 1):
            read += piece
    except TimedOut:
        pass
    talk.close()
    assert read == b"" or read.startswith((b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 4"))


class Stream(httpcore2.NetworkStream):
    """A network for httpcore that is a conversation."""

    def __init__(self, talk):
        self.talk = talk

    def read(self, max_bytes, timeout=None):
        try:
            return self.talk.read(max_bytes, timeout)
        except TimedOut as error:
            raise httpcore2.ReadTimeout from error
        except ConnectionResetError as error:
            raise httpcore2.ReadError from error

    def write(self, buffer, timeout=None):
        self.talk.write(buffer)

    def close(self):
        self.talk.close()

    def get_extra_info(self, info):
        return self.talk.readable if info == "is_readable" else None


class TestASyncLibrary:
    @pytest.fixture
    def ask(self, conversation):
        def ask(*steps, path="/"):
            class Backend(httpcore2.NetworkBackend):
                def connect_tcp(self, *args, **kwargs):
                    return Stream(conversation(*steps))

            transport = httpx2.HTTPTransport()
            transport._pool = httpcore2.ConnectionPool(network_backend=Backend())
            with httpx2.Client(transport=transport, timeout=10) as library:
                return library.get("http://model.test/" + path)

        return ask

    def test_it_reads_what_was_sent(self, ask, streamed, clock):
        assert ask(Send(whole(200, {}, b"hello"))).content == b"hello"
        assert ask(streamed(b"one", Wait(9), b"two", Wait(9), b"three")).content == b"onetwothree"
        assert clock.elapsed() == 18

    def test_it_sees_broken_bodies_broken_connections_and_silence(self, ask):
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(Send(head(200, {}, length=100) + b"short"), Fin())
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(Fin())
        with pytest.raises(httpx2.ReadError):
            ask(Reset())
        with pytest.raises(httpx2.ReadTimeout):
            ask(Wait(forever=True))

    def test_when_it_times_out_the_answer_hears_of_it(self, ask, streamed):
        stream = streamed(b"one", Wait(11))
        with pytest.raises(httpx2.ReadTimeout):
            ask(stream)
        assert stream.ended == ["Disconnected"]
