"""All records of a session: what the summary says of them, and the files that were asked for.

In xdist this is the controller: records come with the reports of its workers, and are put in the order of the tests.
Knows reports and where they go; what a record says is known in `judged`, how files look in `squall.reports`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from squall.errors import UsageError, said

if TYPE_CHECKING:
    from squall.pytest_plugin.checking.judged import Record
    from squall.pytest_plugin.checking.options import Said

ATTRIBUTE = "squall_checked"
RERUN = "rerun"  # what rerunfailures makes of a failure that is not the last word
RAW = "RAW PAYLOADS, nothing in them is masked (the file is readable for you alone)"
RED, LOUD = {"red": True, "bold": True}, {"yellow": True, "bold": True}
WATCHING = "squall-checks"  # the plug-in that watches tests, where there are any in this process


class Line(NamedTuple):
    """A line of the summary, and how it is coloured."""

    text: str
    colours: dict[str, bool] = {}


def put(report: pytest.TestReport, records: Sequence[Record]) -> None:
    """Have a report carry records."""
    vars(report)[ATTRIBUTE] = [record.plain() for record in records]


class Merge:
    """Collects the records of a session and tells of them when it ends."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self._records: list[Record] = []
        self._order: dict[str, int] = {}
        self._lines: list[Line] = []  # of the files that were written

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """The order of the tests, whichever worker has run them."""
        self._order = {nodeid: number for number, nodeid in enumerate(ids)}

    @pytest.hookimpl(trylast=True)  # when it has them
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a report carries, once: a gate's report is logged again as its tear-down."""
        for data in vars(report).pop(ATTRIBUTE, ()):
            from squall.pytest_plugin.checking.judged import Record  # in xdist's controller with the first of them

            record = Record(**data)
            if getattr(report, "outcome", None) == RERUN and record.entry["skipped"] is None:
                record.entry["skipped"] = "the test was run again"
            self._records.append(record)

    @property
    def records(self) -> list[Record]:
        """In the order of the tests."""
        last = len(self._order)
        return sorted(self._records, key=lambda record: self._order.get(record.nodeid, last))

    @pytest.hookimpl(tryfirst=True)  # before the terminal tells of the session
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the files. What cannot be written, or read, makes the session end as with a usage error."""
        writers = {"json": self._json, "markdown": self._markdown, "export_otlp": self._otlp}
        try:
            reports = self._said().usual.reports
            for name in writers.keys() & reports.keys():
                reports[name].parent.mkdir(parents=True, exist_ok=True)
            self._lines += [write(reports[name]) for name, write in writers.items() if name in reports]
        except (OSError, UsageError) as error:
            session.exitstatus = session.exitstatus or pytest.ExitCode.USAGE_ERROR
            self._lines.append(Line(said(error), RED))

    def _said(self) -> Said:
        """What the session says to checks, with problems where nobody was told of them."""
        watching = self.config.pluginmanager.get_plugin(WATCHING)
        found = watching.said if watching else self._read()
        if found.problems:
            raise UsageError(found.problems)
        return found

    def _read(self) -> Said:
        from squall.pytest_plugin.checking.options import Said  # as above

        return Said(self.config)

    def _json(self, path: Path) -> Line:
        from squall.reports import checks_json  # on demand, as those below

        checks_json.write(path, [record.run for record in self.records])
        return Line(f"as JSON: {path}")

    def _markdown(self, path: Path) -> Line:
        from squall.reports import checks_markdown  # as above

        checks_markdown.write(path, [record.run for record in self.records])
        return Line(f"as Markdown: {path}")

    def _otlp(self, path: Path) -> Line:
        from squall.trace import Trace  # as above
        from squall.trace.formats import export_otlp

        records = self.records
        export_otlp((Trace([line.encode() for line in record.lines]) for record in records), path)
        return Line(f"as OTLP, {RAW}: {path}", LOUD)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """How many runs were checked, what was found that fails nothing, and where the files are."""
        if self._records or self._lines:
            from squall.pytest_plugin.checking.summary import show  # as above

            show(terminalreporter, self.records, self._lines)
