"""`make demo`: a refund agent in bad weather. Its gate fails, and its repaired twin's passes. Then the lab.

Runs pytest on examples/shop, shows what that prints, and holds it against what it should be; runs the six scenarios of
scenarios/ with three strategies: exits with 0 when all came out as told, else with 1. Works from any folder, and leaves
`demo/report.html` in it, with its runs beside it.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

SHOP = Path(__file__).resolve().parent / "shop"
SCENARIOS = SHOP.parents[1] / "scenarios"
LEFT = Path("demo")
STRATEGIES = ("baseline", "careless", "resilient")  # the last one has to be the only one that meets all expectations
OPENING = """\
A refund agent works for a small shop. In the weather of examples/shop/worlds/shop.yaml the payment service loses three
replies in ten: the money is paid, and the agent never hears of it. Each agent gets 20 runs, and none may pay twice.

The first agent does whatever failed again. In fair weather it passes."""
BETWEEN = (
    "Its repaired twin asks list_refunds before it pays. Otherwise it is the same agent: examples/shop/refund_agents.py"
)
LAB = (
    "Now the lab: six small tasks, in each of which something goes wrong, for three strategies. One gives up at once,\n"
    "one tries everything again, and one asks before it repeats what may have happened."
)
CLOSING = """\
The bug lay in what the agent does when nobody answers. Each lost reply ran into the MCP client's own deadline of
30 seconds, in virtual time: none of them passed on your wall.

Next, in examples/shop with ../../.venv/bin/pytest:
  test_refunds.py     what you just saw, to be copied; put your own agent in
  worlds/shop.yaml    the shop and its weather; take the last line's advice, and the repaired agent fails too
and demo/report.html shows what you just saw of the lab. In docs:
  testing.md          markers, fixtures, gates
  worlds.md           services of your own
  faults.md           all that can go wrong"""


def main() -> int:
    print(f"{OPENING}\n")
    if not show("test_the_hasty_agent", expected="failed"):
        return 1
    print(f"\n{BETWEEN}\n")
    if not show("test_the_careful_agent", expected="passed"):
        return 1
    print(f"\n{LAB}\n")
    if not lab():
        return 1
    print(f"\n{CLOSING}")
    return 0


def lab() -> bool:
    """Run the six scenarios with each strategy, into a folder of the demo's own; whether they came out as expected."""
    shutil.rmtree(LEFT, ignore_errors=True)
    files = [str(path) for path in sorted(SCENARIOS.glob("*.toml"))]
    into = ["--output", str(LEFT / "runs"), "--report", str(LEFT / "report.html")]
    print(f"$ squall suite scenarios/*.toml --strategies {','.join(STRATEGIES)} {' '.join(into)}", flush=True)
    command = [sys.executable, "-m", "squall", "suite", *files, "--strategies", ",".join(STRATEGIES), *into]
    done = subprocess.run(command, check=False)
    with (LEFT / "report.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["group"] == "strategy"]
    whole = [row["strategy"] for row in rows if row["met"] == row["runs"]]
    if done.returncode != 1 or whole != [STRATEGIES[-1]]:
        print(f"This is not what the demo should show: {STRATEGIES[-1]} alone should have passed.", file=sys.stderr)
        return False
    return True


def show(test: str, *, expected: str) -> bool:
    """Run one test of the shop; whether its gate came out as expected."""
    command = ["pytest", f"test_refunds.py::{test}", "--tb=no", "--quiet"]
    print(f"$ {' '.join(command)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        subprocess.run([sys.executable, "-m", *command], cwd=SHOP, env=surroundings(report), check=False)
        gate = gate_in(report)
    if gate != expected:
        print(f"This is not what the demo should show: the gate of {test} should have {expected}.", file=sys.stderr)
    return gate == expected


def gate_in(report: Path) -> str | None:
    """`passed` or `failed`; None where pytest has told nothing, or of something else than a gate."""
    cases = list(ElementTree.parse(report).iter("testcase")) if report.exists() else []  # noqa: S314 - pytest's own file
    failures = [failure.get("message", "") for case in cases for failure in case.iter("failure")]
    if len(cases) != 1 or any(case.find("error") is not None or case.find("skipped") is not None for case in cases):
        return None
    if not failures:
        return "passed"
    return "failed" if failures[0].startswith("gate:") else None


def surroundings(report: Path) -> dict[str, str]:
    """The environment without what would change pytest's doing, and with all that it writes beside `report`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    colour = "yes" if sys.stdout.isatty() else "no"
    options = f"-p no:cacheprovider --no-header --color={colour} --junitxml={report}"
    return kept | {"PYTEST_ADDOPTS": options, "PYTHONDONTWRITEBYTECODE": "1"}


if __name__ == "__main__":
    sys.exit(main())
