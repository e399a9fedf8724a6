"""What a policy says, as values. Where it was written down is not known here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

CLIMBING = "../"
BUILT_IN = ("file://", "~/.ssh", "/etc/passwd", "id_rsa", CLIMBING)
"""What is denied where no policy names texts. A path that climbs is not, where a user's own message holds it."""


class ToolLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on one tool. Arguments are named by their paths: `refund.amount`; through lists `items.price`.

    `max_calls` counts the calls of one conversation. `limits` and `budget` are the most that an argument may be, in
    each call and summed over the run. `requires` are tools that have to have succeeded before.
    """

    max_calls: int | None = None
    limits: Mapping[str, float] = {}
    budget: Mapping[str, float] = {}
    allowed_values: Mapping[str, tuple[Any, ...]] = {}
    required_args: tuple[str, ...] = ()
    identity_arg: str | None = None
    requires: tuple[str, ...] = ()


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Limits on all calls, and those on single tools by their names.

    `allow`: the tools that may be called (None: all). `denied`: texts that may stand nowhere in arguments (None: those
    built in). `max_arg_chars`: of one call's arguments. `max_calls`: in one conversation. `require_complete`: the run
    has to end with an answer.
    """

    allow: tuple[str, ...] | None = None
    denied: tuple[str, ...] | None = None
    max_arg_chars: int | None = None
    max_calls: int | None = None
    require_complete: bool = False
    tools: Mapping[str, ToolLimits] = {}
