"""Holds a drafted rule against its kind and its targets: does the kind exist, do its parameters hold, could it fire?"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from squall.call import Target
from squall.documents import validate
from squall.errors import Problem, UsageError, nearest
from squall.faults.draft import LATENCY_MS, RATE_LIMIT, Draft
from squall.faults.inline import Source
from squall.faults.plan import Bound
from squall.faults.registry import kind_named, names, nearest_kind


class Fit(msgspec.Struct, frozen=True):
    """A draft that holds. `bound` is None for latencies and rate limits, which are no faults."""

    draft: Draft
    bound: Bound | None = None


def bind(draft: Draft, by_name: Mapping[str, Target], source: Source, problems: list[Problem]) -> Fit | None:
    """The draft with its kind and the targets where it makes sense; None, and problems, where there are none."""
    if draft.name in (LATENCY_MS, RATE_LIMIT):
        return Fit(draft)
    kind = kind_named(draft.name)
    if kind is None:
        hint = f"Kinds: {', '.join(names())}."
        at = source.at(draft.name_loc, key=draft.name_is_key)
        problems.append(Problem(f"unknown kind of fault {draft.name!r}", at, nearest_kind(draft.name), hint))
        return None
    try:
        params = validate(kind.params, _Given(draft, source), loc=())
    except UsageError as error:
        problems.extend(error.problems)
        return None
    bound = Bound(kind, params)
    reasons = {name: why for name in draft.targets if (why := _misfit(draft, bound, by_name[name]))}
    if reasons and (draft.exact or len(reasons) == len(draft.targets)):
        why = next(iter(reasons.values()))
        at = source.at(draft.name_loc, key=draft.name_is_key)
        problems.append(Problem(f"{draft.name} could never fire: {why}", at, _near_field(draft, why, by_name)))
        return None
    draft.targets = [name for name in draft.targets if name not in reasons]
    return Fit(draft, bound)


class _Given:
    """The parameters alone, standing where the rule stands."""

    def __init__(self, draft: Draft, source: Source) -> None:
        self.name, self.data, self._draft, self._source = source.name, draft.params, draft, source
        self.path = None

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> object:
        """Where the parameter stands in the file."""
        return self._source.at((*self._draft.params_loc, *loc), key=key)


def _misfit(draft: Draft, bound: Bound, target: Target) -> str | None:
    """Why the rule can never fire at the target."""
    if target.wire != bound.kind.wire:
        return f"it is a fault of the {bound.kind.wire} wire, and {target.name} is not on it"
    if target.access not in bound.kind.access:
        return f"{target.name} is a {target.access}, and it takes a {' or '.join(bound.kind.access)}"
    if (why := bound.kind.misfit(bound.params, target)) is not None:
        return why
    if draft.when is None:
        return None
    if (draft.when.newer_than is not None or draft.when.older_than is not None) and not target.dated:
        return f"{target.name} addresses no single record with a datetime field, so there is no age to compare"
    for name in draft.when.args:
        if name not in target.fields:
            return f"{target.name} takes no argument {name!r}; it takes {', '.join(target.fields) or 'none'}"
    return None


def _near_field(draft: Draft, why: str, by_name: Mapping[str, Target]) -> str | None:
    """The argument or field that was probably meant, where the reason names one that is not there."""
    known = {field for name in draft.targets for field in (*by_name[name].fields, *(by_name[name].returns or ()))}
    wanted = [*(draft.when.args if draft.when else ()), *([draft.params["field"]] if "field" in draft.params else ())]
    missing = [name for name in wanted if repr(name) in why]
    return nearest(missing[0], known) if missing else None
