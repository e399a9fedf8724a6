from __future__ import annotations

import pytest

from tests.runs.strategies.scenarios import LARGE, TWO, fault


def test_it_does_a_write_again_that_was_done(lab):
    ran = lab.run(TWO + fault(kind="timeout", step=0), "careless")
    assert (ran.answered, ran.met, ran.metrics.duplicate_effects) == ("completed", False, 1)
    assert ran.reasons == ("step 0, issue_refund, happened 2 times",)


def test_it_gets_through_what_happens_before_the_effect(lab):
    ran = lab.run(TWO + fault(kind="http_503", step=0, repeat=3), "careless")
    assert (ran.met, ran.seconds) == (True, 0.0)  # at once, whatever anybody asks for


def test_it_gives_up_after_four_tries(lab):
    ran = lab.run(TWO + fault(kind="http_403", step=0, repeat=4), "careless")
    assert (ran.answered, ran.metrics.attempts) == ("failed", 4)


@pytest.mark.parametrize("kind", ["stale_memory", "repeated_call"])
def test_it_believes_what_it_is_told(lab, kind):
    ran = lab.run(TWO + fault(kind=kind, step=0), "careless")
    assert (ran.answered, ran.met) == ("completed", False)


def test_it_refunds_twice_in_a_world_too(lab):
    ran = lab.run(LARGE + fault(kind="timeout", target="payments.issue_refund", nth=1), "careless")
    assert (ran.answered, ran.met) == ("completed", False)
    assert ran.reasons[0].startswith("at most one refund per order, but '1' has 2")
