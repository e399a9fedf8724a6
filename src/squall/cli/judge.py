"""`squall judge FILE…`: checks over runs that others have recorded, whatever the tool."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from squall.capture.entry import entry_of
from squall.checks import Settings, Verdict
from squall.checks import judge as verdicts_of
from squall.checks.redact import redacted, redactor
from squall.checks.sources import Source, from_environment, from_pyproject, settings
from squall.errors import Position, Problem, UsageError, counted
from squall.reports.checked import CheckedRun, Report
from squall.reports.checks_json import JsonReport
from squall.reports.checks_junit import JunitReport
from squall.reports.checks_markdown import MarkdownReport
from squall.trace import Trace
from squall.trace.formats import FORMATS, stream
from squall.trace.formats.writing import user_of

WIDTH = 4
Wanted = Mapping[Callable[[Path], Report], Path | None]


def judge(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Recorded runs.")],
    *,
    policy: Annotated[Path | None, typer.Option(help="The policy to hold calls against.")] = None,
    fmt: Annotated[str, typer.Option("--format", help=f"What the files are: {', '.join(FORMATS)}.")] = "auto",
    checks: Annotated[str | None, typer.Option(help="The checks to run, by name, with commas.")] = None,
    json: Annotated[Path | None, typer.Option(metavar="OUT", help="Write all verdicts as JSON.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="OUT", help="Write a table of the failed runs.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="OUT", help="Write the runs as JUnit XML.")] = None,
) -> None:
    """Judge runs that were recorded elsewhere. Exit status 1 when a check that fails by default, or by setting, fired.

    Files are squall's own traces, OTLP/JSON (GenAI conventions, OpenInference, Pydantic AI, Logfire), exports of OpenAI
    Agents, Langfuse, LangSmith, Braintrust, Inspect and Claude Code, and chat messages as JSON Lines. What a file is
    shows in its structure. Thresholds and checks may stand in pyproject.toml, a policy in .squall/policy.json.
    """
    wanted: Wanted = {JsonReport: json, MarkdownReport: markdown, JunitReport: junit}
    judging = _Judging(_settings(policy, checks), wanted)
    unread: list[Problem] = []
    for file in files:
        try:
            for trace in stream(file, fmt):
                judging.add(file, trace)
        except UsageError as error:
            unread.extend(error.problems)
    judging.sum_up()
    if problems := [*unread, *judging.reports.problems]:
        raise UsageError(problems)
    if judging.failed:
        raise typer.Exit(1)


def _settings(policy: Path | None, checks: str | None) -> Settings:
    here = Path.cwd()
    said = {"policy": None if policy is None else str(policy), "checks": checks}
    given = {key: value for key, value in said.items() if value is not None}
    options = Source(given, tuple(said), lambda key: Position(f"--{key}"), here)
    return settings([options, from_environment(os.environ, base=here), from_pyproject(here)], root=here)


class _Reports:
    """The files that are asked for. Of one that cannot be written the others, and what is said, know nothing."""

    def __init__(self, wanted: Wanted) -> None:
        self.problems: list[Problem] = []
        self._open: dict[Path, Report] = {}
        for make, path in wanted.items():
            if path is not None:
                with self._told(path):
                    self._open[path] = make(path)

    def __bool__(self) -> bool:
        return bool(self._open)

    def add(self, run: CheckedRun) -> None:
        """One more run."""
        for path, report in list(self._open.items()):
            with self._told(path):
                report.add(run)

    def close(self) -> None:
        """That were all."""
        for path, report in list(self._open.items()):
            with self._told(path):
                report.close()

    @contextmanager
    def _told(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._open.pop(path, None)
            hint = "Name a file in a folder that is there."
            self.problems.append(Problem(f"cannot write {str(path)!r}: {error.strerror or error}", hint=hint))


class _Judging:
    """Judges one run after the other, tells what was found, and keeps none of them."""

    def __init__(self, chosen: Settings, wanted: Wanted) -> None:
        self._settings = chosen
        self._mask = redactor(chosen.redaction)
        self.reports = _Reports(wanted)
        self.runs = self.failed = 0
        self._unknown: Counter[str] = Counter()

    def add(self, file: Path, trace: Trace) -> None:
        """One more run."""
        user = user_of(trace)
        chosen = self._settings
        if user is not None:
            chosen = msgspec.structs.replace(chosen, options=msgspec.structs.replace(chosen.options, user_id=user))
        found = verdicts_of(trace, chosen)
        name = trace.entries()[0].envelope.run
        self.runs += 1
        self.failed += any(each.fails for each in found)
        self._unknown.update({each.reason for each in found if each.verdict == "unknown"})
        self._tell(f"{file}: {name}", [each for each in found if each.fired])
        if self.reports:
            entry = redacted(entry_of(trace, found, test=str(file), scenario=name), self._mask)
            self.reports.add(CheckedRun(entry, tuple(each.check for each in found if each.fails)))

    def _tell(self, run: str, found: Sequence[Verdict]) -> None:
        if not found:
            return
        typer.echo(self._mask(run))
        width = max(len(each.check) for each in found)
        for each in found:
            first, *more = each.parts or ["it fired"]
            place = "" if each.step is None or "step" in first else f"step {each.step}: "
            head = f"{'FAIL' if each.fails else 'warn'}  {each.check.ljust(width)}  "
            typer.echo(self._mask(f"{' ' * WIDTH}{head}{place}{first}"))
            for part in more:
                typer.echo(self._mask(f"{' ' * (WIDTH + len(head))}{part}"))

    def sum_up(self) -> None:
        """What all runs came to."""
        self.reports.close()
        for reason, runs in self._unknown.most_common():
            typer.echo(self._mask(f"unknown in {counted(runs, 'run')}: {reason}"))
        typer.echo(f"{counted(self.runs, 'run')} judged, {self.failed} with failures")
