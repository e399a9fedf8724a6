"""Decides what happens at a point: keyed by seed and point, by counting arrivals, or from a schedule.

Knows kinds of faults by name only, and neither acts on them nor knows a world.
"""

from squall.decide.decision import Calm, Decider, Decision, Situation
from squall.decide.keyed import Keyed
from squall.decide.point import Point, digest_of
from squall.decide.rule import Latency, Phase, RateLimit, Rule, Rules, When
from squall.decide.scheduled import Match, Scheduled

__all__ = [
    "Calm",
    "Decider",
    "Decision",
    "Keyed",
    "Latency",
    "Match",
    "Phase",
    "Point",
    "RateLimit",
    "Rule",
    "Rules",
    "Scheduled",
    "Situation",
    "When",
    "digest_of",
]
