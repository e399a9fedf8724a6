"""The steps of a scenario as tools that are called by their names, for agents that know no steps.

Stands where an interposer stands before a wire: finds the step that a call means, and hands it on. That is the next one
with this tool and these arguments that has not been answered yet; where all have been, the last one: whoever calls
again makes the same step again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from squall.call import Outcome
from squall.interpose import Interposer
from squall.interpose.caller import SILENT, Caller
from squall.runs.scenario.task import Step
from squall.runs.stepping import FIND, KEY
from squall.worlds.services.params import Param

REFUSED = 400
TYPES: Mapping[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
    type(None): "null",
}
KEY_WORDS = "a key of your own for this request: it is carried out once, however often it comes with the same key"
FIND_WORDS = "Look up what became of an earlier request: its result, if it was carried out."


class StepTool(msgspec.Struct, frozen=True):
    """One tool, as wires list it. Its schema is read off the arguments of its steps."""

    tool: str
    description: str
    params: tuple[Param, ...]
    access: str
    idempotent: bool = False
    destructive: bool = False
    output_schema: Mapping[str, Any] | None = None

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        return {
            "type": "object",
            "properties": {param.name: _described(param) for param in self.params},
            "required": [param.name for param in self.params if param.required],
            "additionalProperties": False,
        }


class StepTools:
    """The tools of one run of steps, in the order in which the steps name them first."""

    def __init__(self, interposer: Interposer, steps: tuple[Step, ...]) -> None:
        self._interposer, self._steps = interposer, steps
        self._answered: set[int] = set()
        self._under_way: Counter[int] = Counter()
        self.operations = {tool.tool: tool for tool in _tools(steps)}

    # what wires ask of an interposer

    @property
    def plan(self) -> Any:
        """The run's plan."""
        return self._interposer.plan

    @property
    def closed(self) -> bool:
        """Whether the run has ended, so that nobody is answered any more."""
        return self._interposer.closed

    @property
    def removed(self) -> set[str]:
        """Tools that are there no more: none, ever."""
        return set()

    def visible(self) -> list[str]:
        """The tools that there are."""
        return list(self.operations)

    def page_size(self) -> int:
        """All tools are listed at once."""
        return 0

    async def hold(self) -> None:
        """The run is over."""
        await self._interposer.hold()

    def call(self, tool: str, args: Mapping[str, Any] = {}) -> Outcome:
        """Make a call from sync code."""
        name, given, step = self._meant(tool, args)
        with _UnderWay(self._under_way, step):
            return self._told(tool, step, self._interposer.call(name, given))

    async def acall(self, tool: str, args: Mapping[str, Any] = {}, *, caller: Caller = SILENT) -> Outcome:
        """Make a call from async code."""
        name, given, step = self._meant(tool, args)
        with _UnderWay(self._under_way, step):
            return self._told(tool, step, await self._interposer.acall(name, given, caller=caller))

    def _meant(self, tool: str, args: Mapping[str, Any]) -> tuple[str, Mapping[str, Any], int | None]:
        """The operation behind a call, its arguments, and the step that it makes, if any."""
        if tool not in self.operations:
            return _unknown(tool, self._interposer.operations), args, None
        if tool == FIND and all(step.tool != FIND for step in self._steps):
            asked = args.get("arguments", {})
            found = self._step(str(args.get("tool")), asked if isinstance(asked, Mapping) else {})
            return (FIND, {"step": found.index}, None) if found is not None else (_unknown(tool, {FIND: 0}), args, None)
        plain = {name: value for name, value in args.items() if name != KEY}
        step = self._step(tool, args) or self._step(tool, plain)
        if step is None:  # with other arguments than those of any step: refused there
            step = next(each for each in self._steps if each.tool == tool)
        return f"step{step.index}", args, step.index

    def _step(self, tool: str, args: Mapping[str, Any]) -> Step | None:
        matching = [step for step in self._steps if step.tool == tool and step.arguments == args]
        open_ = [step for step in matching if step.index not in self._answered]
        free = [step for step in open_ if not self._under_way[step.index]]
        return next(iter(free or open_), matching[-1] if matching else None)

    def _told(self, tool: str, step: int | None, outcome: Outcome) -> Outcome:
        """The outcome in the words of a service that knows no steps."""
        if step is not None and outcome.form == "value":
            self._answered.add(step)
        if outcome.form == "unknown_tool":
            if tool in self.operations:
                return Outcome("value", {"found": False})
            return msgspec.structs.replace(outcome, error=f"Unknown tool: {tool}")
        if outcome.form == "refused" and outcome.status == REFUSED and step is not None:
            return msgspec.structs.replace(
                outcome, error=f"400 Bad Request: {tool} cannot be done with these arguments"
            )
        return outcome


class _UnderWay:
    """Counts a step while a call of it is under way."""

    def __init__(self, counter: Counter[int], step: int | None) -> None:
        self._counter, self._step = counter, step

    def __enter__(self) -> None:
        if self._step is not None:
            self._counter[self._step] += 1

    def __exit__(self, *_: object) -> None:
        if self._step is not None:
            self._counter[self._step] -= 1


def _unknown(tool: str, taken: Mapping[str, Any]) -> str:
    """A name that no operation of the run has, so that the call is counted, recorded and refused."""
    return f"{tool}()" if tool in taken else tool


def _tools(steps: tuple[Step, ...]) -> list[StepTool]:
    names = list(dict.fromkeys(step.tool for step in steps))
    made = [_tool(name, [step for step in steps if step.tool == name]) for name in names]
    if FIND not in names:
        params = (
            Param("tool", required=True, schema={"type": "string", "enum": names}),
            Param("arguments", required=True, schema={"type": "object"}),
        )
        made.append(StepTool(FIND, FIND_WORDS, params, "read"))
    return made


def _tool(name: str, steps: list[Step]) -> StepTool:
    writes = any(step.writes for step in steps)
    params = []
    for field in sorted({field for step in steps for field in step.arguments}):  # as a stored run has them, too
        given = [step.arguments[field] for step in steps if field in step.arguments]
        kinds = list(dict.fromkeys(TYPES.get(type(value), "string") for value in given))
        schema: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds}
        params.append(Param(field, required=len(given) == len(steps), schema=schema))
    if writes and all(param.name != KEY for param in params):
        params.append(Param(KEY, required=False, schema={"type": "string"}, description=KEY_WORDS))
    return StepTool(name, f"{name.replace('_', ' ').capitalize()}.", tuple(params), "write" if writes else "read")


def _described(param: Param) -> dict[str, Any]:
    return param.schema | ({"description": param.description} if param.description else {})
