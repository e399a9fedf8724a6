"""Which argument is another one each time, `runs/exploring/differing.py`."""

from __future__ import annotations

import itertools
import uuid

import pytest

import squall
from squall.runs.exploring.details import Details
from squall.runs.exploring.differing import differing
from squall.trace import Recorder, Trace
from squall.trace.kinds import ModelCall

SHOP = """
services:
  pay:
    records:
      refund: { id: str, order: str, note: str }
    operations:
      refund: { kind: create, record: refund }
"""


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(SHOP, encoding="utf-8")
    return path


def test_the_argument_that_differs_stands_in_the_claim_and_in_the_note(shop):
    number = itertools.count()

    def agent(run):
        run.tools.refund(order="7", note=f"the {next(number)}th")

    told = squall.find_failures(agent, shop, kinds=["http_503"], crashes=False).coverage
    assert told.claim == (
        "No single fault (0 of 4) of the kinds http_503; 4 never fired, and calls have other arguments in each run "
        "(note): no failure."
    )
    assert "pay.refund, had other arguments each time (note)" in told.notes[0]


def test_what_makes_no_other_point_is_not_named(shop):
    def agent(run):
        run.tools.refund(order="7", note=str(uuid.uuid4()))

    told = squall.find_failures(agent, shop, kinds=["http_503"], crashes=False).coverage
    assert told.claim == "Every single fault (2) of the kinds http_503: no failure."


def asked(*messages, **rest):
    event = ModelCall(call=1, target="model.chat", model="m", messages=list(messages), asked=rest)
    recorder = Recorder("r#0", lambda: 0.0)
    recorder.record(event)
    return Details(lines=tuple(Trace([], recorder).lines))


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        (asked({"content": "a"}), asked({"content": "a"}), ""),
        (asked({"content": "a"}, {"content": "b"}), asked({"content": "a"}, {"content": "c"}), "messages.*.content"),
        (asked({"tool_call_id": "call_1"}), asked({"tool_call_id": "call_2"}), ""),
        (asked(user="2f6a0d5c-6f9e-4b7e-9d4b-0a1b2c3d4e5f"), asked(user="00000000-6f9e-4b7e-9d4b-0a1b2c3d4e5f"), ""),
        (asked(seed=1), asked(seed=2), "seed"),
        (asked({}), asked({}, {}), "messages"),
        (asked({}), Details(), ""),
    ],
)
def test_requests_to_models_are_compared_by_what_makes_a_point(one, other, path):
    assert differing(one, other) == path
