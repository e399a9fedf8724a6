"""Holds a drafted rule against its kind and its targets: does the kind exist, do its parameters hold, could it fire?

Looks at one rule at a time: whether others leave it anything is for `together.py`. Knows no concrete kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import msgspec

from squall.call import Target, Wire
from squall.decide import When
from squall.errors import nearest, shown
from squall.faults.draft import LATENCY_MS, RATE_LIMIT, Draft
from squall.faults.file import ChanceSpec, RuleSpec
from squall.faults.kind import Kind
from squall.faults.model_names import ALL_MODELS, MODEL
from squall.faults.plan import Bound
from squall.faults.reading import Loc, Reading
from squall.faults.registry import ALIASES, KINDS, SIDES, is_kind, kind_named, names, nearest_kind, range_of
from squall.faults.registry import shown as kinds_shown
from squall.faults.values import wrong_with

BESIDE_CALLS = ("session", "event")
WITHOUT_PHASE = (*BESIDE_CALLS, "model")
SHORTEST = 3  # letters that may stand for a longer name


class Fit(msgspec.Struct, frozen=True):
    """A draft that holds, on one wire. `bound` is None for latencies and rate limits, which are no faults."""

    draft: Draft
    bound: Bound | None = None
    wire: Wire = "tool"


class Misfit(NamedTuple):
    """Why a rule can never fire at a target, where the reason stands, and what was probably meant."""

    why: str
    loc: Loc
    is_key: bool
    nearest: str | None = None
    hint: str | None = None


def bind(draft: Draft, reading: Reading) -> Iterator[Fit]:
    """The draft with its kind and the targets where it makes sense, once per wire; problems where it does not hold.

    A name may be a kind on both wires, with other parameters on each.
    """
    draft.name, preset = ALIASES.get(draft.name, (draft.name, {}))
    draft.params = {**preset, **draft.params}
    sides = draft.by_wire(reading.targets)
    if _names_its_model_twice(draft, reading):
        return
    if draft.name in (LATENCY_MS, RATE_LIMIT):
        others = [name for name in draft.targets if reading.targets[name].wire in BESIDE_CALLS]
        if others:
            reading.say(
                f"{draft.name} is about calls of operations, and {others[0]} is none", draft.loc, key=draft.short
            )
        else:
            yield from (Fit(draft.at(targets), wire=wire) for wire, targets in sides.items())
        return
    kinds = {wire: kind for wire in sides if (kind := kind_named(draft.name, wire))}
    if draft.named and not kinds:  # so it was hardly a model that was meant
        for pattern in draft.named:
            reading.unknown_target(pattern)
    if not is_kind(draft.name):
        _unknown_kind(draft, "model" if draft.written[0].startswith(f"{MODEL}.") else next(iter(sides)), reading)
    elif not kinds or (draft.exact and len(kinds) < len(sides)):
        if not draft.named:
            _on_another_wire(draft, next(wire for wire in sides if wire not in kinds), reading)
        return
    for wire, kind in kinds.items():
        if fit := _bound(draft.at(sides[wire]), kind, reading):
            yield fit


def _names_its_model_twice(draft: Draft, reading: Reading) -> bool:
    """Whether the rule is for a model by its name, and has a condition on the model besides; then it is a problem."""
    if not (draft.models and draft.when and "model" in draft.when.args):
        return False
    message = f"this rule is for the model {draft.models[0]!r} already"
    reading.say(message, draft.arguments["model"], hint="Take the condition out, or name model.* as the target.")
    return True


def _unknown_kind(draft: Draft, wire: Wire, reading: Reading) -> None:
    extra = () if draft.short else (LATENCY_MS, RATE_LIMIT)
    near, hint = nearest_kind(draft.name, extra, wire), range_of(draft.name)
    if hint is None and wire == "model":
        where = draft.models[0] if draft.models else draft.targets[0] if len(draft.targets) == 1 else ALL_MODELS
        found = _names_for(draft.targets) if draft.reached else names("model")
        hint = f"Kinds for {where}: {', '.join([*found, *extra])}."
    elif hint is None:
        hint = f"Kinds: {', '.join([*names(), *extra])}."
    else:
        near = None
    reading.say(f"unknown kind of fault {draft.name!r}", draft.name_loc, key=draft.short, nearest=near, hint=hint)


def _names_for(targets: Collection[str]) -> list[str]:
    """The names of the kinds that make sense at one of these targets of the model wire."""
    return [name for name, kind in kinds_shown("model").items() if not set(targets).isdisjoint(kind.targets)]


def _on_another_wire(draft: Draft, wire: Wire, reading: Reading) -> None:
    """Say that there is such a kind, and not on the wire of these targets. Of unknown ones it has been said already."""
    if not draft.reached and reading.trusted.keys().isdisjoint(draft.written):
        return
    other = next(kind for side in SIDES if (kind := kind_named(draft.name, side)))
    name = next(iter(draft.by_wire(reading.targets)[wire]), draft.written[0])
    target = reading.targets.get(name)
    why = f"it is a fault of the {other.wire} wire, and {name} is not on it"
    reading.say(
        f"{draft.name} could never fire: {why}",
        draft.name_loc,
        key=draft.short,
        hint=None if target is None else _kinds_for(target),
    )


def _kinds_for(target: Target) -> str | None:
    """The kinds for a target that is no operation, as a hint."""
    if target.wire == "tool":
        return None
    if target.wire == "model":
        found = _names_for([target.name])
    else:
        found = [kind.name for kind in KINDS.values() if kind.wire == target.wire]
    return f"Kinds for {target.name}: {', '.join(found)}."


def _bound(draft: Draft, kind: Kind, reading: Reading) -> Fit | None:
    """The draft with its kind; its targets are on that kind's side."""
    known = {name: value for name, value in draft.params.items() if name in kind.parameters}
    for name in draft.params:
        if name not in known:
            _unknown_parameter(name, draft, kind, reading)
    params = reading.given(kind.params, known, draft.loc)
    if params is None or len(known) < len(draft.params) or _has_an_empty_condition(draft, reading):
        return None
    if _has_no_use_for_its_phase(draft, kind, reading):
        return None
    bound = Bound(kind, params)
    misfits = {
        name: found for name in draft.targets if (found := _misfit(draft, bound, reading.targets[name], reading))
    }
    silent = _silent(draft, bound, misfits, reading)
    if misfits and (draft.exact or len(misfits) == len(draft.targets) or silent):
        telling = max(misfits.values(), key=lambda each: each.nearest is not None)  # else the first
        if silent:
            telling = telling._replace(hint=f"If {silent[0]} returns it, name that as the target.")
        why = f"{draft.name} could never fire: {telling.why}"
        reading.say(why, telling.loc, key=telling.is_key, nearest=telling.nearest, hint=telling.hint)
        return None
    draft.targets = tuple(name for name in draft.targets if name not in misfits)
    draft.slot = kind.slot
    return Fit(draft, bound, "model" if kind.wire == "model" else "tool")


def _has_an_empty_condition(draft: Draft, reading: Reading) -> bool:
    """Whether no call at all could meet `when`, whatever the target; then it is a problem."""
    when = draft.when or When()
    empty = [name for name, allowed in when.args.items() if not allowed]
    for name in empty:
        reading.say(
            f"{draft.name} could never fire: no value of {name} is named here",
            draft.arguments[name],
            hint="Write a value, or a list of values of which one must match.",
        )
    if when.newer_than is None or when.older_than is None or when.older_than < when.newer_than:
        return bool(empty)
    loc = draft.when_loc
    newer, older = (shown(reading.part((*loc, name))) for name in ("newer_than", "older_than"))
    reading.say(
        f"{draft.name} could never fire: no record is newer than {newer} and older than {older}",
        (*loc, "older_than"),
        hint="Let newer_than be the longer of the two, or write two rules.",
    )
    return True


def _unknown_parameter(name: str, draft: Draft, kind: Kind, reading: Reading) -> None:
    around = list((ChanceSpec if draft.short else RuleSpec).model_fields)
    reading.say(
        f"unknown parameter {name!r} of {draft.name}",
        (*draft.loc, name),
        key=True,
        nearest=_meant(name, [*kind.parameters, *around]),
        hint=f"{draft.name} takes {', '.join(kind.parameters) or 'none'}; every rule {', '.join(around)}.",
    )


def _silent(draft: Draft, bound: Bound, misfits: Mapping[str, Misfit], reading: Reading) -> list[str]:
    """The targets that are left, where none of them says what it returns and no other has what a parameter names.

    So a misspelt field is not taken for one that only a handler knows.
    """
    unfit = [name for name in misfits if bound.kind.misfit(bound.params, reading.targets[name])]
    left = [name for name in draft.targets if name not in misfits]
    return left if unfit and all(reading.targets[name].returns is None for name in left) else []


def _meant(name: str, valid: list[str]) -> str | None:
    """The nearest of the valid names, or the only one that begins with what was written: `prob`."""
    longer = [each for each in valid if len(name) >= SHORTEST and each.startswith(name)]
    return longer[0] if len(longer) == 1 else nearest(name, valid)


def _has_no_use_for_its_phase(draft: Draft, kind: Kind, reading: Reading) -> bool:
    """Whether the rule speaks of an effect that lands late, and none does; then it is a problem."""
    if kind.wire in WITHOUT_PHASE and draft.phase is not None:
        why = f"{draft.name} takes no phase" + (" where a model is asked" if kind.wire == "model" else "")
        reading.say(why, (*draft.loc, "phase"), key=True, hint="Take it out.")
        return True
    if "late_by" not in draft.params or (draft.phase or kind.phase) == "late":
        return False
    loc = (*draft.loc, "late_by")
    reading.say("late_by says nothing without phase: late", loc, key=True, hint="Add phase: late, or take it out.")
    return True


def _misfit(draft: Draft, bound: Bound, target: Target, reading: Reading) -> Misfit | None:
    """Why the rule can never fire at the target."""
    at_kind = draft.name_loc, draft.short
    if target.wire != bound.kind.wire:
        why = f"it is a fault of the {bound.kind.wire} wire, and {target.name} is not on it"
        return Misfit(why, *at_kind, hint=_kinds_for(target))
    if target.wire == "model" and target.name not in bound.kind.targets:
        why = f"it happens at {', '.join(bound.kind.targets)}, and not at {target.name}"
        return Misfit(why, *at_kind, hint=_kinds_for(target))
    if target.access not in bound.kind.access:
        takes = " or ".join(bound.kind.access)
        return Misfit(f"{target.name} is a {target.access}, and it takes a {takes}", *at_kind)
    if unfit := bound.kind.misfit(bound.params, target):
        near = nearest(getattr(bound.params, unfit.parameter), unfit.valid)
        return Misfit(unfit.why, (*draft.loc, unfit.parameter), is_key=False, nearest=near)
    return None if draft.when is None else _when_misfit(draft.when, draft, target, reading)


def _when_misfit(when: When, draft: Draft, target: Target, reading: Reading) -> Misfit | None:
    for name, allowed in when.args.items():
        loc = draft.arguments[name]
        if target.wire == "event" and not target.fields:
            continue  # a handler answers with whatever it likes, so nobody says what the data of its event hold
        if name not in target.fields:
            takes, has = ("has no", "has") if target.wire == "event" else ("takes no argument", "takes")
            why = f"{target.name} {takes} {name!r}; it {has} {', '.join(target.fields) or 'none'}"
            near = nearest(name, [*target.fields, "newer_than", "older_than"])
            return Misfit(why, loc, is_key=True, nearest=near)
        in_list = isinstance(reading.part(loc), list)
        for place, value in enumerate(allowed):
            if found := _value_misfit(name, value, target, (*loc, place) if in_list else loc):
                return found
    if (when.newer_than is not None or when.older_than is not None) and not target.dated:
        why = f"{target.name} addresses no single record with a datetime field, so there is no age to compare"
        return Misfit(why, draft.when_loc, draft.short)
    return None


def _value_misfit(name: str, value: object, target: Target, loc: Loc) -> Misfit | None:
    """Why the argument can never have the value. Null is an argument that is left out, where that is possible."""
    schema = target.schemas.get(name, {})
    if value is None and name not in target.required and schema.get("default") is None:
        return None
    wrong = wrong_with(value, schema)
    if wrong is None:
        return None
    why = f"{name}{wrong.spot} of {target.name} {wrong.why}"
    return Misfit(why, (*loc, *wrong.path), is_key=False, nearest=wrong.nearest, hint=wrong.hint)
