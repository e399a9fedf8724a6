"""What exploring in pytest costs beyond exploring: the same agent, world and schedules by both, and pytest's own part.

The careful agent of `_refund_agent.py`, depth 2 against depth 1 in whole sessions, so that start-up is left aside. What
pytest alone takes is measured by a plain test with as many fixtures, which ask for `request` as squall's do, and whose
phases are run again and again by the bare protocol. CPU time; every other round in reverse order.
"""

from __future__ import annotations

import contextlib
import gc
import io
from collections.abc import Callable, Iterator, Sequence

import _refund_agent as toy
import pytest
from _pytest.runner import runtestprotocol
from _table import MADE, at_most, median, plain, show, turns

import squall

ROUNDS = 9
INI = "[pytest]\nasyncio_default_fixture_loop_scope = function\n"
EXPLORED = """import _refund_agent as toy
import pytest

import squall


@pytest.mark.world(str(toy.WORLD))
@pytest.mark.explore({depth}, kinds=toy.KINDS)
def test_refund(tools, world):
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    toy.refund(tools, look=True)
"""
EMPTY = """import pytest


@pytest.fixture
def run(request):
    yield


@pytest.fixture
def tools(request, run):
    return 1


@pytest.fixture
def world(request, run):
    return 2


def test_nothing(tools, world):
    pass
"""
RUNS = {
    depth: squall.find_failures(toy.careful, toy.WORLD, holds=toy.holds, depth=depth, kinds=toy.KINDS).runs
    for depth in (1, 2)
}


class Bare:
    """Runs an item so many times, with nothing around it."""

    def __init__(self, times: int) -> None:
        self._times = times

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Instead of pytest."""
        for _ in range(self._times):
            runtestprotocol(item, log=False, nextitem=item.parent)  # type: ignore[arg-type]  # only the item is torn down
        item.session._setupstate.teardown_exact(nextitem)  # noqa: SLF001 - as pytest does with the last test of a file
        return True


@contextlib.contextmanager
def collecting() -> Iterator[None]:
    """Garbage is collected, as in any session: without that, what pytest leaves behind would slow it down."""
    gc.enable()
    try:
        yield
    finally:
        gc.disable()


def session(name: str, code: str, plugins: Sequence[object] = ()) -> Callable[[], object]:
    """A session over one file, in this process."""
    folder = MADE / "explored" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"test_{name}.py").write_text(code)
    (folder / "pytest.ini").write_text(INI)
    words = [
        "-q",
        "-p",
        "no:cacheprovider",
        "--squall-no-write",
        f"--rootdir={folder}",
        str(folder / f"test_{name}.py"),
    ]

    def work() -> None:
        with contextlib.redirect_stdout(io.StringIO()) as out, collecting():
            status = pytest.main(words, plugins=list(plugins))
        assert status in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}, (
            out.getvalue()
        )

    return work


def found(depth: int) -> Callable[[], object]:
    """The same without pytest."""

    def work() -> None:
        with collecting():
            squall.find_failures(toy.careful, toy.WORLD, holds=toy.holds, depth=depth, kinds=toy.KINDS)

    return work


def main() -> None:
    works = [
        work
        for depth in (2, 1)
        for work in (
            session(f"depth{depth}", EXPLORED.format(depth=depth)),
            found(depth),
            session(f"bare{depth}", EMPTY, [Bare(RUNS[depth])]),
        )
    ]
    took = turns(*works, rounds=ROUNDS, warm=2)
    runs = RUNS[2] - RUNS[1]
    explored, alone, bare = (
        median(1000 * (many - few) / runs for many, few in zip(took[at], took[at + 3], strict=True)) for at in range(3)
    )
    show(
        "Exploring in pytest",
        [
            plain("one run, explored in pytest", explored, "ms"),
            plain("one run, explored by find_failures", alone, "ms"),
            plain("pytest's own phases, with as many fixtures", bare, "ms"),
            at_most("what the plug-in adds to both", explored - alone - bare, 0.5, "ms"),
        ],
    )


if __name__ == "__main__":
    main()
