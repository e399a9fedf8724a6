"""One attempt on the model wire: what has been decided of it, what has happened, and what is recorded of it.

The provider's wire does what is decided, and says here what really came about.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.call import ModelRequest, Reply, Target
from squall.canonical import token
from squall.decide import Decision, Point, Rule
from squall.faults.at_model import ModelAction
from squall.interpose.counters import ANSWERED, FAILED, Call
from squall.interpose.records import faulted
from squall.trace.kinds import ModelReply

if TYPE_CHECKING:
    from squall.interpose.asking import ModelInterposer
    from squall.trace.meeting import Sent

FIRST_ERROR = 400  # of HTTP's statuses
NO_FAULTS: Mapping[str, Due] = {}


class Due(NamedTuple):
    """A fault that is to happen."""

    rule: Rule
    decision: Decision
    action: ModelAction


class Happened(NamedTuple):
    """A fault that did happen, and what was measured of it: seconds, chunks."""

    rule: Rule
    measured: Mapping[str, Any]

    def told(self) -> dict[str, Any]:
        """For records."""
        return {"fault": self.rule.kind, "rule": self.rule.id, **self.measured}


class Exchange:
    """One attempt. `call` numbers the logical call, `attempt` its tries, `number` the requests of its lane.

    `latency` is in seconds; `retry_after` is set where a rate limit refuses it; `over` where the run has ended. `sent`
    is what the sender has said of it, where that is in this process and records the call itself.
    """

    latency = 0.0
    retry_after: float | None = None
    over = False
    due: Mapping[str, Due] = NO_FAULTS
    status: int | None = None
    reply: Reply | None = None
    response: Any = None
    error: str | None = None
    complete = injected = disconnected = False
    _seed: str | None = None

    def __init__(
        self,
        owner: ModelInterposer,
        request: ModelRequest,
        target: Target,
        point: Point,
        call: Call,
        number: int,
        sent: Sent | None = None,
    ) -> None:
        self.owner, self.request, self.target, self.point = owner, request, target, point
        self.call, self.attempt, self.number = call.number if sent is None else sent.call, point.attempt, number
        self._call, self._sent = call, sent
        self.happened: list[Happened] = []
        self.spared: dict[str, str] = {}  # by slot, why what was to happen there could not
        self.began = owner.clock.elapsed()
        self.ended = self.began

    @property
    def ok(self) -> bool:
        """Whether all of an answer was written, and it is no error."""
        return self.complete and self.error is None and self.status is not None and self.status < FIRST_ERROR

    @property
    def recorded(self) -> bool:
        """Whether whoever has sent it records what it comes to."""
        return self._sent is not None

    @property
    def created(self) -> int:
        """When it is answered, in whole seconds since 1970."""
        return int(self.owner.clock.time())

    def id(self, prefix: str, *place: str | int) -> str:
        """An id for this attempt, or for a part of its reply at some place: the same in every run."""
        if self._seed is None:
            self._seed = token(*self.owner.key, *self.point.key)
        return prefix + (token(self._seed, prefix, *place) if place else self._seed)

    def action(self, slot: str) -> ModelAction | None:
        """What is to happen in a slot."""
        due = self.due.get(slot)
        return None if due is None else due.action

    def fired(self, slot: str, **measured: Any) -> dict[str, Any]:
        """The fault of a slot has happened. What is measured of it may be added to the result."""
        due = self.due[slot]
        self.happened.append(Happened(due.rule, measured))
        self.owner.count_fired(due.rule)
        if self.owner.recorder is not None:
            self.owner.recorder.record(faulted(self.call, due.rule, self.target, due.decision, fired=True))
        return measured

    def _spare(self) -> None:
        """Tell of what was to happen and did not."""
        fired = {each.rule.id for each in self.happened}
        for slot, due in self.due.items():
            if due.rule.id not in fired:
                self.owner.spared[due.rule.id] = self._why_not(slot)
                if self.owner.recorder is not None:
                    self.owner.recorder.record(faulted(self.call, due.rule, self.target, due.decision, fired=False))

    def _why_not(self, slot: str) -> str:
        """Why what was to happen in a slot did not."""
        if slot in self.spared:
            return self.spared[slot]
        if self.retry_after is not None:
            return "a rate limit came first"
        if self.happened:
            return f"{' and '.join(each.rule.kind for each in self.happened)} came first"
        return "the client had gone" if self.disconnected else "there was no reply"

    def finish(self) -> None:
        """Nothing comes any more: record what it came to."""
        owner = self.owner
        self.ended = owner.clock.elapsed()
        if self.attempt == self._call.tries:  # whatever the body says: a whole one with a good status ends a call
            whole = self.complete and self.status is not None and self.status < FIRST_ERROR
            self._call.state = ANSWERED if whole and not self.disconnected else FAILED
        owner.finished(self)
        if self.due:
            self._spare()
        if owner.recorder is None:
            return
        if self.recorded:
            return
        reply = self.reply or Reply()
        owner.recorder.record(
            ModelReply(
                call=self.call,
                attempt=self.attempt,
                ok=self.ok,
                status=self.status,
                text=reply.text,
                calls=[{"name": use.name, "arguments": use.arguments} for use in reply.calls],
                finish=reply.finish,
                usage={} if reply.usage is None else {"input": reply.usage.input, "output": reply.usage.output},
                error=self.error,
                complete=self.complete,
                injected=self.injected,
                disconnected=self.disconnected,
                faults=[each.told() for each in self.happened],
                latency_ms=round((self.ended - self.began) * 1000, 3),
                response=self.response,
            )
        )
