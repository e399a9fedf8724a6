"""`capture_incomplete`: squall failed to see something, so that nobody can tell what this run lacks."""

from __future__ import annotations

from squall.trace.kinds.base import Event


class CaptureIncomplete(Event, frozen=True, kw_only=True, tag="capture_incomplete"):
    """`why` names the place and the exception. Recorded once for each reason."""

    why: str
