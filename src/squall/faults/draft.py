"""A rule as it was written, before it meets the targets of a world. Mutable, and gone when the plan is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from squall.decide import When
from squall.documents import duration
from squall.errors import Problem, shown
from squall.faults.file import ChanceSpec, RuleSpec, TargetSpec, WhenSpec
from squall.faults.inline import Source

Loc = tuple[str | int, ...]
LATENCY_MS, RATE_LIMIT = "latency_ms", "rate_limit"
IF_NEWER = "_if_newer_than"
CHOOSERS = ("probability", "nth", "times", "first", "every")


class Draft:
    """`name` is the kind's name, or `latency_ms`, or `rate_limit` (then `numbers` holds what they say)."""

    def __init__(self, name: str, loc: Loc, patterns: list[str]) -> None:
        self.name, self.loc, self.patterns = name, loc, patterns
        self.name_loc, self.name_is_key = loc, True
        self.target_loc, self.target_is_key = loc, True
        self.params_loc: Loc = loc
        self.params: dict[str, Any] = {}
        self.chooser: dict[str, Any] = {}
        self.numbers: tuple[float, float] = (0.0, 0.0)
        self.phase: str | None = None
        self.scope: str | None = None
        self.when: When | None = None
        self.when_loc: Loc = loc
        self.short = False
        self.targets: list[str] = []
        self.exact = False
        self.rank = 0


def drafts_of_target(
    spec: TargetSpec, loc: Loc, pattern: str, source: Source, problems: list[Problem]
) -> Iterator[Draft]:
    """The drafts in one target's short form, in the order written."""
    for key in source_keys(source, loc):
        if key == "errors":
            for name, value in spec.errors.items():
                yield from _drafts_of_error(name, value, (*loc, "errors", name), loc, pattern, source, problems)
        elif key == LATENCY_MS and spec.latency_ms is not None:
            yield _latency(spec.latency_ms, (*loc, key), loc, pattern, source, problems)
        elif key == RATE_LIMIT and spec.rate_limit is not None:
            draft = _short(RATE_LIMIT, (*loc, key), loc, pattern)
            draft.numbers = (spec.rate_limit.calls, spec.rate_limit.per_seconds)
            yield draft
        elif key == "rules":
            for place, rule in enumerate(spec.rules):
                yield from drafts_of_rule(rule, (*loc, "rules", place), [pattern], source, problems)


def drafts_of_rule(
    spec: RuleSpec, loc: Loc, patterns: list[str] | None, source: Source, problems: list[Problem]
) -> Iterator[Draft]:
    """The draft of one long rule. `patterns` are those of the target it stands under, if it stands under one."""
    own = [spec.target] if isinstance(spec.target, str) else spec.target
    if own and patterns:
        problems.append(
            Problem(
                "this rule stands under a target already", source.at((*loc, "target"), key=True), hint="Take it out."
            )
        )
        return
    if not own and not patterns:
        problems.append(
            Problem(
                "this rule has no target", source.at(loc), hint="Add target: service.operation, service.* or default."
            )
        )
        return
    draft = Draft(spec.kind, loc, own or patterns or [])
    draft.name_loc, draft.name_is_key = (*loc, "kind"), False
    draft.target_loc, draft.target_is_key = ((*loc, "target"), False) if own else (loc[: _target_depth(loc)], True)
    draft.phase, draft.scope = spec.phase, spec.scope
    draft.chooser = {name: value for name in CHOOSERS if (value := getattr(spec, name)) is not None}
    draft.params = dict(spec.model_extra or {})
    if spec.when is not None:
        draft.when, draft.when_loc = _when(spec.when), (*loc, "when")
    ways = {"nth" if name == "times" else name for name in draft.chooser}
    if len(ways) > 1 or ("times" in draft.chooser and ways - {"nth"}):
        problems.append(
            Problem(
                f"this rule chooses in more than one way: {', '.join(draft.chooser)}",
                source.at(loc),
                hint="Keep one of probability, nth (with times), first, every.",
            )
        )
        return
    if draft.name == RATE_LIMIT:
        yield from _long_rate_limit(draft, source, problems)
    elif draft.name == LATENCY_MS:
        yield _latency(draft.params.get("ms"), (*loc, "ms"), loc, "", source, problems, draft)
    else:
        yield draft


def source_keys(source: Source, loc: Loc) -> list[str]:
    """The keys of the mapping at `loc`, in the order written."""
    value = source.data
    for part in loc:
        value = value[part]
    return list(value)


def _target_depth(loc: Loc) -> int:
    """How much of a rule's path leads to the target that it stands under."""
    return len(loc) - (2 if "rules" in loc[-2:] else 1)


def _short(name: str, loc: Loc, target_loc: Loc, pattern: str) -> Draft:
    draft = Draft(name, loc, [pattern])
    draft.target_loc, draft.short = target_loc, True
    return draft


def _drafts_of_error(
    name: str,
    value: float | str | ChanceSpec,
    loc: Loc,
    target_loc: Loc,
    pattern: str,
    source: Source,
    problems: list[Problem],
) -> Iterator[Draft]:
    draft = _short(name.removesuffix(IF_NEWER), loc, target_loc, pattern)
    if name.endswith(IF_NEWER):
        try:
            draft.when = When(newer_than=duration(value))
        except ValueError as error:
            problems.append(Problem(str(error), source.at(loc)))
            return
    elif isinstance(value, ChanceSpec):
        draft.chooser = {"probability": value.probability}
        draft.phase, draft.scope, draft.params = value.phase, value.scope, dict(value.model_extra or {})
        if value.when is not None:
            draft.when, draft.when_loc = _when(value.when), (*loc, "when")
    elif isinstance(value, str):
        hint = f"For a condition on age write {name}{IF_NEWER}: 2h."
        problems.append(Problem(f"{shown(value)} is no probability", source.at(loc), hint=hint))
        return
    else:
        draft.chooser = {"probability": float(value)}
    yield draft


def _latency(
    value: Any,
    loc: Loc,
    target_loc: Loc,
    pattern: str,
    source: Source,
    problems: list[Problem],
    draft: Draft | None = None,
) -> Draft:
    draft = draft or _short(LATENCY_MS, loc, target_loc, pattern)
    ends = value if isinstance(value, list) else [value, value]
    numbers = [end for end in ends if isinstance(end, int | float) and not isinstance(end, bool) and end >= 0]
    if len(ends) != 2 or len(numbers) != 2 or numbers[0] > numbers[1]:  # noqa: PLR2004 - the two ends of a range
        hint = "Write a number of milliseconds, or a range from low to high: [50, 200]."
        problems.append(Problem(f"{shown(value)} is no latency", source.at(loc), hint=hint))
    else:
        draft.numbers = (float(numbers[0]), float(numbers[1]))
    return draft


def _long_rate_limit(draft: Draft, source: Source, problems: list[Problem]) -> Iterator[Draft]:
    calls, window = draft.params.get("calls"), draft.params.get("per_seconds")
    try:
        seconds = duration(window)
    except ValueError:
        seconds = 0.0
    if not isinstance(calls, int) or calls < 1 or seconds <= 0:
        hint = "Write kind: rate_limit, calls: 5, per_seconds: 60."
        problems.append(
            Problem("a rate limit needs calls and per_seconds, both above 0", source.at(draft.loc), hint=hint)
        )
        return
    draft.numbers = (calls, seconds)
    yield draft


def _when(spec: WhenSpec) -> When:
    given: Mapping[str, Any] = {**(spec.model_extra or {}), **spec.args}
    args = {name: tuple(value) if isinstance(value, list) else (value,) for name, value in given.items()}
    return When(args=args, newer_than=spec.newer_than, older_than=spec.older_than)
