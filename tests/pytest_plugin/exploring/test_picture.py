"""A run as text: lanes side by side, in 80 columns."""

from __future__ import annotations

import pytest

from squall.models import say
from squall.pytest_plugin.exploring.picture import drawn
from squall.runs.environment import Environment

LOST = [{"target": "payments.issue_refund", "kind": "timeout", "phase": "after", "probability": 1.0}]


@pytest.fixture
def shop_file(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(
        """
        services:
          payments:
            records: { refund: { id: str, order: str, note: str } }
            operations: { issue_refund: { kind: create, record: refund } }
        """
    )
    return path


def test_who_turned_to_whom_what_went_wrong_and_what_it_left(shop_file):
    with Environment(shop_file, faults=LOST) as run:
        with pytest.raises(TimeoutError):
            run.tools.issue_refund(order="1", note="x" * 200)
        run.finish()
    assert drawn(run.trace) == [
        "       agent  tools  world",
        f" 0 s     ├─────>│      │   issue_refund(note={'x' * 21}…",
        "         │      │      ●   refund 1 inserted",
        "60 s     │      ✗      │   timeout, after the effect",
        "         │<─────┤      │   The request timed out.",
        "         ■      │      │   the run ends: passed",
    ]


def test_a_model_has_a_lane_of_its_own(shop_file):
    httpx = pytest.importorskip("httpx")
    with Environment(shop_file) as run:
        run.model.script(say("hello"))
        body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hi"}]}
        url = f"{run.model.openai_base_url}/chat/completions"
        httpx.post(url, json=body, headers={"authorization": "Bearer x"})
        run.finish()
    lines = drawn(run.trace)
    assert lines[0] == "      agent  model  tools  world"
    assert lines[1] == "0 s     ├─────>│      │      │   model.chat"
    assert lines[2] == "        │<─────┤      │      │   hello"


def test_many_calls_are_folded(shop_file):
    with Environment(shop_file) as run:
        for number in range(200):
            run.tools.issue_refund(order=str(number), note="x")
        run.finish()
    lines = drawn(run.trace)
    assert len(lines) == 31
    assert max(map(len, lines)) <= 80
    assert any("⋮" in line for line in lines)
