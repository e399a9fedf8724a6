"""Writes what checks found as JUnit XML, for what shows test results: a suite per file, a case per run.

`<testsuite name=FILE tests= failures= skipped= time=>` with `<testcase classname=FILE name=RUN time=>`; a failed run
has one `<failure type=CHECK message=…>` for each check that fails it. Times are in seconds of the run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ElementTree, SubElement

from squall.reports.checked import CheckedRun

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""
SECOND = 1000


def write(path: Path, runs: Sequence[CheckedRun]) -> None:
    """Write it. Raises OSError."""
    root = Element("testsuites", name="squall")
    for name, group in groupby(runs, key=lambda run: str(run.entry["test"])):
        _suite(root, name, list(group))
    ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def _suite(root: Element, name: str, runs: list[CheckedRun]) -> None:
    suite = SubElement(
        root,
        "testsuite",
        name=_text(name),
        tests=str(len(runs)),
        failures=str(sum(run.fails for run in runs)),
        errors="0",
        skipped=str(sum(run.entry["skipped"] is not None for run in runs)),
        time=_seconds(sum(run.entry["latency_ms"] for run in runs)),
    )
    for run in runs:
        entry = run.entry
        case = SubElement(
            suite,
            "testcase",
            classname=_text(name),
            name=_text(str(entry["scenario"] or entry["test"])),
            time=_seconds(entry["latency_ms"]),
        )
        if entry["skipped"] is not None:
            SubElement(case, "skipped", message=_text(entry["skipped"]))
        for verdict in entry["verdicts"] if run.fails else ():
            if verdict["check"] in run.failed:
                _failure(case, verdict)


def _failure(case: Element, verdict: dict[str, Any]) -> None:
    reason = verdict["reason"] or "it fired"
    first = reason.split(";")[0].strip()
    failure = SubElement(case, "failure", type=_text(verdict["check"]), message=_text(f"{verdict['check']}: {first}"))
    place = "" if verdict["step"] is None else f"step {verdict['step']}: "
    failure.text = _text(place + reason)


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / SECOND:.3f}"


def _text(words: str) -> str:
    return NO_XML.sub("\ufffd", words)
