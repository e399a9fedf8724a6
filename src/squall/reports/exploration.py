"""What an exploration came to, as its reports show it: a page, JSON, Markdown and JUnit. Knows nothing that explores.

Whoever has explored hands in what came of it (`squall.find_failures` gives such a value, and so does a search), the
files in which the failures are kept, and the command that replays one:

    from squall.reports.exploration import exploration_of
    from squall.reports.exploration_files import write_beside

    explored = squall.find_failures(agent, world="worlds/shop.yaml", depth=2)
    shown = exploration_of("refund agent", explored, files=[…], replay=lambda file: f"squall replay {file}")
    write_beside(Path("exploration.html"), [shown])

One page may show several explorations, one after the other. None of these files holds a time or a rate: the same
explorations make the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from squall.explore import Choice, Coverage, Line, Schedule
from squall.explore.calls import UNTOLD, Calls, place_in_words
from squall.explore.claim import SHOWN
from squall.reports.wording import counted, listed
from squall.version import __version__

NOT_AGAIN = "Run once more under the same faults it did not show: something else decides it, too. It is kept nowhere."
MOST_ALIKE = 4
"""Places of other faults that show the same which are named."""
PHASES = {"before": "before the effect", "after": "after the effect", "late": "the effect lands late"}
NO_CALLS = ("event", "session")
"""The wires whose points are no calls: events, and lists of tools that a client asks for."""
BESIDE = frozenset({"stale_memory", "repeated_call", "duplicate_task"})
"""Kinds that happen beside the calls, and have no phase."""


class Failure(NamedTuple):
    """One failure with the smallest schedule that shows it, and the lines of that run's trace.

    `line` is the run in one line. `minimal`: it was checked that no fault can be left out. `times` is in how many runs
    it showed, `file` where it is kept ("" nowhere), `replay` the command that runs it again, and `kept` says that an
    older file had it already. `calls` tell which of several calls of a target a fault is at. Not `again`: run once more
    under the same faults it did not show, and is kept nowhere.
    """

    violated: str
    status: str
    message: str
    schedule: Schedule
    minimal: bool
    lines: Sequence[bytes]
    line: str = ""
    times: int = 1
    file: str = ""
    replay: str = ""
    kept: bool = False
    alike: Schedule = ()
    calls: Calls = UNTOLD
    again: bool = True


class Exploration(NamedTuple):
    """`name` is what was explored. `notes` stand beside those of the coverage.

    `altered` are end states that were altered to see whether the expectations can fail: what was altered, and what
    noticed it ("" for nothing). None where nobody tried.
    """

    name: str
    coverage: Coverage
    failures: tuple[Failure, ...]
    runs: int
    notes: tuple[str, ...] = ()
    altered: tuple[tuple[str, str], ...] | None = None
    version: str = __version__

    @property
    def remarks(self) -> tuple[str, ...]:
        """What limits the claim, and what else is to be said."""
        return (*self.coverage.notes, *self.notes, *_altered(self.altered))


def exploration_of(
    name: str,
    explored: Any,
    *,
    files: Sequence[Any] = (),
    replay: Callable[[Any], str] = lambda file: f"squall replay {file}",
    notes: Iterable[str] = (),
    altered: Iterable[tuple[str, str]] | None = None,
) -> Exploration:
    """What a search came to, ready to be shown. `files` are those of its failures, in the same order, or none.

    `explored` is a `squall.runs.exploring.Explored`, from a room of which this one knows nothing.
    """
    kept = files or [""] * len(explored.found)
    return Exploration(
        name=name,
        coverage=explored.coverage,
        failures=tuple(_failure(found, file, replay) for found, file in zip(explored.found, kept, strict=True)),
        runs=explored.runs,
        notes=tuple(notes),
        altered=None if altered is None else tuple((what, by) for what, by in altered),
    )


def headline(explorations: Sequence[Exploration]) -> str:
    """What they came to in one sentence: the claim of one, or how many of several have failures."""
    if len(explorations) == 1:
        return explorations[0].coverage.claim
    if not explorations:
        return "Nothing was explored, so that nothing is claimed."
    bad = [each for each in explorations if each.failures]
    total = sum(len(each.failures) for each in explorations)
    if not bad:
        return f"{len(explorations):,} were explored, and none of them failed."
    return f"{len(bad):,} of {len(explorations):,} that were explored failed: {counted(total, 'failure')}."


def choice_in_words(choice: Choice, calls: Calls = UNTOLD) -> str:
    """`timeout, after the effect, at the 2nd call of payments.issue_refund`."""
    point = choice.point
    phase = "" if not has_phase(point.wire, choice.kind) else PHASES.get(choice.phase, choice.phase)
    params = ", ".join(f"{name} {value}" for name, value in choice.params)
    return ", ".join(filter(None, (choice.kind, params, phase, f"at {place_in_words(point, calls)}")))


def alike(failure: Failure) -> str:
    """Which other single faults show the same, as a sentence; "" where there is none.

    By kind and phase, where the phase makes one more of it: what violates the same may still be another bug.
    """
    by_place: dict[str, dict[str, None]] = {}
    for choice in failure.alike:
        phase = f" ({choice.phase})" if has_phase(choice.point.wire, choice.kind) else ""
        place = place_in_words(choice.point, failure.calls)
        by_place.setdefault(place, {})[f"{choice.kind}{phase}"] = None
    places = [f"{listed(kinds)} at {place}" for place, kinds in list(by_place.items())[:MOST_ALIKE]]
    if rest := len(by_place) - len(places):
        places.append(f"faults at {counted(rest, 'more place')}")
    return f"The same is violated under {'; '.join(places)}." if places else ""


def smallest(failure: Failure) -> str:
    """Whether a schedule was found to be the smallest, as a sentence."""
    if not failure.schedule:
        return "It fails without any fault."
    if not failure.again:
        return NOT_AGAIN
    if failure.minimal and len(failure.schedule) == 1:
        return "One fault is enough, and without it the run does not fail."
    if failure.minimal:
        return "Smallest: without any one of these faults the run does not fail like this, which was checked."
    return "Whether fewer faults are enough was not checked to the end."


def tried(line: Line) -> tuple[str, str]:
    """`3 of 3`, of the places that a run without faults has, and `0 of 17 behind a fault`; "" where there are none."""
    behind = line.seen - line.calm
    told = f"{line.faulted - line.calm_faulted:,} of {behind:,} behind a fault" if behind else ""
    return (f"{line.calm_faulted:,} of {line.calm:,}", told) if line.calm else (told, "")


def verdict(line: Line, coverage: Coverage) -> str:
    """`failed: 2`, `held`, `never fired`, or `not tried`, since it was cut short, or only pairs lead there."""
    if line.bad:
        return f"failed: {line.bad:,}"
    if line.faulted:
        return "held"
    return "never fired" if line.calm and not coverage.cut else "not tried"


def statuses(numbers: Mapping[Any, int]) -> str:
    """`50 passed, 34 failed, 1 not fired`."""
    return ", ".join(f"{number:,} {str(status).replace('_', ' ')}" for status, number in numbers.items())


def revealed(coverage: Coverage) -> str:
    """The calls that only runs with a fault make, as a sentence; "" where there is none."""
    found = [each for each in coverage.revealed if not is_beside(each[0])]
    calls = [f"{target} ({number:,})" for target, number in found]
    return f"Only runs with a fault make these calls: {listed(calls)}." if calls else ""


def is_beside(target: str, wire: str = "tool") -> bool:
    """Whether a target is no call: an event, a list of tools, or beside the calls of a scenario's steps."""
    return wire in NO_CALLS or (wire == "tool" and target.startswith(("asks.", "memory.")))


def has_phase(wire: str, kind: str) -> bool:
    """Whether it makes a difference there when a fault strikes: before an effect, or after it."""
    return wire == "tool" and kind not in BESIDE


def _failure(found: Any, file: Any, replay: Callable[[Any], str]) -> Failure:
    finding, again = found.finding, found.shows_again
    return Failure(
        violated=finding.failure,
        status=finding.status,
        message=found.observed.message if again else finding.message,
        schedule=found.schedule,
        minimal=found.minimal,
        lines=found.details.lines if again else (),
        line=found.details.line if again else "",
        times=finding.times,
        file=str(file),
        replay=replay(file) if file else "",
        kept=found.regression,
        alike=tuple(other for other in finding.alike if other not in found.schedule),
        calls=found.calls,
        again=again,
    )


def _altered(altered: Sequence[tuple[str, str]] | None) -> list[str]:
    """What the altered end states have shown."""
    if altered is None:
        return []
    if not altered:
        return ["No end state could be altered: nothing was written."]
    missed = [what for what, by in altered if not by]
    if not missed:
        return [f"What is expected can fail: each of {counted(len(altered), 'altered end state')} was noticed."]
    named = "; ".join(missed[:SHOWN]) + (f"; and {len(missed) - SHOWN:,} more" if len(missed) > SHOWN else "")
    if len(missed) == len(altered):
        return [f"What is expected cannot fail: no altered end state was noticed ({named})."]
    return [f"{len(missed)} of {counted(len(altered), 'altered end state')} went unnoticed: {named}."]
