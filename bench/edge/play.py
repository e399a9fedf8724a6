"""Plays cases in this process and has squall judge each: the suite without pytest around it. Knows squall."""

from __future__ import annotations

import squall
from edge import failures, look_alikes
from edge.cases import CASES, Case
from edge.stage import Stage
from squall.checks import Verdict
from squall.checks.story.reading import EXPECTED
from squall.trace.kinds import Mark


def cases() -> list[Case]:
    """All cases, failures first."""
    return [case for case in CASES if case.play.__module__ in (failures.__name__, look_alikes.__name__)]


def judged(case: Case) -> list[Verdict]:
    """What fires on a case, with squall as it is if nobody says anything."""
    with squall.run(case.name) as run:

        def caught(error: BaseException) -> None:
            run.recorder.record(Mark(name=EXPECTED, data={"error": f"{type(error).__name__}: {error}"}))

        case.play(Stage(caught))
    return run.check(policy=case.policy).fired
