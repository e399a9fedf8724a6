"""Protocol-neutral values of one call of a tool: what it addresses, what was asked, what came of it.

Frozen, and they mint nothing: ids and times are passed in by whoever records. Knows no wire, no world and no fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from squall.errors import shown

Wire = Literal["tool", "model", "session", "event"]
Access = Literal["read", "write"]
Form = Literal["value", "text", "refused", "crashed", "lost", "timeout", "unknown_tool", "session_lost", "exited"]


class Target(msgspec.Struct, frozen=True):
    """What a call addresses, told to rooms that must not know worlds.

    `name` is `service.operation`; `tool` its name on the wire; `fields` the argument names; `returns` the field names
    of the result where they are known (None where not); `dated` whether a record's age can be told from the arguments;
    `many` whether the result is a list of rows, `empty` a result with nothing in it. `schemas` holds the JSON Schema of
    each argument (an argument without one may be anything; `default` is what leaving it out means), `required` those
    that cannot be left out. `size` is how many things a list of tools has, None where nobody knows. `key` names the
    argument that is an idempotency key.

    On the wire `event` it is an event, `name` is `service.event`, and its data stand where a call has its arguments;
    without `fields` nobody knows what they hold.
    """

    name: str
    tool: str
    wire: Wire = "tool"
    access: Access = "read"
    fields: tuple[str, ...] = ()
    returns: tuple[str, ...] | None = None
    dated: bool = False
    many: bool = False
    schemas: Mapping[str, Mapping[str, Any]] = {}
    required: tuple[str, ...] = ()
    empty: Any = {}
    size: int | None = None
    key: str | None = None

    def __hash__(self) -> int:
        return hash((self.name, self.tool, self.wire))  # schemas have none


LISTING = Target("session.list_tools", "", wire="session")
"""What asks a server which tools it has: no operation of a world, and yet something may go wrong with it."""


class CallRef(msgspec.Struct, frozen=True):
    """Which call did something: the number of the call within its run, its tool and its arguments.

    `late` says that it was done after the caller had been answered or had given up.
    """

    id: int
    tool: str
    args: Mapping[str, Any]
    late: bool = False

    def __str__(self) -> str:
        inner = ", ".join(f"{name}={shown(value)}" for name, value in self.args.items())
        return f"call {self.id}{', late' if self.late else ''}: {self.tool}({inner})"


class Outcome(msgspec.Struct, frozen=True):
    """What a call came to, before a wire puts it into its own words.

    `form`: `value` (`value` is JSON-ready), `text` (raw text in place of a value), `refused` (a clean error that the
    agent sees, `error` its text), `crashed` (a plain internal error), `lost` (the connection broke), `timeout` (no
    reply came), `unknown_tool`, `session_lost` (the server knows the caller's session no more), `exited` (the server
    itself is gone, with all of its sessions). `status` is HTTP-like where one applies; `retry_after` is in seconds;
    `detail` is for the tester alone (a traceback) and never leaves through a wire.
    """

    form: Form
    value: Any = None
    error: str | None = None
    status: int | None = None
    retry_after: float | None = None
    detail: str | None = None

    @property
    def ok(self) -> bool:
        """Whether a reply came at all and did not say that it is an error."""
        return self.form in ("value", "text")


class Refused(Exception):
    """An operation says no in a way that the agent sees as a clean tool error.

    `reason` is one of `not_found`, `unauthorized`, `forbidden`, `conflict` (something else has changed meanwhile, or is
    under way), `invalid` (the request cannot be done), `arguments` (it is malformed).
    """

    def __init__(self, message: str, reason: str = "invalid") -> None:
        super().__init__(message)
        self.reason = reason
