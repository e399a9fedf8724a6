"""`missing_field`: the operation ran, and one field of its reply is not there."""

from __future__ import annotations

from typing import Any

from squall.call import Outcome, Target
from squall.faults.fields import change_field, named_field_misfit
from squall.faults.kind import Action, Draw, Kind, Params


class MissingFieldParams(Params):
    """Parameters of `missing_field`."""

    field: str | None = None
    """Which field; drawn where it is not given."""


def _drop(row: dict[str, Any], name: str) -> bool:
    del row[name]
    return True


def _act(params: MissingFieldParams, draw: Draw, _target: Target) -> Action:
    def change(outcome: Outcome) -> Outcome | None:
        return change_field(outcome, params.field, draw, _drop)

    return Action(change=change)


KIND = Kind(
    name="missing_field",
    phase="after",
    act=_act,
    params=MissingFieldParams,
    misfit=lambda params, target: named_field_misfit(params.field, target),
    summary="The operation runs, and one field of its reply is missing (of the first row, where there are several).",
    sees="MCP and plain callables: an ordinary result that lacks one field. Over MCP the tool's output schema "
    "requires none, so the client takes it.",
    example="orders.get_order: { errors: { missing_field: { probability: 0.05, field: status } } }",
)
