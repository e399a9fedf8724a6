"""What is in the air: the weather that somebody who explores has made for the run that begins next.

Knows nothing of what it is. Apart from that room, so that runs which nobody explores pay nothing for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from squall.runs.exploring.weather import Weather

_air: list[Weather] = []


@contextmanager
def blowing(weather: Weather) -> Iterator[None]:
    """In the air while the context lives; the first run that begins takes it."""
    _air.append(weather)
    try:
        yield
    finally:
        _air.remove(weather)


def take() -> Weather | None:
    """The weather for a run that begins now; None where nobody explores, or another run has it."""
    return None if not _air or not _air[-1].offer() else _air[-1]
