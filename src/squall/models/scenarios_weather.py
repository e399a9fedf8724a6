"""The weather of a scenarios file in the words of fault plans, each part of which knows its place in that file.

Knows kinds of fault by their names alone: whoever reads the plan says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from squall.documents import Document
from squall.errors import Position
from squall.models.named import FaultRule

if TYPE_CHECKING:
    from squall.models.scenarios_spec import ScenarioSpec

Loc = tuple[str | int, ...]
MODELS, FAULTS = "models", "faults"
STREAM = {"stream": True}
WRONG = {"count": "wrong_count", "dimension": "wrong_dimension"}


class ScenariosWeather:
    """A source for whoever parses plans: `data`, and where in the file its parts come from."""

    def __init__(self, models: Mapping[str, ScenarioSpec], document: Document) -> None:
        self.path, self.name = document.path, document.name
        self._document = document
        self._rules = {name: [*_rules(spec)] for name, spec in models.items()}
        self.data = {FAULTS: {name: [rule for _, rule in rules] for name, rules in self._rules.items() if rules}}

    def at(self, loc: Loc, *, key: bool = False) -> Position:
        """Where the value at `loc` of the plan stands in the file, or its key."""
        match loc:
            case (_, str(name), int(number), *rest):
                made_of, _ = self._rules[name][number]
                written = FAULTS in made_of
                below = rest if written else ()
                return self._document.at((MODELS, name, *made_of, *below), key=key or not written)
            case (_, *rest):
                return self._document.at((MODELS, *rest), key=key)
        return self._document.at((MODELS,), key=key)


def _rules(spec: ScenarioSpec) -> Iterator[tuple[Loc, FaultRule]]:
    """The rules of one model, each with what it is made of."""
    ends: dict[str, Any] = {} if spec.recover_after is None else {"first": spec.recover_after}
    streams = {**ends, "when": STREAM}
    if spec.delay_seconds:
        yield ("delay_seconds",), {"kind": "latency", "seconds": spec.delay_seconds, **ends}
    if spec.status is not None:
        yield ("status",), {"kind": f"http_{spec.status}", **ends}
    if spec.chunk_delay_seconds:
        yield ("chunk_delay_seconds",), {"kind": "slow_chunks", "seconds": spec.chunk_delay_seconds, **streams}
    if spec.disconnect_after_chunks is not None:
        yield (
            ("disconnect_after_chunks",),
            {"kind": "stream_disconnect", "after": spec.disconnect_after_chunks, **streams},
        )
    if spec.stall_after_chunks is not None and spec.stall_seconds:
        stall = {"kind": "stream_stall", "after": spec.stall_after_chunks, "seconds": spec.stall_seconds}
        yield ("stall_after_chunks",), {**stall, **streams}
    if spec.embedding_fault is not None:
        yield ("embedding_fault",), {"kind": WRONG[spec.embedding_fault], **ends}
    for number, rule in enumerate(spec.faults):
        yield (FAULTS, number), rule
