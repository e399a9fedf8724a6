"""Which schedules of faults to run, in which order, and what their runs have shown: search, coverage, shrinking.

Pure: takes choices and what was observed, and knows no runs, no worlds and no files.
"""

from squall.explore.choice import CALM, Choice, Follows, Schedule, in_words
from squall.explore.coverage import Coverage, Line
from squall.explore.findings import Finding
from squall.explore.observed import Observed, Seen, Status
from squall.explore.search import Budget, Search, Trial
from squall.explore.shares import Share
from squall.explore.shrink import Shrunk, shrink
from squall.explore.simpler import simpler_by

__all__ = [
    "CALM",
    "Budget",
    "Choice",
    "Coverage",
    "Finding",
    "Follows",
    "Line",
    "Observed",
    "Schedule",
    "Search",
    "Seen",
    "Share",
    "Shrunk",
    "Status",
    "Trial",
    "in_words",
    "shrink",
    "simpler_by",
]
