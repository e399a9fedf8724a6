from __future__ import annotations

import pytest

from tests.runs.strategies.scenarios import LARGE, TWO, fault

DONE = [{"refund": "r_1"}, {"order": "1", "status": "refunded", "total": 40}]


def test_without_faults_it_does_its_task(lab):
    assert lab.run(TWO, "baseline").answer == DONE
    assert lab.run(LARGE, "baseline").answer == "I have refunded 40."


@pytest.mark.parametrize("kind", ["timeout", "http_503", "malformed_output", "partial_stream"])
def test_it_fails_at_the_first_thing_that_goes_wrong(lab, kind):
    ran = lab.run(TWO + fault(kind=kind, step=1), "baseline")
    assert (ran.status, ran.answered, ran.met) == ("failed", "failed", False)
    assert ran.answer["done"] == DONE[:1]
    assert ran.metrics.attempts == 2


def test_it_believes_its_memory(lab):
    ran = lab.run(TWO + fault(kind="stale_memory", step=1), "baseline")
    assert (ran.answered, ran.met, ran.answer[1]["total"]) == ("completed", False, 39)
    assert "step 1" in ran.reasons[0]


def test_it_does_again_what_it_is_asked_again(lab):
    ran = lab.run(TWO + fault(kind="repeated_call", step=0), "baseline")
    assert (ran.met, ran.metrics.duplicate_effects) == (False, 1)


def test_an_error_of_the_model_ends_it(lab):
    ran = lab.run(LARGE + fault(kind="http_503", target="model.chat", nth=1), "baseline")
    assert ran.answer.startswith("ModelError: 503: The model is under heavy load")
    assert ran.events("ToolCall") == []
