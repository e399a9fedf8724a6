"""Access tokens: each operation of a service with `auth` takes one, and refuses those that are wrong or expired.

The token of the file is good from the start of the run. The operation that `refresh` names gives a new one in exchange
for any that the service ever gave out, expired or not. What a handler calls itself needs no token. Knows how a world
remembers; no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from squall.call import Refused
from squall.canonical import integer
from squall.worlds.services.params import Arguments, Param
from squall.worlds.tables.transaction import Begin, Past, Run

if TYPE_CHECKING:
    from squall.worlds.world import World


class TakenArgument(ValueError):
    """An operation has an argument of its own that is called like the token."""


@dataclass(frozen=True)
class Auth:
    """How one service is entered. `expires` is in seconds, None for never; `refresh` the name of an operation."""

    service: str
    token: str
    argument: str = "token"
    expires: float | None = None
    refresh: str | None = None
    tool: str | None = None
    """The name of the refreshing operation on the wire."""

    @property
    def param(self) -> Param:
        """The token as an argument."""
        return Param(self.argument, required=True, schema={"type": "string"}, description="the access token")

    @property
    def answer(self) -> dict[str, Any]:
        """JSON Schema of what the refreshing operation answers."""
        seconds = {"type": ["number", "null"], "description": "seconds; null if it does not expire"}
        return {"type": "object", "properties": {"token": {"type": "string"}, "expires_in": seconds}}

    def among(self, params: tuple[Param, ...]) -> tuple[Param, ...]:
        """The arguments of an operation, and the token. Raises `TakenArgument` if it has one of that name."""
        if any(param.name == self.argument for param in params):
            raise TakenArgument(self.argument)
        first = [param for param in params if param.required]
        return (*first, self.param, *(param for param in params if not param.required))

    def guard(self, run: Run) -> Run:
        """`run`, for those who have a token."""

        def guarded(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
            if self.argument in args or not _inside(world):
                self._check(world, args.get(self.argument))
            return run(world, {name: value for name, value in args.items() if name != self.argument}, begin)

        return guarded

    def renew(self, world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        """Run of the refreshing operation: a new token for an old one."""
        memory = world.journal.memory
        transaction = begin()
        with world.journal.turn(transaction.call), transaction:
            if self._until(world, args.get(self.argument)) is None:
                raise Refused(*self._invalid(args.get(self.argument)))
            Arguments((self.param,), {self.argument: None}).named(args)
            number = (memory.recall((self.service, "tokens"), transaction) or 0) + 1
            token = f"tok_{integer(world.seed, self.service, 'token', number):016x}"
            until = float("inf") if self.expires is None else world.clock.elapsed() + self.expires
            memory.keep((self.service, "tokens"), number, transaction)
            memory.keep((self.service, "token", token), until, transaction)
        seconds = self.expires
        return {"token": token, "expires_in": int(seconds) if seconds is not None and seconds % 1 == 0 else seconds}

    def _check(self, world: World, token: Any) -> None:
        until = self._until(world, token)
        if until is None:
            raise Refused(*self._invalid(token))
        if world.clock.elapsed() >= until:
            tail = f"; get a new one with {self.tool}" if self.tool else ""
            raise Refused(f"the access token has expired{tail}", "unauthorized")

    def _until(self, world: World, token: Any) -> float | None:
        """When a token expires, in seconds of the run; None if it never was one."""
        if not isinstance(token, str):
            return None
        if token == self.token:
            return float("inf") if self.expires is None else self.expires
        journal = world.journal
        found: float | None = journal.memory.recall((self.service, "token", token), journal.current())
        return found

    def _invalid(self, token: Any) -> tuple[str, str]:
        text = f"missing access token; give it as {self.argument}" if token is None else "invalid access token"
        return text, "unauthorized"


def _inside(world: World) -> bool:
    """Whether a handler of this world is at work, which is no client."""
    transaction = world.journal.current()
    return transaction is not None and not isinstance(transaction, Past)
