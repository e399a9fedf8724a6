"""The lab's report as one HTML page: no script, nothing loaded from elsewhere, readable on a telephone and on paper.

The page forbids itself scripts and requests by its Content-Security-Policy, which knows the digest of its one style
sheet. It holds neither dates nor paths: the same runs make the same bytes. What agents, models and files said is text
wherever it stands, with personal data and secrets masked.
"""

from __future__ import annotations

from collections.abc import Sequence

from squall.reports.headline import headline, remarks, scope
from squall.reports.limits import limits
from squall.reports.page import evidence, failures, heat_map, latencies, rates, side_by_side, swim_lanes
from squall.reports.page.failures import Replay, TraceOf
from squall.reports.page.frame import page, section
from squall.reports.page.markup import Markup, tag
from squall.reports.pairs import Pair, best_against_others
from squall.reports.summary import Summary, in_order
from squall.reports.visible import visible
from squall.reports.wording import counted
from squall.store.record import RunRecord

PAIRED = "Run against run of the same scenario, seed and run index: both met the same weather."
BEST = "The best was picked by its rate in these very runs, which flatters it a little."
SUITE = "squall suite FOLDER --strategies baseline,resilient --report report.html"
TIMES = " from a run’s first event to its last: a dot for each run, a box for the middle half, a line for the median."
MOST_FAILURES = 40
"""Failures that are shown in full."""


def html(
    summary: Summary,
    runs: Sequence[RunRecord],
    trace_of: TraceOf,
    *,
    title: str,
    replay: Replay,
    against: Sequence[Pair] = (),
    most: int = MOST_FAILURES,
) -> str:
    """The whole page. `trace_of` says where a run's trace lies, `replay` the command that runs it again.

    `against` are two suites in pairs (`summarize_pair`), where there are two.
    """
    ordered = in_order(runs)
    parts = [
        _header(summary, title),
        *([] if summary.runs else [_empty()]),
        *([_against(against)] if against else []),
        *(_measured(summary, ordered) if summary.runs else ()),
        *(_failed(summary, ordered, trace_of, replay, most) if summary.runs else ()),
        _limits(summary),
        *([_evidence(summary, ordered)] if summary.runs else []),
    ]
    return page(title, parts)


def _header(summary: Summary, title: str) -> Markup:
    return tag(
        "header",
        tag("p", "squall · lab report", class_="kicker"),
        tag("h1", tag("bdi", visible(title, 120))),
        tag("p", headline(summary), class_="lead"),
        [tag("p", each) for each in remarks(summary)],
        tag("p", f"{scope(summary)}{_versions(summary)}", class_="muted"),
    )


def _versions(summary: Summary) -> str:
    return f" · squall {', '.join(summary.versions)}" if summary.versions else ""


def _empty() -> Markup:
    return section("Nothing was run", tag("p", "To run a suite: ", tag("code", SUITE)), name="empty")


def _measured(summary: Summary, runs: Sequence[RunRecord]) -> list[Markup]:
    of: dict[str, list[float]] = {strategy: [] for strategy in summary.strategies}
    for run in runs:
        if run.status != "skipped":
            of[summary.labels[run.hash]].append(run.metrics.latency_s)
    overall = summary.of("strategy")
    caption = "Runs that met their expectations, of those in which the fault happened"
    return [
        section(
            "Who survived what", heat_map.heat_map(summary, "fault", "Fault", caption), heat_map.legend(), name="faults"
        ),
        section(
            "How often",
            tag("p", "All runs of each strategy: the dot is the rate, the line its 95 % interval (Wilson)."),
            rates.rates(overall),
            rates.in_a_row(overall),
            name="rates",
        ),
        *_side_by_side(summary, runs),
        section(
            "How long",
            tag("p", summary.time[0].upper(), summary.time[1:], TIMES),
            latencies.latencies(of),
            name="latency",
        ),
    ]


def _against(pairs: Sequence[Pair]) -> Markup:
    return section("A against B", tag("p", PAIRED), side_by_side.pairs(pairs), name="against")


def _side_by_side(summary: Summary, runs: Sequence[RunRecord]) -> list[Markup]:
    pairs = best_against_others(summary, runs)
    if not pairs:
        return []
    return [section("Side by side", tag("p", f"{PAIRED} {BEST}"), side_by_side.pairs(pairs), name="side-by-side")]


def _failed(summary: Summary, runs: Sequence[RunRecord], trace_of: TraceOf, replay: Replay, most: int) -> list[Markup]:
    total = failures.failed(runs)
    if not total:
        words = "Every run met its expectations. Read below what that does not show."
        return [section("What failed", tag("p", words), name="failures")]
    of: dict[tuple[str, str], int] = {}
    for run in total:
        pair = run.scenario, summary.labels[run.hash]
        of[pair] = of.get(pair, 0) + 1
    chosen = failures.chosen(summary, runs, most)
    shown = sum(map(len, chosen.values()))
    words = f"{counted(len(total), 'run')} did not pass" + (
        f"; {shown} of them are shown in full, of each scenario and strategy the first ones."
        if shown < len(total)
        else "."
    )
    blocks = [failures.block(pair, own, of[pair], trace_of, replay) for pair, own in chosen.items()]
    return [
        section(
            "What failed",
            tag("p", words, " In the pictures time runs downwards, and not to scale."),
            swim_lanes.legend(),
            tag("div", blocks, class_="failures"),
            name="failures",
        )
    ]


def _limits(summary: Summary) -> Markup:
    return section(
        "What this does not show",
        tag("ul", [tag("li", each) for each in limits(summary)], class_="limits"),
        name="limits",
    )


def _evidence(summary: Summary, runs: Sequence[RunRecord]) -> Markup:
    return section(
        "Evidence",
        evidence.cells("By strategy", "", summary.of("strategy")),
        evidence.cells("By scenario", "Scenario", summary.of("scenario")),
        evidence.cells("By fault", "Fault", summary.of("fault")),
        evidence.runs(summary, runs),
        name="evidence",
    )
