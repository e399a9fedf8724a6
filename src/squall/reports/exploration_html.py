"""The report of an exploration as one HTML page: no script, nothing loaded from elsewhere, readable on a telephone.

The same guarantees as those of the lab's page: it forbids itself scripts and requests, holds neither time nor rate, and
what agents, models and files said is text wherever it stands. The same explorations make the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from squall.reports.exploration import Exploration, headline, revealed, statuses
from squall.reports.exploration_limits import limits
from squall.reports.page import coverage_matrix, minimal_failures, swim_lanes
from squall.reports.page.frame import page, section
from squall.reports.page.markup import Markup, tag
from squall.reports.page.markup import name as named
from squall.reports.visible import visible
from squall.reports.wording import counted

LONGEST = 120
MOST_FAILURES = 40
"""Failures of one exploration that are shown in full."""
LANES = "In the pictures time runs downwards, and not to scale."


def html(explorations: Sequence[Exploration], *, title: str = "", most: int = MOST_FAILURES) -> str:
    """The whole page. Its title is the name of a single exploration unless there is another one."""
    single = len(explorations) == 1
    title = title or (explorations[0].name if single else "squall explore")
    parts = [_header(explorations, title)]
    for number, each in enumerate(explorations, start=1):
        mark = "" if single else f"-{number}"
        if not single:
            parts.append(_opening(each, number))
        parts += _of_one(each, mark, most)
    said = tag("ul", [tag("li", each) for each in limits(explorations)], class_="limits")
    return page(title, [*parts, section("What this does not show", said, name="limits")])


def _header(explorations: Sequence[Exploration], title: str) -> Markup:
    single = explorations[0] if len(explorations) == 1 else None
    remarks = single.remarks if single else ()
    versions = ", ".join(sorted({each.version for each in explorations}))
    scope = _runs(single) if single else counted(len(explorations), "exploration")
    return tag(
        "header",
        tag("p", "squall · exploration", class_="kicker"),
        tag("h1", tag("bdi", visible(title, LONGEST))),
        tag("p", headline(explorations), class_="lead"),
        [tag("p", each) for each in remarks],
        tag("p", scope, f" · squall {versions}" if versions else "", class_="muted"),
    )


def _opening(exploration: Exploration, number: int) -> Markup:
    return section(
        visible(exploration.name, LONGEST),
        tag("p", exploration.coverage.claim, class_="lead"),
        *[tag("p", each) for each in exploration.remarks],
        tag("p", _runs(exploration), class_="muted"),
        name=f"exploration-{number}",
    )


def _runs(exploration: Exploration) -> str:
    told = f" ({statuses(exploration.coverage.statuses)})" if exploration.coverage.statuses else ""
    shrinking = exploration.runs - exploration.coverage.runs
    more = f", and {shrinking:,} more to make failures smaller" if shrinking > 0 else ""
    return f"{counted(exploration.coverage.runs, 'run')}{told}{more}"


def _of_one(exploration: Exploration, mark: str, most: int) -> list[Markup]:
    return [
        _tried(exploration, mark),
        _failed(exploration, mark, most),
        *([] if exploration.altered is None else [_altered(exploration.altered, mark)]),
    ]


def _tried(exploration: Exploration, mark: str) -> Markup:
    coverage = exploration.coverage
    calls = revealed(coverage)
    never = [tag("li", named(each)) for each in coverage.never_true]
    return section(
        "What was tried",
        *(coverage_matrix.matrices(coverage) or [tag("p", "There was no place where a fault could happen.")]),
        coverage_matrix.legend() if coverage.lines else None,
        tag("p", calls) if calls else None,
        coverage_matrix.shares(coverage.shares) if coverage.shares else None,
        tag("p", "Expected sometimes, and true in no run:") if never else None,
        tag("ul", never, class_="limits") if never else None,
        coverage_matrix.left_out(coverage),
        name=f"tried{mark}",
    )


def _failed(exploration: Exploration, mark: str, most: int) -> Markup:
    failures = exploration.failures
    if not failures:
        return section("What failed", tag("p", "Nothing. Read below what that does not show."), name=f"failures{mark}")
    rest = len(failures) - most
    return section(
        "What failed",
        tag("p", f"{counted(len(failures), 'failure')}, each under as few and as plain faults as were found. {LANES}"),
        swim_lanes.legend(),
        tag("div", [minimal_failures.block(each) for each in failures[:most]], class_="failures"),
        tag("p", f"{counted(rest, 'more failure')} not shown here.", class_="muted") if rest > 0 else None,
        name=f"failures{mark}",
    )


def _altered(altered: Sequence[tuple[str, str]], mark: str) -> Markup:
    head = tag("tr", tag("th", "End state", scope="col"), tag("th", "Noticed by", scope="col"))
    rows = [
        tag("tr", tag("th", named(what, LONGEST), scope="row"), tag("td", named(by, LONGEST) if by else "nothing"))
        for what, by in altered
    ]
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="numbers words")
    return section(
        "Can it fail at all?",
        tag("p", "The end state of a run without faults was altered, and what is expected was asked of it."),
        tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Altered end states")
        if rows
        else None,
        name=f"altered{mark}",
    )
