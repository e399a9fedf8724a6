"""Prints `sample-report.html`: the lab's page of the project's own scenarios and strategies.

`make sample` writes the page, and a test holds it to what this prints, but for the runs' ids: they change with each
line of a strategy. Runs everything in a folder that goes away again; the page knows no folder.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from squall.reports.lab_html import html
from squall.reports.summary import summarize
from squall.runs.suite import Wanted, loaded, run_suite, scenario_files
from squall.store import Runs

ROOT = Path(__file__).resolve().parents[1]
STRATEGIES = ("baseline", "resilient", "careless")
SEEDS = tuple(range(3))
TITLE = "Three strategies in bad weather"


def sample() -> str:
    """The whole page."""
    with TemporaryDirectory() as folder:
        wanted = Wanted(scenario_files([ROOT / "scenarios"]), STRATEGIES, seeds=SEEDS)
        records = run_suite(loaded(wanted), Path(folder), told=lambda _: None)
        with Runs(Path(folder)) as store:
            return html(
                summarize(records),
                records,
                store.trace_of,
                title=TITLE,
                replay=lambda record: f"squall replay runs/{record.name()}",
            )


if __name__ == "__main__":
    sys.stdout.buffer.write(sample().encode())
