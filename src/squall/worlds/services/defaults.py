"""What the fields of a new row begin with where a call leaves them out: values, or for moments and days the time it is.

Knows types of fields and no row.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from squall.worlds.fields.types import DatetimeType, DateType, FieldType

NOW = "now"
MOMENTS = (DatetimeType, DateType)
"""Types of which `now` is the time of the call."""


class Default(NamedTuple):
    """What one field begins with. `wire` is its JSON form, and tells what it is; None for what each call has anew."""

    kind: FieldType
    value: Any
    wire: Any

    @property
    def is_now(self) -> bool:
        """Whether it is the time of the call."""
        return self.value == NOW and isinstance(self.kind, MOMENTS)

    def at(self, now: datetime) -> Any:
        """The value for a call at that time."""
        if not self.is_now:
            return self.value
        return now.date() if isinstance(self.kind, DateType) else now


def default(kind: FieldType, value: Any) -> Default:
    """What `value` in a file means for a field. Raises `Unfit` if it does not fit."""
    begins = Default(kind, value, None)
    return begins if begins.is_now else begins._replace(wire=kind.wire(kind.check(value)))


def filled(given: Mapping[str, Any], defaults: Mapping[str, Default], now: datetime) -> Mapping[str, Any]:
    """The fields that a call gives, and the defaults of those that it leaves out."""
    return {**given, **{name: each.at(now) for name, each in defaults.items() if name not in given}}
