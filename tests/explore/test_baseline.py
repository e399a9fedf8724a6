from __future__ import annotations

import pytest

from squall.decide import Point
from squall.explore import Choice, Observed, Seen
from squall.explore.baseline import difference, strayed


def run(*targets, status="passed", failure="", head="", states=(), digest="d", scope=""):
    seen = tuple(
        Seen(Point("tool", scope, target, digest, 1), place, state=states[place] if states else "")
        for place, target in enumerate(targets)
    )
    return Observed(status, failure, seen=seen, trace_digest=head)


@pytest.mark.parametrize(
    ("one", "other", "words"),
    [
        (run("a", "b"), run("a", "c"), "call 2 was b in the first and c in the second"),
        (run("a"), run("a", scope="s"), "call 1 was a in the first and a (in s) in the second"),
        (run("a", "b"), run("a"), "only the first made call 2, b"),
        (run("a"), run("a", "b"), "only the second made call 2, b"),
        (run("a"), run("a", digest="e"), "call 1, a, had other arguments each time"),
        (run("a"), run("a", status="failed", failure="x"), "the first passed and the second failed (x)"),
        (
            run("a", "b", states=("1", "2")),
            run("a", "b", states=("1", "3")),
            "their calls are the same, but before call 2, b, the agent had seen other things",
        ),
        (run("a", head="1"), run("a", head="2"), "their calls are the same, but what was said in them is not"),
    ],
)
def test_the_first_difference_is_said_in_a_sentence(one, other, words):
    said = difference(one, other)
    assert said.startswith(f"Two runs without faults differ: {words}; so the search cannot rely on")
    assert said.endswith(".")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (run("a", "b", head="1", states="xy"), run("a", "b", head="1", states="xy")),
        (run("a", head="1"), run("a")),
        (run(), run()),
    ],
)
def test_runs_that_do_not_differ_as_far_as_is_known_say_nothing(one, other):
    assert difference(one, other) == ""


CALM = run("a", "b", "c", states=("1", "2", "3")).seen
AT_B = (Choice(CALM[1].point, "timeout", "after"),)


@pytest.mark.parametrize(
    "seen",
    [
        run("a", "b", states=("1", "2")).seen,
        run("a", "b", "x", "y", states=("1", "2", "7", "8")).seen,  # what comes after its fault is its own
    ],
)
def test_a_run_that_is_as_without_faults_until_its_own_has_not_strayed(seen):
    assert strayed(CALM, seen, AT_B) == ""


def test_a_run_that_never_meets_its_fault_has_not_strayed_where_all_of_it_is_as_without_faults():
    assert strayed(CALM, CALM, (Choice(Point("tool", "", "gone", "d", 1), "timeout", "after"),)) == ""


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (run("a", "x", "b", states=("1", "2", "3")).seen, "call 2 was b there and x here"),
        (run("a", states=("1",)).seen, "call 2 was b there and nothing more here"),
        (run("a", "b", states=("0", "2")).seen, "call 1, a, had other arguments, or came after other things"),
        (run("a", "b", states=("1", "9")).seen, "call 2, b, had other arguments, or came after other things"),
        ((), "call 1 was a there and nothing more here"),
    ],
)
def test_a_run_that_goes_another_way_before_its_fault_has_strayed_and_where_is_said(seen, words):
    said = strayed(CALM, seen, AT_B)
    assert said.startswith(
        f"A run went another way before it met its fault, timeout (after) at b: {words}; so the search"
    )
