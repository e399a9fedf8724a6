"""One call of a tool as a step: what the hook saw of it and what the model was told are put together here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.checks.story.content import as_text, value_of
from squall.checks.story.draft import Asked, Hooked
from squall.checks.story.emptiness import is_empty
from squall.checks.story.failures import Failure, failure
from squall.checks.story.shapes import Failed, Message, ToolStep
from squall.trace.kinds import ToolResult

KEYS = ("idempotency_key", "idempotencyKey", "Idempotency-Key", "idempotency-key")
ACCESS = {"read": False, "write": True}
UNTOLD = ("cancelled",)
"""Forms of results that say nothing of the tool: its caller no longer waited."""


def step_of(
    asked: Asked | None, hooked: Hooked | None, step: int, conversation: int, *, mutates: bool | None
) -> ToolStep:
    """The step of a call that a turn asked for, that a hook saw, or both. `mutates` is what is known of its tool."""
    use = None if asked is None else asked.use
    message = None if asked is None else asked.answer
    result = None if hooked is None else hooked.result
    tool = hooked.event.tool if hooked is not None else "" if use is None else use.name
    value, text, failed = _outcome(tool, message, result)
    answered = message is not None or result is not None
    arguments = hooked.event.args if hooked is not None else None if use is None else use.arguments
    return ToolStep(
        step=step,
        conversation=conversation,
        tool=tool,
        t=hooked.t if hooked is not None else 0.0 if asked is None else asked.turn.t,
        arguments=arguments,
        use=use,
        turn=None if asked is None else asked.turn.step,
        hook=hooked is not None,
        answered=answered,
        result=value,
        text=text,
        failed=None if failed is None else failed.by,
        error=None if failed is None else failed.text,
        status=None if result is None else result.status,
        empty=answered and failed is None and is_empty(value),
        mutates=mutates if hooked is None else ACCESS.get(hooked.event.access, mutates),
        key=(None if hooked is None else hooked.event.key) or _key(arguments),
        effects=0 if hooked is None else hooked.effects,
        call=None if hooked is None else hooked.event.call,
    )


def mutating(hooked: list[Hooked]) -> dict[str, bool]:
    """What hooks say of tools: whether they change something."""
    return {each.event.tool: ACCESS[each.event.access] for each in hooked if each.event.access in ACCESS}


def _outcome(tool: str, message: Message | None, result: ToolResult | None) -> tuple[Any, str, Failure | None]:
    """The value, the text that the model was told, and the failure if there was one."""
    value, text = _told(message)
    flagged = message is not None and message.failed is True
    if result is None or (result.form in UNTOLD and message is not None):
        return value, text, None if message is None else failure(tool, value, text, flagged=flagged)
    if result.ok:
        seen = value_of(result.result) if isinstance(result.result, str) else result.result
        written = as_text(seen)
        failed = failure(tool, seen, written)
        if failed is None and message is not None and (flagged or (text != written and value != seen)):
            failed = failure(tool, value, text, flagged=flagged)
        return seen, text or written, failed
    error = result.error or result.form
    by: Failed = "flag" if result.form == "refused" else "exception"
    return value if message is not None else result.result, text or error, Failure(by, error)


def _told(message: Message | None) -> tuple[Any, str]:
    """What the model was told: the value, and its text."""
    if message is None:
        return None, ""
    raw = message.value
    text = message.text
    if not text and raw not in (None, "", [], {}):
        text = as_text(raw) if not isinstance(raw, str) else raw
    if isinstance(raw, dict):
        return raw, text
    return (value_of(text) if text or raw in (None, "", []) else raw), text


def _key(arguments: Any) -> str | None:
    """The idempotency key among the arguments."""
    if not isinstance(arguments, Mapping):
        return None
    named = next((arguments[name] for name in KEYS if arguments.get(name)), None)
    return None if named is None else str(named)
