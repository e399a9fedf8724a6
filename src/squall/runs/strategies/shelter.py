"""Keeps what a strategy raises within its run: a program that calls `exit()` must not end a suite of a thousand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from squall.errors import LimitReached, said
from squall.runs.strategies.strategy import Result, Strategy

if TYPE_CHECKING:
    from squall.runs.scenario import Task
    from squall.runs.strategies.env import Env


class StrategyEnded(Exception):
    """A strategy wanted to end more than its own run."""


class Sheltered:
    """A strategy from which nothing comes but its result, an `Exception`, the run's limit, or the user's Ctrl-C."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy, self.name = strategy, strategy.name

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task. Raises StrategyEnded in place of SystemExit and its like."""
        try:
            return await self._strategy.run(task, env)
        except (Exception, LimitReached, KeyboardInterrupt, GeneratorExit):
            raise
        except asyncio.CancelledError:
            task_ = asyncio.current_task()
            if task_ is None or task_.cancelling():  # from outside: the user's Ctrl-C comes in this way too
                raise
            raise StrategyEnded("the strategy let a cancellation of its own escape") from None
        except SystemExit as end:
            raise StrategyEnded(f"the strategy called exit({end.code!r})") from end
        except BaseException as other:
            raise StrategyEnded(f"the strategy raised {type(other).__name__}: {said(other)}") from other
