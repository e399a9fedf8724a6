"""What a strategy is. Knows no scenario and no run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

if TYPE_CHECKING:
    from squall.runs.scenario import Task
    from squall.runs.strategies.env import Env

Said = Literal["completed", "failed"]


class Result(NamedTuple):
    """How a strategy says that it ended: `completed`, or `failed` where it gave up on purpose; and its answer.

    With steps the answer is usually the list of their results; it must be JSON-ready.
    """

    status: Said
    answer: Any = None


class Strategy(Protocol):
    """A named agent. It may also have `parameters` (a mapping, a part of its identity) and `deterministic`.

    `deterministic = True` promises the same doings whenever task, seed and faults are the same: such a run is not made
    again where it is stored already.
    """

    name: str

    async def run(self, task: Task, env: Env) -> Result:
        """Do the task with what `env` gives. What it raises is a crash of the strategy."""
        ...
