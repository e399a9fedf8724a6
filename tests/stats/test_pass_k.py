from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest

from squall.stats import over_tasks, pass_at_k, pass_hat_k

# How many of its 4 tries gpt-4o passed, for each of the 50 airline tasks of τ-bench (its historical trajectories).
AIRLINE = "01100111000142021140430040220122003443413241222144"
TASKS = [(int(passed), 4) for passed in AIRLINE]
PUBLISHED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}
# Beside the project, where there is such a folder.
RUNS = Path(__file__).parents[3] / "shared" / "corpora" / "taubench_airline_gpt4o.jsonl"


@pytest.mark.parametrize("k", PUBLISHED)
def test_a_published_row_of_tau_bench_comes_out(k):
    assert round(over_tasks(pass_hat_k, TASKS, k, resamples=1).value, 3) == PUBLISHED[k]


@pytest.mark.skipif(not RUNS.exists(), reason="the 200 runs themselves are not on this machine")
def test_the_counts_are_those_of_the_runs_themselves():
    counts: dict[str, list[bool]] = {}
    for line in RUNS.read_text(encoding="utf-8").splitlines():
        run = json.loads(line)
        task = run["id"].rsplit("-", 2)[1]
        counts.setdefault(task, []).append(run["label"]["reward"] == 1)
    assert [(sum(passed), len(passed)) for passed in counts.values()] == TASKS


def test_both_are_the_share_of_all_choices_of_k_tries():
    for runs in range(1, 7):
        for passed in range(runs + 1):
            tries = [True] * passed + [False] * (runs - passed)
            for k in range(1, runs + 1):
                chosen = list(combinations(tries, k))
                assert pass_hat_k(passed, runs, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))
                assert pass_at_k(passed, runs, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))


def test_it_is_without_bias_where_the_plain_power_is_not():
    rate, runs, k = 0.7, 5, 3
    from_tries = [(pass_hat_k(passed, runs, k), (passed / runs) ** k) for passed in range(runs + 1)]
    weights = [pass_hat_k(runs, runs, runs) * _binomial(passed, runs, rate) for passed in range(runs + 1)]
    unbiased, plain = (sum(w * pair[which] for w, pair in zip(weights, from_tries, strict=True)) for which in (0, 1))
    assert unbiased == pytest.approx(rate**k)
    assert plain > rate**k + 0.05


def _binomial(passed, runs, rate):
    ways = len(list(combinations(range(runs), passed)))
    return ways * rate**passed * (1 - rate) ** (runs - passed)


def test_one_try_is_the_plain_rate_for_both():
    assert pass_hat_k(3, 4, 1) == pass_at_k(3, 4, 1) == 0.75


def test_the_interval_is_over_tasks_and_the_same_each_time():
    found = over_tasks(pass_hat_k, TASKS, 4)
    assert found == over_tasks(pass_hat_k, TASKS, 4)
    assert found.value == pytest.approx(0.2)
    assert found.low < 0.2 < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * (0.2 * 0.8 / 50) ** 0.5, rel=0.15)


def test_tasks_may_have_different_numbers_of_tries():
    assert over_tasks(pass_hat_k, [(4, 4), (1, 2)], 2, resamples=10).value == 0.5


@pytest.mark.parametrize("measure", [pass_hat_k, pass_at_k])
@pytest.mark.parametrize("k", [0, 5])
def test_more_tries_than_were_made_are_refused(measure, k):
    with pytest.raises(ValueError, match=f"between 1 and the number of runs, 4: it cannot be {k}"):
        measure(2, 4, k)


def test_without_tasks_there_is_nothing_to_say():
    with pytest.raises(ValueError, match="0 values"):
        over_tasks(pass_hat_k, [], 1)
