"""Events: emitted when the call or the write that causes them has landed, delivered to a queue and to listeners.

What is refused, dropped or a dry run emits nothing. A courier says when an event is delivered, and how often: that is
where faults come in. Knows listeners as functions; no operation and no table.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping
from copy import deepcopy
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from squall.call import CallRef, Target
from squall.clock import Clock
from squall.errors import SquallError
from squall.worlds.events.late import Late

if TYPE_CHECKING:
    import asyncio

Begin = Callable[[], Coroutine[Any, Any, None]]


class Event(msgspec.Struct, frozen=True):
    """One delivery of something that happened.

    `id` is the same for every delivery of one event; `data` is JSON-ready: the answer of the operation that emitted it,
    or the row; `t` and `emitted` are seconds of the run; `call` is which call caused it (None: the test's own code).
    """

    id: str
    name: str
    data: Any
    t: float
    emitted: float
    call: CallRef | None = None


class Emission(NamedTuple):
    """An event before it has landed."""

    name: str
    data: Any


class Listener(NamedTuple):
    """A function that is told of an event; if `is_async`, `run` returns an awaitable."""

    name: str
    run: Callable[[Event], Any]
    is_async: bool


Courier = Callable[[Event], Iterable[float]]
"""In how many seconds an event is delivered, once for each number: `[0]` at once, `[0, 0]` twice, `[]` never."""


class ListenerFailed(SquallError):
    """A listener raised something: nobody was there to be told, so the end of the run says it."""


def at_once(_event: Event) -> Iterable[float]:
    """The courier of fair weather."""
    return (0.0,)


class Dispatch:
    """The post office of one world. `targets` has the target of each event for faults, by the event's name."""

    def __init__(
        self, clock: Clock, late: Late, targets: Mapping[str, Target], listeners: Mapping[str, tuple[Listener, ...]]
    ) -> None:
        self.targets = targets
        self.courier: Courier = at_once
        self.delivered: list[Event] = []
        self.on_delivery: list[Callable[[Event], None]] = []
        self._clock = clock
        self._late = late
        self._listeners = listeners
        self._numbers = count(1)
        self._failures: list[ListenerFailed] = []
        self._under_way: dict[asyncio.Task[None], Begin] = {}

    def send(self, emissions: Iterable[Emission], call: CallRef | None) -> None:
        """Let the courier take what has been emitted."""
        now = self._clock.elapsed()
        for name, data in emissions:
            event = Event(f"evt_{next(self._numbers)}", name, deepcopy(data), now, now, call)
            for seconds in self.courier(event):
                if seconds > 0:
                    self._late.add(seconds, partial(self._deliver, event))
                else:
                    self._deliver(event)

    def check(self) -> None:
        """Brings async listeners to their end whose loop has ended, and raises what listeners have raised since last.

        That is the first failure, with a note of each other.
        """
        for task, begin in list(self._under_way.items()):
            if task.get_loop().is_closed():
                del self._under_way[task]
                self._run(begin)  # what was cut short has left nothing behind, so it can be done anew
        failures, self._failures = self._failures, []
        for other in failures[1:]:
            failures[0].add_note(str(other))
        for first in failures[:1]:
            raise first

    def _deliver(self, event: Event) -> None:
        event = msgspec.structs.replace(event, t=self._clock.elapsed(), data=deepcopy(event.data))
        self.delivered.append(event)
        for told in self.on_delivery:
            told(event)
        for listener in self._listeners.get(event.name, ()):
            if listener.is_async:
                self._run(partial(self._afinish, listener, event))
            else:
                self._finish(listener, event)

    def _finish(self, listener: Listener, event: Event) -> None:
        try:
            listener.run(event)
        except Exception as error:  # noqa: BLE001 - the call that emitted it has long succeeded
            self._failed(listener, event, error)

    async def _afinish(self, listener: Listener, event: Event) -> None:
        try:
            await listener.run(event)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(listener, event, error)

    def _run(self, begin: Begin) -> None:
        """An async listener runs in the running loop if there is one, in one of its own if not."""
        import asyncio  # here alone: most worlds have no async listener

        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(begin())
            return
        task = loop.create_task(begin())
        self._under_way[task] = begin
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled():
            self._under_way.pop(task, None)

    def _failed(self, listener: Listener, event: Event, error: Exception) -> None:
        what = f"{listener.name} failed on {event.name} ({event.id}) at {event.t:g} s"
        failure = ListenerFailed(f"{what}: {type(error).__name__}: {error}")
        failure.__cause__ = error
        self._failures.append(failure)
