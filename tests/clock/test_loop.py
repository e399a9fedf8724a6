from __future__ import annotations

import asyncio
import time

import anyio
import anyio.to_thread
import pytest

from squall.clock import VirtualClock

HOUR = 3600


def test_every_way_to_run_a_coroutine_in_a_sync_test_is_virtual(run, clock, no_waits):
    run(asyncio.sleep(60))
    assert clock.elapsed() == 60.0


def test_loops_one_after_another_share_the_clock(clock, no_waits):
    asyncio.run(asyncio.sleep(60))
    time.sleep(60)
    asyncio.run(asyncio.sleep(60))
    assert clock.elapsed() == 180.0


@pytest.mark.asyncio
async def test_a_running_loop_is_attached_when_the_context_begins(no_waits):
    with VirtualClock().in_charge() as clock:
        await asyncio.sleep(60)
        assert clock.elapsed() == 60.0


@pytest.mark.asyncio
async def test_a_loop_that_began_before_keeps_exact_deadlines():
    with VirtualClock().in_charge() as clock:
        for _ in range(50):
            await asyncio.sleep(0.137)
            with anyio.move_on_after(60):
                await anyio.sleep(HOUR)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.7):
                    await asyncio.sleep(HOUR)
        assert clock.elapsed() == 3041.85  # 50 times 60.837


def test_timeouts_of_asyncio_fire_exactly(clock, no_waits):
    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.sleep(HOUR), 60)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await asyncio.sleep(HOUR)
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(5))
            group.create_task(asyncio.sleep(9.9))
        done, pending = await asyncio.wait([asyncio.ensure_future(asyncio.sleep(s)) for s in (1, 30)], timeout=10)
        assert (len(done), len(pending)) == (1, 1)

    asyncio.run(main())
    assert clock.elapsed() == 60 + 0.1 + 9.9 + 10


def test_deadlines_of_anyio_fire_exactly(clock, no_waits):
    async def main():
        for _ in range(20):
            with anyio.move_on_after(60.000001) as scope:
                await anyio.sleep(HOUR)
            assert scope.cancelled_caught
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 7)
            with pytest.raises(TimeoutError), anyio.fail_after(3):
                await anyio.sleep_forever()

    anyio.run(main)
    assert clock.elapsed() == pytest.approx(20 * 60.000001 + 7, abs=1e-9)


def test_what_is_ready_goes_before_a_jump(clock):
    async def main():
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            for _ in range(20):
                writer.write(b"x" * 100_000)
                assert len(await asyncio.wait_for(reader.readexactly(100_000), 0.001)) == 100_000
            assert clock.elapsed() == 0.0
            writer.close()
            await asyncio.sleep(1)

    asyncio.run(main())


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


def test_a_server_in_the_loop_that_never_answers_costs_no_wall_time(clock, no_waits):
    async def main():
        async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(), 60)
            assert clock.elapsed() == 60.0
            writer.close()
            await asyncio.sleep(1)

    asyncio.run(main())


async def say_nothing(reader, writer):
    await reader.read()
    writer.close()


@pytest.mark.parametrize("raise_exceptions", [True, False])
def test_the_mcp_clients_own_timeout_fires_at_its_second(clock, no_waits, raise_exceptions):
    from mcp import Client
    from mcp.server import MCPServer

    server = MCPServer("shop")

    @server.tool()
    async def refund() -> str:
        await clock.asleep(HOUR / 2)
        return "late"

    async def main():
        async with Client(server, read_timeout_seconds=60, raise_exceptions=raise_exceptions) as client:
            began = clock.elapsed()
            with pytest.raises(Exception, match=r"[Tt]imed out"):
                await client.call_tool("refund", {})
            assert clock.elapsed() - began == 60.0

    asyncio.run(main())


def test_a_wait_of_the_clock_lets_other_tasks_have_their_turn(clock, no_waits):
    seen = []

    async def note(seconds):
        await clock.asleep(seconds)
        seen.append((seconds, clock.elapsed()))

    async def main():
        await asyncio.gather(note(30), note(10), note(20))

    asyncio.run(main())
    assert seen == [(10, 10.0), (20, 20.0), (30, 30.0)]


# the clock's own timers


def test_a_jump_stops_at_the_clocks_own_timers(clock, no_waits):
    seen = []

    async def main():
        clock.call_at(10, lambda: seen.append(clock.elapsed()))
        clock.call_at(5, lambda: seen.append(clock.elapsed()))
        await asyncio.sleep(30)

    asyncio.run(main())
    assert seen == [5.0, 10.0]
    assert clock.elapsed() == 30.0


def test_a_loop_looks_again_after_an_own_timer(clock, no_waits):
    async def main():
        arrived = asyncio.Event()
        clock.call_at(10, arrived.set)
        await arrived.wait()
        assert clock.elapsed() == 10.0
        clock.call_at(1, arrived.clear)  # its time has gone: the next look fires it
        await asyncio.sleep(0.001)
        assert not arrived.is_set()

    asyncio.run(main())


def test_an_own_timer_that_raises_comes_out_of_the_loop_and_loses_no_other(clock):
    seen = []

    def fail():
        raise KeyError("lost row")

    async def main():
        clock.call_at(5, fail)
        clock.call_at(5, lambda: seen.append(clock.elapsed()))
        await asyncio.sleep(30)

    with pytest.raises(KeyError, match="lost row"):
        asyncio.run(main())
    assert seen == [5.0]


@pytest.mark.anyio
async def test_an_anyio_test_is_virtual(no_waits):
    with VirtualClock().in_charge() as clock:
        with anyio.move_on_after(60):
            await anyio.sleep(HOUR)
        assert clock.elapsed() == 60.0


@pytest.fixture
def anyio_backend():
    return "asyncio"
