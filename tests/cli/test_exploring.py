"""The live line of `squall explore`; what it comes to is tested with the command."""

from __future__ import annotations

import io
import signal

from squall.cli.exploring import Live
from squall.clock import real
from squall.decide import Point
from squall.explore import Choice, Observed, Search, Seen


class Terminal(io.StringIO):
    def isatty(self):
        return True


def explore(live):
    point = Point("tool", "", "a.b", "d", 1)
    choices = tuple(Choice(point, kind, "before") for kind in ("http_503", "timeout", "empty_result", "http_429"))
    calm = Observed("passed", seen=(Seen(point, 0, "read", choices),))
    search = Search(calm)
    with live:
        while not search.done:
            for trial in search.ask(1):
                observed = Observed("failed", "broken", seen=calm.seen, fired=trial.schedule)
                search.tell(trial.id, observed)
                live(search, trial, observed)


def test_a_terminal_is_told_how_far_it_is_and_is_left_clean(monkeypatch):
    seconds = iter(range(100))
    monkeypatch.setattr(real, "monotonic", lambda: float(next(seconds)))
    to = Terminal()
    told = []
    explore(Live(to, lambda trial, _observed: told.append(trial.id)))
    lines = [line for line in to.getvalue().split("\r\x1b[2K") if line]
    assert lines == [
        "1 runs  1/s  1 found  25 % of single faults, 3 left",
        "2 runs  1/s  1 found  50 % of single faults, 2 left",
        "3 runs  1/s  1 found  75 % of single faults, 1 left",
        "4 runs  1/s  1 found  100 % of single faults, 0 left",
    ]
    assert to.getvalue().endswith("\r\x1b[2K")
    assert told == [1, 2, 3, 4]


def test_elsewhere_nothing_is_written():
    to = io.StringIO()
    explore(Live(to))
    assert to.getvalue() == ""


def test_an_interrupt_lets_no_other_run_begin():
    to = io.StringIO()
    told = []

    def interrupting(trial, _observed):
        told.append(trial.id)
        signal.raise_signal(signal.SIGINT)

    explore(Live(to, interrupting))
    assert told == [1]
    assert to.getvalue().startswith("interrupted: ")
