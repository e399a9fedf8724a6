"""Steps that a file holds as a tree of spans, as the run that they make. Knows no format."""

from __future__ import annotations

from typing import Any

import msgspec

from squall.trace.formats.steps import Asked, Imported, Step, Used

DEEPEST = 1000  # parents; more are a circle


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A span: `kind` is `model`, `tool`, `agent` or empty, `step` what the first two tell of.

    `conversation` is all that an agent's run has said, in steps, where its span has that.
    """

    id: str
    parent: str
    kind: str = ""
    step: Asked | Used | None = None
    answer: Any = None
    error: str | None = None
    conversation: list[Step] = []


def run_of(nodes: list[Node], *, format: str, id: str, user: str | None = None) -> list[Imported]:
    """The run that spans tell of; none where they tell of no model and no tool."""
    by_id = {node.id: node for node in nodes if node.id}
    kept = [node for node in nodes if node.step is not None and not _repeats(node, by_id)]
    steps: list[Step] = [node.step for node in _ordered(kept, by_id) if node.step is not None]
    tops = [node for node in nodes if node.kind == "agent" and not _above(node, by_id, "agent")]
    missing = _missing(steps)
    if missing is not None or not any(isinstance(step, Asked) for step in steps):
        told = [node.conversation for node in tops if node.conversation]
        if told:
            steps, missing = _together(told), None
    if not steps:
        return []
    roots = tops or [node for node in nodes if node.parent not in by_id and node.step is None]
    return [
        Imported(
            format=format,
            id=id,
            user=user,
            steps=steps,
            answer=next((node.answer for node in roots if node.answer is not None), None) if len(roots) == 1 else None,
            error=next((node.error for node in roots if node.error is not None), None),
            missing=missing,
        )
    ]


def _repeats(node: Node, by_id: dict[str, Node]) -> bool:
    """Whether a span tells of what one around it tells of already: an SDK's inside of a framework's."""
    if isinstance(node.step, Asked):
        return _above(node, by_id, "model") is not None
    outer = _above(node, by_id, "tool")
    return (
        outer is not None
        and isinstance(outer.step, Used)
        and isinstance(node.step, Used)
        and outer.step.tool == node.step.tool
    )


def _above(node: Node, by_id: dict[str, Node], kind: str) -> Node | None:
    """The nearest span of a kind around this one; a model's or a tool's only up to the next agent's or tool's."""
    at = by_id.get(node.parent)
    for _ in range(DEEPEST):
        if at is None or at is node:
            return None
        if at.kind == kind:
            return at
        if kind != "agent" and at.kind in {"agent", "tool"}:
            return None
        at = by_id.get(at.parent)
    return None


def _ordered(nodes: list[Node], by_id: dict[str, Node]) -> list[Node]:
    """In order of time; what begins at one time from the outside in, then in the order of the file."""
    times: dict[int, int] = {}
    last = 0
    for place, node in enumerate(nodes):
        began = node.step.began if node.step is not None else None
        last = times[place] = last if began is None else began
    order = sorted(range(len(nodes)), key=lambda place: (times[place], _depth(nodes[place], by_id), place))
    return [nodes[place] for place in order]


def _depth(node: Node, by_id: dict[str, Node]) -> int:
    depth, at = 0, by_id.get(node.parent)
    while at is not None and depth < DEEPEST:
        depth, at = depth + 1, by_id.get(at.parent)
    return depth


def _missing(steps: list[Step]) -> str | None:
    asked = [step for step in steps if isinstance(step, Asked)]
    used = [step for step in steps if isinstance(step, Used)]
    silent = sum(not step.messages and step.reply is None for step in asked)
    if silent:
        return f"{silent} of {len(asked)} requests to models have no messages in this file: content was not captured"
    bare = sum(step.bare for step in used)
    if bare:
        return f"{bare} of {len(used)} calls of tools have neither arguments nor results in this file"
    return None


def _together(told: list[list[Step]]) -> list[Step]:
    """Several conversations, one after the other."""
    steps: list[Step] = []
    for each in told:
        base = len(steps)
        for step in each:
            after = step.after if isinstance(step, Asked) else None
            steps.append(
                step
                if after is None or not isinstance(step, Asked)
                else msgspec.structs.replace(step, after=after + base)
            )
    return steps
