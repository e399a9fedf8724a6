"""The edge cases of `bench/edge`, judged by squall and by faultgate-zero: one suite, two sessions of pytest.

Both are used as they come: a plug-in that is installed and told nothing, tests that say nothing to it, the same SDKs,
the same provider in memory. A case is a test; its policy, where it has one, is named by each tool's own marker. A check
that fires counts, also where it only warns; what only warns is told apart. faultgate-zero is installed into a venv of
its own; where it cannot be had, squall's half is printed with the reason. `--each` prints a line for every case.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from _table import MADE, ROOT, Figure, show
from _venvs import pinned, python_of, run
from edge.cases import Case
from edge.play import cases

PEER = "faultgate-zero==0.1.0"
WARNS = frozenset(
    "claimed_not_done hidden_write_error announced_not_done blind_retry retry_amplification abstention".split()
)
SUITE = """import json
import pathlib

import pytest
from edge import failures, look_alikes
from edge.cases import CASES
from edge.stage import Stage


def marks(case):
    if case.policy is None:
        return []
    path = pathlib.Path(__file__).parent / f"{case.name}.json"
    path.write_text(json.dumps(case.policy))
    return [pytest.mark.MARKER(policy=str(path))]


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name, marks=marks(case)) for case in CASES])
def test_case(case):
    case.play(Stage())
"""


class Tool(NamedTuple):
    """A plug-in: the interpreter that has it, its marker and its option for a report."""

    name: str
    python: Path | str
    marker: str
    report: str


class Found(NamedTuple):
    """What a tool said of one case."""

    case: Case
    checks: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether something fired where it should, or nothing where it should not."""
        return bool(self.checks) == self.case.is_failure


def judged(tool: Tool, suite: Iterable[Case]) -> list[Found]:
    """All cases as the tool judges them, in a session of pytest."""
    folder = MADE / "edge" / tool.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "test_edge.py").write_text(SUITE.replace("MARKER", tool.marker))
    (folder / "pytest.ini").write_text("[pytest]\n")
    report = folder / "report.json"
    command = ("-m", "pytest", "-q", f"{tool.report}={report}")
    done = run(tool.python, *command, cwd=folder, env={"PYTHONPATH": str(ROOT / "bench")})
    assert report.is_file(), (done.stdout + done.stderr)[-2000:]
    fired: dict[str, tuple[str, ...]] = {}
    for entry in json.loads(report.read_text())["runs"]:
        name = entry["test"].partition("[")[2].rstrip("]")
        assert entry["capture_complete"], (tool.name, name)
        fired[name] = tuple(verdict["check"] for verdict in entry["verdicts"] if verdict["fired"])
    return [Found(case, fired.get(case.name, ())) for case in suite]


def peer() -> Tool | str:
    """faultgate-zero in its venv, or why it is not there."""
    try:
        python = python_of("faultgate", PEER, *pinned("pytest", "openai", "anthropic", "httpx2"))
    except AssertionError as error:
        return f"{PEER} could not be installed: {str(error).strip().splitlines()[-1]}"
    return Tool(PEER.replace("==", " "), python, "faultgate", "--fgz-json")


def figures(name: str, found: list[Found], *, ours: bool) -> Iterable[Figure]:
    """The lines of one tool."""
    failures = [each for each in found if each.case.is_failure]
    alikes = [each for each in found if not each.case.is_failure]
    caught, alarms = sum(each.right for each in failures), sum(not each.right for each in alikes)
    warned = sum(each.right and WARNS.issuperset(each.checks) for each in failures)
    told = f"{caught} of {len(failures)} ({caught / len(failures):.0%})" + (
        f", {warned} as a warning" if warned else ""
    )
    enough = caught >= 0.95 * len(failures)
    yield Figure(f"{name}: failures that it catches", told, *(("≥ 95 %", enough) if ours else ()))
    told = f"{alarms} of {len(alikes)}"
    yield Figure(f"{name}: look-alikes that it fires on", told, *(("none", not alarms) if ours else ()))


def by_check(by_tool: Mapping[str, list[Found]]) -> None:
    """The table of `docs/checks.md`: how many cases of each check each tool has right."""
    print(f"\n| | cases | {' | '.join(by_tool)} |\n|---|---|{'---|' * len(by_tool)}")
    for first in dict.fromkeys(found.case.expects[:1] for found in next(iter(by_tool.values()))):
        counted = [[each.right for each in found if each.case.expects[:1] == first] for found in by_tool.values()]
        name = f"failures for {_checks(first)}" if first else "**look-alikes that are left alone**"
        print(f"| {name} | {len(counted[0])} | {' | '.join(str(sum(rights)) for rights in counted)} |")
    counted = [[each.right for each in found if each.case.is_failure] for found in by_tool.values()]
    print(f"| **all failures** | {len(counted[0])} | {' | '.join(str(sum(rights)) for rights in counted)} |")


def each_case(by_tool: Mapping[str, list[Found]]) -> None:
    """A line for every case: what each tool said."""
    print(f"\n| case | what should fire | {' | '.join(by_tool)} |\n|---|---|{'---|' * len(by_tool)}")
    for row in zip(*by_tool.values(), strict=True):
        case = row[0].case
        said = [f"{_checks(each.checks)}{'' if each.right else ' ✗'}" for each in row]
        print(f"| {case.story} | {_checks(case.expects[:1])} | {' | '.join(said)} |")


def _checks(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "–"


def main(arguments: list[str]) -> None:
    suite = cases()
    ours = Tool("squall", sys.executable, "checks", "--squall-json")
    other: Any = peer()
    by_tool = {ours.name: judged(ours, suite)}
    if isinstance(other, Tool):
        by_tool[other.name] = judged(other, suite)
    lines = [line for name, found in by_tool.items() for line in figures(name, found, ours=name == ours.name)]
    show("Checks on edge cases, beside a peer", lines)
    if not isinstance(other, Tool):
        print(f"\n{other}")
    by_check(by_tool)
    if "--each" in arguments:
        each_case(by_tool)


if __name__ == "__main__":
    main(sys.argv[1:])
