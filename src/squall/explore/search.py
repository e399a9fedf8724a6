"""The search over schedules: says which to run next, is told what came of it, and knows when all has been tried.

Generation by generation: kept regressions together with every single fault, then pairs, then triples. A generation is
settled before its first run is handed out, from nothing but the generation before it, so that it makes no difference
how many workers there are and in which order they report. Runs nothing itself and knows no time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import attrgetter

import msgspec

from squall.errors import UsageError
from squall.explore.baseline import difference, has_others_each_time, strayed
from squall.explore.calls import calls_of
from squall.explore.choice import Choice, Follows, Schedule, one_at_a_point
from squall.explore.coverage import Coverage, Totals, coverage_of
from squall.explore.findings import Finding, Findings
from squall.explore.generation import Generation, Grower, Parent
from squall.explore.observed import Observed, Seen
from squall.explore.places import Key, Places

WINDOW = 16  # runs that may be under way before their tokens are counted
REGRESSION = "a kept regression"


class Budget(msgspec.Struct, frozen=True):
    """What a search may use: runs (those without faults aside) and tokens. Seconds are minded by who drives it."""

    runs: int | None = None
    tokens: int | None = None


UNLIMITED = Budget()


class Trial(msgspec.Struct, frozen=True):
    """A schedule to run. `id` counts from 1; `why` says what it is for."""

    id: int
    schedule: Schedule
    why: str


class Search:
    """`ask` for trials, run them, and `tell` what came of each, in any order, until it is `done`.

    `baseline` is a run without faults, and `confirm_baseline` another one: where they differ, `statistical` says so in
    a sentence, "" otherwise. `kinds` and `targets` are globs, and an empty tuple takes all. `regressions` are run first
    and whatever the filters say. `prune` leaves out what a run in the same state has shown, where states are known.
    `follows` says which faults can be together at one point. `calls` tell which of several calls of a target a point
    of a baseline is at. `differs` names an argument that is another one in each of them.
    """

    def __init__(
        self,
        baseline: Observed,
        *,
        depth: int = 1,
        budget: Budget = UNLIMITED,
        kinds: Sequence[str] = (),
        targets: Sequence[str] = (),
        regressions: Sequence[Schedule] = (),
        prune: bool = True,
        seed: int = 0,
        confirm_baseline: Observed | None = None,
        follows: Follows = one_at_a_point,
        differs: str = "",
    ) -> None:
        if depth < 1:
            raise UsageError(f"a search has a depth of 1 or more, not {depth}")
        self.depth, self.budget = depth, budget
        self.statistical = self._others = ""
        if confirm_baseline is not None:
            self.statistical = difference(baseline, confirm_baseline, differs)
            if has_others_each_time(baseline, confirm_baseline):
                self._others = f"calls have other arguments in each run{f' ({differs})' if differs else ''}"
        self._cut = ""
        self._places = Places(kinds, targets, follows)
        self._grower = Grower(self._places, prune=prune and not self.statistical, seed=seed)
        self._found = Findings()
        self._totals = Totals()
        self._generations: list[Generation] = []
        self._trials: list[Trial] = []
        self._keys: list[Key] = []  # of the trials
        self._known: set[Key] = set()
        self._parents: dict[Key, Parent] = {}
        self._next = 0
        self._window = 0  # the number of the trial before which tokens are counted next
        self._behind: dict[Key, int] = {}  # how much could have been tried on top of a run that failed
        self._open: set[int] = set()
        baselines = [baseline] if confirm_baseline is None else [baseline, confirm_baseline]
        self._places.repeatable = not self.statistical
        self._calm = sorted(baseline.seen, key=_place)
        self.calls = calls_of(each.point for each in self._calm)
        if confirm_baseline is not None and self.statistical:
            self.calls |= calls_of(each.point for each in sorted(confirm_baseline.seen, key=_place))
        self._places.begin(*(run.seen for run in baselines))
        for run in baselines:
            self._totals.take(run, (), self._places)
            if run.bad:
                self._found.take(0, run)
        self._begin(baselines, regressions)

    @property
    def done(self) -> bool:
        """Whether there is nothing to run any more, nor a run that has not been told."""
        return not self._open and (bool(self._cut) or self._next == len(self._trials))

    @property
    def findings(self) -> list[Finding]:
        """The failures so far."""
        return self._found.all()

    @property
    def left(self) -> int:
        """How many trials of this generation are still to hand out."""
        return 0 if self._cut else len(self._trials) - self._next

    def ask(self, number: int = 1) -> list[Trial]:
        """Up to `number` trials that may run at once. Fewer, or none, while others have to be told before."""
        asked: list[Trial] = []
        while len(asked) < number and self._next < len(self._trials) and self._may_go_on():
            trial = self._trials[self._next]
            self._next += 1
            self._open.add(trial.id)
            asked.append(trial)
        return asked

    def tell(self, trial_id: int, observed: Observed) -> None:
        """What came of a trial."""
        if trial_id not in self._open:
            raise UsageError(f"trial {trial_id} was not handed out, or was told before")
        self._open.remove(trial_id)
        key = self._keys[trial_id - 1]
        seen = sorted(observed.seen, key=_place)
        revealed = self._places.note(seen)
        if not self.statistical and (found := strayed(self._calm, seen, self._trials[trial_id - 1].schedule)):
            self.statistical = found
            self._grower.prune = self._places.repeatable = False
        fired = self._totals.take(observed, key, self._places)
        if observed.bad:
            self._found.take(trial_id, observed)
        if fired and len(key) < self.depth:
            self._keep(trial_id, observed, seen, revealed)
        self._advance()

    def stop(self, why: str) -> None:
        """Hand out no more. `why` goes on after "Cut short: "."""
        self._cut = self._cut or why

    def others(self, choice: Choice) -> Iterator[Choice]:
        """What could be tried in place of a fault: at its point, at earlier attempts, at equal calls before."""
        return self._places.others(choice)

    def coverage(self) -> Coverage:
        """What has been tried so far, of what there is to try."""
        return coverage_of(
            self._places,
            self._totals,
            self._generations,
            depth=self.depth,
            budget=self.budget.runs,
            failures=len(self._found),
            statistical=self.statistical,
            cut=self._cut,
            calls=self.calls,
            others=self._others,
        )

    def _begin(self, baselines: Sequence[Observed], regressions: Sequence[Schedule]) -> None:
        usable = [run for run in baselines if not run.bad and run.status != "skipped"]
        if not usable:
            self.stop(f"the run without faults {baselines[0].ended}, so that faults would show nothing")
            return
        for schedule in dict.fromkeys(regressions):
            if schedule and (self.budget.runs is None or len(self._trials) < self.budget.runs):
                self._plan(tuple(map(self._places.number, schedule)), REGRESSION)
        shown = usable if self.statistical else usable[:1]
        self._grow([self._parent((), sorted(run.seen, key=_place), None) for run in shown])
        self._advance()

    def _grow(self, parents: Sequence[Parent]) -> None:
        """Settle the next generation."""
        generation = Generation(len(self._generations) + 1)
        self._generations.append(generation)
        room = None if self.budget.runs is None else self.budget.runs - len(self._trials)
        for candidate in self._grower.grow(generation, parents, self._known, room):
            self._plan(candidate.schedule, candidate.why)

    def _plan(self, schedule: Key, why: str) -> None:
        key = tuple(sorted(schedule))
        if key in self._known:
            return
        self._known.add(key)
        self._keys.append(key)
        self._trials.append(Trial(len(self._trials) + 1, self._places.schedule(schedule), why))

    def _keep(self, trial_id: int, observed: Observed, seen: Sequence[Seen], revealed: Sequence[bool]) -> None:
        """Let a run whose faults have all fired be grown from, unless it has failed."""
        parent = self._parent(self._trials[trial_id - 1].schedule, seen, revealed)
        key = self._keys[trial_id - 1]
        if observed.status == "passed":
            self._parents[key] = parent
        elif observed.bad:
            self._behind[key] = self._grower.behind(parent)

    def _parent(self, schedule: Schedule, seen: Sequence[Seen], revealed: Sequence[bool] | None) -> Parent:
        revealed = [False] * len(seen) if revealed is None else revealed
        if not schedule:
            return Parent((), seen, revealed)
        points = {choice.point for choice in schedule}
        met = [place for place, each in enumerate(seen) if each.point in points]
        if len(met) < len(points):
            return Parent((), (), ())
        at = {seen[place].point: place for place in met}
        order = tuple(self._places.number(choice) for choice in sorted(schedule, key=lambda each: at[each.point]))
        last = met[-1]
        here = tuple(self._places.number(choice) for choice in schedule if choice.point == seen[last].point)
        if self._places.after(here, seen[last]):
            return Parent(order, seen[last:], revealed[last:], here)
        return Parent(order, seen[last + 1 :], revealed[last + 1 :])

    def _advance(self) -> None:
        """Settle generations until one has something to run, once all of the last has been told."""
        while not self._open and self._next == len(self._trials) and not self._cut:
            last = self._generations[-1]
            nothing = len(self._generations) > 1 and not last.possible  # and on nothing nothing can be built
            if len(self._generations) == self.depth or last.cut or nothing:
                return
            parents = [self._parents.pop(key) for key in last.keys if key in self._parents]
            self._grow(parents)
            self._generations[-1].behind = sum(self._behind.get(key, 0) for key in last.keys)

    def _may_go_on(self) -> bool:
        """Whether one more may be handed out, by what no other number of workers would have changed."""
        if self._cut:
            return False
        tokens = self.budget.tokens
        if tokens is not None and self._next == self._window:
            if self._open:
                return False
            if self._totals.tokens >= tokens:
                self.stop(f"the budget of {tokens:,} tokens is used up")
                return False
            self._window += WINDOW
        return True


_place = attrgetter("place")
