"""One run as an entry of a report: what was counted of it, and its verdicts. Knows no file and no format."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from squall.checks import Verdict
from squall.checks.story import story_of
from squall.trace import Trace
from squall.trace.kinds import Attempt, ModelCall, ModelReply


def entry_of(
    trace: Trace,
    verdicts: Sequence[Verdict],
    *,
    test: str = "",
    scenario: str | None = None,
    skipped: str | None = None,
    checked_by_test: bool = False,
) -> dict[str, Any]:
    """The entry. `latency_ms` is how long the run took; `skipped` says why it was not judged, if it was not."""
    entries = trace.entries()
    events = [each.event for each in entries]
    replies = [event for event in events if isinstance(event, ModelReply)]
    story = story_of(trace)
    return {
        "test": test,
        "scenario": scenario,
        "steps": len(story.steps),
        "model_calls": sum(isinstance(event, ModelCall) for event in events),
        "attempts": sum(isinstance(event, Attempt) for event in events),
        "tokens": {kind: sum(reply.usage.get(kind, 0) for reply in replies) for kind in ("input", "output")},
        "latency_ms": round(entries[-1].envelope.t * 1000, 3) if entries else 0.0,
        "capture_complete": story.capture_complete,
        "skipped": skipped,
        "checked_by_test": checked_by_test,
        "verdicts": [
            {
                "check": each.check,
                "verdict": each.verdict,
                "fired": each.fired,
                "reason": each.reason or None,
                "step": each.step,
            }
            for each in verdicts
        ],
    }
