"""A stored run made again, `runs/replay.py`."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec
import pytest

from squall.runs.lab import run_one
from squall.runs.replay import difference, replay
from squall.runs.suite import Wanted, loaded, run_suite
from squall.store import Runs
from squall.store.record import encode
from squall.store.whole import BrokenRun
from squall.trace import Recorder
from squall.trace.kinds import ModelReply

SCENARIO = """
[scenario]
name = "pay"
[[steps]]
tool = "pay"
arguments = { amount = 40 }
result = { payment = "p_1" }
[[faults]]
kind = "timeout"
step = 0
"""
OWN = """
from squall.strategies import Result

class Own:
    name = "own"
    deterministic = True
    looks = False

    async def run(self, task, env):
        if self.looks:
            await env.call("find_result", {"step": 0})
        return Result("failed")
"""


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Runs the scenario, and gives the folder of the run."""
    monkeypatch.chdir(tmp_path)
    Path("pay.toml").write_text(SCENARIO, encoding="utf-8")

    def make(strategy):
        (record,) = run_suite(loaded(Wanted((Path("pay.toml"),), (strategy,))), Path("runs"), told=lambda _done: None)
        with Runs(Path("runs")) as store:
            return store.trace_of(record).parent

    return make


@pytest.fixture
def own(tmp_path, monkeypatch):
    name = f"own_{tmp_path.name.replace('-', '_')}"
    path = tmp_path / f"{name}.py"
    path.write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield path
    sys.modules.pop(name, None)


def test_a_run_is_made_again_from_its_folder_alone(stored, tmp_path):
    folder = stored("careless")
    Path("pay.toml").unlink()
    moved = Path(shutil.move(folder, tmp_path / "moved"))
    found = replay(moved)
    assert (found.how, found.why, found.expected, found.got) == ("reproduced", "", "", "")
    assert found.events == found.record.events > 5
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("squall-replay")]


def test_where_the_sources_have_changed_that_is_the_reason(stored, own):
    folder = stored(f"{own.stem}:Own")
    own.write_text(OWN.replace("looks = False", "looks = True"), encoding="utf-8")
    del sys.modules[own.stem]
    found = replay(folder)
    assert (found.how, found.events) == ("diverged", 1)
    assert found.why == "the sources of the strategy 'own' have changed since"
    assert "find_result" in found.got
    assert found.expected


def test_a_run_of_another_squall_says_so_where_it_differs(stored, own, monkeypatch):
    folder = stored(f"{own.stem}:Own")
    monkeypatch.setattr("squall.runs.replay.__version__", "99.0")
    assert replay(folder).how == "reproduced"
    monkeypatch.setattr(sys.modules[own.stem].Own, "looks", True)
    assert replay(folder).why == "it was made by squall 0.1.0, and this is 99.0"


def test_a_broken_promise_is_called_one(stored, own, monkeypatch):
    folder = stored(f"{own.stem}:Own")
    monkeypatch.setattr(sys.modules[own.stem].Own, "looks", True)
    assert replay(folder).why == "its strategy promises the same doings each time, and did others"


def test_without_the_strategy_only_the_chain_is_verified(stored, own):
    folder = stored(f"{own.stem}:Own")
    own.unlink()
    del sys.modules[own.stem]
    found = replay(folder)
    assert found.how == "verified"
    assert found.why.startswith("the strategy 'own' is not there: ")
    assert found.events == found.record.events


def test_a_changed_trace_is_not_run(stored, monkeypatch):
    folder = stored("careless")
    trace = folder / "trace.jsonl"
    trace.write_bytes(trace.read_bytes().replace(b"p_1", b"p_2", 1))
    monkeypatch.setattr("squall.runs.replay.run_one", None)
    with pytest.raises(BrokenRun, match="its hash does not match its bytes"):
        replay(folder)


def test_another_runs_trace_is_not_taken_for_it(stored):
    one, other = stored("careless"), stored("resilient")
    shutil.copy(other / "trace.jsonl", one / "trace.jsonl")
    with pytest.raises(BrokenRun):
        replay(one)


def test_events_that_are_missing_or_too_many_are_told(stored, own, monkeypatch):
    folder = stored(f"{own.stem}:Own")

    def shorter(*arguments):
        ran = run_one(*arguments)
        return ran._replace(lines=ran.lines[:-1])

    monkeypatch.setattr("squall.runs.replay.run_one", shorter)
    found = replay(folder)
    assert (found.how, found.got) == ("diverged", "nothing more")
    assert "run_end" in found.expected


def test_a_record_that_was_sealed_anew_over_another_trace_is_found(stored):
    folder = stored("careless")
    with Runs(Path("runs")) as store:
        (record,) = store
    forged = msgspec.structs.replace(record, head="0" * 64)
    (folder / "run.json").write_bytes(encode(forged))
    with pytest.raises(BrokenRun):
        replay(folder)


def line(at: float, took: float, created: int, text: str = "done", id_: str = "r1") -> bytes:
    recorder = Recorder("run#0", lambda: at)
    body = {"choices": [{"created": created}], "created_at": "2025-06-01", "id": id_}
    recorder.record(ModelReply(call=1, attempt=1, ok=True, status=200, text=text, latency_ms=took, response=body))
    return recorder.lines[0]


def test_times_of_a_wall_clock_are_no_difference():
    first, second = line(1.5, 20, 1748736001), line(2.5, 21, 1748736002)
    assert difference([first], [second], on_wall_time=True) == (1, "", "")
    same, expected, got = difference([first], [second], on_wall_time=False)
    assert (same, expected[:7], got[:7]) == (0, "t=1.5 {", "t=2.5 {")


@pytest.mark.parametrize("other", [line(1, 1, 1, text="gone"), line(1, 1, 1, id_="r2")])
def test_all_else_is_one_on_any_clock(other):
    for on_wall_time in (True, False):
        assert difference([line(1, 1, 1)], [other], on_wall_time=on_wall_time)[0] == 0


def test_what_is_too_short_or_too_long_is_told():
    one = line(1, 1, 1)
    assert difference([one], [], on_wall_time=False)[::2] == (0, "nothing more")
    assert difference([one], [one, one], on_wall_time=False)[:2] == (1, "nothing more")
