"""Which run captured calls belong to: the run of this context, else of the thread's parent, else the one begun last.

A context variable follows an agent into tasks, `asyncio.gather` and `asyncio.to_thread`; what carries none (a thread, a
pool's job, a server that an earlier fixture began) is found by the other two. Calls that come when their run has ended
belong to nobody. Knows recorders, and no SDK.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import count
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from squall.errors import said

if TYPE_CHECKING:  # a session that captures nothing does not pay for traces
    from squall.trace import Recorder

ATTRIBUTE = "_squall_capture"  # of a thread that was started in a run


class Open(Protocol):
    """Something that has begun and not ended."""

    def cut_short(self) -> None:
        """The run is over: say what it came to so far."""
        ...


class Between(Protocol):
    """Who stands between the SDKs of a run and whoever answers them. `send` is what would send the request."""

    def send(self, send: Callable[[Any, Any], Any], client: Any, request: Any, call: Any) -> Any:
        """The response to a request that a client of httpx sends for a call of an SDK."""
        ...

    async def asend(self, send: Callable[[Any, Any], Any], client: Any, request: Any, call: Any) -> Any:
        """The same of an async client."""
        ...


Target: TypeAlias = "Recorder | Callable[[], Recorder]"


class Capture:
    """What one run captures, into a recorder, or into what makes one when there is something to record.

    `numbers` are those of the run's calls, over all wires; `tools` are the names of those that record themselves,
    however they are reached, and `server` is what their MCP server says it is: a name and a version. `between` gives
    who stands before whoever answers, or None, where that may be anybody.
    """

    def __init__(self, recorder: Target, numbers: Callable[[], int] | None = None, tools: Container[str] = ()) -> None:
        self._target = recorder
        self._recorder: Recorder | None = None
        self._lock = threading.Lock()
        self.numbers: Callable[[], int] = count(1).__next__ if numbers is None else numbers
        self.tools = tools
        self.server: tuple[str, str] | None = None
        self.problems: list[str] = []
        self.open: dict[int, Open] = {}
        self.between: Callable[[], Between | None] | None = None

    @property
    def recorder(self) -> Recorder:
        """Where it goes, made now if there was nothing to record before."""
        if self._recorder is None:
            with self._lock:
                if self._recorder is None:
                    made = self._target() if callable(self._target) else self._target
                    made.before_end.append(self.close)
                    self._recorder = made
        return self._recorder

    @property
    def began(self) -> bool:
        """Whether there has been anything to record."""
        return self._recorder is not None

    @property
    def complete(self) -> bool:
        """Whether squall has seen all that it should have."""
        return not self.problems

    def close(self) -> None:
        """Streams that nobody has read to their end say so."""
        while self.open:
            _, each = self.open.popitem()
            self.guard("the end of the run", each.cut_short)

    def guard(self, where: str, fn: Callable[..., Any], *args: Any) -> Any:
        """What `fn` returns, or None where squall has a bug: the agent never sees it, and the run says so."""
        try:
            return fn(*args)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours
            self.broke(where, error)
            return None

    def broke(self, where: str, error: BaseException) -> None:
        """Squall failed to see something."""
        why = f"{where}: {type(error).__name__}: {said(error)}"
        if self.lacks(why):
            message = f"squall could not capture all of this run ({why}); please report this as a bug of squall"
            with suppress(Warning):  # which may be errors here
                warnings.warn(message, RuntimeWarning, stacklevel=2)

    def lacks(self, why: str) -> bool:
        """Record that something of this run is not seen, and why. Whether that was not known yet."""
        if why in self.problems:
            return False
        self.problems.append(why)
        from squall.trace.kinds import CaptureIncomplete  # with traces, which nobody else here needs

        self.recorder.record(CaptureIncomplete(why=why))
        return True


UNSEEN: list[str] = []
"""Why some SDKs cannot be seen at all: their hooks found them too much changed."""
_context: ContextVar[Capture | None] = ContextVar("squall_capture", default=None)
_entered: list[Capture] = []
begun: list[Callable[[Capture], None]] = []
"""Who wants to be told of every capture that begins."""


def current() -> Capture | None:
    """Where captured calls go now; None: nowhere."""
    if not _entered:
        return None
    found = _context.get()
    if found is None:
        found = threading.current_thread().__dict__.get(ATTRIBUTE)
    if found is None:
        return _entered[-1]
    return found if found in _entered else None


@contextmanager
def capturing(
    recorder: Target, numbers: Callable[[], int] | None = None, tools: Container[str] = ()
) -> Iterator[Capture]:
    """What is captured in this block, and in whatever is started in it, goes into `recorder`, which may make one."""
    capture = Capture(recorder, numbers, tools)
    with entered(capture):
        yield capture


@contextmanager
def entered(capture: Capture) -> Iterator[None]:
    """`capture` is the current one."""
    for tell in begun:
        tell(capture)
    _entered.append(capture)
    for why in UNSEEN:
        capture.lacks(why)
    token = _context.set(capture)
    try:
        yield
    finally:
        capture.close()
        _entered.remove(capture)
        try:
            _context.reset(token)
        except ValueError:  # left in another context than it was entered in: a fixture's that lives in a loop
            if _context.get() is capture:
                _context.set(None)


@contextmanager
def unclaimed() -> Iterator[None]:
    """What is started in this block serves many runs: its calls belong to the run that goes on when they come."""
    token = _context.set(None)
    try:
        yield
    finally:
        _context.reset(token)


@contextmanager
def within(capture: Capture | None) -> Iterator[None]:
    """Calls in this block belong to `capture`, as those of whoever started it do."""
    token = _context.set(capture)
    try:
        yield
    finally:
        _context.reset(token)


def scope() -> str:
    """The name that `squall.scope` has given to the calls of this context, where anybody has loaded it."""
    module = sys.modules.get("squall.interpose.scope")
    return "" if module is None else str(module.CURRENT.get())
