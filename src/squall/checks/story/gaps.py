"""How a trace says that something of its run was not seen: a `mark` that whoever captures writes."""

from __future__ import annotations

from squall.trace.kinds import Mark

CAPTURE_INCOMPLETE = "capture incomplete"
"""The name of the mark; its data has `reason`."""


def gap(event: Mark) -> str | None:
    """Why something was not seen; None for other marks."""
    if event.name != CAPTURE_INCOMPLETE:
        return None
    return str(event.data.get("reason") or "something of the run was not seen")
