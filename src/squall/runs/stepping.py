"""The far end of a scenario with steps: each step is an operation whose result is written down beforehand.

A stand-in for a service, as `interpose` knows one. It keeps a ledger of the writes that were made, honours idempotency
keys, and can be asked what became of a call.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from squall.call import CallRef, Refused, Target
from squall.clock import Clock
from squall.errors import shown
from squall.runs.scenario.spec import StepSpec
from squall.runs.scenario.targets import call_target
from squall.worlds import Effect
from squall.worlds.events.late import Late

KEY = "idempotency_key"
FIND = "find_result"
TABLE = "steps"


class StepOperation(msgspec.Struct, frozen=True):
    """One step as something that can be called: `tool` is its name within the run, `target` has the real tool's."""

    tool: str
    target: Target
    is_async: bool = False


class Steps:
    """The steps of one run. `done` counts how often each write has happened, by the step's index.

    `refused` holds by tool the arguments of calls that are those of no step; a tool's name may be that of several.
    """

    volatile = (KEY,)

    def __init__(self, steps: Sequence[StepSpec], clock: Clock) -> None:
        self._steps, self._clock = steps, clock
        self.operations = operations_of(tuple(steps))
        self.on_effect: list[Callable[[Effect], None]] = []
        self.revision = 0
        self.done = [0] * len(steps)
        self.refused: dict[str, list[dict[str, Any]]] = {}
        self._keys: set[tuple[int, str]] = set()
        self._late = Late(clock)

    def call(self, tool: str, args: Mapping[str, Any], *, ref: CallRef | None = None, commit: bool = True) -> Any:
        """The result of a step, done now; or what became of one, for `find_result`."""
        if tool == FIND:
            return self._found(args.get("step"))
        index = int(tool.removeprefix("step"))
        step = self._steps[index]
        given = _without_key(args)
        if given != _without_key(step.arguments):
            self.refused.setdefault(step.tool, []).append(given)
            raise Refused(f"the arguments of {step.tool} are not those of step {index}", "arguments")
        if step.writes and commit and not self._is_known(index, args.get(KEY)):
            self._happen(index, step, ref)
        return self._result(index)

    def _is_known(self, index: int, key: Any) -> bool:
        """Whether a write with this idempotency key was made before; from now on it was."""
        if key is None:
            return False
        if not isinstance(key, str) or not key:
            raise Refused(f"{KEY}: {shown(key)} is not a key; send a text of your choice", "arguments")
        known = (index, key) in self._keys
        self._keys.add((index, key))
        return known

    def _found(self, index: Any) -> dict[str, Any]:
        if type(index) is not int or not 0 <= index < len(self._steps):
            raise Refused(f"there is no step {shown(index)}", "not_found")
        return {"found": True, "result": self._result(index)} if self.done[index] else {"found": False}

    def _happen(self, index: int, step: StepSpec, ref: CallRef | None) -> None:
        self.revision += 1
        self.done[index] += 1
        effect = Effect(
            rev=self.revision,
            t=self._clock.elapsed(),
            table=TABLE,
            op="insert",
            id=f"{index}.{self.done[index]}",
            before=None,
            after={"step": index, "tool": step.tool, "arguments": step.arguments},
            call=ref,
        )
        for listener in self.on_effect:
            listener(effect)

    def tool_of(self, index: int) -> str:
        """The tool of a step."""
        return self._steps[index].tool

    def repeat(self, index: int) -> None:
        """A step that writes happens once more, and nobody has asked for it."""
        self._happen(index, self._steps[index], None)

    def forget(self, index: int) -> None:
        """A step that has happened has not."""
        self.done[index] = 0

    def old_value(self, index: int, stated: Any) -> Any:
        """What a memory holds of a step that has changed since."""
        return stated if stated is not None else _older(self._result(index))

    def as_of(self, writes: int, tool: str, args: Mapping[str, Any]) -> Any:
        """Results do not change with writes."""
        del writes
        return self.call(tool, args, commit=False)

    def age_of(self, tool: str, args: Mapping[str, Any]) -> float | None:
        """No record has an age."""
        del tool, args
        return None

    @property
    def settling(self) -> bool:
        """Whether what lands now must land at once."""
        return self._late.settling

    def later(self, seconds: float, thunk: Callable[[], Any]) -> None:
        """Run `thunk` on the clock, whatever becomes of the request."""
        self._late.add(seconds, thunk)

    def settle(self) -> None:
        """Land all that is still to land."""
        self._late.settle()

    def _result(self, index: int) -> Any:
        return copy.deepcopy(self._steps[index].result)


def _without_key(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != KEY}


def operations_of(steps: tuple[StepSpec, ...]) -> dict[str, StepOperation]:
    """What can be called: each step, and the question what became of one."""
    made = {f"step{index}": StepOperation(f"step{index}", call_target(index, step)) for index, step in enumerate(steps)}
    made[FIND] = StepOperation(FIND, Target(f"steps.{FIND}", FIND, access="read", fields=("step",)))
    return made


def _older(value: Any) -> Any:
    """A value of the same type that was true before: one part of it differs. None where there was nothing."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value - 1
    if isinstance(value, str):
        return f"{value} (old)" if value else "old"
    if isinstance(value, dict) and value:
        last = max(value)  # and not the last that was written: a stored run has its keys in another order
        return {**value, last: _older(value[last])}
    if isinstance(value, list) and value:
        return value[:-1]
    return "old"
