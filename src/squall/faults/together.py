"""Holds the rules of a plan against each other: do probabilities add up, and is a call left for each rule?

Follows the order in which `decide/keyed.py` decides at a call: conditional rules, then counted and drawn ones as they
are written. Says only what is certain of every run; a counted rule that merely may not get its turn is for the run's
status to tell. Knows no kind of fault.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from squall.decide import When
from squall.decide.same import same
from squall.faults.at_model import Slot
from squall.faults.draft import Draft
from squall.faults.fit import Fit
from squall.faults.reading import Reading

SUM_SLACK = 1e-9


class Hits(NamedTuple):
    """The matching calls at which a counted rule fires: each `step`th from `start` to `end`."""

    start: int
    end: float
    step: int = 1

    def after(self, number: int) -> int:
        """The first of them after call `number`, which is not before `start`."""
        return number + self.step - (number - self.start) % self.step

    def meets(self, other: Hits) -> bool:
        """Whether the two begin before the other ends."""
        return self.start <= other.end and other.start <= self.end


class Taker(NamedTuple):
    """A rule that is asked before another one at each call of that one.

    It takes a `share` of them, or those that it `hits`; `alike` says that both count the same calls.
    """

    draft: Draft
    share: float = 0.0
    hits: Hits | None = None
    alike: bool = False


def hits_of(chooser: Mapping[str, int]) -> Hits:
    """What a counted rule chooses of all matching calls."""
    if "every" in chooser:
        return Hits(chooser["every"], math.inf, chooser["every"])
    start, length = chooser.get("nth", 1), chooser.get("first") or chooser.get("times", 1)
    return Hits(start, start + length - 1)


def check_sums(fits: Sequence[Fit], reading: Reading) -> None:
    """Probabilities of one target that add up to more than 1 are a problem; on the model wire, those of one slot."""
    sums: dict[tuple[str, Slot | None, str | None], float] = {}
    models = (None, *dict.fromkeys(model for fit in fits for model in fit.draft.models))
    for fit in fits:
        draft = fit.draft
        over: dict[str, tuple[str | None, float]] = {}
        for name, model in product(draft.targets, filter(draft.is_for, models)):
            place = name, draft.slot, model
            before = sums.get(place, 0.0)
            sums[place] = before + (draft.chooser.get("probability") or 0.0)
            if before <= 1 + SUM_SLACK < sums[place]:
                over.setdefault(name, (model, sums[place]))
        if over:
            first, (model, total) = next(iter(over.items()))
            names = (model or first) + (f" (and of {len(over) - 1} more)" if len(over) > 1 and not model else "")
            hint = "One number is drawn per call and shared out among its kinds; lower some."
            message = f"the probabilities of {names} add up to {total:g}, which is more than 1"
            reading.say(message, draft.loc, key=True, hint=hint)


def check_turns(fits: Sequence[Fit], reading: Reading, calls: int | None) -> None:
    """A rule for which others, or a limit of `calls`, leave no call is a problem.

    A rule that is for many operations passes over those where nothing is left for it. On the model wire, rules leave
    those of another slot everything.
    """
    faults = [fit for fit in fits if fit.bound is not None]
    drafts = [fit.draft for fit in faults]
    for place, (draft, fit) in enumerate(zip(drafts, faults, strict=True)):
        if draft.chooser.get("probability") == 0:
            continue  # it says itself that it never happens: so a default is taken away
        limit = math.inf if calls is None or (fit.bound and fit.bound.kind.wire != "tool") else calls
        if _is_beyond(draft, limit, reading):
            continue
        takers = list(_takers(draft, place, drafts))
        taken = {
            name: those
            for name in draft.targets
            if (those := _taken(draft, [each for each in takers if name in each.draft.targets], limit))
        }
        if taken and (draft.exact or len(taken) == len(draft.targets)):
            _say(draft, *next(iter(taken.items())), limit, reading)
        elif "probability" not in draft.chooser:  # a drawn one keeps its share, for the others' are counted from there
            draft.targets = tuple(name for name in draft.targets if name not in taken)


def _is_beyond(draft: Draft, limit: float, reading: Reading) -> bool:
    counted = next((word for word in ("nth", "every") if word in draft.chooser), None)
    if counted is None or draft.chooser[counted] <= limit:
        return False
    why = f"it waits for call {draft.chooser[counted]}, and limits.calls ends the run after {limit:.0f}"
    loc = (*draft.loc, counted)
    reading.say(f"{draft.name} could never fire: {why}", loc, hint=f"Lower {counted}, or raise limits.calls.")
    return True


def _takers(draft: Draft, place: int, drafts: Sequence[Draft]) -> Iterator[Taker]:
    """Which of the rules are asked before the one at `place`, wherever that one could happen."""
    for other_place, other in enumerate(drafts):
        if other is draft or other.slot != draft.slot or other.scope not in (None, draft.scope):
            continue
        if not (other.covers(draft) and _implies(draft.when, other.when)):
            continue
        if not other.chooser:
            if draft.chooser or other_place < place:
                yield Taker(other, share=1.0)
        elif draft.chooser and other_place < place:
            if "probability" not in other.chooser:
                alike = draft.covers(other) and _implies(other.when, draft.when)
                yield Taker(other, hits=hits_of(other.chooser), alike=alike)
            elif "probability" not in draft.chooser:  # the shares of two drawn ones never overlap
                yield Taker(other, share=other.chooser["probability"])


def _implies(one: When | None, other: When | None) -> bool:
    """Whether each call that meets `one` meets `other` too."""
    one, other = one or When(), other or When()
    for name, allowed in other.args.items():
        values = one.args.get(name)
        if values is None or not all(any(same(value, each) for each in allowed) for value in values):
            return False
    newer = other.newer_than is None or (one.newer_than is not None and one.newer_than <= other.newer_than)
    older = other.older_than is None or (one.older_than is not None and one.older_than >= other.older_than)
    return newer and older


def _taken(draft: Draft, takers: Sequence[Taker], limit: float) -> list[Draft]:
    """The rules that together take every call that a rule could have at a target; none if one may be left."""
    for each in takers:
        hits = each.hits
        if each.share >= 1 - SUM_SLACK or (hits and hits.start == hits.step == 1 and hits.end >= limit):
            return [each.draft]
    if "probability" in draft.chooser or not draft.chooser:
        return []
    if sum(each.share for each in takers) >= 1 - SUM_SLACK:
        return [each.draft for each in takers if each.share]
    wanted = hits_of(draft.chooser)
    counted = [(each.draft, each.hits) for each in takers if each.hits and each.alike and each.hits.meets(wanted)]
    return [one for one, _ in counted] if _are_covered(wanted, [hits for _, hits in counted], limit) else []


def _are_covered(wanted: Hits, takers: Sequence[Hits], limit: float) -> bool:
    """Whether the takers hit every call up to `limit` that is wanted."""
    number = wanted.start
    while number <= min(wanted.end, limit):
        here = [each for each in takers if each.start <= number <= each.end and (number - each.start) % each.step == 0]
        if not here:
            return False
        if any(each.end == math.inf and wanted.step % each.step == 0 for each in here):
            return True
        # Every call of a stretch is hit, so go to its end at once: a plan may well say `first: 1000000000`.
        stretches = [int(each.end) for each in here if each.step == 1]
        number = wanted.after(max(stretches, default=number))
    return True


def _say(draft: Draft, target: str, takers: Sequence[Draft], limit: float, reading: Reading) -> None:
    named = " and ".join(f"{each.name} ({reading.source.at(each.loc, key=True)})" for each in takers)
    why = f"{named} {'comes' if len(takers) == 1 else 'come'} first at each of its calls of {target}"
    first = takers[0]
    if draft.chooser and not first.chooser:
        hint = f"Without probability, nth, first or every {first.name} happens at every call: give it one of these."
    elif any(each.exact and _taken(each, list(_takers(each, 1, [draft, each])), limit) for each in takers):
        hint = "Let them choose different calls, or take one away."
    else:
        hint = "Write it before, or let them choose different calls."
    reading.say(f"{draft.name} could never fire: {why}", draft.name_loc, key=draft.short, hint=hint)
