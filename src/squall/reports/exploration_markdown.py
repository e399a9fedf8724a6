"""What explorations came to as Markdown, for people: the claim, the failures with how to replay them, what was tried.

As a job's summary on GitHub shows it, and small enough to be one. What somebody called something stands there as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from squall.explore import Coverage, Line
from squall.reports.exploration import (
    Exploration,
    Failure,
    alike,
    choice_in_words,
    headline,
    revealed,
    smallest,
    tried,
    verdict,
)
from squall.reports.exploration_limits import limits
from squall.reports.in_markdown import escaped, table
from squall.reports.visible import payload, visible
from squall.reports.wording import UNKNOWN, counted

LONGEST = 400
MOST_FAILURES = 20
MOST_LINES = 100
LARGEST = 400_000
"""Characters from which on explorations are only named: a job's summary holds 1 MiB."""
HEAD = ("at", "fault", "tried", "failed")


def markdown(explorations: Sequence[Exploration]) -> str:
    """The whole file."""
    return "\n".join(_lines(explorations)) + "\n"


def _lines(explorations: Sequence[Exploration]) -> Iterator[str]:
    yield f"### squall: {_text(headline(explorations))}"
    yield ""
    size = 0
    for each in explorations:
        found = [_claim(each, single=len(explorations) == 1), ""]
        if size < LARGEST:
            found += _of_one(each)
        size += sum(map(len, found))
        yield from found
    yield "<details><summary>What this does not show</summary>"
    yield ""
    for sentence in limits(explorations):
        yield f"- {_text(sentence)}"
    yield ""
    yield "</details>"


def _claim(exploration: Exploration, *, single: bool) -> str:
    if single:
        return f"{_text(exploration.name)}: {counted(exploration.runs, 'run')}."
    return f"#### {_text(exploration.name)}: {_text(exploration.coverage.claim)}"


def _of_one(exploration: Exploration) -> Iterator[str]:
    for remark in exploration.remarks:
        yield _text(remark)
        yield ""
    for failure in exploration.failures[:MOST_FAILURES]:
        yield from _failure(failure)
    if (rest := len(exploration.failures) - MOST_FAILURES) > 0:
        yield f"{counted(rest, 'more failure')} not shown here."
        yield ""
    if calls := revealed(exploration.coverage):
        yield _text(calls)
        yield ""
    yield from _tried(exploration.coverage)


def _failure(failure: Failure) -> Iterator[str]:
    first = next(iter(failure.message.splitlines()), "")
    yield f"- **{_text(failure.violated)}** ({failure.status.replace('_', ' ')})"
    for choice in failure.schedule:
        yield f"  - {_text(choice_in_words(choice, failure.calls))}"
    yield f"  - {_text(smallest(failure))}"
    if others := alike(failure):
        yield f"  - {_text(others)}"
    if first and first != failure.violated:
        yield f"  - {escaped(payload(first, LONGEST))}"
    if failure.replay:
        yield f"  - <code>{_text(failure.replay)}</code>"
    yield ""


def _tried(coverage: Coverage) -> Iterator[str]:
    if not coverage.lines:
        return
    lines = sorted(coverage.lines, key=lambda line: (line.bad == 0, line.faulted > 0))[:MOST_LINES]
    yield f"<details><summary>What was tried: {counted(len(coverage.lines), 'kind')} of faults at targets</summary>"
    yield ""
    yield from table(HEAD, [_row(line, coverage) for line in lines])
    if (rest := len(coverage.lines) - len(lines)) > 0:
        yield ""
        yield f"And {counted(rest, 'more row')} in which nothing failed."
    yield ""
    yield "</details>"
    yield ""


def _row(line: Line, coverage: Coverage) -> list[str]:
    share = ", ".join(filter(None, tried(line)))
    told = share if line.faulted else f"{verdict(line, coverage)} ({share})"
    return [_text(line.target), _text(f"{line.kind} ({line.phase})"), told, str(line.bad) if line.bad else UNKNOWN]


def _text(words: str) -> str:
    return escaped(visible(words, LONGEST))
