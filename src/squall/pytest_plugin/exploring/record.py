"""What is told of an explored item, as plain values that travel between xdist's processes in its report.

In xdist the controller collects them and tells of them when the session ends.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

import pytest

ATTRIBUTE = "squall_explored"
TOLD = "squall-explored"


@dataclass(slots=True)
class Record:
    """One item.

    `claim` is the coverage in a sentence, `notes` what limits it, `failures` how many there are; `kept` says what came
    of each file that was replayed first, `revealed` are targets of calls that only recovering makes, with their number.
    `altered` says who noticed which alteration of the world. `replay` is what a replay came to, in place of all that.
    """

    nodeid: str
    claim: str = ""
    notes: list[str] = field(default_factory=list)
    failures: int = 0
    runs: int = 0
    seconds: float = 0.0
    revealed: list[tuple[str, int]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    altered: list[str] = field(default_factory=list)
    replay: str = ""

    @property
    def tells(self) -> bool:
        """Whether there is anything to tell."""
        return bool(self.claim or self.notes or self.replay)

    def put(self, report: pytest.TestReport) -> None:
        """Have a report carry it."""
        vars(report)[ATTRIBUTE] = asdict(self)


class Told:
    """The explored items of a session."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.records: list[Record] = []

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a report carries, once."""
        if data := vars(report).pop(ATTRIBUTE, None):
            self.records.append(Record(**data))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """What was covered."""
        if self.records:
            from squall.pytest_plugin.exploring.summary import show  # few sessions explore

            show(terminalreporter, self.records)


def collect(config: pytest.Config) -> None:
    """Put together what is told of explored items, by xdist's workers too. A worker itself only tells."""
    if not hasattr(config, "workerinput") and not config.pluginmanager.has_plugin(TOLD):
        config.pluginmanager.register(Told(config), TOLD)


def tell(config: pytest.Config, record: Record) -> None:
    """Tell of an item that no report will come of."""
    told: Told | None = config.pluginmanager.get_plugin(TOLD)
    if told is not None:
        told.records.append(record)
