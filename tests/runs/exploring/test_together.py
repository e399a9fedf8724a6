"""Several faults on one reply of a model: tried in pairs, shrunk, kept as files and run again."""

from __future__ import annotations

import json
from itertools import permutations

import httpx
import pytest

import squall
from squall.decide import Point
from squall.explore import Choice
from squall.faults.at_model import SLOTS
from squall.faults.registry import shown
from squall.runs.exploring import Weather
from squall.runs.exploring.catalog import follows

HTTP = httpx.Client(timeout=60)
POINT = Point("model", "", "model.chat", "d", 1)
ANSWER = "It comes on Monday, as we have said before, at noon."


def at(kind, point=POINT):
    return Choice(point, kind, "before")


def test_faults_of_one_request_follow_each_other_by_their_slots():
    kinds = {kind.slot: name for name, kind in shown("model").items() if kind.slot is not None}
    assert set(kinds) == set(SLOTS)
    together = {(a, b) for a, b in permutations(SLOTS, 2) if follows(at(kinds[a]), at(kinds[b]))}
    assert together == {
        ("wait", "answer"),
        ("wait", "reply"),
        ("wait", "pace"),
        ("wait", "end"),
        ("reply", "pace"),
        ("reply", "end"),
        ("pace", "end"),
    }
    assert not follows(at("length_cut"), at("empty_content"))


def test_faults_of_two_requests_and_those_of_tools_do_not():
    assert not follows(at("latency"), at("clean_eof", Point("model", "", "model.chat", "other", 1)))
    tool = Point("tool", "", "payments.issue_refund", "d", 1)
    assert not follows(at("latency", tool), at("timeout", tool))


def test_each_of_them_is_decided_in_its_own_slot():
    weather = Weather((at("latency"), at("clean_eof")))
    assert weather.slots() == ("wait", "end")
    assert [weather.of_slot(slot, None).unmatched for slot in weather.slots()] == [(POINT,), (POINT,)]


def agent(run, question="When does it come?", *, patient=False):
    """Takes what came of a stream as the answer if that took long."""
    run.model.brain(lambda _request: ANSWER)
    body = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": question}], "stream": True}
    began, text, whole = run.clock.elapsed(), "", False
    try:
        with HTTP.stream("POST", f"{run.model.openai_base_url}/chat/completions", json=body) as response:
            for line in response.iter_lines():
                data = line.removeprefix("data: ")
                whole = whole or data == "[DONE]"
                if data.startswith("{"):
                    text += "".join(each["delta"].get("content") or "" for each in json.loads(data).get("choices", ()))
    except httpx.HTTPError:
        pass
    if whole or (run.clock.elapsed() - began >= 1 and not patient):
        run.trace.final(text)


def whole_answers(run):
    assert all(final.answer == ANSWER for final in run.trace.finals()), "half of an answer is taken for all of it"


KINDS = ("latency", "stream_disconnect")


def explored(does, depth=2):
    return squall.find_failures(does, holds=whole_answers, kinds=KINDS, depth=depth)


@pytest.fixture(scope="module")
def found():
    return explored(agent)


def test_a_bug_that_takes_two_faults_on_one_reply_is_found_in_pairs_alone(found):
    assert not explored(agent, depth=1).found
    (failure,) = found.found
    assert [(choice.kind, choice.point.target) for choice in failure.schedule] == [
        ("latency", "model.chat"),
        ("stream_disconnect", "model.chat"),
    ]
    assert failure.minimal
    assert found.coverage.claim == (
        "Every single fault (2) and every pair (1) of the kinds latency, stream_disconnect: 1 failure."
    )


def test_the_repaired_twin_stands_them():
    assert explored(lambda run: agent(run, patient=True)).found == ()


def test_its_file_replays_both_faults_exactly_and_by_arrival(found, tmp_path):
    path = squall.keep_failure(found.found[0], tmp_path, test="answers")

    def replayed(does):
        return squall.replay_failure(path, does, holds=whole_answers)

    assert replayed(agent).how == "reproduced"
    assert replayed(lambda run: agent(run, patient=True)).how == "passes now"
    moved = replayed(lambda run: agent(run, "And when is that?"))
    assert (moved.how, moved.leniently) == ("reproduced", ("model.chat #1",))


def test_usual_faults_combine_on_a_stream_and_never_two_of_one_slot():
    tried = squall.find_failures(lambda run: agent(run, patient=True), depth=2, targets=("model.*",)).coverage
    singles, pairs = tried.shares
    assert pairs.run == 12  # three ways to alter what is said, four ways to cut it
    assert (singles.possible, singles.impossible) == (11, 2)  # there is no call whose arguments could be cut
    named = "truncated_arguments (keep 0.9) and truncated_arguments at model.chat (what was said cannot be made so)"
    assert any(named in note for note in tried.notes)
    assert (pairs.possible, pairs.impossible) == (11, 1)  # what is empty has no seventh chunk
