"""One clock per run: virtual time by default, wall time where virtual time cannot be.

Knows no world, no fault and no trace. Importing this room costs no asyncio; that comes with the first loop.
"""

from __future__ import annotations

from squall.clock.protocol import START, Clock
from squall.clock.timers import Timer
from squall.clock.virtual import VirtualClock
from squall.clock.wall import WallClock

__all__ = ["START", "Clock", "Timer", "VirtualClock", "WallClock"]
