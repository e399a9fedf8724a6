"""Exploration inside pytest: one item, its test run again and again under other faults, one result.

    waking    what the entry point calls
    asking    what a marker and the options ask for
    explorer  the hooks: an item is explored, or a kept failure replayed, in place of being run once
    course    one item from its run without faults to its reports
    replaying a kept failure run again
    once      one run of an item without a report; restoring what a run leaves behind in it
    quiet     each warning once, and none of the collector's chance
    executor  a schedule in, what came of it out
    enclosing a run around a test that builds none, and asks a model
    judging   what pytest has to say of a run, beside squall
    reporting the reports of the one run that is told of, with what is said besides
    failing   the words of a failure; picture draws its run
    files     kept failures of an item: found and written
    record    what is told of an item, as it travels between xdist's processes
    summary   what the session says at its end
    altering  the world altered behind the agent's back, to see whether anybody notices
    live      models that squall does not serve

Knows pytest and `squall.runs.exploring`; how a search decides what comes next is not known here.
"""

from __future__ import annotations
