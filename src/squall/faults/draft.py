"""A rule as it was written, before it is held against its kind. Mutable, and gone when the plan is made.

Knows both spellings, and of kinds that they have names: what parameters and arguments there are is for `fit.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from typing import Any

from squall.call import Target, Wire
from squall.decide import When
from squall.documents import duration
from squall.errors import nearest, shown
from squall.faults.at_model import Slot
from squall.faults.file import ChanceSpec, RateLimitSpec, RuleSpec, TargetSpec, WhenSpec, share_of
from squall.faults.reading import EVERYTHING, EXACT, Loc, Pattern, Reach, Reading
from squall.faults.registry import is_kind

LATENCY_MS, RATE_LIMIT = "latency_ms", "rate_limit"
IF_NEWER = "_if_newer_than"
CHOOSERS = ("probability", "nth", "times", "first", "every")
BOTH_ENDS = 2
ERRORS = "a mapping from kinds to probabilities", "{ timeout: 0.1, http_500: 0.02 }"
RULES = "a list of rules", "[{ kind: timeout, nth: 1 }]"
LONGEST_MS = 1e12  # some thirty years


class Draft:
    """`name` is the kind's name, or `latency_ms`, or `rate_limit` (then `numbers` holds what they say).

    `loc` is the place of the rule, or of its kind's value in the short form; `said` the key there, under which a
    narrower target replaces what a wider one says.
    """

    def __init__(self, name: str, loc: Loc, reach: Reach, said: str | None = None) -> None:
        self.name, self.loc, self.said = name, loc, said
        self.targets, self.exact, self.rank = reach.names, reach.rank == EXACT, reach.rank
        self.reached = reach.names  # whatever others take away
        self.written, self.named = reach.written, reach.named
        self.models = tuple(pattern.text for pattern in reach.named)
        self.other_than: tuple[str, ...] = ()
        self.slot: Slot | None = None  # known once it is bound
        self.params: dict[str, Any] = {}
        self.chooser: dict[str, Any] = {}
        self.numbers: tuple[float, float] = (0.0, 0.0)
        self.phase: str | None = None
        self.scope: str | None = None
        self.when: When | None = None
        self.when_loc: Loc = loc
        self.arguments: dict[str, Loc] = {}  # where each argument's values stand that `when` names

    def meet(self, spec: WhenSpec | None, loc: Loc) -> None:
        """Take over the conditions that stand at `loc`."""
        if spec is None:
            return
        given: Mapping[str, Any] = {**(spec.model_extra or {}), **spec.args}
        args = {name: tuple(value) if isinstance(value, list) else (value,) for name, value in given.items()}
        self.when = When(args=args, newer_than=spec.newer_than, older_than=spec.older_than)
        self.when_loc = loc
        self.arguments = {name: (*loc, *(["args"] if name in spec.args else []), name) for name in given}

    def by_wire(self, targets: Mapping[str, Target]) -> dict[Wire, tuple[str, ...]]:
        """Its targets by the side they are on, `tool` or `model`; all that is taken on trust is a tool's."""
        sides: dict[Wire, tuple[str, ...]] = {} if self.reached else {"tool": ()}
        for name in self.reached:
            side: Wire = "model" if targets[name].wire == "model" else "tool"
            sides[side] = (*sides.get(side, ()), *((name,) if name in self.targets else ()))
        return sides

    def at(self, names: Iterable[str]) -> Draft:
        """The same, for these of its targets alone."""
        part = copy(self)
        part.targets = tuple(names)
        return part

    def covers(self, other: Draft) -> bool:
        """Whether it is for every model that `other` is for."""
        if other.models:
            return all(self.is_for(model) for model in other.models)
        return not self.models and set(self.other_than) <= set(other.other_than)

    def is_for(self, model: str | None) -> bool:
        """Whether it is for a model; None is one that no rule names."""
        return model not in self.other_than and (not self.models or model in self.models)

    @property
    def short(self) -> bool:
        """Whether it was written in the short form."""
        return self.said is not None

    @property
    def name_loc(self) -> Loc:
        """Where the kind is named; in the short form that is the key there."""
        return self.loc if self.short else (*self.loc, "kind")


def drafts_of_target(reading: Reading, loc: Loc, reach: Reach) -> Iterator[Draft]:
    """The drafts in one target's short form at `loc`, in the order written."""
    for key, value in reading.part(loc).items():
        here = (*loc, key)
        if key == "errors":
            if _is(Mapping, value, ERRORS, reading, here):
                for name in value:
                    yield from _draft_of_error(name, reading, (*here, name), reach)
        elif key == LATENCY_MS:
            yield _with_latency(Draft(key, here, reach, key), value, reading, here)
        elif key == RATE_LIMIT:
            if limit := reading.valid(RateLimitSpec, here):
                yield _with_limit(Draft(key, here, reach, key), limit)
        elif key == "rules":
            if _is(list, value, RULES, reading, here):
                for place in range(len(value)):
                    yield from drafts_of_rule(reading, (*here, place), reach)
        else:
            _unknown_key(key, value, reading, here)


def drafts_of_rule(reading: Reading, loc: Loc, above: Reach | None) -> Iterator[Draft]:
    """The draft of one rule of the long form. `above` is what the target reaches that it stands under, if any."""
    spec = reading.valid(RuleSpec, loc) or _remains_of_rule(reading, loc)
    if spec is None:
        return
    reach = _reach_of_rule(spec, reading, loc, above)
    if reach is None:
        return
    draft = Draft(spec.kind, loc, reach)
    draft.phase, draft.scope = spec.phase, spec.scope
    draft.chooser = {name: value for name in CHOOSERS if (value := getattr(spec, name)) is not None}
    draft.params = dict(spec.model_extra or {})
    draft.meet(spec.when, (*loc, "when"))
    ways = {"nth" if name == "times" else name for name in draft.chooser}
    if len(ways) > 1:
        hint = "Keep one of probability, nth (with times), first, every."
        reading.say(f"this rule chooses in more than one way: {', '.join(draft.chooser)}", loc, hint=hint)
    if draft.name in (LATENCY_MS, RATE_LIMIT):
        yield from _at_every_call(draft, reading)
    else:
        yield draft


def _is(kind: type, value: Any, said: tuple[str, str], reading: Reading, loc: Loc) -> bool:
    if not isinstance(value, kind):
        words, example = said
        reading.say(f"{loc[-1]!r} must be {words}, not {shown(value)}", loc, hint=f"For example: {example}")
        return False
    return True


def _unknown_key(key: str, value: Any, reading: Reading, loc: Loc) -> None:
    valid = list(TargetSpec.model_fields)
    near, hint = nearest(key, valid), f"Valid keys here: {', '.join(valid)}."
    names_kind = is_kind(key.removesuffix(IF_NEWER))
    if names_kind and isinstance(value, Mapping) and any(name in value for name in ("nth", "times", "first", "every")):
        near, hint = None, f"Put it under rules: [{{ kind: {key}, … }}], for it counts."
    elif names_kind and not (near and isinstance(value, list)):  # latency: [20, 50]
        said = value if _is_number(value) or isinstance(value, str) else "…"
        near, hint = None, f"Put it under errors: {{ {key}: {said} }}."
    reading.say(f"unknown key {key!r}", loc, key=True, nearest=near, hint=hint)


def _draft_of_error(name: str, reading: Reading, loc: Loc, reach: Reach) -> Iterator[Draft]:
    kind, value = name.removesuffix(IF_NEWER), reading.part(loc)
    draft = Draft(kind, loc, reach, name)
    if kind in (LATENCY_MS, RATE_LIMIT):
        reading.say(f"{kind} is no kind of fault", loc, key=True, hint=f"Write {kind}: beside errors:, not within it.")
        return
    if name.endswith(IF_NEWER):
        try:
            draft.when = When(newer_than=duration(value))
        except ValueError as error:
            hint = f"With more to say than an age write {kind}: {{ probability: …, when: {{ newer_than: 2h }} }}."
            reading.say(str(error), loc, hint=hint if isinstance(value, Mapping) else None)
    elif isinstance(value, Mapping):
        if spec := reading.valid(ChanceSpec, loc) or reading.remains(ChanceSpec, loc, {"probability": 0}):
            draft.chooser = {"probability": spec.probability}
            draft.phase, draft.scope, draft.params = spec.phase, spec.scope, dict(spec.model_extra or {})
            draft.meet(spec.when, (*loc, "when"))
    elif _is_number(value) and 0 <= value <= 1:
        draft.chooser = {"probability": float(value)}
    else:
        share = share_of(value)
        hint = "Write a number from 0 to 1"
        if share is not None:
            hint = f"Write {share:g}" + ("" if "%" in value else ", without quotes")
        elif isinstance(value, str):
            hint += f"; for a condition on a record's age, {kind}{IF_NEWER}: 2h"
        reading.say(f"{shown(value)} is no probability", loc, hint=f"{hint}.")
    yield draft


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _remains_of_rule(reading: Reading, loc: Loc) -> RuleSpec | None:
    data = reading.part(loc)
    keep = {key: data[key] for key in ("kind", "target") if key in data} if isinstance(data, Mapping) else {}
    return reading.remains(RuleSpec, loc, keep)


def _reach_of_rule(spec: RuleSpec, reading: Reading, loc: Loc, above: Reach | None) -> Reach | None:
    """What the rule's own target or the one above it reaches; None, and a problem, where it has both or neither."""
    here = (*loc, "target")
    if spec.target is not None and above is not None:
        reading.say("this rule stands under a target already", here, key=True, hint="Take it out.")
        return None
    if above is not None:
        return above
    if not spec.target:
        hint = f"Add target: service.operation, service.* or {EVERYTHING}."
        reading.say("this rule has no target", loc, hint=hint)
        return None
    if isinstance(spec.target, str):
        return reading.reach([Pattern(spec.target, here, is_key=False)])
    return reading.reach(Pattern(text, (*here, place), is_key=False) for place, text in enumerate(spec.target))


def _at_every_call(draft: Draft, reading: Reading) -> Iterator[Draft]:
    """`latency_ms` and `rate_limit` as rules: they hold at every call, so nothing chooses among calls."""
    conditions = [name for name in ("when", "phase", "scope") if getattr(draft, name) is not None]
    for name in (*draft.chooser, *conditions):
        message = f"{draft.name} holds at every call, and takes no {name}"
        reading.say(message, (*draft.loc, name), key=True, hint="Take it out.")
    if draft.name == RATE_LIMIT:
        if limit := reading.given(RateLimitSpec, draft.params, draft.loc):
            yield _with_limit(draft, limit)
        return
    for name in draft.params:
        if name != "ms":
            near, hint = nearest(name, ["ms"]), "It takes ms, a number of milliseconds or a range."
            reading.say(
                f"unknown parameter {name!r} of {LATENCY_MS}", (*draft.loc, name), key=True, nearest=near, hint=hint
            )
    yield _with_latency(draft, draft.params.get("ms"), reading, (*draft.loc, "ms"))


def _with_latency(draft: Draft, value: Any, reading: Reading, loc: Loc) -> Draft:
    ends = value if isinstance(value, list) else [value, value]
    numbers = [end for end in ends if _is_number(end) and 0 <= end < LONGEST_MS]
    if len(ends) != BOTH_ENDS or len(numbers) != BOTH_ENDS or numbers[0] > numbers[1]:
        hint = "Write a number of milliseconds, or a range from low to high: [50, 200]."
        reading.say(f"{shown(value)} is no latency", loc, hint=hint)
    else:
        draft.numbers = (float(numbers[0]), float(numbers[1]))
    return draft


def _with_limit(draft: Draft, limit: RateLimitSpec) -> Draft:
    draft.numbers = (limit.calls, limit.per_seconds)
    return draft
