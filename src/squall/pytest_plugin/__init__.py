"""squall inside pytest: runs as items, gates over them, and one world, trace and clock per run.

`_squall_pytest` is the entry point and imports this room when a test concerns it. One idea per module:

    door     what the entry point calls
    markers  what a test's markers ask for, checked; places finds where a mark stands
    files    what is wrong with the files that markers name
    runs     one item per run, and the ids by which runs and groups are known
    run      one run: its environment, its outcome
    traces   where a run's trace is written
    fixtures what a test can ask for, and the fixture around each run
    phases   the hooks around set-up, body and reports of a run
    awaited  a coroutine test runs on the run's clock and is noticed if nothing awaits it
    record   what a run reports to its group: plain builtins, so that they travel between xdist's processes
    gate     the runs' side of a gate (in xdist: the worker); wider keeps out what is no run's own
    explored which tests are explored; exploring does it, in a room of its own
    groups   the reporting side (in xdist: the controller); verdict decides, summary shows

Knows pytest and `squall.runs`; how a world, a fault or a clock works is not known here.
"""

from __future__ import annotations
