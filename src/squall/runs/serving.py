"""A run that other processes talk to: a world served over MCP until somebody ends it. On wall time.

Knows transports by what `wire.mcp` offers, and no command line: what people are told goes to `say`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from squall.errors import Problem, UsageError, counted
from squall.runs.environment import Environment
from squall.runs.result import RunResult
from squall.store import StateJournal
from squall.store.journal import check
from squall.trace import FileRecorder
from squall.wire.sockets import is_local, reserve, url_of

Say = Callable[[str], None]
SIGNALS = (signal.SIGINT, signal.SIGTERM)
IDLE = 1800.0  # seconds after which a session that nobody uses is forgotten, so that memory stays bounded
TELLING = 2.0  # seconds that an end may take before people are told why
STILL = "ending, as soon as what is under way has landed (Ctrl-C again ends it without that)"
EXITED = "the server exited, as its faults wanted"


class Served(NamedTuple):
    """What is asked for: a world and its weather, where it is served, and what is written down.

    `host` None means standard input and output. `record` and `state` are files for the trace and the journal.
    """

    world: Path
    faults: Path | None = None
    seed: int | None = None
    run_index: int = 0
    host: str | None = None
    port: int = 8000
    allow_remote: bool = False
    record: Path | None = None
    state: Path | None = None


class End:
    """How a served run ends: by whoever asks for it first. `status` is the process's."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.why, self.status = "", 0

    def ask(self, why: str, status: int = 0) -> None:
        """End the run."""
        if not self.asked.is_set():
            self.why, self.status = why, status
            self.asked.set()


def serve(what: Served, say: Say) -> int:
    """Serve until the client has gone (stdio), a signal comes or the server exits. The exit status of the process."""
    if what.host is None:
        _need_standard_streams()
    elif not is_local(what.host) and not what.allow_remote:
        message = f"{what.host!r} may be reached from other machines"
        raise UsageError(Problem(message, hint="Add --allow-remote if that is what you want."))
    if what.state is not None:
        check(what.state)
    if what.host is None:
        return _run(what, None, say)
    with reserve(what.host, what.port) as sock:  # what is amiss is told before an earlier trace is set aside
        return _run(what, sock, say)


def _run(what: Served, sock: socket.socket | None, say: Say) -> int:
    """Serve from a socket, or on the standard streams; what is asked for can be had."""
    run = Environment(
        what.world,
        faults=what.faults,
        seed=what.seed,
        run_index=what.run_index,
        clock="wall",
        record=what.record or False,
        endless=True,
    )
    journal = StateJournal(what.state, run.world, run_index=run.run_index) if what.state else None
    if journal is not None and journal.differs:
        say(f"squall: {journal.differs}")
    with run.clock.in_charge(), closing(run):
        try:
            end = asyncio.run(_until_the_end(run, what, sock, journal, say))
        finally:
            result = _finished(run, say)
            if result is None:
                _abandon(run, journal)
            elif journal is not None:
                journal.end(result.status, run.world.revision)
    if result is None:
        say(f"{end.why}, and again: what was still under way has not landed")
        return 1
    say(f"{end.why}; {counted(run.interposer.calls, 'call')}, {counted(run.world.revision, 'effect')}")
    broken = [file.broken for file in _written(run, journal) if file.broken]
    for error in (*result.errors, *(why for why in broken if why != end.why)):
        say(f"error: {error}")
    return end.status or (1 if result.errors or broken else 0)


def _written(run: Environment, journal: StateJournal | None) -> list[StateJournal | FileRecorder]:
    """The files that are written while the run goes on."""
    return [file for file in (journal, run.recorder) if isinstance(file, StateJournal | FileRecorder)]


def _finished(run: Environment, say: Say) -> RunResult | None:
    """End the run. An operation that takes its time takes it here too; None where a second signal ends that."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in SIGNALS}
    telling = threading.Timer(TELLING, say, (STILL,))
    telling.start()
    try:
        return run.finish()
    except KeyboardInterrupt:
        return None
    finally:
        telling.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _abandon(run: Environment, journal: StateJournal | None) -> None:
    """Close the files of a run as if it had been killed: what they would say of its end is not known."""
    if journal is not None:
        journal.close()
    if run.recorder is not None:
        run.recorder._close()  # noqa: SLF001 - it offers only an end with its last event


def _need_standard_streams() -> None:
    """Where one is closed, its number would go to the next file that is opened, and clients would read that."""
    for number, name in ((0, "input"), (1, "output")):
        try:
            os.fstat(number)
        except OSError:
            message = f"standard {name} is closed, and that is where the server speaks"
            raise UsageError(Problem(message, hint="Start it from an MCP client, or serve over --http.")) from None


async def _until_the_end(
    run: Environment, what: Served, sock: socket.socket | None, journal: StateJournal | None, say: Say
) -> End:
    """Serve over one transport until the end was asked for."""
    end, loop = End(), asyncio.get_running_loop()
    for number in SIGNALS:
        with suppress(NotImplementedError):  # Windows: Ctrl-C raises KeyboardInterrupt instead
            loop.add_signal_handler(number, end.ask, f"ended by {number.name}")
    run.clock.fire_in(loop)

    def broken(why: str) -> None:
        end.ask(why, 1)
        run.mcp_server.sessions.exit()  # nobody is told of what is not written down

    for file in _written(run, journal):
        file.at_break = broken
    run.interposer.at_limit = lambda: end.ask(f"{run.interposer.limit_reached}", 1)
    over = _over_stdio(run, what, end, say) if sock is None else _over_http(run, what, sock, end, say)
    served = loop.create_task(over)
    asked = loop.create_task(end.asked.wait())
    try:
        await asyncio.wait((served, asked), return_when=asyncio.FIRST_COMPLETED)
        end.ask("the client has gone")
        if served.done():
            served.result()
    finally:
        run.clock.fire_in(None)
        for task in (served, asked):
            task.cancel()
        await asyncio.gather(served, asked, return_exceptions=True)
    return end


async def _over_stdio(run: Environment, what: Served, end: End, say: Say) -> None:
    from squall.wire.mcp import stdio  # the SDK takes 0.8 s to import: what is wrong with the files is told before

    fd_in, fd_out = stdio.take_standard_streams()
    out = stdio.Out(fd_out)

    def exited() -> None:
        run.interposer.closed = True  # what comes in from now on finds nobody
        out.closed = True
        end.ask(EXITED, 1)

    say(f"{_introduced(run, what)} on standard input and output")
    with run.mcp_server.sessions.ending_by(exited):
        await stdio.serve(run.mcp_server, fd_in, out)


async def _over_http(run: Environment, what: Served, sock: socket.socket, end: End, say: Say) -> None:
    from squall.wire.mcp.http import PATH, Endpoint  # as above
    from squall.wire.mcp.listening import Http

    endpoint = Endpoint(run.mcp_server, what.host or "", idle=IDLE)
    http = Http(endpoint)

    def exited() -> None:
        run.interposer.closed = True  # what comes in from now on finds nobody
        http.drop()
        end.ask(EXITED, 1)

    with run.mcp_server.sessions.ending_by(exited):
        async with endpoint.running(), http.on(sock):
            say(f"{_introduced(run, what)} at {url_of(sock, PATH)} (Ctrl-C ends it)")
            await asyncio.get_running_loop().create_future()


def _introduced(run: Environment, what: Served) -> str:
    weather = f"with the faults of {what.faults}" if what.faults else "without faults"
    which = f"seed {run.seed}, run {run.run_index}"
    return f"squall: {run.world.name} ({which}), {weather}, on wall time: waits are real;"
