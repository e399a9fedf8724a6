"""What a report does not show, said in it: so that nobody takes a table for more than it is."""

from __future__ import annotations

from squall.reports.summary import CALM, Summary
from squall.reports.wording import counted

MEANING = "A pass means that what a scenario expects did hold in that run. Nothing is said about what no scenario asks."
CHOSEN = (
    "The scenarios were chosen, not drawn: their rates are no forecast for the work that a strategy will meet. An "
    "interval covers chance between runs of this kind, and nothing else."
)
SIMULATED = (
    "Services and models here are simulated or scripted. Latency is {time}, and cost is in the scenarios’ own "
    "units: both compare strategies, neither predicts a bill or a wait."
)
RECOVERED = (
    "“Recovered” says that a fault happened and the expectations hold, not that the one came about in spite of the "
    "other."
)
SEVERAL = (
    "A fault’s rate is of the runs in which it really happened. A run with several faults counts under each of them, "
    "and does not tell which one broke it."
)
EMPTY = "A cell without runs makes no claim about any strategy, and neither does a report without runs."
REVIEW = "Whether something may be put to use is for a person to decide; docs/reading-a-report.md says what to ask."
FEW = 20
"""Below so many runs an interval is wider than most differences."""


def limits(summary: Summary) -> list[str]:
    """Sentences, the weightiest first."""
    said = [MEANING, CHOSEN, SIMULATED.format(time=summary.time), RECOVERED]
    if any(fault != CALM for fault in summary.faults):
        said.append(SEVERAL)
    unmet = sum(cell.not_reached for cell in summary.of("strategy"))
    if unmet:
        said.append(
            f"{counted(unmet, 'run')} never met a fault that was planned for it: that is no evidence of strength."
        )
    repeated = [cell for cell in summary.of("scenario") if cell.judged > 1]
    alike = sum(cell.courses == 1 for cell in repeated)
    if alike:
        said.append(
            f"In {alike} of {counted(len(repeated), 'cell')} with several runs all went the same way. There more seeds "
            "told nothing new, and intervals, which take runs for independent, are narrower than what is known."
        )
    few = [cell.judged for cell in summary.of("scenario")]
    if few and min(few) < FEW:
        said.append(
            f"The smallest cell rests on {counted(min(few), 'run')}: differences between few runs are often chance."
        )
    said += [EMPTY, REVIEW]
    return [*said, *summary.notes]
