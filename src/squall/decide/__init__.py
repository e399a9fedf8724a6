"""Decides what happens at a point: keyed by seed and point, or by counting arrivals.

Knows kinds of faults by name only, and neither acts on them nor knows a world.
"""

from squall.decide.decision import Calm, Decider, Decision, Situation
from squall.decide.keyed import Keyed
from squall.decide.point import Point, digest_of
from squall.decide.rule import Latency, Phase, RateLimit, Rule, Rules, When

__all__ = [
    "Calm",
    "Decider",
    "Decision",
    "Keyed",
    "Latency",
    "Phase",
    "Point",
    "RateLimit",
    "Rule",
    "Rules",
    "Situation",
    "When",
    "digest_of",
]
