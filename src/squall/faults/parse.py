"""Turns what people write under `faults:` into a `Plan`. All problems are found at once, each with its place.

The block is parsed against a neutral list of targets, so that faults know no world and worlds know no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from pydantic import BaseModel

from squall.call import Target
from squall.canonical import digest, dumps
from squall.decide import Latency, RateLimit, Rule, Rules
from squall.documents import validate
from squall.errors import Problem, UsageError, nearest, shown
from squall.faults.draft import LATENCY_MS, RATE_LIMIT, Draft, Loc, drafts_of_rule, drafts_of_target
from squall.faults.file import FaultsFile, LimitsSpec, RuleSpec, TargetSpec
from squall.faults.fit import Fit, bind
from squall.faults.inline import Source
from squall.faults.plan import CALM, DEFAULT_WALL_CAP, Bound, Limits, Plan

Block = tuple[Loc, Any]
Model = TypeVar("Model", bound=BaseModel)
EVERYTHING = "default"
PLAN_KEYS = frozenset(FaultsFile.model_fields)
WORLD_KEY = "services"
SUM_SLACK = 1e-9


def parse_plan(source: Source, targets: Sequence[Target]) -> Plan:
    """The plan in `source`: a plan file, a world file's own block, or just the rules.

    Raises UsageError with every problem: unknown targets, fields and kinds (with the nearest), rules that could not
    fire in this world, probabilities that add up to more than 1.
    """
    problems: list[Problem] = []
    (loc, block), settings = _block(source, problems)
    drafts = list(_drafts(source, loc, block, problems))
    by_name = {target.name: target for target in targets}
    drafts = [draft for draft in drafts if _resolve(draft, by_name, source, problems)]
    _override(drafts)
    fitted = [fit for draft in drafts if (fit := bind(draft, by_name, source, problems))]
    _check_sums(fitted, source, problems)
    if problems:
        raise UsageError(sorted(set(problems), key=_place))
    return _plan(fitted, settings, source)


def _block(source: Source, problems: list[Problem]) -> tuple[Block, FaultsFile]:
    """Where the rules stand, and the settings beside them."""
    data, empty = source.data, FaultsFile(faults=[])
    if not isinstance(data, Mapping) or "faults" not in data:
        if isinstance(data, Mapping) and WORLD_KEY in data:
            problems.append(
                Problem("this world has no faults: block", source.at(()), hint="Add one, or name a plan file.")
            )
            return ((), []), empty
        return ((), data), empty
    if WORLD_KEY in data:
        return (("faults",), data["faults"]), empty
    extra = {key: value for key, value in data.items() if key != "faults"}
    for key in [key for key in extra if key not in PLAN_KEYS]:
        valid = ", ".join(sorted(PLAN_KEYS))
        problems.append(
            Problem(
                f"unknown key {key!r}", source.at((key,), key=True), nearest(key, PLAN_KEYS), f"Valid keys: {valid}."
            )
        )
        del extra[key]
    settings = empty
    if "limits" in extra and (limits := _valid(LimitsSpec, source, ("limits",), problems)):
        settings = settings.model_copy(update={"limits": limits})
    if "wall_cap" in extra and (rest := _valid(FaultsFile, _Part(source, extra), (), problems)):
        settings = settings.model_copy(update={"wall_cap": rest.wall_cap})
    return (("faults",), data["faults"]), settings


class _Part:
    """The settings of a plan file without its rules, which are read on their own."""

    def __init__(self, source: Source, extra: Mapping[str, Any]) -> None:
        self.name, self.data = source.name, {**extra, "faults": []}
        self.at = source.at


def _drafts(source: Source, loc: Loc, block: Any, problems: list[Problem]) -> Iterator[Draft]:
    if isinstance(block, Mapping):
        for pattern, entry in block.items():
            here = (*loc, pattern)
            if isinstance(entry, list):
                for place in range(len(entry)):
                    if rule := _valid(RuleSpec, source, (*here, place), problems):
                        yield from drafts_of_rule(rule, (*here, place), [pattern], source, problems)
            elif spec := _valid(TargetSpec, source, here, problems):
                yield from drafts_of_target(spec, here, pattern, source, problems)
    elif isinstance(block, list):
        for place in range(len(block)):
            if rule := _valid(RuleSpec, source, (*loc, place), problems):
                yield from drafts_of_rule(rule, (*loc, place), None, source, problems)
    elif block is not None:
        problems.append(
            Problem(
                f"faults must be a mapping from targets, or a list of rules, not {shown(block)}",
                source.at(loc),
                hint="For example: payments.issue_refund: { errors: { timeout: 0.1 } }",
            )
        )


def _valid(model: type[Model], source: Any, loc: Loc, problems: list[Problem]) -> Model | None:
    try:
        return validate(model, source, loc=loc)
    except UsageError as error:
        problems.extend(error.problems)
        return None


def _resolve(draft: Draft, by_name: Mapping[str, Target], source: Source, problems: list[Problem]) -> bool:
    """Find the targets that the draft's patterns mean; False (and a problem) where one means none."""
    names: list[str] = []
    for pattern in draft.patterns:
        if pattern == EVERYTHING:
            found = list(by_name)
        elif pattern.endswith(".*"):
            found = [name for name in by_name if name.startswith(pattern[:-1])]
        else:
            found = [pattern] if pattern in by_name else []
        if not found and by_name:
            problems.append(_unknown_target(pattern, draft, by_name, source))
            return False
        names += [name for name in found if name not in names]
    draft.targets = names
    draft.exact = all(pattern in by_name for pattern in draft.patterns)
    draft.rank = 0 if EVERYTHING in draft.patterns else 2 if draft.exact else 1
    return True


def _unknown_target(pattern: str, draft: Draft, by_name: Mapping[str, Target], source: Source) -> Problem:
    tools = {target.tool: name for name, target in by_name.items()}
    services = {f"{name.partition('.')[0]}.*" for name in by_name}
    close = tools.get(pattern) or nearest(pattern, [*by_name, *services, EVERYTHING])
    close = close or tools.get(nearest(pattern.rpartition(".")[2], tools) or "")
    return Problem(
        f"unknown target {pattern!r}",
        source.at(draft.target_loc, key=draft.target_is_key),
        close,
        f"Targets here: {', '.join(by_name)}; or service.*, or {EVERYTHING}.",
    )


def _override(drafts: list[Draft]) -> None:
    """In the short form, what is said about an operation replaces what `service.*` or `default` says of the same."""
    owners: dict[tuple[str, str], Draft] = {}
    for draft in sorted((draft for draft in drafts if draft.short), key=lambda draft: draft.rank):
        for name in draft.targets:
            if before := owners.get((name, draft.name)):
                before.targets = [target for target in before.targets if target != name]
            owners[name, draft.name] = draft


def _check_sums(fits: Sequence[Fit], source: Source, problems: list[Problem]) -> None:
    sums: dict[str, float] = {}
    for fit in fits:
        for name in fit.draft.targets:
            before = sums.get(name, 0.0)
            sums[name] = before + (fit.draft.chooser.get("probability") or 0.0)
            if before <= 1 + SUM_SLACK < sums[name]:
                problems.append(
                    Problem(
                        f"the probabilities of {name} add up to {sums[name]:g}, which is more than 1",
                        source.at(fit.draft.loc, key=True),
                        hint="One number is drawn per call and shared out among its kinds; lower some.",
                    )
                )


def _plan(fits: Sequence[Fit], settings: FaultsFile, source: Source) -> Plan:
    rules: list[Rule] = []
    latencies: list[Latency] = []
    limits: list[RateLimit] = []
    bound: dict[int, Bound] = {}
    where: dict[int, str] = {}
    described: list[dict[str, Any]] = []
    for fit in fits:
        draft, names = fit.draft, tuple(fit.draft.targets)
        if not names:
            continue
        if draft.name == LATENCY_MS:
            latencies.append(Latency(names, *draft.numbers))
        elif draft.name == RATE_LIMIT:
            limits.append(RateLimit(names, int(draft.numbers[0]), draft.numbers[1]))
        elif fit.bound is not None:
            params = fit.bound.params.model_dump(mode="json", exclude_unset=True)
            rule = Rule(
                id=len(rules),
                kind=draft.name,
                targets=names,
                phase=draft.phase or fit.bound.kind.phase,
                params=params,
                when=draft.when,
                scope=draft.scope,
                **draft.chooser,
            )
            bound[rule.id], where[rule.id] = fit.bound, str(source.at(draft.loc))
            rules.append(rule)
            described.append(_described(rule))
    if not (rules or latencies or limits):
        calm = settings.limits.seconds is None and settings.limits.calls is None and settings.wall_cap is None
        if calm:
            return CALM
    whole = {
        "faults": described,
        "latencies": [msgspec.to_builtins(entry) for entry in latencies],
        "limits": [msgspec.to_builtins(entry) for entry in limits],
    }
    standard = Limits()
    return Plan(
        rules=Rules(tuple(rules), tuple(latencies), tuple(limits)),
        bound=bound,
        limits=Limits(settings.limits.seconds or standard.seconds, settings.limits.calls or standard.calls),
        wall_cap=DEFAULT_WALL_CAP if settings.wall_cap is None else settings.wall_cap,
        described=tuple(described),
        digest=digest(whole),
        where=where,
    )


def _described(rule: Rule) -> dict[str, Any]:
    """A rule as the trace holds it: only what is set, in JSON's own types."""
    fields = msgspec.to_builtins(rule, str_keys=True)
    fields["when"] = None if rule.when is None else msgspec.json.decode(dumps(msgspec.to_builtins(rule.when)))
    return {key: value for key, value in fields.items() if value is not None and value != {}}


def _place(problem: Problem) -> tuple[int, int]:
    at = problem.at
    return (at.line or 0, at.column or 0) if at else (0, 0)
