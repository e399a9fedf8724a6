"""The shape of a policy file, as people write it (`squall schema policy`). Structure only: nothing is judged here.

    {
      "allow": ["verify_identity", "get_order", "issue_refund"],
      "deny_patterns": ["../", "DROP TABLE"],
      "max_calls": 20,
      "tools": {
        "issue_refund": {
          "max_calls": 1,
          "limits": {"amount": 500},
          "allowed_values": {"currency": ["USD", "EUR"]},
          "required_args": ["order_id", "amount"],
          "identity_arg": "customer_id",
          "requires": ["verify_identity"]
        }
      }
    }

Importing this costs pydantic: whoever reads a file does so when there is one.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from squall.documents import Invalid
from squall.errors import shown


def _not_blank(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise Invalid(f"the denied text {value!r} would deny every call", hint="Write the text, or take it out.")
    return value


def _number(value: Any) -> Any:
    """Text such as "$500" is a number in a call, where a model wrote it, and a mistake here."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Invalid(f"a limit is a number, not {shown(value)}", hint="Write 500, without quotes and signs.")
    if not math.isfinite(value):
        raise Invalid(f"a limit is a finite number, not {shown(value)}", hint="Take it out where nothing is too much.")
    return value


Name = Annotated[str, StringConstraints(min_length=1, strict=True)]
Denied = Annotated[
    str, BeforeValidator(_not_blank), StringConstraints(strict=True), Field(json_schema_extra={"pattern": r"\S"})
]
Count = Annotated[int, Field(ge=0, strict=True)]
Flag = Annotated[bool, Field(strict=True)]
Maximum = Annotated[float, BeforeValidator(_number)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class ToolSpec(_Written):
    """Limits on the calls of one tool. Arguments are named by dotted paths: `refund.amount`."""

    max_calls: Count | None = None
    """The most calls in one conversation."""
    limits: dict[Name, Maximum] = {}
    """The most that an argument may be. `"$900.00"` counts as 900."""
    budget: dict[Name, Maximum] = {}
    """The most that an argument may come to, summed over the run's calls that did not fail."""
    allowed_values: dict[Name, list[Any]] = {}
    """The values that an argument may have."""
    required_args: list[Name] = []
    """The arguments that have to be there."""
    identity_arg: Name | None = None
    """The argument that has to be the run's `user_id`."""
    requires: list[Name] = []
    """The tools that have to have succeeded earlier in the run."""


class PolicySpec(_Written):
    """A policy file."""

    allow: list[Name] | None = None
    """The only tools that may be called."""
    deny_patterns: list[Denied] | None = None
    """Texts that may stand nowhere in a call's arguments: literal, whatever their case, in place of those built in."""
    max_arg_chars: Count | None = None
    """The most characters that a call's arguments may have, as JSON."""
    max_calls: Count | None = None
    """The most calls of tools in one conversation."""
    require_complete: Flag = False
    """Whether the run has to end with an answer, and without an exception."""
    tools: dict[Name, ToolSpec] = {}
    """Limits on single tools, by their names."""
