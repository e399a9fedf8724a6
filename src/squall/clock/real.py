"""The door to what is real: time, whoever has patched `time.sleep` since, the running loop, the person at the keyboard.

Tests replace the functions of this module to prove that nothing waits. Knows no clock.
"""

from __future__ import annotations

import sys
import time
from time import monotonic, sleep
from time import time as wall_time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

__all__ = ["asleep", "monotonic", "running_loop", "running_task", "sleep", "tell", "wall_time", "worked"]


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


def running_task() -> asyncio.Task[Any] | None:
    """The task that runs in it now."""
    return None if running_loop() is None else sys.modules["asyncio"].current_task()


def worked(thread: int) -> float:
    """Seconds that a living thread has computed so far; always 0 where the system does not tell."""
    clock_of = getattr(time, "pthread_getcpuclockid", None)
    return 0.0 if clock_of is None else time.clock_gettime(clock_of(thread))


def tell(sentence: str) -> None:
    """Tell the person at the keyboard, now: what runs may never end."""
    if sys.__stderr__ is not None:
        sys.__stderr__.write(f"\n{sentence}\n")
        sys.__stderr__.flush()


async def asleep(seconds: float) -> None:
    """Wait in whatever async library is running, as it waits."""
    if running_loop() is not None:
        await sys.modules["asyncio"].sleep(seconds)
        return
    import anyio  # only where the loop is not asyncio's, and then it is loaded already

    await anyio.sleep(seconds)
