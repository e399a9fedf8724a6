"""Models that are there without any configuration, each with a weather of its own."""

from squall.models.builtin.spoken import Says
from squall.models.builtin.table import CHAT, FAULTS, NAMES, models

__all__ = ["CHAT", "FAULTS", "NAMES", "Says", "models"]
