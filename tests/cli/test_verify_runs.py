"""`squall verify` with stored runs: folders of one, of many, and heads that were kept elsewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
import pytest

from squall.runs.environment import Environment
from squall.store import Runs
from squall.store.record import Inputs, Metrics, RunRecord, StrategyId, decode, encode

WORDS = (
    r"the run is whole: 3 events of till#0, passed, head (?P<head>[0-9a-f]{64}) \(its trace\), "
    r"seal (?P<seal>[0-9a-f]{64}) \(all of it\)"
)


def recorded(seed):
    """A run of the environment, as the lab would store it."""
    with Environment(name="till", seed=seed) as run:
        run.trace.mark("sold", amount=float(seed))
    strategy = StrategyId(name="baseline")
    inputs = Inputs(scenario={"name": "till"}, seed=seed, run_index=0, strategy=strategy, squall="0.1.0")
    lines = run.trace.lines
    return RunRecord(
        scenario="till",
        strategy="baseline",
        seed=seed,
        run_index=0,
        sample=0,
        hash=inputs.hash,
        run="till#0",
        status=run.finish().status,
        met=True,
        answered="success",
        answer=None,
        reasons=(),
        faults=(),
        metrics=Metrics(),
        events=len(lines),
        head=lines[-1][9:73].decode(),
        inputs=inputs,
    ), lines


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """Two runs in `runs`, named as a person in the folder above would name them."""
    monkeypatch.chdir(tmp_path)
    with Runs(Path("runs")) as runs:
        return [str(folder) for folder in runs.keep_all(recorded(seed) for seed in (1, 2))]


def reseal(folder, **edit):
    """Edit a run.json as somebody does who knows how its seal comes about."""
    path = Path(folder) / "run.json"
    path.write_bytes(encode(msgspec.structs.replace(decode(path.read_bytes()), **edit)))


def edit(folder, name, old, new):
    path = Path(folder) / name
    path.write_bytes(path.read_bytes().replace(old, new))


def kept(squall, *paths):
    """The file that somebody made of what verify printed, before anything happened to the runs."""
    Path("heads.txt").write_text(squall("verify", *paths).out, encoding="utf-8")


def test_a_run_that_is_whole_is_told_with_its_head_and_its_seal(squall, stored):
    done = squall("verify", stored[0])
    assert (done.status, done.err) == (0, "")
    found = re.fullmatch(rf"{stored[0]}: {WORDS}\n", done.out)
    assert found
    assert found["head"] in (Path(stored[0]) / "run.json").read_text(encoding="utf-8")


def test_a_run_may_be_named_by_its_run_json(squall, stored):
    assert squall("verify", f"{stored[0]}/run.json") == squall("verify", stored[0])


def test_the_trace_of_a_run_may_be_verified_alone(squall, stored):
    done = squall("verify", f"{stored[0]}/trace.jsonl")
    assert done.out.startswith(f"{stored[0]}/trace.jsonl: the chain holds: 3 events of till#0, passed, head ")


def test_a_folder_of_runs_is_looked_at_run_by_run_and_counted(squall, stored):
    done = squall("verify", "runs")
    assert done.status == 0
    assert re.fullmatch(rf"(?:{'|'.join(stored)}): {WORDS}", done.out.splitlines()[0])
    assert done.out.splitlines()[2] == "2 looked at: all of them whole"


def test_all_that_is_bad_is_listed_once_and_the_others_still_told(squall, stored):
    edit(stored[0], "trace.jsonl", b'"amount":1.0', b'"amount":9.0')
    done = squall("verify", "runs", "runs")
    assert done.status == 1
    assert f"{stored[0]}/trace.jsonl:2: the line was changed: its hash does not match its bytes\n" in done.err
    assert f"{stored[1]}: the run is whole" in done.out
    assert done.out.endswith("2 looked at: 1 broken\n")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda run: edit(run, "run.json", b'"met": true', b'"met": null'), "/run.json: it was changed: its seal does"),
        (lambda run: reseal(run, status="failed"), "/trace.jsonl: `status` is 'passed' here, and 'failed' in run.json"),
        (lambda run: (Path(run) / "run.json").unlink(), "/run.json: No such file or directory"),
        (lambda run: (Path(run) / "trace.jsonl").unlink(), "/trace.jsonl: No such file or directory"),
        (lambda run: edit(run, "trace.jsonl", b"\n", b"\r\n"), "/trace.jsonl:1: this is not an event of trace format"),
    ],
)
def test_damage_of_any_kind_exits_with_1_and_says_where(squall, stored, damage, told):
    damage(stored[0])
    done = squall("verify", stored[0])
    assert done.status == 1
    assert done.err.startswith(f"{stored[0]}{told}")


def test_a_folder_without_runs_is_wrong_input(squall, stored):
    Path("empty").mkdir()
    done = squall("verify", "empty", stored[0])
    assert done.status == 2
    assert "error: there is no run in 'empty', nor in the folders two levels down" in done.err
    assert "A run is a folder with run.json and trace.jsonl" in done.err
    assert "the run is whole" in done.out


def test_heads_that_were_kept_are_those_that_are_there(squall, stored):
    kept(squall, "runs")
    assert squall("verify", "runs", "--head", "heads.txt").status == 0


def test_one_head_is_given_as_it_is(squall, stored):
    found = re.search(WORDS, squall("verify", stored[0]).out)
    assert found
    head = found["head"]
    assert squall("verify", stored[0], "--head", head).status == 0
    done = squall("verify", stored[1], "--head", head)
    assert done.status == 1
    assert f"{stored[1]}: it holds together, but neither its head nor its seal is among" in done.err
    assert f"--head: nothing here has the head or seal {head}: it was removed, or written anew" in done.err


def test_an_outcome_that_was_rewritten_with_its_seal_is_found_by_the_seal_that_was_kept(squall, stored):
    kept(squall, "runs")
    reseal(stored[0], met=False)
    assert squall("verify", "runs").status == 0  # it holds together
    done = squall("verify", "runs", "--head", "heads.txt")
    assert done.status == 1
    assert re.search(r"heads\.txt:[12]: nothing here has the head or seal [0-9a-f]{64}: it was removed", done.err)


def test_a_run_that_was_removed_and_one_that_was_put_in_are_found(squall, stored):
    kept(squall, stored[0])
    done = squall("verify", "runs", "--head", "heads.txt")
    assert done.status == 1
    assert done.err.startswith(f"{stored[1]}: it holds together, but neither its head nor its seal is among")
    kept(squall, "runs")
    shutil.rmtree(stored[0])
    done = squall("verify", "runs", "--head", "heads.txt")
    assert done.status == 1
    assert done.err.count("nothing here has the head or seal") == 2


def test_heads_serve_traces_too(squall, stored):
    trace = f"{stored[0]}/trace.jsonl"
    kept(squall, trace)
    assert squall("verify", trace, "--head", "heads.txt").status == 0
    shutil.copy(f"{stored[1]}/trace.jsonl", trace)
    assert squall("verify", trace).status == 0
    assert squall("verify", trace, "--head", "heads.txt").status == 1


def test_a_head_that_is_none_is_wrong_input(squall, stored):
    done = squall("verify", stored[0], "--head", "abc")
    assert done.status == 2
    assert done.err.startswith("error: --head 'abc' is no head, and no file to read: No such file or directory")
