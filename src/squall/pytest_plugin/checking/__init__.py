"""Checks in any suite: every test that asks a model is recorded while it runs, and judged when its body has ended.

One idea per module; none is imported before an SDK is, or a test, an option or a variable says something to checks:

    waking   what the entry point calls
    options  what holds for a session, and for one test
    watching the hooks around each test: where its runs begin and end
    expected what a test expects to be raised
    judged   one test's runs, what checks say of them, and the records of that
    sections how it is told in the test's report
    merge    all records of a session, from all of xdist's workers: the summary and the files

Knows pytest, captures, checks and reports. Nothing in here may break a test: what goes wrong is a warning.
"""

from __future__ import annotations
