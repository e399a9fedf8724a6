"""Runs a handler: one transaction, its errors sorted into refusals and bugs, its answer made JSON-ready.

ValueError, LookupError and PermissionError are a service's way to say no and reach the agent as `Refused`, with the
handler's exception as the cause; anything else is a bug of the handler and is raised as it is. Knows no wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from squall.call import Refused
from squall.errors import is_weather
from squall.worlds.events.dispatch import Event
from squall.worlds.file.plans import OperationPlan
from squall.worlds.services.jsonready import ready
from squall.worlds.services.params import Arguments
from squall.worlds.tables.refusals import InvalidRow, NoSuchRow, Reason
from squall.worlds.tables.transaction import Begin, Transaction

if TYPE_CHECKING:
    from squall.worlds.world import World

__tracebackhide__ = is_weather

Handler = Callable[..., Any]
_REFUSALS = (ValueError, LookupError, PermissionError)


class BadAnswer(TypeError):
    """A handler did what its operation does not allow, or returned what has no JSON form; `what` says it of it."""

    def __init__(self, handler: str | None, what: str) -> None:
        super().__init__(f"{handler} {what}")
        self.what = what


def runner(handler: Handler, arguments: Arguments, plan: OperationPlan, *, is_async: bool) -> Callable[..., Any]:
    """The function that runs `handler` for a world; for an async handler it returns an awaitable."""

    def finished(transaction: Transaction, result: Any) -> Any:
        transaction.journal.turns.check()
        if plan.access == "read" and transaction.writes:
            write = transaction.writes[0]
            what = f"is declared with access: read, but it did {write.op} in {write.table.record.name}"
            raise BadAnswer(plan.handler, what)
        try:
            answer = ready(result)
        except TypeError as error:
            raise BadAnswer(plan.handler, f"returned something that no tool can answer: {error}") from None
        transaction.emit(plan.emits, answer)
        return answer

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        values = arguments.converted(args)
        transaction = begin()
        with world.journal.turn(transaction.call):  # a sync handler has the world to itself
            try:
                with transaction:
                    return finished(transaction, handler(world, world.clock, **values))
            except _REFUSALS as error:
                raise refusal(error) from error

    async def arun(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        values = arguments.converted(args)
        try:
            with begin() as transaction:
                return finished(transaction, await handler(world, world.clock, **values))
        except _REFUSALS as error:
            raise refusal(error) from error

    return arun if is_async else run


def refusal(error: Exception) -> Refused:
    """What the agent is told when a handler raised `error`."""
    if isinstance(error, InvalidRow | NoSuchRow):
        return Refused(error.brief, "invalid" if error.reason == "arguments" else error.reason)
    # str(KeyError("x")) has quotes that nobody wrote
    text = str(error.args[0]) if isinstance(error, KeyError) and len(error.args) == 1 else str(error)
    reason: Reason = "invalid"
    if isinstance(error, LookupError):
        reason = "not_found"
    elif isinstance(error, PermissionError):
        reason = "forbidden"
    return Refused(text or {"invalid": "invalid request", "not_found": "not found"}.get(reason, "forbidden"), reason)


def listener(handler: Handler, *, is_async: bool) -> Callable[[World, Event], Any]:
    """The function that tells `handler` of an event in a world: a transaction of its own, in the name of the call."""

    def run(world: World, event: Event) -> None:
        with world.journal.turn(event.call), Transaction(world.journal, event.call):
            handler(world, world.clock, event)
            world.journal.turns.check()

    async def arun(world: World, event: Event) -> None:
        with Transaction(world.journal, event.call):
            await handler(world, world.clock, event)

    return arun if is_async else run
