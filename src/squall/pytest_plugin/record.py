"""What one run reports to its group: plain builtins, so that it travels between xdist's processes inside a report.

Knows no pytest beyond the attribute of a report that carries it.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from squall.runs.result import Status

ATTRIBUTE = "squall_run"


@dataclass(slots=True)
class RunRecord:
    """One run as its group sees it.

    `required` is the gate's rate, None without one, `confidence` how sure it must be, None where the plain share
    decides; `size` the number of runs selected in the group; `copy` which of
    its groups it is, if a test was collected more than once; `followed` whether reports of fixtures that outlive the
    run follow. `violated` is the first violated assertion (or what else ended the run) in one line, `line` the trace in
    one line, `text` the run's own report in full, `sections` its captured output. `expected` is the reason of an xfail
    that applied, `strict` whether it must fail. `fired` counts the faults that happened, None without a plan; `drawn`
    tells whether chance decides about some, `aims` then how often each operation was called that it could have struck.
    `whole` is the number of runs that the test has, selected or not. `mistake` says why the run could not test
    anything, in any weather. `property` is the world's property that was violated, by its name, "" where none was.
    """

    group: str
    index: int
    size: int = 1
    copy: int = 0
    followed: bool = False
    required: float | None = None
    confidence: float | None = None
    status: Status = "passed"
    seed: int = 0
    violated: str = ""
    line: str = ""
    text: str = ""
    sections: list[tuple[str, str]] = field(default_factory=list)
    properties: list[tuple[str, Any]] = field(default_factory=list)
    expected: str | None = None
    strict: bool = False
    drawn: bool = False
    fired: int | None = None
    aims: dict[str, int] = field(default_factory=dict)
    whole: int = 1
    mistake: str = ""
    property: str = ""

    def put(self, report: object) -> None:
        """Attach it to a report of pytest's."""
        vars(report)[ATTRIBUTE] = asdict(self)

    @classmethod
    def take(cls, report: object) -> RunRecord | None:
        """The record that a report carries, if it does."""
        data = getattr(report, ATTRIBUTE, None)
        return None if data is None else cls(**data)
