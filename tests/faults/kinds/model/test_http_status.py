"""The kinds `http_STATUS` of models."""

from __future__ import annotations

import pytest

from squall.faults.at_model import Refuse
from squall.faults.kinds import http_status as of_tools
from squall.faults.kinds.model.http_status import FAMILY, kind_for


def test_the_provider_refuses_in_its_own_words(trial):
    assert trial.at_model(kind_for(503)) == Refuse(503)


def test_what_a_client_is_told_can_be_stated(trial):
    action = trial.at_model(
        kind_for(429), retry_after="2s", retry_after_ms=250, x_should_retry=False, message="Slow down.", code="slow"
    )
    assert action == Refuse(429, "Slow down.", "slow", 2.0, 250.0, should_retry=False)


@pytest.mark.parametrize("status", [400, 429, 529, 599])
def test_each_status_is_a_kind(status):
    kind = FAMILY.member(f"http_{status}")
    assert kind is not None
    assert (kind.name, kind.wire, kind.slot, kind.phase) == (f"http_{status}", "model", "answer", "before")


@pytest.mark.parametrize("name", ["http_200", "http_600", "http_", "http_5e2", "http"])
def test_what_is_no_error_status_is_no_kind(name):
    assert FAMILY.member(name) is None


def test_it_is_another_kind_than_that_of_tools():
    assert set(kind_for(503).parameters) - set(of_tools.kind_for(503).parameters) == {
        "retry_after_ms", "x_should_retry", "code"
    }  # fmt: skip


def test_its_example_parses(shop):
    (rule,) = shop.read(FAMILY.shown.example).rules.faults
    assert (rule.kind, rule.first, rule.params) == ("http_503", 2, {"retry_after": 2.0})
