"""Exploration driven: schedules turned into weather, runs into observations, and the search over them carried out."""

from __future__ import annotations

from squall.runs.exploring.search import Explored, Found, Options, search
from squall.runs.exploring.weather import Weather

__all__ = ["Explored", "Found", "Options", "Weather", "search"]
