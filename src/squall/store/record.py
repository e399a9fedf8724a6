"""One stored run of the lab, as `run.json` holds it. Format 1.

Values only: how they come about is `runs`' business, where they are kept is `folder`'s, what they look like `reports`'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from squall.canonical import digest

VERSION = 1
SHORT = 12
"""Hexadecimal digits of the content hash that a folder's name begins with."""
Status = Literal["passed", "failed", "crashed", "hung", "not_fired", "skipped"]


class StrategyId(msgspec.Struct, frozen=True):
    """Which strategy: its name, its parameters, and a digest of the sources of its package.

    `how` finds it again: `module:name`, the name of a built-in or installed one, or a command line. Only a
    `deterministic` one is not run again where nothing changed.
    """

    name: str
    parameters: Mapping[str, Any] = {}
    digest: str = ""
    how: str = ""
    deterministic: bool = False


class Inputs(msgspec.Struct, frozen=True):
    """All that a run depends on; its digest is the run's identity.

    `scenario` is the scenario's data (steps, faults, expectations and all); `files` are the texts of what it names
    (world, script, policy, handlers), by their names relative to the scenario's folder; `sample` tells repetitions
    apart.
    """

    scenario: Mapping[str, Any]
    seed: int
    run_index: int
    strategy: StrategyId
    squall: str
    files: Mapping[str, str] = {}
    sample: int = 0

    @property
    def hash(self) -> str:
        """64 hexadecimal digits; another one where anything differs that a run depends on. How it is found does not."""
        return digest(
            {
                "scenario": self.scenario,
                "seed": self.seed,
                "run_index": self.run_index,
                "files": dict(self.files),
                "strategy": [self.strategy.name, self.strategy.parameters, self.strategy.digest],
                "squall": self.squall,
                "sample": self.sample,
            }
        )


class FaultMet(msgspec.Struct, frozen=True):
    """One planned fault and what became of it: `fired` and `reached` count; `place` is a step or a target."""

    kind: str
    wire: str
    place: str
    reached: int = 0
    fired: int = 0


class Metrics(msgspec.Struct, frozen=True):
    """Numbers of one run, all of them deterministic where the strategy is.

    `latency_s` is virtual seconds from the first to the last event; `cost` is in the scenario's units (declared prices
    per call and token); `retries_per_call` is the attempts after each call's first, over the calls of both wires;
    `duplicate_effects` the writes that happened again with the same tool and arguments; `steps` the model turns and
    tool calls.
    """

    planned: int = 0
    reached: int = 0
    fired: int = 0
    recovered: bool = False
    calls: int = 0
    attempts: int = 0
    retries_per_call: float = 0.0
    duplicate_effects: int = 0
    latency_s: float = 0.0
    cost: float = 0.0
    steps: int = 0
    tokens: int = 0


class RunRecord(msgspec.Struct, frozen=True):
    """`run.json`. `run` is what the trace's events carry; `head` the hash of the trace's last line.

    `answered` and `answer` are what the strategy returned; `met` says whether the expectations hold, `reasons` which do
    not. Paths and wall-clock times have no place here: the same run has the same bytes anywhere.
    """

    scenario: str
    strategy: str
    seed: int
    run_index: int
    sample: int
    hash: str
    run: str
    status: Status
    met: bool
    answered: str
    answer: Any
    reasons: tuple[str, ...]
    faults: tuple[FaultMet, ...]
    metrics: Metrics
    events: int
    head: str
    inputs: Inputs
    description: str = ""
    notes: tuple[str, ...] = ()
    v: int = VERSION

    def name(self, digits: int = SHORT) -> str:
        """The name of the run's folder."""
        return f"{self.scenario}-{self.strategy}-{self.hash[:digits]}"


def encode(record: RunRecord) -> bytes:
    """The bytes of `run.json`: sorted keys, two spaces, a newline at the end."""
    return msgspec.json.format(msgspec.json.encode(record, order="deterministic"), indent=2) + b"\n"


def decode(data: bytes) -> RunRecord:
    """The record in the bytes of a `run.json`. Raises msgspec.DecodeError where they hold none."""
    return msgspec.json.decode(data, type=RunRecord, strict=True)
