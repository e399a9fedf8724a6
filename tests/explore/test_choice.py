from __future__ import annotations

import msgspec

from squall.decide import Point
from squall.explore import CALM, Choice, in_words

POINT = Point("tool", "", "payments.issue_refund", "d", 1)
LATER = Point("model", "", "model.chat", "d", 2, 3)


def test_a_fault_is_told_by_its_kind_phase_parameters_and_point():
    assert str(Choice(POINT, "timeout", "after")) == "timeout (after) at payments.issue_refund"
    said = str(Choice(LATER, "latency", "before", (("seconds", 5.0),)))
    assert said == "latency (before, seconds 5.0) at model.chat #2, attempt 3"


def test_a_schedule_is_told_in_its_order():
    schedule = Choice(POINT, "timeout", "after"), Choice(LATER, "http_503", "before")
    told = "timeout (after) at payments.issue_refund, then http_503 (before) at model.chat #2, attempt 3"
    assert in_words(schedule) == told
    assert in_words(CALM) == "no fault"


def test_faults_are_equal_by_all_that_they_are_and_may_have_lists_as_parameters():
    one, other = (Choice(POINT, "cut", "after", (("at", [number]),)) for number in (1, 2))
    assert one != other
    assert len({one, other, Choice(POINT, "cut", "after", (("at", [1]),))}) == 2


def test_a_schedule_survives_being_written_down():
    schedule = Choice(POINT, "cut", "after", (("at", [1, {"x": None}]), ("seconds", 1.5))), Choice(LATER, "x", "late")
    assert msgspec.json.decode(msgspec.json.encode(schedule), type=tuple[Choice, ...]) == schedule
