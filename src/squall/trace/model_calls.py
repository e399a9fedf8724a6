"""Requests to models as a trace's readers look at them: each call joined with its tries and what came of them.

An SDK's own retries are tries of one call. Knows the kinds of events, and no provider's words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from squall.trace.kinds import AnyEvent, Attempt, AttemptEnd, Faulted, ModelCall, ModelReply
from squall.trace.line import Envelope

FIRST_ERROR = 400  # of HTTP's status codes
NO_REPLY = ModelReply(call=0, attempt=0, ok=False, complete=False)


class AttemptView(NamedTuple):
    """One try. `status` None: no byte of an answer went out, or none has been recorded yet; `ok` tells the two apart.

    `faults` are the names of those that happened; `ts` is in virtual seconds, `latency_ms` in virtual milliseconds.
    """

    seq: int
    ts: float
    attempt: int
    ok: bool | None
    status: int | None
    faults: tuple[str, ...]
    complete: bool
    disconnected: bool
    error: str | None
    latency_ms: float


class ModelCallView(NamedTuple):
    """A call of a model joined with its tries; what the model said, and `status`, are those of the last one.

    `messages` is the whole conversation in the provider's shape, `asked` the rest of the request. `calls` are the tools
    that the model asks for, `{"name", "arguments"}` each, arguments as JSON text. `latency_ms` is from the call's
    arrival to the end of its last try, the pauses between them included. `ok` is None while no reply is recorded.
    """

    run: str
    seq: int
    ts: float
    call: int
    target: str
    model: str
    scope: str
    stream: bool
    messages: list[Any]
    tools: list[Any]
    asked: dict[str, Any]
    attempts: tuple[AttemptView, ...]
    ok: bool | None
    status: int | None
    faults: tuple[str, ...]
    text: str | None
    calls: tuple[dict[str, Any], ...]
    finish: str | None
    usage: dict[str, int]
    error: str | None
    latency_ms: float


def joined(entries: Iterable[tuple[Envelope, AnyEvent]]) -> list[ModelCallView]:
    """One view per call, in order of arrival."""
    calls: dict[int, tuple[Envelope, ModelCall]] = {}
    tries: dict[int, dict[int, Envelope]] = {}
    replies: dict[int, dict[int, tuple[Envelope, ModelReply]]] = {}
    ends: dict[tuple[int, int], AttemptEnd] = {}
    faults: dict[tuple[int, int], list[str]] = {}
    for envelope, event in entries:
        if isinstance(event, ModelCall):
            calls[event.call] = envelope, event
        elif isinstance(event, Attempt):
            tries.setdefault(event.call, {})[event.attempt] = envelope
        elif isinstance(event, ModelReply):
            replies.setdefault(event.call, {})[event.attempt] = envelope, event
        elif isinstance(event, AttemptEnd):
            ends[event.call, event.attempt] = event
        elif isinstance(event, Faulted) and event.fired and event.call in tries:
            faults.setdefault((event.call, max(tries[event.call])), []).append(event.fault)
    conversations: dict[int, tuple[list[Any], list[Any]]] = {}
    found = []
    for number, (envelope, call) in calls.items():
        before, offered = conversations.get(call.continues or 0, ([], []))
        messages, tools = [*before, *call.messages], offered if call.tools is None else list(call.tools)
        conversations[number] = messages, tools
        came = replies.get(number, {})
        attempts = tuple(
            _attempt(at, place, came.get(place), ends.get((number, place)), faults.get((number, place), ()))
            for place, at in sorted(tries.get(number, {}).items())
        )
        end, reply = came[max(came)] if came else (envelope, NO_REPLY)
        found.append(
            ModelCallView(
                run=envelope.run,
                seq=envelope.seq,
                ts=envelope.t,
                call=number,
                target=call.target,
                model=call.model,
                scope=call.scope,
                stream=call.stream,
                messages=messages,
                tools=tools,
                asked=call.asked,
                attempts=attempts,
                ok=reply.ok if came else None,
                status=reply.status,
                faults=tuple(dict.fromkeys(name for each in attempts for name in each.faults)),
                text=reply.text,
                calls=tuple(reply.calls),
                finish=reply.finish,
                usage=reply.usage,
                error=reply.error,
                latency_ms=round((end.t - envelope.t) * 1000, 3),
            )
        )
    return found


def _attempt(
    at: Envelope,
    number: int,
    came: tuple[Envelope, ModelReply] | None,
    end: AttemptEnd | None,
    faults: Iterable[str],
) -> AttemptView:
    """A try, as who answers it has told, or else as its sender has: who tells of the reply of the last one alone."""
    _, reply = came or (at, NO_REPLY)
    told = tuple(each["fault"] for each in reply.faults) or tuple(faults)
    if came is None and end is not None:
        ok = end.error is None and end.status is not None and end.status < FIRST_ERROR
        reply = ModelReply(
            call=0,
            attempt=number,
            ok=ok,
            status=end.status,
            error=end.error,
            complete=end.status is not None,
            latency_ms=end.latency_ms,
        )
    return AttemptView(
        seq=at.seq,
        ts=at.t,
        attempt=number,
        ok=reply.ok if came or end else None,
        status=reply.status,
        faults=told,
        complete=reply.complete,
        disconnected=reply.disconnected,
        error=reply.error,
        latency_ms=reply.latency_ms,
    )
