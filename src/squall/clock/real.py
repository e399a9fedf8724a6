"""The door to real time: what waits and measures for real, whoever has patched `time.sleep` since.

Tests replace the functions of this module to prove that nothing waits. Knows no clock.
"""

from __future__ import annotations

import sys
from time import monotonic, sleep
from time import time as wall_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio

__all__ = ["asleep", "monotonic", "running_loop", "sleep", "wall_time"]


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The running loop of asyncio, without importing asyncio (30 ms) to hear that there is none."""
    module = sys.modules.get("asyncio")
    if module is None:
        return None
    try:
        loop: asyncio.AbstractEventLoop = module.get_running_loop()
    except RuntimeError:
        return None
    return loop


async def asleep(seconds: float) -> None:
    """Wait in whatever async library is running, as it waits."""
    if running_loop() is not None:
        await sys.modules["asyncio"].sleep(seconds)
        return
    import anyio  # only where the loop is not asyncio's, and then it is loaded already

    await anyio.sleep(seconds)
