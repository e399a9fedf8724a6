"""`wrong_value`: the operation ran, and one field of its reply is not what is true."""

from __future__ import annotations

from typing import Any

from squall.call import Outcome, Target
from squall.faults.fields import change_field, named_field_misfit
from squall.faults.kind import Action, Draw, Kind, Params


class WrongValueParams(Params):
    """Parameters of `wrong_value`."""

    field: str | None = None
    """Which field; drawn where it is not given."""
    value: Any = None
    """What it says; a value of the same type where it is not given."""


def _act(params: WrongValueParams, draw: Draw, _target: Target) -> Action:
    stated = "value" in params.model_fields_set

    def edit(row: dict[str, Any], name: str) -> bool:
        wrong = params.value if stated else _other(row[name])
        if wrong == row[name]:
            return False
        row[name] = wrong
        return True

    def change(outcome: Outcome) -> Outcome | None:
        return change_field(outcome, params.field, draw, edit)

    return Action(change=change)


def _other(value: Any) -> Any:
    """A value of the same type that is not the same; the value itself where there is none."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and value:
        return value[1:] + value[:1] if value[1:] + value[:1] != value else value + value
    return value


KIND = Kind(
    name="wrong_value",
    phase="after",
    act=_act,
    params=WrongValueParams,
    misfit=lambda params, target: named_field_misfit(params.field, target),
    summary="The operation runs, and one field of its reply is wrong (of the first row, where there are several).",
    sees="MCP and plain callables: an ordinary result in which one value is false.",
    example="orders.get_order: [{ kind: wrong_value, nth: 1, field: total, value: 0 }]",
)
