"""Runs whose model answers, for clients that nobody has told where it is."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import pytest

from squall.runs.environment import Environment
from tests.wire.clients.asked import ANSWER


@pytest.fixture
def begin():
    """Begins a run with the given rules, whose model answers; what fails it is looked at by the test."""

    @contextmanager
    def make(*rules: Any, brain: Any = None, **options: Any):
        run = Environment(faults=list(rules) or None, **options)
        with run.clock.in_charge():
            run.model.brain(brain or (lambda _: ANSWER))
            try:
                yield run
                run.finish()
            finally:
                run.close()

    return make
