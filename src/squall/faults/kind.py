"""What a kind of fault is: parameters, phase, and what it does, as data. Nothing here acts; `interpose/` does.

Knows no concrete kind, and neither rules nor worlds nor wires.
To write a new kind start from `kinds/is_error.py`, the plainest one; on the model wire, `kinds/model/latency.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from squall.call import MODEL_TARGETS, Access, Outcome, Target, Wire
from squall.documents import duration
from squall.faults.at_model import ModelAction, Slot

PhaseName = Literal["before", "after", "late"]

Seconds = Annotated[
    float,
    BeforeValidator(duration),
    Field(ge=0),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "minimum": 0},
                {"type": "string", "pattern": r"^\s*([0-9]+(\.[0-9]+)?\s*(ms|s|m|h|d)\s*)+$"},
            ]
        }
    ),
]
"""A length of time: a number of seconds, or text such as `500ms`, `30s`, `5m`, `2h`, `1d`."""


class Params(BaseModel):
    """Parameters that every kind takes that happens to calls."""

    # Built when one is used: a run has a few kinds, and building all of them is most of what importing them costs.
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, defer_build=True)

    late_by: Seconds = 30.0
    """With `phase: late`: how long after the caller was answered or gave up the effect lands."""


Draw = Callable[[str], float]
"""A uniform number in [0, 1) for a name, keyed by the point: the same in every run."""

AT_EVERY_MODEL = tuple(target.name for target in MODEL_TARGETS.values())
BEFORE_A_REPLY = ("wait", "answer")

Change = Callable[[Outcome], Outcome | None]
"""Turns the operation's own outcome into a worse one; None where that is not possible, and then nothing fired."""


class Action(msgspec.Struct, frozen=True):
    """What is to happen at one call, as data.

    `reply` stands in for the operation's own; `change` alters it; with neither the caller gets what the operation said.
    `wait` seconds pass before the caller hears anything; `stated` says that somebody named that length, so that wall
    time does not cap it; `forever` waits for the run's limit. `deliveries` is how often the request arrives.
    `behind` answers a read as of that many writes ago. `remove` takes the tool away for the rest of the run. `beat`: a
    sign of life reaches a caller who waits each so many seconds. `afterwards`: a caller who gave up is answered so many
    seconds later all the same. `page_size`: a list of tools comes in pages of that many. `arrives`: an event is
    delivered in so many seconds, once for each number.
    """

    reply: Outcome | None = None
    change: Change | None = None
    wait: float = 0.0
    stated: bool = False
    forever: bool = False
    deliveries: int = 1
    behind: int = 0
    remove: bool = False
    beat: float = 0.0
    afterwards: float | None = None
    page_size: int = 0
    arrives: tuple[float, ...] | None = None


class Unfit(NamedTuple):
    """A parameter whose value can never fire at a target, the reason as a clause, and values that could."""

    parameter: str
    why: str
    valid: tuple[str, ...] = ()


class Kind(msgspec.Struct, frozen=True):
    """A named way to misbehave.

    `phase` is the default; `access` the operations it makes sense for; `act` gives the action for one call, an `Action`
    (on the model wire one of `at_model`); `misfit` says which parameter can never fire at a target, or None. `forgets`:
    the server forgets the session, so that no part of a reply may have gone out before. `summary`, `sees` and `example`
    (YAML) document it. On the model wire it has a `slot`, and `targets` are those it makes sense for.
    """

    name: str
    phase: PhaseName
    act: Callable[[Any, Draw, Target], Any]
    summary: str
    sees: str
    example: str
    params: type[Params] = Params
    wire: Wire = "tool"
    access: tuple[Access, ...] = ("read", "write")
    forgets: bool = False
    misfit: Callable[[Any, Target], Unfit | None] = lambda _params, _target: None
    slot: Slot | None = None
    targets: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters, those of every kind last."""
        own = [name for name in self.params.model_fields if name not in Params.model_fields]
        return (*own, *(Params.model_fields if self.wire == "tool" else ()))


def at_model(
    name: str,
    slot: Slot,
    act: Callable[[Any, Draw, Target], ModelAction],
    *,
    summary: str,
    sees: str,
    example: str,
    params: type[Params] = Params,
    targets: tuple[str, ...] = AT_EVERY_MODEL,
) -> Kind:
    """A kind of the model wire. Its phase is told by its slot: `before` where no reply is ever made."""
    return Kind(
        name=name,
        phase="before" if slot in BEFORE_A_REPLY else "after",
        act=act,
        summary=summary,
        sees=sees,
        example=example,
        params=params,
        wire="model",
        slot=slot,
        targets=targets,
    )


class Family(msgspec.Struct, frozen=True):
    """Kinds whose names differ in a number alone.

    `name` stands for all of them, and `shown` is the one that the documentation shows. `member` gives the kind of a
    name, or None; `common` are names that people are likely to mean. A name that begins with `head` was meant to be a
    member, and `range` says which there are.
    """

    name: str
    member: Callable[[str], Kind | None]
    shown: Kind
    common: tuple[str, ...] = ()
    head: str = ""
    range: str = ""
