"""What every kind of event has in common: a frozen struct whose tag, `kind`, is the first of its own fields."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """Base of the kinds. The envelope (`hash, prev, v, run, seq, t`) is added by whoever records."""
