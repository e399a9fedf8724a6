"""What many runs of the lab come to: a cell for each strategy, scenario × strategy, and kind of fault × strategy.

Two things are counted with care.

- A run whose planned faults never fired (`not_fired`) is no pass, whatever it answered.
- A cell of a fault rests on the runs in which that fault really fired; those that never met it are a column of their
  own. A run with several faults counts under each of them.

The same records make the same summary, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from squall.reports.cells import Cell, Group, cell_of, passes
from squall.reports.labels import labels_of
from squall.reports.visible import visible
from squall.reports.wording import counted
from squall.store.record import RunRecord

CALM = "no fault"
"""The fault cell of the runs that planned none."""
LONGEST = 60


class Summary(msgspec.Struct, frozen=True):
    """`strategies` come with the most successful first, `scenarios` and `faults` by name.

    `labels` say what each run's strategy is called here, by the run's hash: two of one name whose parameters or sources
    differ are told apart. `notes` are sentences about what was counted; `versions` are squall's. `programs` are the
    strategies that are other programs, whose runs take real time.
    """

    runs: int
    met: int
    strategies: tuple[str, ...]
    scenarios: tuple[str, ...]
    faults: tuple[str, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]
    versions: tuple[str, ...]
    labels: Mapping[str, str]
    programs: tuple[str, ...] = ()

    @property
    def time(self) -> str:
        """Which time its latencies are in, in words."""
        if self.programs and self.programs == self.strategies:
            return "real time"
        return "virtual time (of programs: real time)" if self.programs else "virtual time"

    def of(self, group: Group) -> list[Cell]:
        """The cells of one kind, by name and then in the order of the strategies."""
        return [cell for cell in self.cells if cell.group == group]

    def grid(self, group: Group) -> dict[tuple[str, str], Cell]:
        """The same by name and strategy."""
        return {(cell.name, cell.strategy): cell for cell in self.of(group)}


def in_order(runs: Iterable[RunRecord]) -> list[RunRecord]:
    """Each run once, by scenario, strategy, seed, run index and sample."""
    once = {(run.hash, run.head): run for run in runs}  # where a strategy may do otherwise, equal inputs prove nothing
    return sorted(once.values(), key=_order)


def summarize(runs: Sequence[RunRecord]) -> Summary:
    """Count them. No run at all makes a summary that says nothing of anybody."""
    ordered = in_order(runs)
    labels = labels_of(ordered)
    names = _fault_names(ordered)
    of_strategy: dict[str, list[RunRecord]] = {}
    of_scenario: dict[tuple[str, str], list[RunRecord]] = {}
    of_fault: dict[tuple[str, str], list[RunRecord]] = {}
    for run in ordered:
        label = labels[run.hash]
        of_strategy.setdefault(label, []).append(run)
        of_scenario.setdefault((run.scenario, label), []).append(run)
        for name in {names[f"{fault.kind} {fault.wire}"] for fault in run.faults} or {CALM}:
            of_fault.setdefault((name, label), []).append(run)
    overall = [cell_of("strategy", "", label, own, None) for label, own in of_strategy.items()]
    overall.sort(key=lambda cell: (-(cell.rate or 0.0), cell.strategy))
    strategies = [cell.strategy for cell in overall]
    kinds = {CALM: frozenset[str]()}
    for place, name in names.items():
        kinds[name] = kinds.get(name, frozenset()) | {place}
    scenarios = sorted({scenario for scenario, _ in of_scenario})
    faults = sorted({name for name, _ in of_fault}, key=lambda name: (name == CALM, name))
    cells = [
        *overall,
        *(
            cell_of("scenario", scenario, label, of_scenario[scenario, label], None)
            for scenario in scenarios
            for label in strategies
            if (scenario, label) in of_scenario
        ),
        *(
            cell_of("fault", fault, label, of_fault[fault, label], kinds[fault])
            for fault in faults
            for label in strategies
            if (fault, label) in of_fault
        ),
    ]
    return Summary(
        runs=len(ordered),
        met=sum(map(passes, ordered)),
        strategies=tuple(strategies),
        scenarios=tuple(scenarios),
        faults=tuple(faults),
        cells=tuple(cells),
        notes=tuple(_notes(runs, ordered)),
        versions=tuple(sorted({run.inputs.squall for run in ordered})),
        labels=labels,
        programs=tuple(each for each in strategies if any(run.inputs.strategy.command for run in of_strategy[each])),
    )


def _order(run: RunRecord) -> tuple[str, str, int, int, int, str]:
    return run.scenario, run.strategy, run.seed, run.run_index, run.sample, run.hash


def _fault_names(runs: Iterable[RunRecord]) -> dict[str, str]:
    """What faults are called: by kind, and by their wire too where one kind was on both. Keys are `kind wire`."""
    wires: dict[str, set[str]] = {}
    for run in runs:
        for fault in run.faults:
            wires.setdefault(fault.kind, set()).add(fault.wire)
    return {
        f"{kind} {wire}": kind if len(own) == 1 else f"{kind} ({wire})" for kind, own in wires.items() for wire in own
    }


def _notes(given: Sequence[RunRecord], runs: Sequence[RunRecord]) -> list[str]:
    notes = []
    if len(given) > len(runs):
        notes.append(f"{counted(len(given) - len(runs), 'record')} came twice and counted once.")
    first: dict[str, RunRecord] = {}
    changed = set()
    for run in runs:
        known = first.setdefault(run.scenario, run)
        if known.inputs.scenario != run.inputs.scenario or known.inputs.files != run.inputs.files:
            changed.add(run.scenario)
    notes += [
        f"Under the name {visible(name, LONGEST)} there are runs of more than one version of the scenario; they are "
        "counted together."
        for name in sorted(changed)
    ]
    versions = sorted({run.inputs.squall for run in runs})
    if len(versions) > 1:
        notes.append(f"The runs are of more than one version of squall: {', '.join(versions)}.")
    return notes
