"""The shape of a scenario file, as people write it.

    [scenario]
    name = "refund-after-timeout"
    description = "The refund is paid, and the reply is lost."
    seed = 7

    [[steps]]
    tool = "issue_refund"
    arguments = { order = "1", amount = 40 }
    result = { refund = "r_1" }

    [[faults]]
    kind = "timeout"
    step = 0

The large form has a world, a provider's script or both in place of steps, and faults by target.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from squall.canonical import LEAST, MOST
from squall.documents import Invalid
from squall.errors import shown
from squall.faults.file import Count
from squall.faults.kind import PhaseName, Seconds

MOVED = ("task", "world", "provider")
"""Keys that may stand at the top of the file, or under `[scenario]`."""
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that cannot be seen: controls, marks of direction, separators of lines."""


def _visible(name: str) -> str:
    if name != name.strip():
        raise Invalid(f"the name {shown(name)} begins or ends with a blank", hint="Take it away.")
    hidden = next((letter for letter in name if unicodedata.category(letter) in HIDDEN), None)
    if hidden is not None:
        raise Invalid(f"the name {shown(name)} holds {hidden!r}, which cannot be seen", hint="Take it out.")
    return name


def _finite(value: float) -> float:
    if value == float("inf"):
        raise Invalid("a limit without an end is none", hint="Leave it out: an hour and 1,000 calls hold then.")
    return value


Text = Annotated[str, Field(min_length=1)]
Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class HeadSpec(_Written):
    """What the scenario is called and what it is about."""

    name: Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_visible)]
    """Its name in tables, folders and reports."""
    description: str = ""
    """What happens, in a sentence."""
    seed: Annotated[int, Field(strict=True, ge=LEAST, lt=MOST)] = 0
    """The seed where none is asked for."""
    task: str = ""
    """What the agent is told to do. With steps alone it may be left out."""
    world: Text | None = None
    """A world file, relative to this one."""
    provider: Text | None = None
    """What the model says: a script file, relative to this one."""


class StepSpec(_Written):
    """One call that the task asks for, and what comes of it."""

    tool: Text
    """The tool's name."""
    arguments: dict[str, Any] = {}
    """What it is called with."""
    result: Any = None
    """What it answers."""
    writes: bool = True
    """Whether it changes something, so that doing it twice is not the same as doing it once."""


class FaultSpec(BaseModel):
    """What goes wrong. At a step by its number; in a world or at a model by target, as in a fault plan.

    Any other key is a parameter of the kind, or belongs to the rule of a plan (`probability`, `nth`, `when`, …).
    """

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True)

    kind: str
    """The kind of fault; the six classic ones are timeout, provider_error, malformed_output, partial_stream,
    stale_memory and repeated_call."""
    step: Annotated[int, Field(ge=0, strict=True)] | None = None
    """At which step, counted from 0."""
    occurrence: Count = 1
    """At which attempt at that step, counted from 1."""
    repeat: Count = 1
    """At how many attempts in a row."""
    phase: PhaseName | None = None
    """Before the side effect, after it, or late; the kind's own default unless given."""
    target: str | list[str] | None = None
    """Where, in a scenario with a world or a provider: `payments.issue_refund`, `model.chat`, …"""


class PropertySpec(BaseModel):
    """A property of the world's end state: `{ property = "at_most_once", table = "refunds", by = "order" }`."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    property: Literal["at_most_once", "exactly_once", "conserved", "no_orphans", "unchanged"]
    """Which one."""
    table: str | None = None
    """The table that it is about: a record's name, or `service.record`."""
    by: str | list[str] | None = None
    """For at_most_once and exactly_once: the field, or fields, that may not repeat."""
    field: str | None = None
    """For conserved: the field whose sum must stay."""
    of: list[Any] | None = None
    """For exactly_once: the values that must all be there."""


class ExpectSpec(_Written):
    """What must hold at the end. Nothing of it is shown to the agent."""

    status: Literal["completed", "failed"] = "completed"
    """How the strategy itself says that it ended."""
    answer_contains: Text | list[Text] = []
    """Texts that the answer must hold, whatever their case."""
    properties: list[PropertySpec | str] = []
    """Properties of the world's end state; a text names a function of one argument, the world: `rules.no_loss`."""
    checks: list[str] = []
    """Checks of the trace that must not fire (docs/checks.md lists them)."""
    policy: Text | None = None
    """A policy file for the agent's tool calls, relative to this one."""
    steps: bool = True
    """With steps: that each result is in the answer, and each write happened once."""


class LimitsSpec(_Written):
    """What ends a run that does not end by itself."""

    steps: Count | None = None
    """Tool calls, and as many requests to the model; 1,000 unless given."""
    seconds: Annotated[Seconds, Field(gt=0), AfterValidator(_finite)] | None = None
    """Virtual time; an hour unless given."""
    tokens: Count | None = None
    """Tokens of the model, in and out; no limit unless given."""


class PricesSpec(_Written):
    """What things cost, in units of your own. They make runs comparable and are no provider's prices."""

    call: Price = 1.0
    """A request for a tool."""
    request: Price = 1.0
    """A request to the model, whatever comes of it."""
    input_token: Price = 0.0
    """A token that the model reads."""
    output_token: Price = 0.0
    """A token that the model writes."""


class ScenarioSpec(_Written):
    """A scenario file. `task`, `world` and `provider` may stand at its top or under `[scenario]`."""

    scenario: HeadSpec
    """What it is called and what it is about."""
    task: str | None = None
    """What the agent is told to do."""
    world: Text | None = None
    """A world file, relative to this one."""
    provider: Text | None = None
    """What the model says: a script file, relative to this one."""
    steps: list[StepSpec] = []
    """The calls that the task asks for, with their results: the small form, without world and model."""
    faults: list[FaultSpec] = []
    """What goes wrong."""
    expect: ExpectSpec = ExpectSpec()
    """What must hold at the end."""
    limits: LimitsSpec = LimitsSpec()
    """What ends a run that does not end by itself."""
    prices: PricesSpec = PricesSpec()
    """What things cost, in units of your own."""

    def gathered(self) -> ScenarioSpec:
        """The same with what stands at the top under `scenario`, where everybody looks for it."""
        moved = {key: value for key in MOVED if (value := getattr(self, key)) is not None}
        return self.model_copy(update={"scenario": self.scenario.model_copy(update=moved)})
