"""Runs to store, made without running anything."""

from __future__ import annotations

import os

import pytest

from squall.store.record import FaultMet, Inputs, Metrics, RunRecord, StrategyId
from squall.trace import Recorder
from squall.trace.kinds import Mark, RunEnd, ToolCall, ToolResult


def make_run(seed=0, *, scenario="timeout", strategy="baseline", sample=0, run_index=0, answer="done", events=2):
    """A record and the lines of its trace."""
    inputs = Inputs(
        scenario={"name": scenario, "steps": [{"tool": "pay", "arguments": {"amount": 12.5}, "result": {"ok": True}}]},
        seed=seed,
        run_index=run_index,
        strategy=StrategyId(name=strategy, parameters={"retries": 2}, digest="ab" * 32, how=strategy),
        squall="0.1.0",
        files={"world.yaml": "name: till\n# bezahlt: ✓\n"},
        sample=sample,
    )
    recorder = Recorder(f"{scenario}#{run_index}", lambda: 0.25)
    for call in range(1, events):
        recorder.record(
            ToolCall(call=call, tool="pay", target="till.pay", access="write", args={"n": call}, digest="d", nth=1)
        )
        recorder.record(ToolResult(call=call, ok=True, form="value", result={"text": 'é}\\n{"'}))
    recorder.record(Mark(name="seed", data={"seed": seed, "sample": sample}))
    recorder.end(lambda count: RunEnd(status="passed", count=count))
    record = RunRecord(
        scenario=scenario,
        strategy=strategy,
        seed=seed,
        run_index=run_index,
        sample=sample,
        hash=inputs.hash,
        run=f"{scenario}#{run_index}",
        status="passed",
        met=True,
        answered="success",
        answer={"text": answer},
        reasons=(),
        faults=(FaultMet("timeout", "tools", "step 1", reached=1, fired=1),),
        metrics=Metrics(planned=1, reached=1, fired=1, recovered=True, calls=1, attempts=2, latency_s=0.25),
        events=recorder.count,
        head=recorder.head,
        inputs=inputs,
        description="pays once",
    )
    return record, recorder.lines


@pytest.fixture(autouse=True)
def unsettled(monkeypatch):
    """What a process has handed to the system outlives it; waiting for the disk would only make the tests slow."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture(scope="session")
def made():
    return make_run


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "runs"


@pytest.fixture(scope="session")
def listed():
    """What a person sees in a folder of runs, and what is hidden."""
    return lambda folder: sorted(path.name for path in folder.iterdir())
