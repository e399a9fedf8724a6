"""The records of calls."""

from __future__ import annotations

import pytest

import squall
from squall.call import Target
from squall.checks.kinds.blind_retry import CHECK
from squall.checks.options import Options
from squall.decide import Point
from squall.interpose.records import called

POINT = Point("tool", "", "pay.charge", "d", 1, 1)
WORLD = """
services:
  pay:
    records: { charge: { id: str, amount: int } }
    operations:
      charge: { kind: create, record: charge, idempotency_key: request_id }
"""


def test_a_call_carries_the_idempotency_key_where_its_tool_says_which_argument_that_is():
    args = {"amount": 1, "request_id": "r-1"}
    assert called(1, Target("pay.charge", "charge", key="request_id"), POINT, args, []).key == "r-1"
    assert called(1, Target("pay.charge", "charge"), POINT, args, []).key is None


@pytest.mark.parametrize("args", [{}, {"request_id": None}, {"request_id": 7}])
def test_what_is_no_text_is_no_key(args):
    assert called(1, Target("pay.charge", "charge", key="request_id"), POINT, args, []).key is None


@pytest.mark.parametrize(("keys", "verdict"), [(("r-1", "r-1"), "pass"), (("r-1", "r-2"), "fail")])
def test_a_retry_with_the_key_that_the_world_asks_for_is_not_blind(tmp_path, keys, verdict):
    (tmp_path / "pay.yaml").write_text(WORLD)
    lost = [{"target": "pay.charge", "kind": "connection_lost", "nth": 1}]
    with squall.world(tmp_path / "pay.yaml", faults=lost) as run:
        with pytest.raises(ConnectionError):
            run.tools.charge(amount=1, request_id=keys[0])
        run.tools.charge(amount=1, request_id=keys[1])
    assert CHECK.run(run.trace, Options()).verdict == verdict
