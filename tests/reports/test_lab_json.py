from __future__ import annotations

import json as standard

from msgspec.structs import replace

from squall.reports.lab_json import json
from squall.reports.lab_rows import COLUMNS
from squall.reports.pairs import summarize_pair
from squall.reports.summary import summarize


def test_the_summary_is_there_with_its_rows_and_its_limits(lab):
    read = standard.loads(json(lab.summary))
    assert (read["format"], read["v"], read["squall"]) == ("squall-lab", 1, ["0.1.0"])
    assert (read["runs"], read["met"], read["strategies"][0]) == (90, 45, "resilient")
    assert tuple(read["rows"][0]) == COLUMNS
    assert len(read["rows"]) == 39
    assert read["headline"].startswith("resilient met")
    assert any("no forecast" in each for each in read["limits"])
    assert read["pairs"] == []


def test_two_suites_are_there_in_pairs(lab):
    sides = [[run for run in lab.runs if run.strategy == name] for name in ("careless", "resilient")]
    [pair] = standard.loads(json(lab.summary, summarize_pair(*sides)))["pairs"]
    assert (pair["a"], pair["b"], pair["only_b"], pair["p_value"]) == ("careless", "resilient", 15, 0.000519)
    [nothing] = standard.loads(json(lab.summary, summarize_pair(sides[0][:1], sides[1][-1:])))["pairs"]
    assert (nothing["runs"], nothing["difference"]) == (0, None)


def test_no_run_makes_no_claim():
    read = standard.loads(json(summarize([])))
    assert (read["rows"], read["headline"]) == ([], "No runs: this report makes no claim about any strategy.")


def test_a_name_that_is_no_text_is_written_in_escapes(lab):
    read = standard.loads(json(summarize([replace(lab.runs[0], strategy="\ud800")])))
    assert read["strategies"] == ["\\ud800"]
