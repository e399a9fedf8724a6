from __future__ import annotations

from msgspec.structs import replace

from squall.reports.lab_terminal import terminal
from squall.reports.lines import WIDTH
from squall.reports.pairs import summarize_pair
from squall.reports.summary import summarize

WHOLE = """\
resilient met its expectations in 29 of 30 runs, careless in 15 of 30, baseline
  in 1 of 30.
Writes happened again with the same arguments: careless 10 times and baseline 4
  times.
In 1 run a planned fault was never reached. That is no evidence of strength.
(6 scenarios, 3 strategies, 90 runs)

strategy                        passed   rate   interval  median time  p95 time
resilient                     29 of 30   97 %    83–99 %       2.03 s    62.1 s
careless                      15 of 30   50 %    33–67 %       2.03 s    62.2 s
baseline                       1 of 30    3 %     1–17 %       0.75 s    60.6 s

fault                           resilient        careless        baseline
malformed_output                   5 of 5          5 of 5          0 of 5
partial_stream                     5 of 5          5 of 5          1 of 5
provider_error                     4 of 5          5 of 5          0 of 5
repeated_call                      5 of 5          0 of 5       0 of 4 +1
stale_memory                       5 of 5          0 of 5          0 of 5
timeout                            5 of 5          0 of 5          0 of 5

Only runs in which the fault fired count; +1 is one more in which it did not.
"""


def test_the_whole_table_is_as_it_always_was(lab):
    assert terminal(lab.summary) == WHOLE


def test_no_line_is_longer_than_a_screen_whatever_things_are_called(lab):
    runs = [
        replace(run, strategy=f"{run.strategy}-{'long' * 20}-{copy}", hash=f"{run.hash}{copy}", scenario="s" * 90)
        for run in lab.runs
        for copy in range(3)
    ]
    text = terminal(summarize(runs))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert text.count("\nfault ") == 3


def test_no_run_makes_no_claim():
    assert terminal(summarize([])) == "No runs: this report makes no claim about any strategy.\n"


def test_skipped_runs_have_no_rate(lab):
    text = terminal(summarize([replace(lab.runs[0], status="skipped")]))
    assert "0 of 0      –" in text


def test_cells_without_runs_and_faults_that_nobody_met_are_told(lab):
    unmet = replace(lab.runs[0], faults=tuple(replace(fault, fired=0) for fault in lab.runs[0].faults))
    other = next(run for run in lab.runs if run.scenario == "stale-memory" and run.strategy == "resilient")
    text = terminal(summarize([unmet, other]))
    assert "0 of 0 +1" in text
    assert "no run" in text


def test_nothing_moves_the_cursor(lab):
    text = terminal(summarize([replace(lab.runs[0], strategy="\x1b[2Jx\r\u202e")]))
    assert "\x1b" not in text
    assert "\\x1b[2Jx \\u202e" in text


def test_two_suites_and_notes_are_told(lab):
    sides = [[run for run in lab.runs if run.strategy == name] for name in ("careless", "resilient")]
    text = terminal(summarize([*lab.runs, lab.runs[0]]), summarize_pair(*sides))
    assert "careless passed 15 of 30 runs, resilient 29" in text
    assert text.endswith("1 record came twice and counted once.\n")
