"""Writes what checks found as JUnit XML, for what shows test results: a suite per file, a case per run.

`<testsuite name=FILE tests= failures= skipped= time=>` with `<testcase classname=FILE name=RUN time=>`; a failed run
has one `<failure type=CHECK message=…>` for each check that fails it. Times are in seconds of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from squall.reports.checked import CheckedRun
from squall.reports.in_junit import held, seconds

SECOND = 1000
HEAD, TAIL = b"<?xml version='1.0' encoding='utf-8'?>\n<testsuites name=\"squall\">", b"</testsuites>"


class JunitReport:
    """Writes a suite when the next one begins: its numbers stand above its cases, which wait as XML till then."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("wb")
        self._file.write(HEAD)
        self._name: str | None = None
        self._begin()

    def add(self, run: CheckedRun) -> None:
        """One more run."""
        name = str(run.entry["test"])
        if name != self._name:
            self._end()
            self._name = name
        self._cases.append(tostring(_case(name, run), encoding="utf-8", xml_declaration=False))
        self._failures += run.fails
        self._skipped += run.entry["skipped"] is not None
        self._time += run.entry["latency_ms"]

    def close(self) -> None:
        """The last suite ends the file."""
        self._end()
        self._file.write(TAIL)
        self._file.close()

    def _begin(self) -> None:
        self._cases: list[bytes] = []
        self._failures = self._skipped = 0
        self._time = 0.0

    def _end(self) -> None:
        if self._name is None:
            return
        suite = Element(
            "testsuite",
            name=held(self._name),
            tests=str(len(self._cases)),
            failures=str(self._failures),
            errors="0",
            skipped=str(self._skipped),
            time=seconds(self._time / SECOND),
        )
        empty = tostring(suite, encoding="utf-8", xml_declaration=False, short_empty_elements=False)
        head, _, tail = empty.rpartition(b"</")
        self._file.writelines([head, *self._cases, b"</", tail])
        self._begin()


def write(path: Path, runs: Iterable[CheckedRun]) -> None:
    """Write all of it. Raises OSError."""
    report = JunitReport(path)
    for run in runs:
        report.add(run)
    report.close()


def _case(name: str, run: CheckedRun) -> Element:
    entry = run.entry
    case = Element(
        "testcase",
        classname=held(name),
        name=held(str(entry["scenario"] or entry["test"])),
        time=seconds(entry["latency_ms"] / SECOND),
    )
    if entry["skipped"] is not None:
        SubElement(case, "skipped", message=held(entry["skipped"]))
    for verdict in entry["verdicts"] if run.fails else ():
        if verdict["check"] in run.failed:
            _failure(case, verdict)
    return case


def _failure(case: Element, verdict: dict[str, Any]) -> None:
    reason = verdict["reason"] or "it fired"
    first = reason.split(";")[0].strip()
    failure = SubElement(case, "failure", type=held(verdict["check"]), message=held(f"{verdict['check']}: {first}"))
    place = "" if verdict["step"] is None else f"step {verdict['step']}: "
    failure.text = held(place + reason)
