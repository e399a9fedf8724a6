"""What an exploration has tried where: a row for each kind of fault, a column for each target; colour and text agree.

And how many schedules of one fault, of two, and so on were run of those there are. Knows no page.
"""

from __future__ import annotations

from collections.abc import Sequence

from squall.explore import Coverage, Line
from squall.explore.shares import Share
from squall.explore.shares import name as name_of_share
from squall.reports.exploration import PHASES, has_phase, is_beside, tried, verdict
from squall.reports.page.heat_map import FEW
from squall.reports.page.markup import Markup, name, tag
from squall.reports.wording import counted

STEPS = (
    ("a run with it failed", "none"),
    ("tried wherever it can happen", "all"),
    ("tried in every place that a run without faults has", "most"),
    ("tried in some places", "half"),
    ("never fired, or not tried", "unmet"),
)
"""What a colour means, and its class. From vermilion to blue, which colour-blind people tell apart too."""
SHARES = ("Faults in a run", "Possible", "Run, and all fired", "Left out as known", "Never fired", "Behind failures")
CAPTION = "Places where it happened, of those where it can"
LONGEST = 60


def matrices(coverage: Coverage) -> list[Markup]:
    """A table for the calls of tools, one for what is beside them, and one for models; those that there are."""
    tools = [line for line in coverage.lines if line.wire != "model" and not is_beside(line.target, line.wire)]
    beside = [line for line in coverage.lines if is_beside(line.target, line.wire)]
    models = [line for line in coverage.lines if line.wire == "model"]
    return [
        _matrix(title, lines, coverage)
        for title, lines in (("Calls of tools", tools), ("Models", models), ("Beside the calls", beside))
        if lines
    ]


def legend() -> Markup:
    """What the colours mean."""
    steps = [tag("li", tag("span", class_=f"swatch {kind}", aria_hidden="true"), words) for words, kind in STEPS]
    return tag("ul", steps, class_="legend")


def shares(found: Sequence[Share]) -> Markup:
    """How many schedules there are of each number of faults, and what became of them."""
    head = tag(
        "tr", [tag("th", words, scope="col", class_="n" if place else None) for place, words in enumerate(SHARES)]
    )
    rows = [
        tag(
            "tr",
            tag("th", name_of_share(share.faults)[1], scope="row"),
            [
                tag("td", f"{number:,}", class_="n")
                for number in (
                    share.possible,
                    share.covered - share.left_out,
                    share.left_out,
                    share.never_fired,
                    share.behind,
                )
            ],
        )
        for share in found
    ]
    table = tag("table", tag("thead", head), tag("tbody", rows), class_="numbers")
    return tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Schedules by the number of faults")


def step_of(line: Line) -> str:
    """The class of a cell's colour."""
    if line.bad:
        return "none"
    if line.faulted == 0:
        return "unmet"
    if line.faulted == line.seen:
        return "all"
    return "most" if line.calm and line.calm_faulted == line.calm else "half"


def _matrix(title: str, lines: Sequence[Line], coverage: Coverage) -> Markup:
    targets = list(dict.fromkeys(line.target for line in lines))
    kinds = sorted({(line.kind, line.phase): line.wire for line in lines}.items())
    of = {(line.kind, line.phase, line.target): line for line in lines}
    some = {(line.kind, line.target) for line in lines}

    def cell(kind: str, phase: str, target: str) -> Markup:
        if (line := of.get((kind, phase, target))) is not None:
            return _cell(line, verdict(line, coverage))
        if (kind, target) in some:
            return _none("no other phase here")
        return _none("left out" if (target, kind) in coverage.left_out else "cannot happen")

    head = tag("tr", tag("th", "Fault", scope="col"), [tag("th", name(target), scope="col") for target in targets])
    rows = [
        tag(
            "tr",
            tag("th", name(kind), _phase(kind, phase, wire), scope="row"),
            [cell(kind, phase, target) for target in targets],
        )
        for (kind, phase), wire in kinds
    ]
    table = tag(
        "table",
        tag("caption", tag("b", title), f" · {CAPTION}"),
        tag("thead", head),
        tag("tbody", rows),
        class_="heat" if len(targets) <= FEW else "heat many",
    )
    return tag("div", table, class_="wide inset", tabindex="0", role="region", aria_label=f"{title}: {CAPTION}")


def _phase(kind: str, phase: str, wire: str) -> Markup | None:
    return tag("small", f" {PHASES.get(phase, phase)}") if has_phase(wire, kind) else None


def _none(why: str) -> Markup:
    return tag("td", tag("small", why), class_="step empty")


def _cell(line: Line, words: str) -> Markup:
    share, behind = tried(line)
    rest = tag("small", behind) if behind else None
    return tag("td", tag("b", words), tag("small", share), rest, class_=f"step {step_of(line)}")


def left_out(coverage: Coverage) -> Markup | None:
    """What the filters took away, to be opened; None where there are none."""
    if not coverage.left_out:
        return None
    kinds: dict[str, list[str]] = {}
    for target, kind in coverage.left_out:
        kinds.setdefault(target, []).append(kind)
    size = counted(len(coverage.left_out), "kind of fault at a target", "kinds of faults at targets")
    items = [tag("li", name(target, LONGEST), ": ", ", ".join(found)) for target, found in kinds.items()]
    return tag("details", tag("summary", f"Left out by the filters: {size}"), tag("ul", items, class_="limits"))
