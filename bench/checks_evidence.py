"""How often each check fires on real runs whose outcome is known, and how often those runs had really failed.

The runs are those of tau-bench's airline agent (gpt-4o, 200 of them, labelled by their reward), as chat messages, one
run a line. They are no part of the project: name their file, or have it in `../shared/corpora`; without it there is
nothing to print. `--show CHECK` prints each run on which a check fires, with its reason.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

from _table import ROOT

from squall.checks import Settings, judge
from squall.checks.registry import names
from squall.checks.verdict import Verdict
from squall.trace import Trace
from squall.trace.formats import load

USUAL = ROOT.parent / "shared" / "corpora" / "taubench_airline_gpt4o.jsonl"


class Labelled(NamedTuple):
    """A run, and whether it failed."""

    trace: Trace
    failed: bool


def labelled(path: Path) -> list[Labelled]:
    """The runs of a file, each with its label."""
    with path.open(encoding="utf-8") as lines:
        rewards = [json.loads(line)["label"]["reward"] for line in lines]
    return [Labelled(trace, reward < 1) for trace, reward in zip(load(path), rewards, strict=True)]


def main(arguments: list[str]) -> None:
    wanted = arguments.pop(at + 1) if (at := arguments.index("--show") if "--show" in arguments else -1) >= 0 else None
    given = [argument for argument in arguments if argument != "--show"]
    path = Path(given[0]) if given else USUAL
    if not path.is_file():
        print(f"no file {path.name} of labelled runs here: nothing to measure")
        return
    runs = labelled(path)
    settings = Settings(only=tuple(names()))
    found: dict[str, list[tuple[Labelled, Verdict]]] = {name: [] for name in names()}
    for run in runs:
        for verdict in judge(run.trace, settings):
            if verdict.fired:
                found[verdict.check].append((run, verdict))
    if wanted is not None:
        for run, verdict in found[wanted]:
            print(f"{'failed' if run.failed else 'passed'}  {'  '.join(verdict.parts)}")
        return
    failed = sum(run.failed for run in runs)
    print(f"{len(runs)} runs, of which {failed} ({failed / len(runs):.0%}) had failed\n")
    print("| check | fired | had failed |\n|---|---|---|")
    for name, hits in found.items():
        right = sum(run.failed for run, _ in hits)
        print(f"| `{name}` | {len(hits)} | {f'{right} of {len(hits)}' if hits else '–'} |")


if __name__ == "__main__":
    main(sys.argv[1:])
