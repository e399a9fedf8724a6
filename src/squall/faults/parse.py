"""Turns what people write under `faults:` into a `Plan`. All problems are found at once, each with its place.

The block is parsed against a neutral list of targets, so that faults know no world and worlds know no fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from squall.call import Target
from squall.canonical import dumps
from squall.decide import Latency, RateLimit, Rule, Rules
from squall.documents.faultbench import in_our_words
from squall.errors import Problem, UsageError, nearest, shown
from squall.faults.draft import LATENCY_MS, RATE_LIMIT, Draft, drafts_of_rule, drafts_of_target
from squall.faults.file import FaultsFile, LimitsSpec
from squall.faults.fit import Fit, bind
from squall.faults.inline import Source
from squall.faults.plan import CALM, DEFAULT_WALL_CAP, Bound, Limits, Plan, plan_of
from squall.faults.reading import EVERYTHING, Loc, Pattern, Reading
from squall.faults.together import check_sums, check_turns

PLAN_KEYS = tuple(FaultsFile.model_fields)
WORLD_KEY = "services"


def parse_plan(source: Source, targets: Sequence[Target], models: Collection[str] = ()) -> Plan:
    """The plan in `source`: a plan file, a world file's own block, or just the rules.

    Raises UsageError with every problem: unknown targets, fields and kinds (with the nearest), rules that could never
    fire (in this world, with these values, after those before them), probabilities that add up to more than 1.
    `targets` are those of a world; without any, theirs are taken on trust (`Plan.on_trust`). Those of models are known,
    and so are the names of `models`, beside which there may be others.
    """
    reading = Reading(in_our_words(source), targets, models)
    loc, settings = _block(reading)
    drafts = [] if loc is None else list(_drafts(reading, loc))
    _override(drafts)
    fitted = [fit for draft in drafts for fit in bind(draft, reading)]
    check_sums(fitted, reading)
    if not reading.problems:  # a rule that was misread would seem to come before others, or after
        check_turns(fitted, reading, settings.limits.calls)
    reading.raise_problems()
    return _plan(fitted, settings, source, tuple(reading.trusted))


def _block(reading: Reading) -> tuple[Loc | None, FaultsFile]:
    """Where the rules stand (None: nowhere, and that is a problem), and the settings beside them."""
    data, settings = reading.source.data, FaultsFile(faults=[])
    _require_json(data["faults"] if isinstance(data, Mapping) and "faults" in data else data, reading)
    if not isinstance(data, Mapping):
        return (), settings
    if WORLD_KEY in data:
        if "faults" in data:
            return ("faults",), settings
        reading.say("this world has no faults: block", (), hint="Add one, or name a plan file.")
        return None, settings
    if "faults" not in data:
        beside = [key for key in data if nearest(key, [*PLAN_KEYS, EVERYTHING]) in PLAN_KEYS]
        if not beside:
            return (), settings
        near = [key for key in beside if nearest(key, PLAN_KEYS) == "faults"]
        hint = f"A plan file has {', '.join(f'{key}:' for key in PLAN_KEYS)}; the rules stand under faults:."
        if near:
            reading.say(f"unknown key {near[0]!r}", (near[0],), key=True, nearest="faults", hint=hint)
        else:
            reading.say(f"there is {beside[0]!r} here, but no 'faults'", (beside[0],), key=True, hint=hint)
        return None, settings
    for key in data:
        if key not in PLAN_KEYS:
            hint = f"Valid keys: {', '.join(PLAN_KEYS)}."
            reading.say(f"unknown key {key!r}", (key,), key=True, nearest=nearest(key, PLAN_KEYS), hint=hint)
    if "limits" in data and (limits := reading.valid(LimitsSpec, ("limits",))):
        settings = settings.model_copy(update={"limits": limits})
    if "wall_cap" in data and (rest := reading.given(FaultsFile, {"faults": [], "wall_cap": data["wall_cap"]}, ())):
        settings = settings.model_copy(update={"wall_cap": rest.wall_cap})
    return ("faults",), settings


def _require_json(block: Any, reading: Reading) -> None:
    """Refuse what the trace could not hold; files never hold such, data from Python may."""
    hint = "A plan holds what JSON can hold: text, finite numbers, true, false, null, lists, mappings from text."
    try:
        dumps(block)
    except ValueError as error:
        raise UsageError(Problem(f"this plan cannot be recorded: {error}", reading.source.at(()), hint=hint)) from None


def _drafts(reading: Reading, loc: Loc) -> Iterator[Draft]:
    block = reading.part(loc)
    if isinstance(block, Mapping):
        for text, entry in block.items():
            here = (*loc, text)
            reach = reading.reach([Pattern(text, here, is_key=True)])
            if isinstance(entry, list):
                for place in range(len(entry)):
                    yield from drafts_of_rule(reading, (*here, place), reach)
            elif isinstance(entry, Mapping):
                for pattern in reach.named if not entry else ():  # nothing says that a model was meant
                    reading.unknown_target(pattern)
                yield from drafts_of_target(reading, here, reach)
            else:
                hint = "For example: { errors: { timeout: 0.1 } } or [{ kind: timeout, nth: 1 }]"
                reading.say(f"{text!r} must be a mapping or a list of rules, not {shown(entry)}", here, hint=hint)
    elif isinstance(block, list):
        for place in range(len(block)):
            yield from drafts_of_rule(reading, (*loc, place), None)
    elif block is not None:
        hint = "For example: payments.issue_refund: { errors: { timeout: 0.1 } }"
        message = f"faults must be a mapping from targets, or a list of rules, not {shown(block)}"
        reading.say(message, loc, hint=hint)


def _override(drafts: Sequence[Draft]) -> None:
    """Let narrow targets replace what wider ones say of the same: in the short form, and for latencies and limits.

    Of two that are equally narrow, the later one holds. What is said of a model by its name replaces the rest for it.
    """
    owners: dict[tuple[str, str, str], Draft] = {}
    replaceable = [draft for draft in drafts if draft.short or draft.name in (LATENCY_MS, RATE_LIMIT)]
    for draft in sorted(replaceable, key=lambda draft: draft.rank):
        said = draft.said or draft.name
        for name, model in product(draft.targets, draft.models or ("",)):
            if before := owners.get((name, said, model)):
                if not model:
                    before.targets = tuple(target for target in before.targets if target != name)
                else:
                    before.models = tuple(each for each in before.models if each != model)
                    before.targets = before.targets if before.models else ()
            owners[name, said, model] = draft
            if model and (wider := owners.get((name, said, ""))) and model not in wider.other_than:
                wider.other_than = (*wider.other_than, model)


def _plan(fits: Sequence[Fit], settings: FaultsFile, source: Source, trusted: tuple[str, ...]) -> Plan:
    rules: list[Rule] = []
    latencies: list[Latency] = []
    limits: list[RateLimit] = []
    bound: dict[int, Bound] = {}
    where: dict[int, str] = {}
    for fit in fits:
        draft, names = fit.draft, fit.draft.targets
        if not names:
            continue
        models, others = draft.models, draft.other_than
        if draft.name == LATENCY_MS:
            latencies.append(Latency(names, *draft.numbers, wire=fit.wire, models=models, other_than=others))
        elif draft.name == RATE_LIMIT:
            calls, seconds = draft.numbers
            limits.append(RateLimit(names, int(calls), seconds, wire=fit.wire, models=models, other_than=others))
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
                models=models,
                other_than=others,
                **draft.chooser,
            )
            bound[rule.id], where[rule.id] = fit.bound, str(source.at(draft.loc, key=True))
            rules.append(rule)
    calm = settings.limits.seconds is None and settings.limits.calls is None and settings.wall_cap is None
    if calm and not (rules or latencies or limits or trusted):
        return CALM
    standard = Limits()
    return plan_of(
        Rules(tuple(rules), tuple(latencies), tuple(limits)),
        bound,
        limits=Limits(settings.limits.seconds or standard.seconds, settings.limits.calls or standard.calls),
        wall_cap=DEFAULT_WALL_CAP if settings.wall_cap is None else settings.wall_cap,
        where=where,
        on_trust=trusted,
    )
