"""One stored run of the lab, as `run.json` holds it. Format 1.

The file begins with its seal, `{"seal": "<64 hex>",` over two lines, which is SHA-256 over all bytes after that comma,
the newline at the end included; so a change of any byte shows, as it does in a trace.

Values only: how they come about is `runs`' business, where they are kept is `folder`'s, what they look like `reports`'.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from squall.canonical import digest_bytes, dumps
from squall.store.naming import DIGITS, folder_name

VERSION = 1
COMMAND = "--command "
"""How the strategy is found that is a command line: so, and then the line."""
_BEFORE_SEAL, _AFTER_SEAL = b'{\n  "seal": "', b'",'
_SEAL_END = len(_BEFORE_SEAL) + 64
_SEALED = _SEAL_END + len(_AFTER_SEAL)
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

    @property
    def command(self) -> str | None:
        """The command line, of a program. Its runs are on wall time."""
        return self.how.removeprefix(COMMAND) if self.how.startswith(COMMAND) else None


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
        strategy = [self.strategy.name, self.strategy.parameters, self.strategy.digest]
        parts = {
            "files": _written(self.files),
            "run_index": dumps(self.run_index),
            "sample": dumps(self.sample),
            "scenario": _written(self.scenario),
            "seed": dumps(self.seed),
            "squall": dumps(self.squall),
            "strategy": dumps(strategy),
        }
        return digest_bytes(b"{" + b",".join(b'"%b":%b' % (key.encode(), part) for key, part in parts.items()) + b"}")


_kept: dict[int, tuple[Mapping[str, Any], bytes]] = {}
MOST_KEPT = 64


def _written(part: Mapping[str, Any]) -> bytes:
    """Its canonical bytes, written once for the many runs of a suite that share it."""
    known = _kept.get(id(part))
    if known is not None and known[0] is part:
        return known[1]
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[id(part)] = part, dumps(dict(part))
    return _kept[id(part)][1]


class FaultMet(msgspec.Struct, frozen=True):
    """One planned fault and what became of it: `fired` and `reached` count; `place` is a step or a target."""

    kind: str
    wire: str
    place: str
    reached: int = 0
    fired: int = 0


class Metrics(msgspec.Struct, frozen=True):
    """Numbers of one run, all of them deterministic where the strategy is.

    `latency_s` is virtual seconds from the first event to the agent's end; `cost` is in the scenario's units (declared
    prices per call and token); `retries_per_call` is the attempts after each call's first, over the calls of both
    wires; `duplicate_effects` the writes that happened again with the same tool and arguments; `steps` the model turns
    and tool calls.
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

    def name(self, digits: int = DIGITS[0]) -> str:
        """The name of the run's folder."""
        return folder_name(self.scenario, self.strategy, self.hash, digits)


class Unsealed(msgspec.DecodeError):
    """The bytes of a `run.json` are not those that were written."""


def encode(record: RunRecord) -> bytes:
    """The bytes of `run.json`: its seal, then the fields in their order with two spaces, a newline at the end."""
    text = msgspec.json.format(msgspec.json.encode(record, order="deterministic"), indent=2)
    rest = text.removeprefix(b"{") + b"\n"
    return _BEFORE_SEAL + hashlib.sha256(rest).hexdigest().encode() + _AFTER_SEAL + rest


def decode(data: bytes) -> RunRecord:
    """The record in the bytes of a `run.json`. Raises msgspec.DecodeError where they hold none, or were changed."""
    if not data.startswith(_BEFORE_SEAL) or data[_SEAL_END:_SEALED] != _AFTER_SEAL:
        raise Unsealed("this is no run.json of format 1: it does not begin with its seal")
    if hashlib.sha256(data[_SEALED:]).hexdigest() != seal_of(data):
        raise Unsealed("it was changed: its seal does not match its bytes")
    try:
        record = _records.decode(data)
    except msgspec.DecodeError:
        _check(_versions.decode(data).v)
        raise
    _check(record.v)
    return record


def _check(version: int) -> None:
    if version != VERSION:
        raise msgspec.ValidationError(f"run format {version} is not known; this squall reads {VERSION}")


def seal_of(data: bytes) -> str:
    """The seal that the bytes of a `run.json` claim: one value that stands for all of it, the trace included."""
    return data[len(_BEFORE_SEAL) : _SEAL_END].decode(errors="replace")


class _Version(msgspec.Struct):
    v: int


_versions = msgspec.json.Decoder(_Version)
_records = msgspec.json.Decoder(RunRecord, strict=True)
