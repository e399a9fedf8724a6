"""How a run's server is named to those who start it as a process of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squall.errors import UsageError
from squall.runs.environment import Environment

RULE = {"target": "desk.count", "kind": "http_503", "nth": 1}


def option(process, name):
    return process.args[process.args.index(name) + 1]


def test_a_process_can_be_started_in_any_folder(office, monkeypatch):
    monkeypatch.chdir(office.parent)
    Path("plan.json").write_text(json.dumps({"faults": [RULE]}), encoding="utf-8")
    with Environment(office.name, faults="plan.json", clock="wall") as run:
        assert run.mcp_stdio.args[3] == str(office)
        files = [Path(option(run.mcp_stdio, name)) for name in ("--faults", "--state", "--record")]
        assert all(path.is_absolute() for path in files)
        assert files[0] == office.parent / "plan.json"


def test_rules_are_written_into_a_plan_that_goes_with_the_run(office):
    with Environment(office, faults=[RULE], seed=7, run_index=3, clock="wall") as run:
        plan = Path(option(run.mcp_stdio, "--faults"))
        assert json.loads(plan.read_text(encoding="utf-8")) == {"faults": [RULE]}
        assert (option(run.mcp_stdio, "--seed"), option(run.mcp_stdio, "--run-index")) == ("7", "3")
    assert not plan.exists()


def test_where_none_was_started_there_is_no_end_state_and_no_trace(office):
    with Environment(office, clock="wall") as run:
        assert "--faults" not in run.mcp_stdio.args
        assert run.mcp_stdio.traces() == []
        with pytest.raises(UsageError, match="cannot read"):
            run.mcp_stdio.snapshot()
