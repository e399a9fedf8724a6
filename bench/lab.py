"""The lab: a suite of 1,000 small runs, hashed and stored; the same found again; 10,000 stored runs compared.

A run is one of a scenario with three steps and a fault. CPU seconds are beside those of the wall, since what a disk
takes to have written is not the same on any two days.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from _table import Figure, at_least, at_most, plain, show

from squall.reports.lab_files import write_beside
from squall.reports.summary import summarize
from squall.runs.suite import Wanted, loaded, run_suite
from squall.store import read_runs

SCENARIO = Path(__file__).resolve().parents[1] / "scenarios" / "timeout.toml"
STRATEGIES = ("baseline", "careless", "resilient")
RUNS, MANY = 1_000, 10_000


def main() -> None:
    """Measure and show."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "runs"
        figures = [*suite(output, RUNS), *compare(output)]
    show("The lab", figures)


def suite(output: Path, runs: int) -> list[Figure]:
    """Made, and found again."""
    seeds = tuple(range(-(-runs // len(STRATEGIES))))
    wanted = loaded(Wanted((SCENARIO,), STRATEGIES, (), seeds))
    count = len(wanted.cells)
    wall, cpu = time.perf_counter(), time.process_time()
    run_suite(wanted, output, told=lambda _done: None)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    again = time.perf_counter()
    run_suite(wanted, output, told=lambda _done: None)
    again = time.perf_counter() - again
    return [
        at_least(f"{count:,} runs made and stored", count / wall, 500, "runs/s"),
        plain("the same by CPU time", count / cpu, "runs/s"),
        plain("found again", count / again, "runs/s"),
    ]


def compare(output: Path) -> list[Figure]:
    """Read, counted, and written as a page with all that lies beside it."""
    suite(output, MANY)
    began = time.perf_counter()
    stored = read_runs([output])
    read = time.perf_counter() - began
    records = [each.record for each in stored]
    traces = {each.record.hash: each.trace for each in stored}
    page = output.parent / "report.html"
    write_beside(
        page,
        summarize(records),
        records,
        lambda record: traces[record.hash],
        title="bench",
        replay=lambda record: f"squall replay {record.name()}",
    )
    whole = time.perf_counter() - began
    return [
        plain(f"{len(records):,} stored runs are read in", read, "s"),
        at_most("and compared, with the page and what lies beside it, in", whole, 5, "s"),
    ]


if __name__ == "__main__":
    main()
