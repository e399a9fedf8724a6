from __future__ import annotations

import pytest

from squall.errors import MAX_SHOWN, LimitReached, Position, Problem, SquallError, UsageError, counted, nearest, shown


@pytest.mark.parametrize(
    ("position", "text"),
    [
        (Position("w.yaml", 3, 7), "w.yaml:3:7"),
        (Position("w.yaml", 3), "w.yaml:3"),
        (Position("w.yaml"), "w.yaml"),
    ],
)
def test_a_position_is_written_as_editors_read_it(position, text):
    assert str(position) == text


def test_a_problem_says_where_what_the_nearest_name_and_what_to_do():
    problem = Problem(
        "'tiemout' is no kind of fault", Position("p.yaml", 2, 5), "timeout", "Known kinds: hang, timeout."
    )
    assert str(problem) == (
        "p.yaml:2:5: 'tiemout' is no kind of fault; did you mean 'timeout'?\n    Known kinds: hang, timeout."
    )


def test_a_problem_leaves_out_what_is_not_known():
    assert str(Problem("the file is empty")) == "the file is empty"


@pytest.mark.parametrize("given", ["it is wrong", Problem("it is wrong"), [Problem("it is wrong")]])
def test_a_usage_error_takes_a_text_a_problem_or_several(given):
    error = UsageError(given)
    assert error.problems == (Problem("it is wrong"),)
    assert str(error) == "it is wrong"


def test_a_usage_error_lists_every_problem_on_its_own_line():
    error = UsageError(Problem(text, Position("w.yaml", n)) for n, text in enumerate(("one", "two"), start=1))
    assert str(error) == "w.yaml:1: one\nw.yaml:2: two"
    assert isinstance(error, SquallError)


def test_an_agent_that_swallows_every_exception_does_not_swallow_a_limit():
    def agent():
        try:
            raise LimitReached("3600 virtual seconds are over")
        except Exception:
            return "retried"

    with pytest.raises(LimitReached, match="3600 virtual seconds"):
        agent()


def test_an_agent_could_swallow_the_errors_meant_for_the_tester():
    assert issubclass(SquallError, Exception)
    assert not issubclass(LimitReached, Exception)


@pytest.mark.parametrize("value", ["short", 1, None, {"a": [1, 2]}, "x" * (MAX_SHOWN - 2)])
def test_a_value_that_fits_is_shown_as_python_writes_it(value):
    assert shown(value) == repr(value)


@pytest.mark.parametrize("limit", [20, MAX_SHOWN])
def test_a_long_value_is_cut_in_the_middle_and_keeps_both_ends(limit):
    text = shown("begin" + "x" * 500 + "end", limit)
    assert len(text) == limit
    assert text.startswith("'begin")
    assert text.endswith("end'")
    assert " … " in text


def test_a_value_whose_repr_fails_is_shown_by_its_type():
    class Grumpy:
        def __repr__(self):
            raise RuntimeError("no")

    assert shown(Grumpy()) == "<Grumpy, repr failed: RuntimeError>"


def test_a_number_too_long_for_python_to_print_is_shown_by_its_type():
    assert shown(10**5000) == "<int, repr failed: ValueError>"


def test_a_lone_surrogate_is_shown_as_its_escape_so_that_the_message_can_be_printed():
    assert shown("\ud800") == r"'\ud800'"


@pytest.mark.parametrize(
    ("word", "words", "expected"),
    [
        ("tiemout", ["hang", "timeout"], "timeout"),
        ("TIMEOUT", ["hang", "TimeOut"], "TimeOut"),
        ("zebra", ["hang", "timeout"], None),
        ("timeout", [], None),
        (41, [410, 5], "410"),
    ],
)
def test_the_nearest_name_ignores_case_and_stays_away_when_nothing_is_near(word, words, expected):
    assert nearest(word, words) == expected


def test_things_are_counted_in_their_words():
    assert counted(1, "run") == "1 run"
    assert counted(0, "run") == "0 runs"
    assert counted(1200, "strategy", "strategies") == "1,200 strategies"
