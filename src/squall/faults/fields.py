"""Finding the field of a reply that a fault changes, and telling that there is none. Knows no kind of fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from squall.call import Outcome, Target
from squall.faults.kind import Draw, Unfit


def named_field_misfit(field: str | None, target: Target) -> Unfit | None:
    """Why `field` can never be found in the results of `target`."""
    if field is None or target.returns is None or field in target.returns:
        return None
    why = f"{target.name} returns no field {field!r}; it returns {', '.join(target.returns)}"
    return Unfit("field", why, target.returns)


def change_field(
    outcome: Outcome, field: str | None, draw: Draw, edit: Callable[[dict[str, Any], str], bool]
) -> Outcome | None:
    """A copy of `outcome` with one field of its first row edited, or None where there is no such field.

    Without a name, one is drawn among the fields other than `id`. `edit` changes the row and says whether it could.
    """
    if outcome.form != "value":
        return None
    rows = outcome.value if isinstance(outcome.value, list) else [outcome.value]
    if not rows or not isinstance(rows[0], dict):
        return None
    row = dict(rows[0])
    names = [field] if field is not None else [name for name in row if name != "id"] or list(row)
    start = int(draw("field") * len(names))
    for name in names[start:] + names[:start]:
        if name in row and edit(row, name):
            changed = [row, *rows[1:]] if isinstance(outcome.value, list) else row
            return Outcome("value", value=changed)
    return None
