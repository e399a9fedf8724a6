"""Records that are named like a member of the API: the member stays what it is, and says where the table is.

`world.snapshot` is the method, also when there is a record `snapshot`; whoever uses it as a table is told to write
`world["snapshot"]`. Every member of a world gives that hint, whatever it is. Knows names and values, no world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.errors import is_weather, no_attribute

__tracebackhide__ = is_weather

SAYABLE = (str, int, tuple)


def hint(name: str) -> str:
    """What to tell whoever uses the member `name` as a table."""
    return f"world.{name} is not a table; the table of the record is world[{name!r}]"


def saying(member: Any, name: str) -> Any:
    """`member`, so that it gives the hint where a table is meant: equal to what it was, and as good for all else."""
    if isinstance(member, bool):
        return _valued(int, name)(member)  # nothing can be derived from bool
    if type(member) in SAYABLE:
        return _valued(type(member), name)(member)
    if isinstance(member, Mapping):
        return _Map(member, name)
    if callable(member):
        return _Method(member, name)
    return _Thing(member, name)


class _Thing:
    """An object behind which the real one stands; `isinstance` sees that one."""

    def __init__(self, thing: Any, name: str) -> None:
        object.__setattr__(self, "_thing", thing)
        object.__setattr__(self, "_name", name)

    @property  # type: ignore[misc]  # whoever asks for the class is to see that of the thing
    def __class__(self) -> Any:
        return type(self._thing)

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._thing, name)
        except AttributeError:
            raise _meant(self._name, name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._thing, name, value)

    def __repr__(self) -> str:
        return repr(self._thing)

    def __eq__(self, other: object) -> bool:
        return bool(self._thing == other)

    def __hash__(self) -> int:
        return hash(self._thing)


class _Method:
    """A method that answers to nothing but being called."""

    def __init__(self, method: Any, name: str) -> None:
        self._method = method
        self._name = name
        self.__doc__ = f"{method.__doc__}\n\nNote: {hint(name)}."

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._method(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        raise _meant(self._name, name)

    def __getitem__(self, key: Any) -> Any:
        raise KeyError(f"{hint(self._name)} (asked for {key!r})")


class _Map(dict[str, Any]):
    """A mapping of names. Who asks it for an id (`"7"`, which is no name) means the table."""

    def __init__(self, entries: Mapping[str, Any], name: str) -> None:
        super().__init__(entries)
        self._name = name

    def __getattr__(self, name: str) -> Any:
        raise _meant(self._name, name)

    def get(self, key: Any, default: Any = None) -> Any:
        if key not in self and not all(part.isidentifier() for part in str(key).split(".")):
            return self.__missing__(key)
        return super().get(key, default)

    def __missing__(self, key: Any) -> Any:
        raise KeyError(f"{hint(self._name)} (asked for {key!r})")


def _valued(kind: type[Any], name: str) -> type[Any]:
    """A subclass of `kind` whose values say the hint when they are used as a table."""

    def absent(_self: Any, asked: str) -> Any:
        raise _meant(name, asked)

    return type(kind.__name__, (kind,), {"__getattr__": absent, "__doc__": hint(name)})


def _meant(name: str, asked: str) -> AttributeError:
    return no_attribute(f"{hint(name)} (asked for {asked!r})", asked)
