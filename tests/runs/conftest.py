"""A world with one service, and a way to begin a run over it."""

from __future__ import annotations

import pytest

from squall.runs.environment import Environment

WORLD = """\
name: till
seed: 7
services:
  till:
    records: { sale: { id: str, amount: float, at: datetime } }
    seed: { sale: [{ id: "1", amount: 5 }] }
    operations:
      sell: { kind: create, record: sale, required: [amount] }
      list_sales: { kind: list, record: sale }
faults:
  till.sell: { errors: { http_503: 1.0 } }
"""


@pytest.fixture
def till(tmp_path):
    path = tmp_path / "till.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.fixture
def begin(till):
    def make(*rules, **options):
        return Environment(till, faults=list(rules) if rules else None, **options)

    return make
