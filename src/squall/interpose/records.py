"""What happens to calls, as events of a trace. Records nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.call import Outcome, Target
from squall.decide import Decision, Point, Rule
from squall.trace.kinds import Faulted, ToolCall, ToolResult


def faulted(call: int, rule: Rule, target: Target, decision: Decision, *, fired: bool) -> Faulted:
    """A rule met a call; the number 0 stands for what is no call."""
    return Faulted(
        call=call,
        rule=rule.id,
        fault=rule.kind,
        target=target.name,
        phase=rule.phase,
        fired=fired,
        drawn=decision.drawn,
        params=dict(rule.params),
    )


def called(number: int, target: Target, point: Point, args: Mapping[str, Any], masked: list[str]) -> ToolCall:
    """A call has arrived."""
    key = None if target.key is None else args.get(target.key)
    return ToolCall(
        call=number,
        tool=target.tool,
        target=target.name,
        access=target.access,
        args=args,
        scope=point.scope,
        digest=point.digest,
        nth=point.nth,
        attempt=point.attempt,
        masked=masked,
        key=key if isinstance(key, str) else None,
    )


def answered(number: int, outcome: Outcome, latency_ms: float, revision: int) -> ToolResult:
    """A call has come to its outcome."""
    return ToolResult(
        call=number,
        ok=outcome.ok,
        form=outcome.form,
        result=outcome.value,
        error=outcome.error,
        status=outcome.status,
        retry_after=outcome.retry_after,
        latency_ms=latency_ms,
        world_rev=revision,
        detail=outcome.detail,
    )
