from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from squall.clock.children import lives
from squall.runs.strategies import process
from squall.runs.strategies.process import Ended, Process

CHILD = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-Sc', 'import time; time.sleep(60)']{}); {}"
PRINTS = "print(p.pid, flush=True)"


def never(_made):
    """Nobody has it ended."""


def once_heard(made):
    """It is to end as soon as it has said something."""
    return "it has said something" if made._output._kept else None


def python(code, *, seconds=20.0, over=never, output=100, errors=100):
    """Run a program of Python; the process, and its status or what was raised."""

    async def watched():
        made = Process([sys.executable, "-Sc", code], dict(os.environ), output=output, errors=errors)
        try:
            return made, await made.wait(seconds, lambda: over(made))
        except (TimeoutError, Ended) as error:
            return made, error

    return asyncio.run(watched())


def gone(pid):
    """Whether a process that is no child of this one ends, now that it should have."""
    for _ in range(10_000):
        if _ended(pid):
            return True
        os.sched_yield()
    return False


def _ended(pid):
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except ProcessLookupError:
        return True
    except FileNotFoundError:  # not Linux, or it has ended just now
        return False


def test_its_status_and_the_ends_of_what_it_wrote_are_kept():
    made, status = python("import os; os.write(1, b'a' * 300 + b'\\xff'); os.write(2, b'b'); os._exit(3)")
    assert (status, made.output, made.errors) == (3, b"a" * 99 + b"\xff", b"b")


def test_a_hundred_megabytes_leave_their_end():
    made, status = python("import os\nfor n in range(100): os.write(1, b'a' * 2**20)\nos.write(1, b'end')", output=10)
    assert (status, made.output) == (0, b"a" * 7 + b"end")


def test_a_signal_is_a_negative_status():
    assert python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")[1] == -signal.SIGKILL


def test_it_reads_nothing_from_the_keyboard():
    made, status = python("import sys; print(repr(sys.stdin.read()))")
    assert (status, made.output) == (0, b"''\n")


def test_it_is_ended_at_its_limit():
    made, error = python("import time; time.sleep(60)", seconds=0.05)
    assert isinstance(error, TimeoutError)
    assert made._process.returncode == -signal.SIGTERM


def test_it_is_ended_as_soon_as_somebody_says_so_with_its_children():
    made, error = python(CHILD.format("", PRINTS + "; p.wait()"), over=once_heard)
    assert (type(error), str(error)) == (Ended, "it has said something")
    assert not lives(made._process.pid)
    assert gone(int(made.output))


def test_one_that_will_not_end_is_killed(monkeypatch):
    monkeypatch.setattr(process, "GRACE", 0.1)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
    made, _ = python(code, over=once_heard)
    assert (made._process.returncode, made.output) == (-signal.SIGKILL, b"1\n")


def test_children_that_it_leaves_behind_end_with_it():
    made, status = python(CHILD.format("", PRINTS))
    assert (status, gone(int(made.output))) == (0, True)


def test_a_child_that_went_its_own_way_does_not_hold_it_up(monkeypatch):
    monkeypatch.setattr(process, "LINGER", 0.1)
    made, status = python(CHILD.format(", start_new_session=True", PRINTS))
    child = int(made.output)
    try:
        assert (status, _ended(child)) == (0, False)
    finally:
        os.kill(child, signal.SIGKILL)
        made._output._thread.join()
        made._errors._thread.join()


def test_a_program_that_is_not_there_cannot_be_started():
    with pytest.raises(OSError, match="No such file"):
        Process(["/nowhere/at-all"], {}, output=1, errors=1)
    assert subprocess._active == []  # type: ignore[attr-defined]  # nothing is left to be reaped
