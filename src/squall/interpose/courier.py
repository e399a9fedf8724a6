"""Says when an event is delivered, and how often: as the plan decides at the event's point.

Knows events by a protocol; neither who emits them nor who listens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from squall.call import Target
from squall.interpose.interposer import Interposer

AT_ONCE = (0.0,)


class Emitted(Protocol):
    """An event that is to be delivered."""

    @property
    def name(self) -> str:
        """What kind of event it is."""
        ...

    @property
    def data(self) -> Any:
        """What it says, JSON-ready. Its fields stand where a call has its arguments."""
        ...


class Courier:
    """Delivers the events of one run. `targets` has the target of each event by the event's name."""

    def __init__(self, interposer: Interposer, targets: Mapping[str, Target]) -> None:
        self._interposer, self._targets = interposer, targets

    def __call__(self, event: Emitted) -> Iterable[float]:
        """In how many seconds the event is delivered, once for each number."""
        target = self._targets.get(event.name)
        data = event.data if isinstance(event.data, Mapping) else {"data": event.data}
        happening = None if target is None else self._interposer.beside(target, data)
        if happening is None or happening.action.arrives is None:
            return AT_ONCE
        self._interposer.note(happening)
        return happening.action.arrives
