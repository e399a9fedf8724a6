"""Events: emitted when the call or the write that causes them has landed, delivered to a queue and to listeners.

What is refused, dropped or a dry run emits nothing. A courier says when an event is delivered, and how often: that is
where faults come in. Knows listeners as functions; no operation and no table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from functools import partial
from inspect import isawaitable
from itertools import count
from typing import Any, NamedTuple

import msgspec

from squall.call import CallRef
from squall.clock import Clock
from squall.errors import SquallError
from squall.worlds.late import Late


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
    """A function that is told of an event. `run` may return an awaitable."""

    name: str
    run: Callable[[Event], Any]


Courier = Callable[[Event], Iterable[float]]
"""In how many seconds an event is delivered, once for each number: `[0]` at once, `[0, 0]` twice, `[]` never."""


class ListenerFailed(SquallError):
    """A listener raised something: nobody was there to be told, so the end of the run says it."""


def at_once(_event: Event) -> Iterable[float]:
    """The courier of fair weather."""
    return (0.0,)


class Dispatch:
    """The post office of one world. `targets` has what faults call each event, `service.event`, by its name."""

    def __init__(
        self, clock: Clock, late: Late, targets: Mapping[str, str], listeners: Mapping[str, tuple[Listener, ...]]
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

    def send(self, emissions: Iterable[Emission], call: CallRef | None) -> None:
        """Let the courier take what has been emitted."""
        now = self._clock.elapsed()
        for name, data in emissions:
            event = Event(f"evt_{next(self._numbers)}", name, deepcopy(data), now, now, call)
            for seconds in self.courier(event):
                if seconds > 0:
                    self._late.add(seconds, partial(self._deliver, event))
                else:
                    self._late.now(partial(self._deliver, event))

    def check(self) -> None:
        """Raises what listeners have raised since the last check: the first, with a note of each other."""
        failures, self._failures = self._failures, []
        for other in failures[1:]:
            failures[0].add_note(str(other))
        for first in failures[:1]:
            raise first

    def _deliver(self, event: Event) -> Any:
        event = msgspec.structs.replace(event, t=self._clock.elapsed(), data=deepcopy(event.data))
        self.delivered.append(event)
        for told in self.on_delivery:
            told(event)
        waiting = [self._tell(listener, event) for listener in self._listeners.get(event.name, ())]
        waiting = [each for each in waiting if each is not None]
        return _all(waiting) if waiting else None

    def _tell(self, listener: Listener, event: Event) -> Any:
        try:
            result = listener.run(event)
        except Exception as error:  # noqa: BLE001 - the call that emitted it has long succeeded
            self._failed(listener, event, error)
            return None
        return self._finish(listener, event, result) if isawaitable(result) else None

    async def _finish(self, listener: Listener, event: Event, result: Any) -> None:
        try:
            await result
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(listener, event, error)

    def _failed(self, listener: Listener, event: Event, error: Exception) -> None:
        what = f"{listener.name} failed on {event.name} ({event.id}) at {event.t:g} s"
        failure = ListenerFailed(f"{what}: {type(error).__name__}: {error}")
        failure.__cause__ = error
        self._failures.append(failure)


async def _all(waiting: list[Any]) -> None:
    for each in waiting:
        await each
