"""Carries a search out: runs what it asks for, one after the other, then shrinks what it has found.

Knows how to execute a schedule only by the function that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from squall.clock import real
from squall.clock.patches import kept
from squall.errors import Problem, UsageError
from squall.explore import Budget, Coverage, Finding, Observed, Schedule, Search, Shrunk, Trial, shrink, simpler_by
from squall.explore.calls import UNTOLD, Calls, calls_of
from squall.explore.choice import in_words
from squall.runs.exploring import catalog
from squall.runs.exploring.details import Details
from squall.runs.exploring.differing import differing
from squall.runs.garbage import set_aside

MOST_SHRINKING = 200
"""Runs that the shrinking of one failure may take."""


class Options(NamedTuple):
    """How to search. `seconds` are of the wall; `first` ends at the first failure.

    With `crashes=False` an agent that crashes under a fault is not to blame: what the world looks like then is judged.
    """

    depth: int = 1
    runs: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    kinds: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    prune: bool = True
    shrink: bool = True
    first: bool = False
    crashes: bool = True
    seed: int = 0


class Found(NamedTuple):
    """One failure, with the smallest schedule that shows it. `minimal` where it was checked that no fault is idle.

    `calls` tell which of several calls of a target its faults are at.
    """

    finding: Finding
    schedule: Schedule
    minimal: bool
    observed: Observed
    details: Details
    regression: bool = False
    calls: Calls = UNTOLD

    @property
    def shows_again(self) -> bool:
        """Whether the smallest schedule, run once more in the end, has shown the same failure: in `observed`."""
        return _shows(self.finding, self.observed)

    def __repr__(self) -> str:
        return f"<found: {self.finding.failure}, under {in_words(self.schedule, self.calls)}>"


class Explored(NamedTuple):
    """What a search came to. `runs` are all that were made, those without faults and for shrinking too."""

    coverage: Coverage
    found: tuple[Found, ...]
    runs: int
    shrinking: int
    seconds: float
    baseline: Observed
    statistical: str

    def __repr__(self) -> str:
        return f"<explored: {self.coverage.claim}>"


class Told(Protocol):
    """Who is told how far a search is."""

    def __call__(self, search: Search, trial: Trial, observed: Observed) -> None:
        """A trial has been run."""


class Execute(Protocol):
    """Runs the agent once under a schedule."""

    def __call__(self, schedule: Schedule, /) -> Observed:
        """What came of it."""

    @property
    def details(self) -> Details:
        """More of the run that was made last."""


Many = Callable[[Sequence[Schedule]], Sequence[Observed]]
"""Runs several schedules, at once perhaps, and gives what came of each, in the same order."""
GLOB = frozenset("*?[")
WIDTH = 64
"""Schedules that are asked for at a time where many can be run."""


def check(options: Options) -> None:
    """Raises UsageError for kinds that there are not, and numbers that make no sense."""
    problems = []
    for pattern in options.kinds:
        if not catalog.known(pattern):
            what = "no kind of fault is like" if GLOB & set(pattern) else "unknown kind of fault"
            hint = f"Kinds: {', '.join(catalog.names())}."
            problems.append(Problem(f"{what} {pattern!r}", None, catalog.nearest_to(pattern), hint))
    if options.depth < 1:
        problems.append(Problem(f"a depth of {options.depth} explores nothing", hint="Give 1 or more."))
    if problems:
        raise UsageError(problems)


def search(
    execute: Execute,
    options: Options = Options(),  # noqa: B008 - it is frozen
    *,
    regressions: Sequence[Schedule] = (),
    told: Told | None = None,
    many: Many | None = None,
) -> Explored:
    """Explore: two runs without faults, then schedules until nothing is left or the budget is used up; then shrink.

    What is found does not depend on whether `many` are run at once, unless the first failure ends it.
    """
    check(options)
    with set_aside(), kept():
        return _searched(execute, options, regressions, told, many)


def _searched(
    execute: Execute, options: Options, regressions: Sequence[Schedule], told: Told | None, many: Many | None
) -> Explored:
    began = real.monotonic()
    baseline, details = _plainly(execute(()), options), execute.details
    again = _plainly(execute(()), options)
    is_same = [each.point for each in baseline.seen] == [each.point for each in again.seen]
    looking = Search(
        baseline,
        depth=options.depth,
        budget=Budget(options.runs, options.tokens),
        kinds=options.kinds,
        targets=options.targets,
        regressions=regressions,
        prune=options.prune,
        seed=options.seed,
        confirm_baseline=again,
        follows=catalog.follows,
        differs="" if is_same else differing(details, execute.details),
    )
    del details  # which may be long, and is not asked for again
    runs = 2
    while not looking.done:
        trials = looking.ask(1 if many is None else WIDTH)
        schedules = [trial.schedule for trial in trials]
        for trial, came in zip(trials, map(execute, schedules) if many is None else many(schedules), strict=True):
            observed = _plainly(came, options)
            runs += 1
            looking.tell(trial.id, observed)
            if told is not None:
                told(looking, trial, observed)
        if options.first and looking.findings:
            looking.stop("it was to end at the first failure")
        elif options.seconds is not None and real.monotonic() - began > options.seconds:
            looking.stop(f"{options.seconds:g} seconds are used up")
    found, shrinking = [], 0
    for finding in looking.findings:
        schedule, minimal, spent = _shrunk(execute, finding, looking, options)
        observed = _plainly(execute(schedule), options)
        shrinking += spent + 1
        kept = finding.schedule in regressions
        minimal = minimal and _shows(finding, observed)
        details = execute.details
        calls = calls_of((each.point for each in baseline.seen), details.arrivals)
        found.append(Found(finding, schedule, minimal, observed, details, kept, calls))
    return Explored(
        coverage=looking.coverage(),
        found=tuple(sorted(found, key=_weight)),
        runs=runs + shrinking,
        shrinking=shrinking,
        seconds=real.monotonic() - began,
        baseline=baseline,
        statistical=looking.statistical,
    )


def _shows(finding: Finding, observed: Observed) -> bool:
    return observed.bad and observed.what == finding.failure


def _weight(found: Found) -> int:
    """What is wrong with the world comes first, then what is wrong with the trace, then how an agent ended."""
    if found.observed.status != "failed":
        return 2 + (found.observed.status == "hung")
    return int(found.observed.what.startswith("check:"))


def _shrunk(execute: Execute, finding: Finding, looking: Search, options: Options) -> tuple[Schedule, bool, int]:
    """The smallest schedule that shows a failure, whether that was checked, and how many runs it took."""
    if not options.shrink or not finding.schedule:
        return finding.schedule, not finding.schedule, 0
    simpler = simpler_by(looking.others, kinds=catalog.PLAINEST, sizes=catalog.SIZES)
    steps = shrink(finding.schedule, simpler, most=MOST_SHRINKING, follows=catalog.follows)
    try:
        asked = next(steps)
        while True:
            observed = _plainly(execute(asked), options)
            same = _shows(finding, observed) and set(observed.fired) == set(asked)
            asked = steps.send(same)
    except StopIteration as ended:
        shrunk: Shrunk = ended.value
    return shrunk.schedule, shrunk.minimal, shrunk.runs


def _plainly(observed: Observed, options: Options) -> Observed:
    """Where crashes are no failures, a run that crashed has passed: what the world looks like then is what counts."""
    if observed.status == "crashed" and not options.crashes and observed.fired:
        return Observed(
            status="passed",
            seen=observed.seen,
            fired=observed.fired,
            trace_digest=observed.trace_digest,
            marks=observed.marks,
            asked=observed.asked,
            tokens=observed.tokens,
            effects=observed.effects,
            spared=observed.spared,
        )
    return observed
