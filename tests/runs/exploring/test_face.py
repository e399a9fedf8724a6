"""Exploring from Python, `runs/exploring/face.py`: what it takes, keeps, replays, and makes of odd agents."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import sys
from types import SimpleNamespace

import openai
import pytest

import squall
from squall import UsageError
from squall.models import say
from squall.reports.exploration import exploration_of, smallest


def pays_twice(run):
    try:
        run.tools.issue_refund(order="A1", amount=40)
    except (TimeoutError, ConnectionError):
        run.tools.issue_refund(order="A1", amount=40)


def pays_once(run):
    with contextlib.suppress(Exception):
        run.tools.issue_refund(order="A1", amount=40)


def one_refund(run):
    squall.at_most_once(run.world.refunds, by="order")


@pytest.fixture
def kept(world, tmp_path):
    """The file of a failure."""
    explored = squall.find_failures(pays_twice, world, holds=one_refund, kinds=["connection_lost"], first=True)
    return squall.keep_failure(explored.found[0], tmp_path / "failures", test="a refund")


def test_what_was_found_is_printed_in_a_line(world):
    explored = squall.find_failures(pays_twice, world, holds=one_refund, kinds=["connection_lost"], first=True)
    assert repr(explored) == f"<explored: {explored.coverage.claim}>"
    failure = explored.found[0].finding.failure
    assert repr(explored.found[0]) == f"<found: {failure}, under connection_lost (after) at money.issue_refund>"
    plainly = squall.find_failures(lambda run: 1 / 0, world)
    assert [repr(each).rpartition(", ")[2] for each in plainly.found] == ["under no fault>"]


def test_seconds_that_are_used_up_end_the_search_and_that_is_said(world, monkeypatch):
    watch = SimpleNamespace(monotonic=itertools.count().__next__)  # a second each time that somebody looks
    monkeypatch.setattr(sys.modules["squall.runs.exploring.search"], "real", watch)
    explored = squall.find_failures(pays_once, world, seconds=3)
    assert "Cut short: 3 seconds are used up." in explored.coverage.notes
    watch.monotonic = itertools.count().__next__
    whole = squall.find_failures(pays_once, world, seconds=10_000)
    assert not [note for note in whole.coverage.notes if "Cut short" in note]
    assert whole.runs > explored.runs == 2 + 4


def test_tokens_that_are_used_up_end_the_search_and_that_is_said():
    def asks(run):
        run.model.script(say("Hello."))
        with contextlib.suppress(openai.OpenAIError):
            openai.OpenAI().chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi " * 30}])

    explored = squall.find_failures(asks, depth=2, tokens=100, crashes=False)
    assert "Cut short: the budget of 100 tokens is used up." in explored.coverage.notes
    assert explored.runs < squall.find_failures(asks, depth=2, crashes=False).runs


def test_a_failure_is_kept_in_a_file_that_says_how_it_is_replayed(kept):
    found = json.loads(kept.read_text(encoding="utf-8"))
    assert found["test"] == "a refund"
    assert found["how"] == f'squall.replay_failure("{kept.as_posix()}", agent, world, holds=…)'
    assert [(each["kind"], each["phase"]) for each in found["schedule"]] == [("connection_lost", "after")]


def test_the_file_of_a_failure_has_digests_of_the_agent_the_world_and_its_tools(kept, world, tmp_path):
    digests = json.loads(kept.read_text(encoding="utf-8"))["digests"]
    assert set(digests) == {"agent", "world", "tools"}

    def rewritten(run):
        pays_twice(run)

    other = squall.find_failures(rewritten, world, holds=one_refund, kinds=["connection_lost"])
    again = squall.keep_failure(other.found[0], tmp_path / "others", test="a refund")
    assert again.name == kept.name
    changed = json.loads(again.read_text(encoding="utf-8"))["digests"]
    assert (changed["world"], changed["agent"] == digests["agent"]) == (digests["world"], False)


def test_a_failure_that_does_not_show_again_is_told_so_and_is_kept_in_no_file(world, tmp_path):
    faulted = []

    def fails_once(run):
        try:
            run.tools.issue_refund(order="A1", amount=40)
        except TimeoutError:
            faulted.append(1)
            if len(faulted) == 1:
                raise RuntimeError("by chance") from None

    explored = squall.find_failures(fails_once, world, kinds=["timeout"])
    (found,) = explored.found
    assert (found.shows_again, found.minimal, found.finding.message) == (False, False, "by chance")
    with pytest.raises(UsageError, match=r"'RuntimeError at test_face\.py:\d+' did not show again"):
        squall.keep_failure(found, tmp_path, test="a refund")
    assert list(tmp_path.glob("*.json")) == []
    (failure,) = exploration_of("a refund", explored).failures
    assert (failure.status, failure.message, failure.lines) == ("crashed", "by chance", ())
    assert failure.violated.startswith("RuntimeError at test_face.py:")
    assert "did not show" in smallest(failure)


def test_a_replay_says_that_it_reproduces_or_passes_now(kept, world):
    again = squall.replay_failure(kept, pays_twice, world, holds=one_refund)
    assert (again.how, again.leniently) == ("reproduced", ())
    assert again.words.startswith("reproduced: at_most_once at test_face.py:")
    assert squall.replay_failure(kept, pays_once, world, holds=one_refund).how == "passes now"


def test_a_replay_of_changed_code_strikes_the_call_that_arrives_as_the_same_and_says_so(kept, world):
    def asks_more(run):
        try:
            run.tools.issue_refund(order="A1", amount=39)
        except ConnectionError:
            run.tools.issue_refund(order="A1", amount=39)

    again = squall.replay_failure(kept, asks_more, world, holds=one_refund)
    assert (again.how, again.leniently) == ("reproduced", ("money.issue_refund #1",))


def test_a_replay_says_which_fault_did_not_fire(kept, world):
    again = squall.replay_failure(kept, lambda run: run.tools.get_order(id="A1"), world, holds=one_refund)
    assert again.how == "fault not fired"
    assert "connection_lost (after) at money.issue_refund" in again.words


@pytest.mark.parametrize("agent", [None, "refund"])
def test_an_agent_is_a_function(agent, world):
    with pytest.raises(UsageError, match="which is no function"):
        squall.find_failures(agent, world)


def test_a_kind_that_there_is_not_is_told_with_the_nearest(world):
    with pytest.raises(UsageError, match=r"unknown kind of fault 'conection_lost'[\s\S]*connection_lost"):
        squall.find_failures(pays_once, world, kinds=["conection_lost"])


def test_a_file_that_holds_no_failure_is_told(world, tmp_path):
    with pytest.raises(UsageError, match="cannot read"):
        squall.replay_failure(tmp_path / "none.json", pays_once, world)


def test_an_agent_that_ends_the_process_has_crashed(world):
    def agent(run):
        try:
            run.tools.get_order(id="A1")
        except ConnectionError:
            sys.exit("the shop is closed")

    (found,) = squall.find_failures(agent, world, kinds=["connection_lost"]).found
    assert found.observed.status == "crashed"
    assert found.observed.failure.startswith("SystemExit at test_face.py:")


def test_a_cancellation_that_an_agent_lets_out_is_a_crash(world):
    def agent(run):
        try:
            run.tools.get_order(id="A1")
        except ConnectionError:
            raise asyncio.CancelledError from None

    (found,) = squall.find_failures(agent, world, kinds=["connection_lost"]).found
    assert found.finding.failure.startswith("CancelledError at ")


def test_where_crashes_are_no_failures_the_world_is_judged_all_the_same(world):
    def agent(run):
        pays_twice(run)
        raise KeyError("later")

    calm = squall.find_failures(pays_once, world, crashes=False, kinds=["connection_lost"])
    assert calm.found == ()

    def crashes_when_lost(run):
        try:
            run.tools.issue_refund(order="A1", amount=40)
        except ConnectionError:
            run.tools.issue_refund(order="A1", amount=40)
            raise

    (found,) = squall.find_failures(
        crashes_when_lost, world, holds=one_refund, crashes=False, kinds=["connection_lost"]
    ).found
    assert found.finding.failure.startswith("at_most_once at ")


def test_a_property_that_cannot_be_asked_is_no_crash_of_the_agent(world):
    def holds(run):
        amounts = [refund.amount for refund in run.world.refunds]
        assert amounts.pop() == 40

    (found,) = squall.find_failures(pays_once, world, holds=holds, crashes=False, kinds=["http_503"]).found
    assert (found.observed.status, found.observed.failure.partition(" at ")[0]) == ("failed", "IndexError")


def test_a_property_that_cannot_be_asked_counts_where_the_agent_crashed_too(world):
    def crashes(run):
        run.tools.issue_refund(order="A1", amount=40)

    def breaks(run):
        assert next(refund.amount for refund in run.world.refunds) == 40

    def holds(run):
        assert all(refund.amount == 40 for refund in run.world.refunds)

    (found,) = squall.find_failures(crashes, world, holds=breaks, crashes=False, kinds=["http_503"]).found
    assert (found.observed.status, found.observed.failure.partition(" at ")[0]) == ("failed", "StopIteration")
    assert squall.find_failures(crashes, world, holds=holds, crashes=False, kinds=["http_503"]).found == ()


def test_an_async_agent_is_explored_from_sync_code(world):
    async def agent(run):
        await run.tools.aio.get_order(id="A1")

    async def within():
        return squall.find_failures(agent, world)

    explored = asyncio.run(within())
    assert "within a running event loop" in explored.found[0].observed.message
    assert squall.find_failures(agent, world, crashes=False, kinds=["http_503"]).coverage.claim.startswith("Every")


def test_a_world_is_read_once_for_a_search(world, tmp_path):
    path = tmp_path / "changing.yaml"
    path.write_text(world.read_text(encoding="utf-8"), encoding="utf-8")

    def agent(run):
        path.write_text("nothing: that is a world", encoding="utf-8")
        pays_once(run)

    assert squall.find_failures(agent, path, kinds=["http_503"]).found == ()
