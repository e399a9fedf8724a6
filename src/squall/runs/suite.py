"""A suite: scenarios × strategies × seeds, run in this process or in several, and stored as they come.

What is stored already is not run again, unless its strategy may do otherwise each time. A suite that was interrupted
goes on where it was. Knows no command line; whoever runs one is told of each run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from squall.canonical import digest
from squall.clock.patches import kept
from squall.errors import Problem, UsageError
from squall.runs import workers
from squall.runs.garbage import set_aside
from squall.runs.lab import inputs_of, run_one
from squall.runs.scenario import Scenario, is_scenario, load_scenario
from squall.runs.strategies.finding import Chosen, alike, strategy_named, strategy_of_command
from squall.store import Runs
from squall.store.reading import RUN, TRACE
from squall.store.record import RunRecord

CHUNK = 16
"""Cells that one process takes at a time; where runs may cost something, and take long, each is taken alone."""
UNFINISHED = ".suite-"
ENDINGS = (".toml", ".yaml", ".yml", ".json")
MEANT = re.compile(r"""^[\s{]*(\[scenario\]|["']?scenario["']?\s*:)""", re.MULTILINE)
"""How a file says that it is a scenario, in each of the formats."""


class Cell(NamedTuple):
    """One place of the matrix: which scenario, which strategy, which seed."""

    scenario: int
    strategy: int
    seed: int


class Wanted(NamedTuple):
    """What a suite is made of. `strategies` are names, `commands` command lines; no `seeds`: each scenario's own."""

    scenarios: tuple[Path, ...]
    strategies: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()
    run_index: int = 0


class Done(NamedTuple):
    """One run of a suite. `fresh` tells whether it was made now, and not found."""

    record: RunRecord
    fresh: bool


def scenario_files(paths: Sequence[Path]) -> tuple[Path, ...]:
    """The scenario files among `paths`, and in folders among them. Raises UsageError where there is none.

    A folder may also hold worlds, scripts and plans: only files with a `[scenario]` table count there.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found.update(dict.fromkeys(each for each in sorted(path.rglob("*")) if _looks_like_one(each, path)))
        else:
            found[path] = None
    if not found:
        names = ", ".join(map(str, paths))
        raise UsageError(Problem(f"there is no scenario in {names}", hint="A scenario file begins with [scenario]."))
    return tuple(found)


def cells_of(wanted: Wanted, scenarios: Sequence[Scenario]) -> Iterator[Cell]:
    """The matrix, in order: by scenario, then strategy, then seed."""
    count = len(wanted.strategies) + len(wanted.commands)
    for place, scenario in enumerate(scenarios):
        for strategy in range(count):
            for seed in wanted.seeds or (scenario.seed,):
                yield Cell(place, strategy, seed)


class Loaded(NamedTuple):
    """The same, read and found."""

    wanted: Wanted
    scenarios: tuple[Scenario, ...]
    strategies: tuple[Chosen, ...]
    cells: tuple[Cell, ...]


def loaded(wanted: Wanted) -> Loaded:
    """Read the scenarios and find the strategies. Raises UsageError with everything that is wrong with any of them."""
    problems: list[Problem] = []
    scenarios: list[Scenario] = []
    strategies: list[Chosen] = []
    for path in wanted.scenarios:
        try:
            scenarios.append(load_scenario(path))
        except UsageError as error:
            problems += error.problems
    for name in wanted.strategies:
        try:
            strategies.append(strategy_named(name))
        except UsageError as error:
            problems += error.problems
    strategies += map(strategy_of_command, wanted.commands)
    problems += _twice([each.name for each in scenarios])
    problems += alike(strategies)
    if problems:
        raise UsageError(problems)
    return Loaded(wanted, tuple(scenarios), tuple(strategies), tuple(cells_of(wanted, scenarios)))


def run_suite(
    suite: Loaded,
    output: Path,
    *,
    jobs: int = 1,
    told: Callable[[Done], None],
    said: Callable[[str], object] = str,
) -> list[RunRecord]:
    """Run what is not stored yet, tell of each run as it is there, and give all records in the matrix's order.

    `said` is given sentences: what a killed process has left behind, and why an interrupted suite does not end at once.
    """
    with Runs(output) as store, set_aside(), kept():
        for sentence in store.swept:
            said(sentence)
        progress = Progress(output, suite)
        found: dict[Cell, RunRecord] = {}
        todo: list[Cell] = []
        for cell in suite.cells:
            record = _stored(suite, cell, store, progress)
            if record is None:
                todo.append(cell)
            else:
                found[cell] = record
                told(Done(record, fresh=False))
        try:
            size = CHUNK if all(each.id.deterministic for each in suite.strategies) else 1
            alone = jobs == 1 or len(todo) <= size
            made = _here(suite, todo, store, progress) if alone else _there(suite, todo, output, jobs, size, said)
            for cell, record in made:
                found[cell] = record
                told(Done(record, fresh=True))
        finally:
            progress.close()
        progress.finished()
    return [found[cell] for cell in suite.cells]


def _stored(suite: Loaded, cell: Cell, store: Runs, progress: Progress) -> RunRecord | None:
    scenario, strategy = suite.scenarios[cell.scenario], suite.strategies[cell.strategy]
    sample = 0 if strategy.id.deterministic else progress.sample(cell)
    if sample is None:
        return None
    inputs = inputs_of(scenario, strategy, seed=cell.seed, run_index=suite.wanted.run_index, sample=sample)
    return store.find(inputs.hash, scenario.name, strategy.id.name)


def run_cell(suite: Loaded, cell: Cell, store: Runs) -> tuple[RunRecord, tuple[bytes, ...]]:
    """Make the run of one place of the matrix. It is not stored yet."""
    scenario, strategy = suite.scenarios[cell.scenario], suite.strategies[cell.strategy]
    inputs = inputs_of(scenario, strategy, seed=cell.seed, run_index=suite.wanted.run_index)
    if not strategy.id.deterministic:
        sample = store.next_sample(scenario.name, inputs)
        inputs = msgspec.structs.replace(inputs, sample=sample)
    return run_one(scenario, strategy, inputs)


def _here(suite: Loaded, cells: Sequence[Cell], store: Runs, progress: Progress) -> Iterator[tuple[Cell, RunRecord]]:
    with store.batch() as batch:
        for cell in cells:
            record, lines = run_cell(suite, cell, store)
            batch.keep(record, lines)
            if not suite.strategies[cell.strategy].id.deterministic:
                batch.flush()  # it may have cost money, and nobody can make it again
            progress.note(cell, record)
            yield cell, record


# In several processes: each reads the files and finds the strategies once, and takes some cells at a time.


class _Here(NamedTuple):
    """What a process of a pool holds on to between its chunks."""

    suite: Loaded
    store: Runs
    progress: Progress


_here_is: list[_Here] = []


def _there(
    suite: Loaded, cells: Sequence[Cell], output: Path, jobs: int, size: int, said: Callable[[str], object]
) -> Iterator[tuple[Cell, RunRecord]]:
    with workers.pool(jobs, _begin, suite.wanted, output) as pool:
        waiting: set[Future[list[tuple[Cell, RunRecord]]]] = set()
        rest = iter(cells)
        chunks = iter(lambda: list(islice(rest, size)), [])
        try:
            waiting.update(pool.submit(_chunk, chunk) for chunk in islice(chunks, jobs * 2))
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                waiting.update(pool.submit(_chunk, chunk) for chunk in islice(chunks, len(done)))
                for each in done:
                    yield from each.result()
        except KeyboardInterrupt:
            said("interrupted: the runs that are under way may end (once more to end at once)")
            raise
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(wanted: Wanted, output: Path) -> None:
    suite = loaded(wanted)
    _here_is[:] = [_Here(suite, Runs(output), Progress(output, suite))]


def _chunk(cells: Sequence[Cell]) -> list[tuple[Cell, RunRecord]]:
    suite, store, progress = _here_is[0]
    return list(_here(suite, cells, store, progress))


class Progress:
    """Which runs an unfinished suite has made, for strategies whose runs are made anew each time.

    A line for each in a hidden file of the output folder, which goes when the suite is finished.
    """

    def __init__(self, output: Path, suite: Loaded) -> None:
        named = [
            [each.digest for each in suite.scenarios],
            [msgspec.to_builtins(each.id) for each in suite.strategies],
            list(suite.cells),
            suite.wanted.run_index,
        ]
        self._path = output / f"{UNFINISHED}{digest(named)[:16]}"
        self._again = {place for place, each in enumerate(suite.strategies) if not each.id.deterministic}
        self._samples = dict(self._read()) if self._again else {}
        self._file = self._path.open("a", encoding="ascii") if self._again else None

    def sample(self, cell: Cell) -> int | None:
        """The sample number of the run that was made for this place, if one was."""
        return self._samples.get(cell)

    def note(self, cell: Cell, record: RunRecord) -> None:
        """A run is there."""
        if self._file is not None and cell.strategy in self._again:
            self._file.write(f"{cell.scenario} {cell.strategy} {cell.seed} {record.sample}\n")
            self._file.flush()

    def close(self) -> None:
        """Nothing more is noted."""
        if self._file is not None:
            self._file.close()

    def finished(self) -> None:
        """The suite is whole, and the next one begins anew."""
        self._path.unlink(missing_ok=True)

    def _read(self) -> Iterator[tuple[Cell, int]]:
        if not self._path.is_file():
            return
        for line in self._path.read_text("ascii").splitlines():
            parts = line.split()
            if len(parts) == len(Cell._fields) + 1:  # a killed process may have written half a line
                scenario, strategy, seed, sample = map(int, parts)
                yield Cell(scenario, strategy, seed), sample


def _looks_like_one(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    if hidden or path.suffix.lower() not in ENDINGS or not path.is_file():
        return False
    if path.name == RUN and (path.parent / TRACE).exists():  # a run that was stored here, of perhaps thousands
        return False
    from squall.documents import load  # each file is read twice, which is little beside its runs

    try:
        return is_scenario(load(path).data)
    except UsageError:
        return bool(MEANT.search(path.read_text("utf-8", errors="replace")))  # broken: it has to be told


def _twice(names: Sequence[str]) -> list[Problem]:
    several = sorted({name for name in names if names.count(name) > 1})
    return [Problem(f"several scenarios are called {name!r}", hint="Give each its own name.") for name in several]
