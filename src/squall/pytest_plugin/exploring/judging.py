"""What came of one run of a test, by squall's run and by what pytest's phases raised.

What squall's own run says goes first. What was raised beside it, by the test after its run, by a fixture's clean-up or
by a check, fails a run that is well otherwise. That an agent crashed hides no judgement, and is nothing where the test
has expected it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from squall.explore import Observed
from squall.explore.observed import Status
from squall.pytest_plugin.exploring.once import Phase, Subtest
from squall.runs.exploring.catalog import Catalog
from squall.runs.exploring.identity import identity_of, words_of, writable
from squall.runs.exploring.observing import observed
from squall.runs.exploring.weather import Weather
from squall.runs.result import gives_way, is_skip, status_of

CHECK = "check:"
OF_CHECKS = "AgentCheckFailed"  # by name: to import it would wake the checks where there is no agent to check
IN_SUBTESTS = "a subtest"
LONGEST_NAME = 80  # characters of what a subtest is called


def judged(weather: Weather, catalog: Catalog, phases: Sequence[Phase], subtests: Sequence[Subtest]) -> Observed | None:
    """What came of a run; None where the test has built no run of squall's that has ended. `subtests` have failed."""
    run = weather.run
    if run is None or run.result is None:
        return None
    found = observed(run, weather, catalog)
    status, failure, message = beside(phases, subtests)
    if found.status == "crashed" and status == "passed":
        status = "passed" if len(found.fired) == len(weather.schedule) else "not_fired"
    elif status == "passed" or (found.bad and (found.status, status) != ("crashed", "failed")):
        return found
    return msgspec.structs.replace(found, status=status, failure=failure, message=message)


def beside(phases: Sequence[Phase], subtests: Sequence[Subtest]) -> tuple[Status, str, str]:
    """What pytest alone would say: how the run ended, what failed, in which words."""
    errors = [phase.error for phase in phases if phase.error is not None]
    judgements = [error for error in errors if status_of(error) == "failed" and not gives_way(error)]
    error = next(iter(judgements or errors), None)
    if subtests and not judgements and (error is None or status_of(error) == "crashed"):
        first = subtests[0]
        named = f"{IN_SUBTESTS}: {writable(first.name)[:LONGEST_NAME]}" if first.name else IN_SUBTESTS
        return "failed", named, writable(first.said)
    if error is None:
        return "passed", "", ""
    if is_skip(error) or isinstance(error, pytest.xfail.Exception):
        return "skipped", "", ""
    status = status_of(error)
    if type(error).__name__ == OF_CHECKS:
        return status, f"{CHECK}{_first_check(error)}", words_of(error)
    return status, identity_of(error, status), words_of(error)


def _first_check(error: Any) -> str:
    return next((str(each.check) for each in error.result.verdicts if each.fails), "")
