"""Strategies: named agents that scenarios can be run with, three of them built in, and the parts that they are made of.

Write your own as any object with a `name` and `async def run(task, env) -> Result`.
"""

from __future__ import annotations

from squall.runs.strategies.env import BrokenStream, Env, Found, Memory
from squall.runs.strategies.strategy import Result, Strategy

__all__ = ["BrokenStream", "Env", "Found", "Memory", "Result", "Strategy"]
