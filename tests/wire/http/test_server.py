from __future__ import annotations

import asyncio
import resource
import socket
import struct
from contextlib import suppress

import httpx2
import pytest

from squall.clock import VirtualClock, WallClock
from squall.errors import LimitReached
from squall.wire.http.response import head, whole
from squall.wire.http.server import AHEAD, Connection, HttpServer
from squall.wire.http.steps import Await, Disconnected, Fin, Reset, Send, Wait
from squall.wire.sockets import reserve

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = b"GET /z HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def ok(body=b"hello"):
    return Send(whole(200, {}, body))


def of(*steps):
    """An answer that is always these steps."""

    def answer(request):
        yield from (step for step in steps)  # a generator, which hears how waits were

    return answer


def count_tasks(monkeypatch):
    begun = []
    original = Connection._follow

    async def follow(self, step):
        begun.append(step)
        await original(self, step)

    monkeypatch.setattr(Connection, "_follow", follow)
    return begun


class TestOneAfterAnother:
    def test_requests_sent_together_are_answered_in_their_order(self, in_virtual_time, echoing, talk):
        async def client(port, clock):
            return await talk(port, GET + GET.replace(b"/a", b"/b") + LAST)

        answers = in_virtual_time(echoing, client)
        assert [answers.index(path) for path in (b"/a", b"/b", b"/z")] == sorted(
            answers.index(path) for path in (b"/a", b"/b", b"/z")
        )
        assert answers.count(b"HTTP/1.1 200 OK") == 3

    def test_a_request_sent_ahead_waits_for_the_one_before(self, in_virtual_time, talk):
        seen = []

        def answer(request):
            seen.append((request.path, "begins"))
            yield Wait(5)
            seen.append((request.path, "ends"))
            yield ok()

        in_virtual_time(answer, lambda port, clock: talk(port, GET + LAST))
        assert seen == [("/a", "begins"), ("/a", "ends"), ("/z", "begins"), ("/z", "ends")]

    def test_a_client_that_sends_far_ahead_is_held_back_and_answered(self, in_virtual_time):
        count = 3 * AHEAD // len(GET)
        first = True

        def answer(request):
            nonlocal first
            if first:
                first = False
                yield Wait(1)
            yield ok(b"one\n")

        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET * count + LAST)
            answers = await reader.read()
            writer.close()
            return answers

        assert in_virtual_time(answer, client).count(b"one\n") == count + 1

    def test_a_connection_stays_open_for_the_next_request(self, in_virtual_time, echoing):
        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            lengths = []
            for _ in range(3):
                writer.write(GET)
                lengths.append(len(await reader.readuntil(b"GET /a 0")))
            writer.close()
            return lengths

        assert len(set(in_virtual_time(echoing, client))) == 1

    @pytest.mark.parametrize("request_", [LAST, b"GET / HTTP/1.0\r\n\r\n", LAST.replace(b"close", b"Foo, CLOSE")])
    def test_a_client_that_wants_no_more_is_left_after_its_answer(self, in_virtual_time, echoing, talk, request_):
        answers = in_virtual_time(echoing, lambda port, clock: talk(port, request_ + GET))
        assert answers.count(b"200 OK") == 1

    def test_a_request_to_upgrade_is_answered_as_any_other_and_its_body_is_read(self, in_virtual_time, echoing, talk):
        wish = b"POST /u HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2\r\n\r\nab"
        answers = in_virtual_time(echoing, lambda port, clock: talk(port, wish + LAST))
        assert b"POST /u 2" in answers
        assert b"GET /z 0" in answers

    def test_who_waits_to_hear_that_its_body_is_wanted_hears_it(self, in_virtual_time, echoing):
        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            heard = await reader.readuntil(b"\r\n\r\n")
            writer.write(b"ab")
            answer = await reader.readuntil(b"POST / 2")
            writer.close()
            return heard, answer

        heard, answer = in_virtual_time(echoing, client)
        assert heard == b"HTTP/1.1 100 Continue\r\n\r\n"
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")

    def test_an_answer_that_only_sends_needs_no_task(self, in_virtual_time, echoing, talk, monkeypatch):
        begun = count_tasks(monkeypatch)
        in_virtual_time(echoing, lambda port, clock: talk(port, GET * 10 + LAST))
        assert begun == []
        in_virtual_time(of(Wait(1), ok()), lambda port, clock: talk(port, LAST))
        assert begun == [Wait(1)]


class TestTheEnd:
    def test_fin_lets_the_client_read_to_the_end_and_no_further(self, in_virtual_time, talk):
        answer = of(Send(head(200, {}, length=100) + b"short"), Fin())
        assert in_virtual_time(answer, lambda port, clock: talk(port, GET)).endswith(b"\r\n\r\nshort")

    def test_what_an_answer_does_after_its_last_step_is_done(self, in_virtual_time, talk):
        done = []

        def answer(request):
            yield Fin()
            done.append(True)

        in_virtual_time(answer, lambda port, clock: talk(port, GET + GET))
        assert done == [True]

    @pytest.mark.parametrize("waits", [(), (Wait(1),)])
    def test_reset_is_an_error_to_the_client_after_what_was_sent(self, in_virtual_time, waits):
        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET)
            with pytest.raises(ConnectionResetError):
                while True:
                    piece = await reader.read(10)
                    assert piece, "it was closed in order"
            writer.close()

        in_virtual_time(of(Send(b"HTTP/1.1 200 OK\r\n"), *waits, Reset()), client)

    def test_a_library_sees_a_broken_body_a_broken_connection_and_none_at_all(self, in_virtual_time):
        short = of(Send(head(200, {}, length=100) + b"short"), Fin())

        async def ask(port, clock):
            async with httpx2.AsyncClient(timeout=10) as library:
                return await library.get(f"http://127.0.0.1:{port}/")

        with pytest.raises(httpx2.RemoteProtocolError):
            in_virtual_time(short, ask)
        with pytest.raises(httpx2.RemoteProtocolError):
            in_virtual_time(of(Fin()), ask)
        with pytest.raises(httpx2.ReadError):
            in_virtual_time(of(Reset()), ask)
        with pytest.raises(httpx2.ReadTimeout):
            in_virtual_time(of(Wait(forever=True)), ask)
        assert in_virtual_time(of(Wait(9), ok()), ask).content == b"hello"

    def test_an_answer_that_fails_breaks_its_own_connection_alone(self, in_virtual_time, talk):
        told = []

        def answer(request):
            if request.path == "/a":
                yield Send(b"HTTP/1.1 200 OK\r\n")
                raise RuntimeError("a bug")
            yield ok()

        async def client(port, clock):
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: told.append(context["exception"]))
            with pytest.raises(ConnectionResetError):
                await talk(port, GET)
            return await talk(port, LAST)

        assert in_virtual_time(answer, client).endswith(b"hello")
        assert [str(error) for error in told] == ["a bug"]


class TestWaiting:
    def test_waits_take_the_time_they_say(self, in_virtual_time, talk):
        async def client(port, clock):
            await talk(port, LAST)
            return clock.elapsed()

        assert in_virtual_time(of(Wait(40), Wait(2), ok()), client) == pytest.approx(42, abs=0.01)

    def test_waiting_for_ever_ends_at_the_limit(self, in_virtual_time, talk):
        with pytest.raises(LimitReached):
            in_virtual_time(of(Wait(forever=True)), lambda port, clock: talk(port, GET), limit=100)

    def test_the_result_of_what_is_awaited_is_sent_in_and_its_error_thrown_in(self, in_virtual_time, talk):
        async def brain(fails):
            await asyncio.sleep(1)
            if fails:
                raise ValueError("no idea")
            return b"thought"

        def answer(request):
            thought = yield Await(brain(fails=False))
            try:
                yield Await(brain(fails=True))
            except ValueError as error:
                yield ok(thought + b"; " + str(error).encode())

        assert in_virtual_time(answer, lambda port, clock: talk(port, LAST)).endswith(b"thought; no idea")

    def test_pieces_arrive_as_they_were_cut_with_time_between(self, in_virtual_time, streamed):
        euro = "€".encode()
        pieces = [b"data: ", euro[:1], Wait(0.02), euro[1:], b"\n", Wait(0.02), b"\n"]

        async def client(port, clock):
            async with (
                httpx2.AsyncClient(timeout=10) as library,
                library.stream("GET", f"http://127.0.0.1:{port}/") as response,
            ):
                return [(round(clock.elapsed(), 2), piece) async for piece in response.aiter_raw()]

        moments: dict[float, bytes] = {}
        for moment, piece in in_virtual_time(streamed(*pieces), client):
            moments[moment] = moments.get(moment, b"") + piece
        assert list(moments.values()) == [b"data: " + euro[:1], euro[1:] + b"\n", b"\n"]

    def test_wall_time_cuts_what_nobody_has_stated(self, serving, talk):
        async def main():
            async with serving(of(Wait(forever=True), ok()), WallClock(wall_cap=0.01)) as port:
                return await talk(port, LAST)

        assert asyncio.run(main()).endswith(b"hello")

    @pytest.mark.parametrize(("foreign", "told"), [(None, [None]), (lambda _: False, [None]), (lambda _: True, [True])])
    def test_an_answer_hears_whether_its_wait_was_real(self, in_virtual_time, talk, foreign, told):
        heard = []

        def answer(request):
            heard.append((yield Wait(0.01)))
            yield ok()

        in_virtual_time(answer, lambda port, clock: talk(port, LAST), foreign=foreign)
        assert heard == told

    def test_on_wall_time_it_was(self, serving, talk):
        heard = []

        def answer(request):
            heard.append((yield Wait(0.001)))
            yield ok()

        async def main():
            async with serving(answer, WallClock()) as port:
                return await talk(port, LAST)

        asyncio.run(main())
        assert heard == [True]

    def test_four_hundred_streams_at_once_come_to_their_end(self, in_virtual_time, streamed, talk):
        stream = streamed(*[step for number in range(20) for step in (b"data: %d\n\n" % number, Wait(0.05))])

        async def client(port, clock):
            return await asyncio.gather(*[talk(port, LAST) for _ in range(400)])

        assert {whole_.count(b"data: ") for whole_ in in_virtual_time(stream, client)} == {20}
        assert stream.ended == ["whole"] * 400


class TestAClientThatGoes:
    @pytest.mark.parametrize("step", [Wait(1000), Wait(forever=True), None], ids=["waits", "for ever", "awaits"])
    def test_an_answer_that_waits_hears_of_it_at_once(self, in_virtual_time, streamed, step):
        step = step or Await(asyncio.sleep(1000))
        stream = streamed(b"one", step, b"two")

        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET)
            await reader.readuntil(b"one\r\n")
            await asyncio.sleep(7)
            writer.close()
            await writer.wait_closed()
            await asyncio.sleep(1)
            return list(stream.ended), clock.elapsed()

        ended, elapsed = in_virtual_time(stream, client)
        assert ended == ["Disconnected"]
        assert elapsed == pytest.approx(8, abs=0.1)

    def test_a_client_that_breaks_the_connection_is_noticed(self, in_virtual_time, streamed):
        stream = streamed(b"one", Wait(1000))

        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET)
            await reader.readuntil(b"one\r\n")
            sock = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
            await asyncio.sleep(1)
            return list(stream.ended)

        assert in_virtual_time(stream, client) == ["Disconnected"]

    def test_a_library_that_times_out_is_noticed(self, in_virtual_time, streamed):
        stream = streamed(Wait(forever=True))

        async def client(port, clock):
            async with httpx2.AsyncClient(timeout=5) as library:
                with pytest.raises(httpx2.ReadTimeout):
                    await library.get(f"http://127.0.0.1:{port}/")
                await asyncio.sleep(0.1)
                return list(stream.ended)

        assert in_virtual_time(stream, client) == ["Disconnected"]

    def test_one_that_only_sends_no_more_is_answered_to_the_end(self, in_virtual_time, streamed, talk):
        stream = streamed(b"one", Wait(5), b"two", Wait(5), b"three")
        answers = in_virtual_time(stream, lambda port, clock: talk(port, GET + GET, half_close=True))
        assert answers.count(b"three") == 2
        assert stream.ended == ["whole", "whole"]

    def test_one_that_goes_before_the_answers_task_has_begun_is_noticed(self, serving, streamed):
        stream = streamed(b"one", Wait(1000))

        async def main():
            server = HttpServer(stream, lambda malformed: b"", VirtualClock())
            connection = server.connection()
            transport = Transport()
            connection.connection_made(transport)
            connection.data_received(GET)
            connection.connection_lost(None)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            await asyncio.sleep(0)

        asyncio.run(main())
        assert stream.ended == ["Disconnected"]

    def test_the_end_of_the_server_ends_what_is_being_answered(self, serving, streamed):
        stream = streamed(b"one", Wait(1000))

        async def main(clock):
            async with serving(stream, clock) as port:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(GET)
                await reader.readuntil(b"one\r\n")
            with suppress(ConnectionResetError):
                assert await reader.read() == b""
            writer.close()
            return clock.elapsed()

        clock = VirtualClock()
        with clock.in_charge():
            assert asyncio.run(main(clock)) < 1
        assert stream.ended == ["Stopped"]


class Transport(asyncio.Transport):
    """Takes everything."""

    def __init__(self):
        super().__init__()
        self.written, self.closed = [], False

    def write(self, data):
        self.written.append(data)

    def is_closing(self):
        return self.closed

    def abort(self):
        self.closed = True


class TestAClientThatDoesNotRead:
    def test_no_more_is_made_for_it_than_fits(self, in_virtual_time):
        made = []

        def answer(request):
            for number in range(4096):
                made.append(number)
                yield Send(bytes(16 * 1024))
            yield Fin()

        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.sleep(0.1)  # the clock sees that both ends are in this loop
            writer.write(GET)
            await asyncio.sleep(10)
            before = len(made)
            size = 0
            while piece := await reader.read(1 << 20):
                size += len(piece)
            writer.close()
            return before, size

        before, size = in_virtual_time(answer, client)
        assert before * 16 * 1024 < 32 * 1024 * 1024  # what the system itself holds
        assert size == 4096 * 16 * 1024

    def test_what_was_sent_before_a_reset_is_not_lost_in_the_server(self, in_virtual_time):
        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            await asyncio.sleep(0.1)
            writer.write(GET)
            await asyncio.sleep(1)
            size = 0
            with pytest.raises(ConnectionResetError):
                while piece := await reader.read(1 << 20):
                    size += len(piece)
            writer.close()
            return size

        size = in_virtual_time(of(Send(bytes(20_000_000)), Reset()), client)
        assert size > 10_000_000  # the system may drop what it held itself


class TestRefusals:
    @pytest.mark.parametrize(
        ("sent", "status"),
        [
            (b"\x16\x03\x01\x02\x00\x01", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", 400),
            (b"GET /\r\n\r\n", 400),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ten\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 201 + b"\r\n", 431),
            (b"GET / HTTP/1.1\r\nHost: x\r\nA: " + b"b" * 65536 + b"\r\n\r\n", 431),
            (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 67108865\r\n\r\n", 413),
        ],
    )
    def test_what_is_no_request_is_refused_and_the_server_goes_on(self, in_virtual_time, echoing, talk, sent, status):
        async def client(port, clock):
            return await talk(port, sent), await talk(port, LAST)

        refused, answered = in_virtual_time(echoing, client)
        assert refused.startswith(b"HTTP/1.1 %d " % status)
        assert answered.startswith(b"HTTP/1.1 200 ")

    @pytest.mark.parametrize("chunked", [False, True])
    def test_a_body_far_too_large_is_refused_and_not_kept(self, in_virtual_time, echoing, chunked):
        size, piece = 100 * 1024 * 1024, bytes(1024 * 1024)
        framing = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: %d" % size

        async def client(port, clock):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST / HTTP/1.1\r\nHost: x\r\n" + framing + b"\r\n\r\n")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            for _ in range(size // len(piece)):
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                await writer.drain()
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            answer = await reader.readuntil(b"}")
            writer.close()
            return answer, after - before

        answer, kilobytes = in_virtual_time(echoing, client, max_body=8 * 1024 * 1024)
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert kilobytes < 40 * 1024

    def test_who_asks_whether_a_body_too_large_is_wanted_hears_that_it_is_not(self, in_virtual_time, echoing, talk):
        sent = b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\n\r\n"
        answer = in_virtual_time(echoing, lambda port, clock: talk(port, sent))
        assert answer.startswith(b"HTTP/1.1 413 ")

    def test_an_answer_hears_nothing_of_what_is_no_request(self, in_virtual_time, talk):
        def answer(request):
            raise AssertionError("it was asked")

        in_virtual_time(answer, lambda port, clock: talk(port, b"nonsense\r\n\r\n"))


class TestBugs:
    """Whatever an answer does when it should be over is told to the loop, and no other connection suffers."""

    @pytest.fixture
    def told(self, in_virtual_time, talk):
        def told(answer, client):
            told = []

            async def main(port, clock):
                loop = asyncio.get_running_loop()
                loop.set_exception_handler(lambda loop, context: told.append(str(context["exception"])))
                await client(port, clock)

            in_virtual_time(answer, main)
            return told

        return told

    def test_after_its_last_step(self, told, talk):
        def answer(request):
            yield Fin()
            raise RuntimeError("after the end")

        assert told(answer, lambda port, clock: talk(port, GET)) == ["after the end"]

    def test_more_steps_after_its_last(self, told, talk):
        went = []

        def answer(request):
            yield Fin()
            went.append(1)
            yield ok()
            went.append(2)

        assert told(answer, lambda port, clock: talk(port, GET)) == []
        assert went == [1]

    def test_when_its_client_has_gone(self, told):
        def answer(request):
            try:
                yield Wait(100)
            finally:
                raise RuntimeError("in the clean-up")

        async def client(port, clock):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(GET)
            await asyncio.sleep(1)
            writer.close()
            await asyncio.sleep(1)

        assert told(answer, client) == ["in the clean-up"]

    def test_what_it_awaits_is_cancelled(self, in_virtual_time, streamed, talk):
        async def brain():
            raise asyncio.CancelledError

        stream = streamed(Await(brain()))

        async def client(port, clock):
            with suppress(ConnectionResetError):
                assert b"\r\n\r\n0" not in await talk(port, GET)

        in_virtual_time(stream, client)
        assert stream.ended == ["Disconnected"]


class TestBreakingAll:
    def test_every_connection_is_broken_and_new_ones_are_served(self, streamed, refusing, talk):
        stream = streamed(b"one", Wait(1000), b"two")
        clock = VirtualClock()

        async def main():
            server, sock = HttpServer(stream, refusing, clock), reserve()
            async with server.on(sock):
                port = sock.getsockname()[1]
                for count in (1, 2):
                    reader, writer = await asyncio.open_connection("127.0.0.1", port)
                    writer.write(GET)
                    await reader.readuntil(b"one\r\n")
                    server.drop()
                    with suppress(ConnectionResetError):
                        assert await reader.read() == b""
                    writer.close()
                    assert stream.ended == ["Stopped"] * count

        with clock.in_charge():
            asyncio.run(main())

    def test_a_client_that_never_stops_sending_what_was_refused_is_broken_with(
        self, in_virtual_time, echoing, monkeypatch
    ):
        monkeypatch.setattr("squall.wire.http.server.DRAIN", 1024 * 1024)

        async def client(port, clock):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            with pytest.raises(ConnectionError):
                for _ in range(1000):
                    writer.write(bytes(64 * 1024))
                    await writer.drain()
            writer.close()

        in_virtual_time(echoing, client)


def test_an_answer_may_end_with_disconnected_itself(in_virtual_time, talk):
    def answer(request):
        yield Send(b"HTTP/1.1 200 OK\r\n")
        raise Disconnected

    async def client(port, clock):
        with pytest.raises(ConnectionResetError):
            await talk(port, GET)

    in_virtual_time(answer, client)


@pytest.mark.parametrize("moments", [1, 2, 3])
def test_a_server_that_is_stopped_as_it_begins_closes_its_socket(streamed, refusing, moments):
    sock = reserve()

    async def serve():
        async with HttpServer(streamed(b"one"), refusing, VirtualClock()).on(sock):
            await asyncio.Event().wait()

    async def main():
        serving = asyncio.ensure_future(serve())
        for _ in range(moments):
            await asyncio.sleep(0)
        serving.cancel()
        with suppress(asyncio.CancelledError):
            await serving

    asyncio.run(main())
    assert sock.fileno() == -1
