"""An exploration as reports show it: made of what a search came to, and its parts in words."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from squall.decide import Point
from squall.explore import Choice, Coverage, Line
from squall.reports.exploration import (
    Exploration,
    Failure,
    alike,
    choice_in_words,
    exploration_of,
    headline,
    revealed,
    smallest,
    statuses,
    tried,
    verdict,
)
from squall.reports.exploration_limits import PRUNED, VACUOUS, limits

REFUND = Point("tool", "", "payments.issue_refund", "d", 1)
MODEL = Point("model", "", "model.chat", "d", 2, 3)
EMPTY = Coverage("A claim.", (), (), (), (), {}, 0, 0, 0, (), (), "", "")
ONE, TWO = Choice(REFUND, "timeout", "after"), Choice(MODEL, "http_429", "before", (("retry_after", 2.0),))


def failure(*schedule, minimal=True):
    return Failure("lost", "failed", "", schedule, minimal, ())


def test_what_a_search_came_to_is_taken_over_with_its_files_and_commands(explored):
    shown = exploration_of("agent", explored, files=["a.json"], replay=lambda file: f"again {file}")
    (found,) = shown.failures
    assert (found.file, found.replay, found.minimal, found.times) == ("a.json", "again a.json", True, 2)
    assert found.violated == explored.found[0].observed.what
    assert (shown.runs, shown.coverage) == (explored.runs, explored.coverage)


def test_without_files_there_is_nothing_to_replay(explored):
    (found,) = exploration_of("agent", explored).failures
    assert (found.file, found.replay) == ("", "")


def test_one_file_for_each_failure_or_none(explored):
    with pytest.raises(ValueError, match="zip"):
        exploration_of("agent", explored, files=["a", "b"])


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (ONE, "timeout, after the effect, at payments.issue_refund"),
        (
            replace(ONE, phase="late", point=replace(REFUND, nth=2)),
            "timeout, the effect lands late, at payments.issue_refund #2",
        ),
        (TWO, "http_429, retry_after 2.0, at model.chat #2, attempt 3"),
        (Choice(replace(REFUND, target="memory.step0"), "stale_memory", "before"), "stale_memory, at memory.step0"),
    ],
)
def test_a_fault_in_words(choice, words):
    assert choice_in_words(choice) == words


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (failure(), "It fails without any fault."),
        (failure(ONE), "One fault is enough, and without it the run does not fail."),
        (
            failure(ONE, TWO),
            "Smallest: without any one of these faults the run does not fail like this, which was checked.",
        ),
        (failure(ONE, TWO, minimal=False), "Whether fewer faults are enough was not checked to the end."),
    ],
)
def test_whether_it_is_the_smallest(found, words):
    assert smallest(found) == words


@pytest.mark.parametrize(
    ("explorations", "words"),
    [
        ([], "Nothing was explored, so that nothing is claimed."),
        ([Exploration("a", EMPTY, (), 1)], "A claim."),
        ([Exploration("a", EMPTY, (), 1)] * 2, "2 were explored, and none of them failed."),
        (
            [Exploration("a", EMPTY, (), 1), Exploration("b", EMPTY, (failure(), failure()), 1)],
            "1 of 2 that were explored failed: 2 failures.",
        ),
    ],
)
def test_the_headline_of_none_of_one_and_of_several(explorations, words):
    assert headline(explorations) == words


@pytest.mark.parametrize(
    ("altered", "words"),
    [
        ([("a", "x"), ("b", "y")], "What is expected can fail: each of 2 altered end states was noticed."),
        ([("a", ""), ("b", "y")], "1 of 2 altered end states went unnoticed: a."),
        ([("a", ""), ("b", "")], "What is expected cannot fail: no altered end state was noticed (a; b)."),
        (
            [(each, "") for each in "abcde"],
            "What is expected cannot fail: no altered end state was noticed (a; b; c; and 2 more).",
        ),
        ([], "No end state could be altered: nothing was written."),
    ],
)
def test_what_altered_end_states_have_shown(altered, words):
    assert Exploration("a", EMPTY, (), 1, altered=tuple(altered)).remarks == (words,)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"seen": 3, "faulted": 3, "calm": 3, "calm_faulted": 3}, ("3 of 3", "")),
        ({"seen": 20, "faulted": 4, "calm": 3, "calm_faulted": 3}, ("3 of 3", "1 of 17 behind a fault")),
        ({"seen": 2, "faulted": 1, "calm": 0, "calm_faulted": 0}, ("1 of 2 behind a fault", "")),
    ],
)
def test_what_was_tried_is_told_apart_from_what_is_behind_a_fault(numbers, words):
    assert tried(Line("tool", "t", "timeout", "after", revealed=0, bad=0, **numbers)) == words


def test_calls_that_only_a_fault_leads_to_are_named_and_what_asks_for_steps_is_no_call():
    found = (("asks.step0", 1), ("orders.get", 2), ("steps.find_result", 1))
    coverage = replace(EMPTY, revealed=found)
    assert revealed(coverage) == "Only runs with a fault make these calls: orders.get (2) and steps.find_result (1)."
    assert revealed(EMPTY) == ""


@pytest.mark.parametrize(
    ("numbers", "cut", "words"),
    [
        ({"faulted": 2, "bad": 1}, "", "failed: 1"),
        ({"faulted": 1, "bad": 0}, "the budget", "held"),
        ({"faulted": 0, "bad": 0}, "", "never fired"),
        ({"faulted": 0, "bad": 0}, "the budget", "not tried"),
        ({"faulted": 0, "bad": 0, "calm": 0}, "", "not tried"),
    ],
)
def test_what_came_of_a_fault_at_a_target(numbers, cut, words):
    given = {"seen": 2, "revealed": 0, "calm": 2, "calm_faulted": 0} | numbers
    assert verdict(Line("tool", "a.b", "timeout", "after", **given), replace(EMPTY, cut=cut)) == words


def test_statuses_in_words():
    assert statuses({"passed": 1200, "not_fired": 1}) == "1,200 passed, 1 not fired"


def test_limits_name_what_holds_of_these_explorations_alone():
    plain = Exploration("a", EMPTY, (), 1, altered=(("a", "x"),))
    assert not {PRUNED, VACUOUS} & set(limits([plain]))
    assert VACUOUS in limits([plain, plain._replace(altered=None)])
    assert PRUNED in limits([plain._replace(coverage=replace(EMPTY, pruned=3))])


def test_other_faults_that_show_the_same_are_named_by_place():
    late = replace(ONE, phase="late")
    one = failure(ONE)._replace(alike=(late, TWO))
    words = "The same is violated under timeout (late) at payments.issue_refund; http_429 at model.chat #2, attempt 3."
    assert (alike(failure(ONE)), alike(one)) == ("", words)


def test_which_of_several_calls_of_a_target_a_fault_is_at_is_told():
    calls = {ONE.point: 1, TWO.point: 12}
    assert choice_in_words(ONE, calls).endswith(", at the 1st call of payments.issue_refund")
    one = failure(ONE)._replace(alike=(TWO,), calls=calls)
    assert alike(one) == "The same is violated under http_429 at the 12th call of model.chat, attempt 3."


def test_of_many_places_some_are_counted():
    many = tuple(replace(ONE, point=replace(REFUND, target=f"a.b{number}")) for number in range(6))
    words = alike(failure(TWO)._replace(alike=many))
    assert words.endswith("timeout (after) at a.b3; faults at 2 more places.")
