"""The story of `provider_over_wire`, over every way: the same answers, the same faults, the same bytes."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from squall.faults.registry import MODEL_KINDS
from tests.conformance.provider_over_wire import ASKS, FIRST, ROWS, WAYS, Story

TIMES = re.compile(rb'"(created|created_at|completed_at|anthropic-ratelimit-[a-z-]+-reset)":\s*([\d.]+|"[^"]*")')


@pytest.fixture(scope="session")
def told(tmp_path_factory):
    """The outcomes of a way, which tells the story once."""

    @cache
    def tell(way):
        return WAYS[way](Story.written(tmp_path_factory.mktemp("story")))

    return tell


def timeless(value: Any) -> Any:
    """Without the moments that are others on wall time."""
    if isinstance(value, bytes):
        return TIMES.sub(rb'"\1":0', value)
    return json.loads(TIMES.sub(rb'"\1":0', json.dumps(value).encode()))


def test_every_kind_is_in_the_story():
    assert {row.kind for row in ROWS if not row.kind.startswith("http_")} == set(MODEL_KINDS)


@pytest.mark.parametrize("way", [way for way in WAYS if way != FIRST])
@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.model)
def test_sdks_hear_the_same_and_the_provider_notes_the_same_and_the_bytes_are_the_same(told, ask, way):
    here, there = told(FIRST)[ask.model], told(way)[ask.model]
    assert timeless(there.heard) == timeless(here.heard)
    assert timeless(there.attempts) == timeless(here.attempts)
    assert there.raw.error == here.raw.error
    assert list(map(timeless, there.raw.said)) == list(map(timeless, here.raw.said))
    if there.took is not None:
        assert there.took == pytest.approx(
            here.took, abs=0.2
        )  # async SDKs begin in a worker thread, which may take time
    assert [each["fault"] for each in there.attempts[0]["faults"]] == [ask.row.kind] * ask.row.fires


@pytest.mark.parametrize("way", WAYS)
def test_each_fault_was_met_once_and_what_is_tried_again_is_answered(told, way):
    tries = {model: len(outcome.attempts) for model, outcome in told(way).items()}
    assert set(tries.values()) == {1, 2}
    retried = {model.partition("-")[0] for model, number in tries.items() if number == 2}
    assert retried == {"http_503", "http_429", "http_500", "timeout", "connection_error", "reset", "short_body"}
