"""Records that are named like a member of the API: the member stays what it is, and says where the table is.

`world.snapshot` is the method, also when there is a record `snapshot`; whoever uses it as a table is told to write
`world["snapshot"]`. Knows names and values, no world.
"""

from __future__ import annotations

from typing import Any

SAYABLE = (str, int, tuple, dict)


def saying(world: Any, name: str, table: str) -> dict[str, Any]:
    """What to keep under `name` on `world`, so that the member gives a hint; empty where it cannot."""
    member = getattr(world, name)
    hint = f"world.{name} is not a table; the table of the record {table} is world[{name!r}]"
    if isinstance(getattr(type(world), name, None), property):
        return {}  # properties cannot be hidden; `ledger` says it by itself
    if callable(member) and not isinstance(member, type):
        return {name: _Method(member, hint)}
    if type(member) in SAYABLE:
        return {name: _valued(type(member), hint)(member)}
    return {}


class _Method:
    """A method that answers to nothing but being called."""

    def __init__(self, method: Any, hint: str) -> None:
        self._method = method
        self._hint = hint
        self.__doc__ = f"{method.__doc__}\n\nNote: {hint}."

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self._hint} (asked for {name!r})")


def _valued(kind: type[Any], hint: str) -> type[Any]:
    """A subclass of `kind` whose values say `hint` when they are used as a table."""

    def absent(_self: Any, name: str) -> Any:
        raise AttributeError(f"{hint} (asked for {name!r})")

    return type(kind.__name__, (kind,), {"__getattr__": absent, "__doc__": hint})
