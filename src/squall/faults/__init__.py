"""What may go wrong, as data: the kinds of fault, and plans that say where and when.

Parses a `faults:` block against a neutral list of targets. Knows no world, no wire and no clock, and acts on nothing.
"""

from squall.faults.inline import Inline
from squall.faults.kind import Action, Kind, Params
from squall.faults.parse import parse_plan
from squall.faults.plan import CALM, Bound, Limits, Plan
from squall.faults.registry import KINDS, kind_named, names

__all__ = [
    "CALM",
    "KINDS",
    "Action",
    "Bound",
    "Inline",
    "Kind",
    "Limits",
    "Params",
    "Plan",
    "kind_named",
    "names",
    "parse_plan",
]
