"""A run over the world of the table."""

from __future__ import annotations

import pytest

from squall.runs.environment import Environment
from tests.conformance.fault_over_wire import RULES, WORLD


@pytest.fixture(scope="session")
def payments(tmp_path_factory):
    folder = tmp_path_factory.mktemp("payments")
    (folder / "payment_rules.py").write_text(RULES, encoding="utf-8")
    path = folder / "payments.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.fixture
def begin(payments):
    """Begins a run with the given rules, or a whole plan; it ends when it is left."""

    def make(*rules, plan=None, **options):
        return Environment(payments, faults=list(rules) if rules else plan, **options)

    return make
