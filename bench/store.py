"""What keeping runs on disk costs: storing them, reading them back, and verifying traces, by the length of their lines.

Verifying is told in MB for a second of CPU time: the file is in the system's memory. Lines of a trace differ: an effect
of a small world takes 350 bytes, of which 230 are the two hashes, the run's name and the rest of the envelope; a
model's reply takes some kB. Storing and finding are told by the clock on the wall, since they wait for the disk: a
run's two files and its folder are on the disk before the run has its name. What `fsync` takes here is measured beside
it. The folders are left for `make clean`: where thousands of files were just removed, ext4 is slow to make new ones.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

from _table import MADE, Figure, at_least, at_most, median, plain, quiet, show, turns

from squall.store import Runs, read_runs
from squall.store.record import Inputs, Metrics, RunRecord, StrategyId, encode
from squall.store.whole import verify_run
from squall.trace import Recorder, verify
from squall.trace.kinds import Effected, RunEnd, ToolResult

MEGABYTE = 1e6
TRACE_MB = 20
VERIFY = 300.0
STORE = 2000.0
READ_S = 2.0
MANY = 10_000
ROUNDS = 5
EACH = 1000
"""Runs of one round of storing."""
TEXTS = {"an effect, 350 B": 0, "430 B": 60, "500 B": 130, "700 B": 330, "2.4 kB": 2000, "20 kB": 20_000}


def trace_of(text: int, path: Path) -> float:
    """Write a trace whose lines hold so much text. Gives the mean length of a line."""
    recorder = Recorder("test_refund.py::test_pays#3", lambda: 0.5)
    line = 0
    while line * (300 + text) < TRACE_MB * MEGABYTE:
        line += 1
        if text:
            result = {"id": line, "text": "x" * text, "status": "placed"}
            recorder.record(ToolResult(call=line, ok=True, form="value", result=result))
        else:
            row = {"id": line, "status": "placed"}
            recorder.record(
                Effected(rev=line, table="s.o", op="insert", id=str(line), before=None, after=row, call=line)
            )
    recorder.end(lambda count: RunEnd(status="passed", count=count))
    path.write_bytes(b"".join(line + b"\n" for line in recorder.lines))
    return path.stat().st_size / recorder.count


def verifying(folder: Path) -> list[Figure]:
    paths = {}
    for name, text in TEXTS.items():
        path = folder / f"{text}.jsonl"
        paths[path] = f"{name} (mean {trace_of(text, path):.0f} B)"
    works: list[Callable[[], object]] = [partial(verify, path) for path in paths]
    figures = []
    for (path, name), took in zip(paths.items(), turns(*works, rounds=ROUNDS), strict=True):
        rate = path.stat().st_size / MEGABYTE / median(took)
        figures.append(at_least(f"verifying, lines of {name}", rate, VERIFY, "MB/s"))
    return figures


def run_of(seed: int) -> tuple[RunRecord, list[bytes]]:
    """A run of 5 kB: 3 kB of trace, 2 kB of `run.json`."""
    recorder = Recorder("timeout#0", lambda: 0.5)
    for call in range(6):
        result = {"id": call, "text": "x" * 100, "status": "placed"}
        recorder.record(ToolResult(call=call, ok=True, form="value", result=result))
    recorder.end(lambda count: RunEnd(status="passed", count=count))
    inputs = Inputs(
        scenario={
            "name": "timeout",
            "steps": [{"tool": "pay", "arguments": {"amount": 1}, "result": {"ok": True}}] * 3,
        },
        seed=seed,
        run_index=0,
        strategy=StrategyId(name="baseline", deterministic=True),
        squall="0.1.0",
        files={"world.yaml": "x" * 300},
    )
    record = RunRecord(
        scenario="timeout",
        strategy="baseline",
        seed=seed,
        run_index=0,
        sample=0,
        hash=inputs.hash,
        run="timeout#0",
        status="passed",
        met=True,
        answered="success",
        answer={"ok": True},
        reasons=(),
        faults=(),
        metrics=Metrics(planned=1, reached=1, fired=1),
        events=recorder.count,
        head=recorder.head,
        inputs=inputs,
    )
    return record, recorder.lines


def timed(work: Callable[[], object]) -> float:
    with quiet():
        began = perf_counter()
        work()
        return perf_counter() - began


def storing(folder: Path) -> list[Figure]:
    every = [run_of(seed) for seed in range(MANY)]
    record, lines = every[0]
    size = (len(encode(record)) + sum(len(line) + 1 for line in lines)) / 1000
    with Runs(folder / "runs") as runs:
        took = [timed(partial(runs.keep_all, every[at : at + EACH])) for at in range(0, MANY, EACH)]
        again = timed(lambda: runs.keep_all(every[:EACH]))
        sought = timed(lambda: [runs.find(record.hash, "timeout", "baseline") for record, _ in every[:EACH]])
    with Runs(folder / "one by one") as alone:
        single = timed(lambda: [alone.keep(*run) for run in every[:EACH]])
    folders = [stored.folder for stored in read_runs([folder / "runs"])]
    reading, verified = turns(
        lambda: read_runs([folder / "runs"]), lambda: [verify_run(each) for each in folders[:EACH]], rounds=3
    )
    return [
        plain("one fsync of a file of 3 kB here", fsync(folder) * 1000, "ms"),
        at_least(f"storing runs of {size:.1f} kB, {EACH:,} in a batch", EACH / median(took), STORE, "runs/s"),
        plain("… one by one, each on the disk before the next", EACH / single, "runs/s"),
        plain("… that are there already", EACH / again, "runs/s"),
        plain("finding a run by its hash", sought / EACH * 1e6, "µs"),
        at_most(f"reading {MANY:,} runs back", median(reading), READ_S, "s"),
        plain("verifying stored runs, seal, inputs and trace", EACH / median(verified), "runs/s"),
    ]


def fsync(folder: Path) -> float:
    """Seconds that bringing one small file to the disk takes."""
    took = []
    for number in range(50):
        file = os.open(folder / f"fsync-{number}", os.O_WRONLY | os.O_CREAT)
        os.write(file, b"x" * 3000)
        took.append(timed(partial(os.fsync, file)))
        os.close(file)
    return median(took)


def main() -> None:
    MADE.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="store-", dir=MADE))
    show("Verifying traces", verifying(folder))
    show("Runs on disk", storing(folder))


if __name__ == "__main__":
    main()
