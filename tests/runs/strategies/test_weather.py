"""Every kind of fault, met once by each built-in strategy: none of them crashes, and none hangs that has a deadline."""

from __future__ import annotations

import pytest

from squall.call import MODEL_TARGETS
from squall.faults.registry import shown
from tests.runs.strategies.scenarios import LARGE, REFUND, SAID, TWO, fault, turn

STRATEGIES = ("baseline", "careless", "resilient")
STATUSES = ["http_400", "http_401", "http_404", "http_408", "http_409", "http_429", "http_500", "http_502", "http_529"]
CHAT = MODEL_TARGETS["chat"].name
ELSEWHERE = {"stale_read", "tool_removed"}
"""What needs a world."""
NEVER_HERE = {"short_body", "malformed_json", "empty_choices", "interleaved_deltas"}
"""Three are no fault of streams, and no reply here holds two calls."""
MODEL = [name for name, kind in shown("model").items() if "http" not in name and CHAT in kind.targets]
TOOL = [
    name
    for name, kind in shown().items()
    if "http" not in name and name not in ELSEWHERE and kind.wire == "tool" and kind.access
]
AGAIN = {"http_408", "http_409", "http_429", "http_500", "http_502", "http_529"}
RECOVERED = AGAIN | set(MODEL) - {"refusal", "content_filter", "context_overflow"}
"""What is over at the second try."""
LISTED = {"call": "list_refunds", "arguments": {"order": "1"}}
SCRIPT_OF_TWO = turn(**REFUND) + turn(**LISTED) + turn(**SAID)


def test_the_kinds_are_all_there():
    assert {"stream_disconnect", "ping_only", "truncated_arguments", "timeout", "latency"} <= set(MODEL)
    assert {"timeout", "hang", "wrong_value", "missing_field", "empty_result"} <= set(TOOL)


@pytest.mark.parametrize("kind", [*MODEL, *STATUSES])
def test_a_model_that_misbehaves_once(lab, kind):
    nth = 2 if kind in ("reused_call_id", "empty_content", "refusal") else 1
    rans = lab.runs(LARGE + fault(kind=kind, target=CHAT, nth=nth), STRATEGIES, script=SCRIPT_OF_TWO)
    fired = kind not in NEVER_HERE
    for ran in rans.values():
        assert ran.answered in ("completed", "failed"), ran.reasons
        assert ran.status in (("passed", "failed") if fired else ("not_fired",))
        assert ran.faults[0].fired == fired
    assert rans["resilient"].met == (kind in RECOVERED), rans["resilient"].reasons


@pytest.mark.parametrize("kind", [*TOOL, *STATUSES])
def test_a_tool_that_misbehaves_once(lab, kind):
    rans = lab.runs(TWO + fault(kind=kind, step=0), STRATEGIES)
    for strategy, ran in rans.items():
        if kind == "hang" and strategy != "resilient":  # nothing but a deadline of one's own ends it
            assert (ran.status, ran.answered) == ("hung", "")
        else:
            assert ran.answered in ("completed", "failed"), ran.reasons
            assert ran.status in ("passed", "failed")
        assert ran.faults[0].fired == 1
