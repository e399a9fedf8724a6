"""`squall sample-size`: the runs that a gate with confidence needs, in words and as JSON."""

from __future__ import annotations

import json

import pytest

from squall.stats import sample_size


def test_the_runs_without_a_failure_the_runs_with_some_and_what_to_write(squall):
    done = squall("sample-size", "--rate", "0.95", "--power", "0.8")
    assert (done.status, done.err) == (0, "")
    assert done.out == (
        "59 runs without a failure show a pass rate of 95 % at 95 % confidence.\n"
        "An agent whose true rate is 97.5 % passes a gate of 361 runs with a chance of 80.3 %: "
        "it allows 11 failures.\n"
        "It was taken to fail half as often as allowed; say what you expect with --true-rate.\n"
        "\n"
        "    @pytest.mark.runs(361)\n"
        "    @pytest.mark.min_pass_rate(0.95, confidence=0.95)\n"
    )


@pytest.mark.parametrize(("rate", "runs"), [("0.9", 29), ("0.95", 59), ("0.99", 299)])
def test_the_runs_without_a_failure(squall, rate, runs):
    assert squall("sample-size", "--rate", rate).out.startswith(f"{runs} runs without a failure show a pass rate of ")


@pytest.mark.parametrize(
    ("true_rate", "said"),
    [
        (
            "0.9",
            "An agent whose true rate is 90 % fails a gate of 169 runs with a chance of 80.63 %: it takes 14 failures.",
        ),
        ("0.1", "An agent whose true rate is 10 % fails a gate of 2 runs with a chance of 81 %: it takes 2 failures."),
        (
            "1",
            "An agent whose true rate is 100 % passes a gate of 59 runs with a chance of 100 %: it allows no failure.",
        ),
    ],
)
def test_an_agent_that_is_expected_to_be_so_good(squall, true_rate, said):
    out = squall("sample-size", "--rate", "0.95", "--true-rate", true_rate).out
    assert said in out.splitlines()
    assert "half as often" not in out


def test_a_rate_that_is_nearly_all_is_not_told_as_all(squall):
    told = squall("sample-size", "--rate", "0.999999").out
    assert "show a pass rate of 99.9999 % at 95 % confidence." in told
    assert "whose true rate is 99.99995 % passes" in told


def test_a_single_run_is_told_in_the_singular(squall):
    out = squall("sample-size", "--rate", "0.4", "--confidence", "0.5", "--true-rate", "0.9").out
    assert out.startswith("1 run without a failure shows a pass rate of 40 % at 50 % confidence.\n")
    assert "passes a gate of 1 run with" in out


def test_the_figures_as_json(squall):
    out = squall("sample-size", "--rate", "0.95", "--true-rate", "0.98", "--power", "0.9", "--json").out
    assert json.loads(out) == sample_size(0.95, 0.9, 0.95, 0.98)._asdict()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rate", "95"], "error: --rate is a number from 0 to 1, not 95.0\n    For 95 % write 0.95"),
        (["--rate", "0.9", "--power", "-1"], "error: --power is a number from 0 to 1, not -1.0\n    For example:"),
        (["--rate", "1"], "error: a rate that runs can show lies between 0 and 1, not 1.0\n    One failure refutes"),
        (
            ["--rate", "0.9", "--true-rate", "0.9"],
            "error: no number of runs tells a true rate of 0.9 from the required 0.9\n    For example:",
        ),
    ],
)
def test_what_cannot_be_told_is_wrong_input(squall, options, said):
    done = squall("sample-size", *options)
    assert done.status == 2
    assert done.err.startswith(said)


def test_several_wrong_options_are_all_told(squall):
    done = squall("sample-size", "--rate", "95", "--confidence", "95")
    assert done.err.count("For 95 % write 0.95") == 2
