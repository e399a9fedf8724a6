"""An export is started, and then waited for. One agent waits for ever, its twin for as long as that makes sense.

The bug: the export that failed to start will never be there, and nobody counts equal answers to equal questions.
"""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from failures import FAILED

PAUSE = 60  # seconds
ENOUGH = 5


def buggy(tools: Any) -> str:
    start(tools)
    while not is_there(tools):
        time.sleep(PAUSE)
    return "exported"


def repaired(tools: Any) -> str:
    start(tools)
    for _ in range(ENOUGH):
        if is_there(tools):
            return "exported"
        time.sleep(PAUSE)
    return "stuck: the export does not come"


def start(tools: Any) -> None:
    with suppress(*FAILED):  # it may have begun all the same
        tools.start_export(report="sales")


def is_there(tools: Any) -> bool:
    try:
        return bool(tools.list_exports(report="sales"))
    except FAILED:
        return False


def holds(run: Any) -> None:
    assert len(run.world.exports) <= 1
