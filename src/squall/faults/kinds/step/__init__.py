"""What goes wrong with the steps of a scenario, where the far end is a list of calls and their results."""

from __future__ import annotations

from squall.faults.kind import Kind
from squall.faults.kinds.step import duplicate_task, repeated_call, stale_memory, stream_disconnect

TABLE: tuple[Kind, ...] = (stream_disconnect.KIND, stale_memory.KIND, repeated_call.KIND, duplicate_task.KIND)
"""In the order of the documentation. A step can also have any kind that a tool can."""
