"""Where a request to a model meets decision, fault, clock and trace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec
import pytest

from squall.call import MODEL_TARGETS, ModelRequest
from squall.clock import VirtualClock
from squall.errors import LimitReached
from squall.faults import Inline, Limits, parse_plan
from squall.faults.at_model import Refuse, Slow
from squall.interpose import Exchange, ModelInterposer
from squall.interpose.numbers import Numbers
from squall.trace import Recorder, Trace
from squall.trace.kinds import Attempt, ModelCall

CHAT = MODEL_TARGETS["chat"]


def plan_of(*rules, **block):
    targets = tuple(MODEL_TARGETS.values())
    return parse_plan(Inline(list(rules) if rules else block["block"]), targets)


def first(number, kind="http_503", **more):
    return {"target": "model.chat", "kind": kind, "first": number, **more}


def request(text="hi", *, retries=None, scope="", model="m", endpoint="chat", **body):
    headers = {} if retries is None else {"x-stainless-retry-count": str(retries)}
    body = {"model": model, "messages": [{"role": "user", "content": text}], **body}
    return ModelRequest(endpoint, model, headers=headers, body=body, scope=scope)


@pytest.fixture
def clock():
    return VirtualClock(limit=None)


@pytest.fixture
def side(clock):
    def make(*rules, record=True, **options):
        recorder = Recorder("r#0", clock.elapsed) if record else None
        made = ModelInterposer(clock, recorder=recorder, **({"plan": plan_of(*rules)} if rules else {}), **options)
        if recorder is not None:
            vars(made)["trace"] = Trace([], recorder)
        return made

    return make


def ask(side, text="hi", target=CHAT, **more):
    asked = request(text, **more)
    return side.arrive(asked, target, msgspec.json.encode(asked.body))


def test_calm_requests_are_numbered_and_nothing_is_to_happen(side):
    calm = side()
    exchanges = [ask(calm), ask(calm), ask(calm, "other"), ask(calm, model="n")]
    assert [(each.call, each.attempt, each.number, each.point.nth) for each in exchanges] == [
        (1, 1, 1, 1),
        (2, 1, 2, 2),
        (3, 1, 3, 1),
        (4, 1, 1, 1),
    ]
    assert all(each.due == {} and not each.over for each in exchanges)
    assert calm.requests == [each.request for each in exchanges]
    assert calm.exchanges == exchanges


def test_numbers_are_those_of_the_run(side):
    numbers = Numbers()
    numbers()
    assert ask(side(numbers=numbers)).call == 2


@pytest.mark.parametrize("said", ["", "x", "-1", "1.5", "9" * 5000, "²"])
def test_a_number_of_tries_that_makes_no_sense_is_none(side, said):
    calm = side()
    ask(calm)
    assert (ask(calm, retries=said).call, ask(calm, retries=1).attempt) == (2, 2)


def test_an_sdks_retries_are_attempts_of_one_call_in_the_trace(side):
    calm = side()
    for retries in range(3):
        ask(calm, retries=retries)
    kinds = [(type(event).__name__, event.call) for _, event in calm.trace]
    assert kinds == [("ModelCall", 1), ("Attempt", 1), ("Attempt", 1), ("Attempt", 1)]
    assert [event.attempt for _, event in calm.trace if isinstance(event, Attempt)] == [1, 2, 3]
    assert [event.number for _, event in calm.trace if isinstance(event, Attempt)] == [1, 2, 3]


def test_a_call_is_recorded_as_it_came(side):
    calm = side()
    ask(calm, temperature=0.5, scope="s", mock_scope="s")
    (call,) = [event for _, event in calm.trace if isinstance(event, ModelCall)]
    assert (call.target, call.model, call.scope, call.stream) == ("model.chat", "m", "s", False)
    assert call.messages == [{"role": "user", "content": "hi"}]
    assert call.asked["temperature"] == 0.5


def test_counting_rules_count_each_endpoint_model_and_scope_apart(side):
    rigged = side({"target": ["model.chat", "model.messages"], "kind": "http_503", "first": 1})
    ways: list[dict[str, Any]] = [
        {},
        {"model": "n"},
        {"scope": "s"},
        {"endpoint": "messages", "target": MODEL_TARGETS["messages"]},
    ]
    assert [bool(ask(rigged, **way).due) for way in ways for _ in range(2)] == [True, False] * len(ways)


def test_the_body_chooses_a_scope_and_is_the_same_point_in_each(side):
    rigged = side(first(1))
    one, two = ask(rigged, scope="a", mock_scope="a"), ask(rigged, scope="b", mock_scope="b")
    assert one.point.digest == two.point.digest
    assert one.point.key != two.point.key


def test_what_differs_in_every_run_makes_no_new_point(side):
    first_run, second_run = side(), side()
    ids = "6f0c1a52-8f0e-4b52-9f0c-2f7f3a1e9b11", "0b6f2a90-13c5-4a77-8a53-7f1f5f1d2c33"
    points = [ask(run, user=user).point.digest for run, user in zip((first_run, second_run), ids, strict=True)]
    assert points[0] == points[1]
    assert [event.masked for _, event in first_run.trace if isinstance(event, Attempt)] == [["user"]]


def drawn(side, texts, **options):
    rigged = side({"target": "model.chat", "kind": "http_503", "probability": 0.5}, **options)
    return {text: [bool(ask(rigged, text, retries=n).due) for n in range(3)] for text in texts}


def test_drawn_faults_are_the_same_in_every_order_of_arrival(side):
    texts = [f"question {number}" for number in range(20)]
    assert drawn(side, texts) == drawn(side, texts[::-1])
    assert drawn(side, texts) != drawn(side, texts, seed=1)
    assert drawn(side, texts) != drawn(side, texts, run_index=1)


def test_drawn_faults_are_the_same_whether_a_trace_is_recorded_or_not(side):
    texts = [f"question {number}" for number in range(20)]
    assert drawn(side, texts) == drawn(side, texts, record=False)


def test_requests_that_arrive_at_once_are_each_counted(side):
    rigged = side(first(10))
    with ThreadPoolExecutor(4) as pool:
        due = list(pool.map(lambda number: bool(ask(rigged, str(number)).due), range(200)))
    assert sum(due) == 10
    assert rigged.attempts == 200
    assert sorted(each.number for each in rigged.exchanges) == list(range(1, 201))


def test_rules_of_several_slots_meet_at_one_request(side):
    rigged = side(first(1, "latency", seconds=3), first(1))
    exchange = ask(rigged)
    assert exchange.action("wait") == Slow(3.0)
    assert isinstance(exchange.action("answer"), Refuse)
    assert exchange.action("end") is None


def test_only_one_rule_of_a_slot_does(side):
    rigged = side(first(1), first(2, "http_429"))
    assert [ask(rigged).due["answer"].rule.kind for _ in range(2)] == ["http_503", "http_429"]


def test_latency_and_rate_limits_are_decided_for_models_too(clock):
    block = {"model.chat": {"latency_ms": [200, 200], "rate_limit": {"calls": 1, "per_seconds": 30}}}
    limited = ModelInterposer(clock, plan=plan_of(block=block))
    admitted, refused = ask(limited), ask(limited)
    assert (admitted.latency, admitted.retry_after) == (0.2, None)
    assert (refused.latency, refused.retry_after) == (0.2, 30.0)


def test_rules_that_come_later_leave_those_before_where_they_were(side):
    rigged = side(first(2))
    assert ask(rigged).due
    rigged.follow(rigged.plan.extended(plan_of(first(1, "latency", seconds=1))))
    assert set(ask(rigged).due) == {"wait", "answer"}
    assert ask(rigged).due == {}


def test_a_model_that_is_in_no_rule_costs_no_point(clock):
    rigged = ModelInterposer(clock, plan=plan_of(first(1, target="gpt-9")), keep=False)
    assert ask(rigged, model="m").due == {}
    assert (rigged.requests, rigged.exchanges) == ([], [])


def test_a_released_scope_begins_anew_and_others_do_not(side):
    rigged = side(first(1))
    assert [bool(ask(rigged, scope=scope).due) for scope in ("a", "a", "b")] == [True, False, True]
    assert rigged.release("a") == 1
    again, other = ask(rigged, scope="a"), ask(rigged, scope="b")
    assert (bool(again.due), again.number, again.point.nth) == (True, 1, 1)
    assert (bool(other.due), other.number) == (False, 2)


def test_what_is_asked_again_after_an_idle_hour_begins_anew(side, clock):
    rigged = side(first(1))
    assert ask(rigged).due
    clock.advance(3600)
    assert not ask(rigged).due
    clock.advance(3601)
    assert ask(rigged).due


def test_too_many_requests_end_the_run(clock):
    clock.limit = 1e6
    limited = ModelInterposer(clock, limits=Limits(calls=2), recorder=Recorder("r#0", clock.elapsed))
    assert [ask(limited).over for _ in range(3)] == [False, False, True]
    assert limited.limit_reached == clock.limit_reached == "the run made more than 2 requests to models"
    with clock.in_charge(), pytest.raises(LimitReached, match="more than 2 requests to models"):
        clock.sleep(0.001)


def test_a_draw_is_the_same_for_a_point_in_every_run(side):
    one, two, other = side(), side(), side(seed=1)
    points = [ask(each).point for each in (one, two, other)]
    assert one.draw(points[0], "share") == two.draw(points[1], "share") != one.draw(points[0], "other")
    assert one.draw(points[0], "share") != other.draw(points[2], "share")


def test_whoever_wants_to_hear_of_finished_requests_does(side):
    quiet = side(record=False, keep=False)
    assert not quiet.tells
    heard: list[Exchange] = []
    quiet.on_finished.append(heard.append)
    assert quiet.tells
    exchange = ask(quiet)
    assert heard == []
    exchange.finish()
    assert heard == [exchange]


def told(name, result="paid"):
    call = {"id": name, "type": "function", "function": {"name": "refund", "arguments": "{}"}}
    return [{"role": "assistant", "tool_calls": [call]}, {"role": "tool", "tool_call_id": name, "content": result}]


def test_the_point_of_a_request_does_not_go_by_how_ids_are_spelt(side):
    one, other, differs = side(), side(), side()
    points = [
        ask(each, messages=told(*what)).point
        for each, what in ((one, ["call_1"]), (other, ["call_2"]), (differs, ["call_1", "refused"]))
    ]
    assert points[0] == points[1] != points[2]


def test_what_is_recorded_keeps_the_ids_as_they_are(side):
    asked = side()
    ask(asked, messages=told("call_1"))
    recorded = next(event for _, event in asked.trace if isinstance(event, ModelCall))
    assert recorded.messages == told("call_1")
