"""What a test can ask for, and the fixture around each run.

Wider-scoped fixtures are set up before the run's clock is in charge, function-scoped ones after it. Knows pytest's
fixtures and which marker each of squall's needs; what they give comes from the run's environment.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.fixtures import FixtureDef

import _squall_pytest
from squall.errors import Position, Problem
from squall.pytest_plugin.markers import EXAMPLES, PARAMETERS, Mode, place
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.run import Run
from squall.pytest_plugin.runs import KEY, PARAMETER

if TYPE_CHECKING:
    from squall.runs.environment import Environment

NEEDS = {
    **dict.fromkeys(("world", "tools", "mcp_server", "mcp_url", "mcp_stdio"), "world"),
    "faults": "faults",
}
ELSEWHERE = "mcp_stdio"
FUNCTION = "function"


@pytest.fixture(name=PARAMETER)
def _run(request: pytest.FixtureRequest) -> Iterator[None]:
    """squall: the run around the other function-scoped fixtures."""
    run = request.node.stash.get(KEY, None)  # a case of a test may have no run where another has
    if run is None or not run.wanted:
        yield
        return
    if run.outer is None:  # the same in each run of the item
        run.outer = [name for name in run.item.fixturenames if scope_of(run.item, name) != FUNCTION]
    for name in run.outer:
        if name not in run.item.funcargs:
            request.getfixturevalue(name)  # on wall time: it outlives this run
    with run.opened(_mode(run, request)):
        yield


def _mode(run: Run, request: pytest.FixtureRequest) -> Mode | None:
    """Wall time where the server is a process of its own, and under trio, whose clock is not ours to turn."""
    if run.asked.clock == "wall":
        return None
    if ELSEWHERE in run.item.fixturenames:
        return _on_wall_time(run, f"{ELSEWHERE} is on wall time: its server is a process of its own")
    if "anyio_backend" not in run.item.fixturenames:
        return None
    backend = request.getfixturevalue("anyio_backend")
    if (backend if isinstance(backend, str) else backend[0]) != "trio":
        return None
    return _on_wall_time(run, "trio runs on wall time: squall's virtual time is asyncio's")


def _on_wall_time(run: Run, why: str) -> Mode:
    if run.told:
        return "wall"
    run.told = run.quiet  # of a run that is one of many, once is enough
    told = warn(run.item.config, f'{why} (mark.clock("wall") says that this is meant)', place(run.item, "world"))
    if told:
        pytest.fail(told, pytrace=False)
    return "wall"


def insert(item: pytest.Function) -> None:
    """Put the run's fixture between the wider-scoped fixtures of an item and its function-scoped ones."""
    names = item.fixturenames = list(item.fixturenames)  # pytest's list is that of all cases of a test
    if PARAMETER in names:
        names.remove(PARAMETER)
    wider = [number for number, name in enumerate(names, 1) if scope_of(item, name) != FUNCTION]
    names.insert(max(wider, default=0), PARAMETER)


def scope_of(item: pytest.Function, name: str) -> str:
    """The scope of the fixture that `item` gets under `name`."""
    found = definitions(item, name)
    return found[-1].scope if found else FUNCTION


def definitions(item: pytest.Function, name: str) -> list[FixtureDef[Any]]:
    """The fixtures of that name which `item` sees, the one that counts last."""
    known = item._fixtureinfo.name2fixturedefs.get(name)  # noqa: SLF001 - pytest has no public way to ask
    if known is None:
        known = item.session._fixturemanager.getfixturedefs(name, item)  # noqa: SLF001 - as above
    return list(known or ())


def ours(item: pytest.Function, name: str) -> bool:
    """Whether squall's own fixture is reached: one of the user's that asks for the same name only extends it."""
    for definition in reversed(definitions(item, name)):
        if definition.func.__module__ == _squall_pytest.__name__:
            return True
        if name not in definition.argnames:
            return False
    return False


def report_shadowed(item: pytest.Function) -> Problem | None:
    """Tell which of squall's fixtures a test with squall's markers does not get; a problem if warnings are errors."""
    for name in _squall_pytest.FIXTURES:
        found = definitions(item, name) if name in item.fixturenames else []
        if found and not ours(item, name):
            code = found[-1].func.__code__
            at = Position(code.co_filename, code.co_firstlineno)
            told = item.config.stash.setdefault(_TOLD, set())
            if at not in told:
                told.add(at)
                if message := warn(item.config, shadowed(name), at):
                    return Problem(message, at)
    return None


_TOLD = pytest.StashKey[set[Position]]()


def shadowed(name: str) -> str:
    """The words of the warning."""
    return (
        f"this fixture {name!r} hides squall's: a test that asks for {name!r} gets this one. squall itself does not "
        f"use it. Rename it, or extend squall's by asking for it: def {name}({name})"
    )


def provide(name: str, request: pytest.FixtureRequest, run: Run) -> object:
    """The value of one of squall's fixtures."""
    needed = NEEDS.get(name)
    if needed and getattr(run.asked, needed) is None:
        pytest.fail(
            f"add @pytest.mark.{needed}({PARAMETERS[needed]}): the fixture {name!r} needs it\n"
            f"    For example: @pytest.{EXAMPLES[needed]}",
            pytrace=False,
        )
    environment = run.environment or _opened_late(run, request)
    return environment.plan if name == "faults" else getattr(environment, name)


def _opened_late(run: Run, request: pytest.FixtureRequest) -> Environment:
    """For a fixture that is asked for while the test already runs."""
    stack = ExitStack()
    run.item.addfinalizer(stack.close)
    return stack.enter_context(run.opened(_mode(run, request)))
