"""The shapes that a `faults:` block may have, as people write it.

Structure only: knows neither targets nor kinds nor what a rule means; `parse.py` gives it that.

Short form, by target (`service.operation`, `service.*` or `default`; of models `model.chat` and its like, `model.*` or
a model's name):

    faults:
      default: { latency_ms: [50, 200] }
      payments.issue_refund: { errors: { timeout: 0.10, http_500: 0.02 }, rate_limit: { calls: 5, per_seconds: 60 } }
      orders.get_order: { errors: { not_found_if_newer_than: 2h } }

Long form, a list of rules:

    faults:
      - { target: payments.issue_refund, kind: timeout, nth: 1, phase: after }

A file of its own may add `limits:` and `wall_cap:` beside `faults:`. Under a target a list of rules (without `target`)
may stand in place of the short form, or within it as `rules:`.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from squall.documents import Invalid
from squall.errors import shown
from squall.faults.kind import PhaseName, Seconds


def share_of(value: Any) -> float | None:
    """The probability that text such as `10%` or `0.1` means; None for what means none."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        return None
    return share if 0 <= share <= 1 else None


def _no_percent(value: Any) -> Any:
    if isinstance(value, str) and value.strip().endswith("%") and (share := share_of(value)) is not None:
        raise Invalid(f"{shown(value)} is no probability", hint=f"Write {share:g}.")
    return value


Chance = Annotated[float, Field(ge=0, le=1, strict=True), BeforeValidator(_no_percent)]
Count = Annotated[int, Field(ge=1, strict=True)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class RateLimitSpec(_Written):
    """At most `calls` calls in any `per_seconds`; the rest are refused with 429 and told when to retry."""

    calls: Count
    """How many calls are admitted within the window."""
    per_seconds: Annotated[Seconds, Field(gt=0)]
    """The length of the sliding window."""


class WhenSpec(BaseModel):
    """Conditions on a call. Any other key names an argument and gives its value, or a list of values."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    newer_than: Seconds | None = None
    """Only while the addressed record is younger than this."""
    older_than: Seconds | None = None
    """Only when the addressed record is at least this old."""
    args: dict[str, Any] = {}
    """Arguments by name, for names that are taken here (`newer_than`, `older_than`, `args`)."""


class RuleSpec(BaseModel):
    """One rule of the long form. Any other key is a parameter of the kind."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    kind: str
    """The kind of fault; `rate_limit` and `latency_ms` (with `ms`) may stand here too."""
    target: str | list[str] | None = None
    """What it applies to: `service.operation`, `service.*`, `default` (all), `model.chat` and its like, `model.*`, a
    model's name, or a list of these."""
    probability: Chance | None = None
    """Drawn at each point."""
    nth: Count | None = None
    """Fires at the nth matching call, counted from 1 per target and scope."""
    times: Count | None = None
    """With `nth`: at how many calls in a row; alone: at the first so many."""
    first: Count | None = None
    """Fires at the first so many matching calls of a scope, which then recovers."""
    every: Count | None = None
    """Fires at every so-many-th matching call."""
    when: WhenSpec | None = None
    """Conditions; counters count only the calls that satisfy them."""
    phase: PhaseName | None = None
    """Before the side effect, after it, or late; the kind's own default unless given."""
    scope: str | None = None
    """Only calls in this scope."""


class ChanceSpec(BaseModel):
    """A drawn error with parameters: `timeout: { probability: 0.1, phase: before }`. Other keys are parameters."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    probability: Chance
    """Drawn at each point."""
    phase: PhaseName | None = None
    """Before the side effect, after it, or late; the kind's own default unless given."""
    scope: str | None = None
    """Only calls in this scope."""
    when: WhenSpec | None = None
    """Conditions that must hold as well."""


Milliseconds = Annotated[float, Field(ge=0)]


class TargetSpec(_Written):
    """The short form for one target."""

    errors: dict[str, Chance | str | ChanceSpec] = {}
    """Kind to probability, `KIND_if_newer_than` to a length of time, or kind to a mapping with parameters."""
    latency_ms: Milliseconds | Annotated[list[Milliseconds], Field(min_length=2, max_length=2)] | None = None
    """Milliseconds that each call takes, or a range from which they are drawn."""
    rate_limit: RateLimitSpec | None = None
    """A limit on admitted calls."""
    rules: list[RuleSpec] = []
    """Rules of the long form for this target."""


class LimitsSpec(_Written):
    """What ends a run that does not end by itself."""

    seconds: Annotated[Seconds, Field(gt=0)] | None = None
    """Virtual seconds (3,600 unless given)."""
    calls: Count | None = None
    """Tool calls (1,000 unless given)."""


FaultsBlock = dict[str, TargetSpec | list[RuleSpec]] | list[RuleSpec]


class FaultsFile(_Written):
    """A plan file of its own."""

    faults: FaultsBlock
    """The rules, in the short or the long form."""
    limits: LimitsSpec = LimitsSpec()
    """What ends a run that does not end by itself."""
    wall_cap: Seconds | None = None
    """On wall time, the longest that a wait may last which nobody stated in seconds (2 s unless given)."""
