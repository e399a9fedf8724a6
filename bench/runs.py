"""What a run costs in pytest: 100 seeded runs of a scripted agent against 100 empty tests, and against faultbench.

Whole sessions, in turns. A session with one run is taken from one with a hundred, so that start-up is left aside. CPU
time is counted (of the session's process), which on an idle machine is what a clock on the wall shows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from _table import MADE, Figure, at_least, at_most, children, median, plain, show, turns
from _venvs import pinned, python_of, run

RUNS = 100
ROUNDS = 15
RIVAL = "faultbench==0.1.1"
WORLD = Path(__file__).resolve().parent / "worlds" / "refunds.yaml"
INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"
MARKS = f"""import pytest

pytestmark = [
    pytest.mark.world({str(WORLD)!r}),
    pytest.mark.faults({str(WORLD)!r}),
    pytest.mark.runs(NUMBER),
    pytest.mark.min_pass_rate(0.95),
]
"""
EMPTY = """import pytest


@pytest.mark.parametrize("number", range(NUMBER))
async def test_nothing(number):
    pass
"""
# An agent that reads an order and refunds it once, taking failures as they come.
TOOLS = f"""{MARKS}

def test_agent(world, tools):
    order = tools.get_order(id=world.orders.pick(status="delivered").id)
    try:
        tools.issue_refund(order_id=order["id"], amount=order["total"])
    except Exception:
        pass
    assert len(world.refunds.where(order_id=order["id"])) <= 1
"""
TOOLS_ASYNC = TOOLS.replace("def test", "async def test").replace("tools.", "await tools.aio.")
SERVER = f"""{MARKS}

async def test_agent(world, mcp_server):
    order = world.orders.pick(status="delivered")
    await mcp_server.call_tool("get_order", {{"id": order.id}})
    try:
        await mcp_server.call_tool("issue_refund", {{"order_id": order.id, "amount": order.total}})
    except Exception:
        pass
    assert len(world.refunds.where(order_id=order.id)) <= 1
"""


def session(name: str, test: str, number: int, python: Path | str, *options: str) -> Callable[[], None]:
    """A session over one file with so many runs; it must pass."""
    folder = MADE / "sessions" / f"{name}_{number}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "test_one.py").write_text(test.replace("NUMBER", str(number)))
    (folder / "pytest.ini").write_text(INI)

    def work() -> None:
        done = run(python, "-m", "pytest", "-q", *options, cwd=folder)
        assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]

    return work


def main() -> None:
    here = sys.executable
    rival = python_of("faultbench", RIVAL, *pinned("pytest", "pytest-asyncio", "mcp", "pydantic"))
    off = ("-p", "no:squall")
    kinds: dict[str, tuple[str, str, Path | str, tuple[str, ...]]] = {
        "100 empty async tests": ("empty", EMPTY, here, off),
        "100 empty sync tests": ("empty_sync", EMPTY.replace("async def", "def"), here, off),
        "100 runs through `tools`": ("tools", TOOLS, here, ()),
        "100 runs through `tools.aio`": ("tools_async", TOOLS_ASYNC, here, ()),
        "100 runs through `mcp_server.call_tool`": ("server", SERVER, here, ()),
        f"100 runs in {RIVAL.replace('==', ' ')}, `mcp_server.call_tool`": ("rival", SERVER, rival, ()),
    }
    works = [
        session(name, test, number, python, *options)
        for name, test, python, options in kinds.values()
        for number in (RUNS, 1)
    ]
    took = turns(*works, rounds=ROUNDS, clock=children)
    typical = [median(times) for times in took]
    middle = [(many - single) * RUNS / (RUNS - 1) for many, single in zip(typical[::2], typical[1::2], strict=True)]
    empty, _, tools, tools_async, server, other = middle
    figures = [plain(name, 1000 * value, "ms") for name, value in zip(kinds, middle, strict=True)]
    figures += [
        at_most("runs through `tools` / empty async tests", tools / empty, 2, "times"),
        at_most("runs through `tools.aio` / empty async tests", tools_async / empty, 2, "times"),
        at_least("faultbench / runs through `tools`", other / tools, 4, "times"),
        at_least("faultbench / runs through `tools.aio`", other / tools_async, 4, "times"),
        plain("faultbench / runs through `mcp_server.call_tool`", other / server, "times"),
    ]
    figures += [
        Figure(f"whole session, one run: {name}", f"{1000 * typical[2 * at + 1]:.0f} ms")
        for at, name in ((2, "squall"), (5, "faultbench"))
    ]
    show(f"{RUNS} runs in pytest, start-up aside", figures)


if __name__ == "__main__":
    main()
