from __future__ import annotations

import pytest

from squall.explore import Share
from squall.explore.claim import claim, notes

SINGLES, PAIRS, TRIPLES = Share(1, 46, 46, 46), Share(2, 857, 540, 540), Share(3, 9000, 12, 12, drawn=True)


@pytest.mark.parametrize(
    ("shares", "rest", "words"),
    [
        ((SINGLES,), {}, "Every single fault (46): no failure."),
        (
            (SINGLES, PAIRS),
            {"failures": 2},
            "Every single fault (46) and 63 % of pairs (540 of 857): 2 failures.",
        ),
        (
            (SINGLES, PAIRS, TRIPLES),
            {"failures": 1},
            "Every single fault (46), 63 % of pairs (540 of 857) and 12 of 9,000 triples, drawn evenly: 1 failure.",
        ),
        (
            (SINGLES,),
            {"kinds": ("timeout", "http_*"), "targets": ("payments.*",)},
            "Every single fault (46) of the kinds timeout, http_* at payments.*: no failure.",
        ),
        ((SINGLES, Share(2, 0, 0, 0)), {"depth": 2}, "Every single fault (46): no failure."),
        ((Share(1, 6, 3, 3),), {"depth": 2}, "50 % of single faults (3 of 6) and no pairs: no failure."),
        ((), {"failures": 1}, "Nothing was explored: 1 failure."),
        (
            (Share(1, 0, 0, 0),),
            {"kinds": ("hang",)},
            "There is no place where a fault of the kinds hang could happen: nothing was explored.",
        ),
    ],
)
def test_a_claim_is_one_sentence(shares, rest, words):
    given = {"depth": len(shares), "kinds": (), "targets": (), "failures": 0, **rest}
    assert claim(shares, **given) == words


def said(*shares, **rest):
    given = {"statistical": "", "cut": "", "runs": None, "left_out": (), "idle": (), "never_true": (), **rest}
    return list(notes(shares, **given))


def test_of_a_glob_that_nothing_matches_it_is_told_what_may_have_been_meant():
    near = {"model.chta": "model.chat"}
    assert said(SINGLES, idle=("model.chta", "hang"), near=near) == [
        "Nothing that could happen matches 'model.chta': did you mean 'model.chat'?",
        "Nothing that could happen matches 'hang'.",
    ]


def test_a_claim_without_limits_has_no_notes():
    assert said(SINGLES) == []


def test_notes_say_what_limits_a_claim():
    assert said(
        Share(1, 46, 46, 44, left_out=0, never_fired=2),
        Share(2, 857, 540, 541, left_out=1, behind=1),
        Share(3, 10, 10, 12, left_out=2, behind=30),
        statistical="Two runs differ.",
        cut="60 seconds are over",
        runs=1000,
        left_out=[("a", "hang"), ("a", "lost"), ("b", "hang"), ("b", "lost")],
        idle=("timout",),
        never_true=("refund retried",),
        skipped=2,
    ) == [
        "Two runs differ.",
        "Cut short: 60 seconds are over.",
        "Cut short: the budget of 1,000 runs is used up.",
        "2 single faults never fired, which counts as not tried.",
        "1 pair was left out: a run in the same state has shown the same.",
        "1 pair begins with faults that fail already, and none was tried.",
        "2 triples were left out: a run in the same state has shown the same.",
        "30 triples begin with faults that fail already, and none was tried.",
        "In 2 runs the test skipped itself, which counts as a fault that never fired.",
        "Left out by the filters: hang at a, lost at a, hang at b and 1 more.",
        "Nothing that could happen matches 'timout'.",
        "'refund retried' was never true in any run.",
    ]
