"""The runs that did not pass, one block for each scenario × strategy: why, a picture, and how to see it again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from squall.errors import UsageError
from squall.reports.cells import passes
from squall.reports.page.lane_rows import rows_of
from squall.reports.page.markup import Markup, name, tag
from squall.reports.page.swim_lanes import picture
from squall.reports.summary import Summary
from squall.reports.visible import payload, visible
from squall.reports.wording import counted
from squall.store.record import RunRecord
from squall.trace import BrokenChain, Trace, verify

TraceOf = Callable[[RunRecord], Path | None]
Replay = Callable[[RunRecord], str]
LONGEST = 60
LARGEST = 8 * 2**20
"""Bytes of a trace of which a picture is drawn."""
REASONS = 5
SEEDS = 12
LINES = 6


def failed(runs: Sequence[RunRecord]) -> list[RunRecord]:
    """The runs that did not pass; a skipped one is none of them."""
    return [run for run in runs if run.status != "skipped" and not passes(run)]


def chosen(summary: Summary, runs: Sequence[RunRecord], most: int) -> dict[tuple[str, str], list[RunRecord]]:
    """At most so many failures, by scenario and strategy: one of each such pair first, then the second of each."""
    of: dict[tuple[str, str], list[RunRecord]] = {}
    for run in failed(runs):
        of.setdefault((run.scenario, summary.labels[run.hash]), []).append(run)
    ranked = sorted((rank, place) for place, (_, own) in enumerate(of.items()) for rank in range(len(own)))
    kept = {(place, rank) for rank, place in ranked[:most]}
    shown = {
        pair: [run for rank, run in enumerate(own) if (place, rank) in kept]
        for place, (pair, own) in enumerate(of.items())
    }
    return {pair: own for pair, own in shown.items() if own}


def block(pair: tuple[str, str], runs: Sequence[RunRecord], total: int, trace_of: TraceOf, replay: Replay) -> Markup:
    """One pair's failures: the first one open, the others to be opened."""
    scenario, strategy = pair
    first, *others = runs
    title = tag(
        "h3",
        name(strategy, LONGEST),
        tag("span", " in ", class_="muted"),
        name(scenario, LONGEST),
    )
    description = tag("p", visible(first.description), class_="muted") if first.description else None
    more = None
    if others:
        inside = [
            part for run in others for part in (tag("h4", _which(run), ", ", _status(run)), _one(run, trace_of, replay))
        ]
        more = tag("details", tag("summary", f"{len(others)} more: {_seeds(others)}"), inside)
    rest = total - len(runs)
    left_out = tag("p", f"{counted(rest, 'more failure')} like this, not shown here.", class_="muted") if rest else None
    shown = tag("p", tag("span", _status(first), class_="status"), " ", _which(first), class_="which")
    return tag("article", title, description, shown, _one(first, trace_of, replay), more, left_out, class_="failure")


def _which(run: RunRecord) -> str:
    return f"seed {run.seed}, run {run.run_index}" + (f", sample {run.sample}" if run.sample else "")


def _seeds(runs: Sequence[RunRecord]) -> str:
    seeds = [str(run.seed) for run in runs]
    more = " …" if len(seeds) > SEEDS else ""
    return f"seed{'' if len(seeds) == 1 else 's'} {', '.join(seeds[:SEEDS])}{more}"


def _status(run: RunRecord) -> str:
    return {"not_fired": "not fired", "passed": "passed"}.get(run.status, run.status)


def _one(run: RunRecord, trace_of: TraceOf, replay: Replay) -> Markup:
    reasons = [_reason(reason) for reason in run.reasons[:REASONS]]
    if len(run.reasons) > REASONS:
        reasons.append(tag("li", f"and {counted(len(run.reasons) - REASONS, 'more reason')}"))
    if run.status == "not_fired":
        reasons.append(tag("li", "A planned fault never happened, so that this run shows nothing about it."))
    answer = tag("p", tag("span", f"{visible(run.answered, LONGEST)}: ", class_="muted"), _answer(run))
    return tag(
        "div",
        tag("ul", reasons or [tag("li", "The record names no reason.")], class_="reasons"),
        answer,
        _picture(run, trace_of),
        tag("p", "See it again, in the folder of this page:", class_="again muted"),
        tag("pre", tag("code", visible(replay(run), 400)), tabindex="0"),
    )


def _reason(words: str) -> Markup:
    """Its first line, and below it the next ones, which say more."""
    first, *more = words.splitlines() or [""]
    said = [tag("div", payload(line.strip()), class_="muted") for line in more[:LINES]]
    return tag("li", payload(first), said, tag("div", "…", class_="muted") if len(more) > LINES else None)


def _answer(run: RunRecord) -> Markup:
    return tag("q" if isinstance(run.answer, str) else "code", payload(run.answer))


def _picture(run: RunRecord, trace_of: TraceOf) -> Markup:
    """Of a trace that is the record's own and nobody touched; else why there is none."""
    try:
        path = trace_of(run)
        if path is None:
            return _none("There is no trace of this run beside its record, and so no picture.")
        if path.stat().st_size > LARGEST:
            return _none(f"The trace is too long for a picture: {path.stat().st_size / 2**20:.0f} MB.")
        if verify(path).head != run.head:
            return _none("The trace is not the one that the record was made from, and so there is no picture.")
        trace = Trace.load(path)
        return picture(rows_of(trace), f"The run as it went: {visible(trace.line(), 400)}")
    except BrokenChain as broken:
        return _none(f"The trace was changed after it was recorded (line {broken.line}: {broken.why}): no picture.")
    except (OSError, UsageError, msgspec.DecodeError):
        return _none("The trace cannot be read, and so there is no picture.")


def _none(why: str) -> Markup:
    return tag("p", why, class_="missing")
