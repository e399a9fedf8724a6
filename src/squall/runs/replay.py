"""A stored run made again, from nothing but its folder, and compared event by event."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from squall.errors import UsageError
from squall.runs.lab import run_one
from squall.runs.scenario import scenario_from
from squall.runs.strategies.finding import Chosen, strategy_named, strategy_of_command
from squall.store.record import RunRecord
from squall.store.whole import verify_run
from squall.trace.line import decode
from squall.version import __version__

SHOWN = 160  # characters of an event
BEFORE = 40  # characters before a difference
TIMES = frozenset({"latency_ms", "emitted", "created", "created_at", "completed_at"})
"""Numbers that tell a time: of events, and of models' replies."""
WALL_TIME = "but for the times of a wall clock"


class Replayed(NamedTuple):
    """What a replay came to. `events` counts those that are equal; `expected` and `got` are the first that are not.

    `how`: `reproduced`, `diverged`, or `verified` where it could not be run again and `why` says for what reason. Of
    a run on wall time all but the times is compared, and `why` says so.
    """

    record: RunRecord
    how: str
    events: int
    why: str = ""
    expected: str = ""
    got: str = ""


def replay(folder: Path) -> Replayed:
    """Verify a stored run and make it again. Raises what `verify_run` raises where it is not as it was written."""
    verify_run(folder)
    from squall.store.reading import TRACE, read  # here, after what they read has been verified

    record = read(folder)
    lines = (folder / TRACE).read_bytes().splitlines()
    strategy, why = _strategy(record)
    if strategy is None:
        return Replayed(record, "verified", len(lines), why)
    with tempfile.TemporaryDirectory(prefix="squall-replay-") as made:
        scenario = scenario_from(record.inputs.scenario, record.inputs.files, Path(made).resolve())
        again = run_one(scenario, strategy, record.inputs)
    on_wall_time = strategy.clock == "wall"
    same, expected, got = difference(lines, again.lines, on_wall_time=on_wall_time)
    if not expected and not got:
        return Replayed(record, "reproduced", len(lines), WALL_TIME if on_wall_time else "")
    return Replayed(record, "diverged", same, _reason(record, strategy), expected, got)


def _strategy(record: RunRecord) -> tuple[Chosen | None, str]:
    wanted = record.inputs.strategy
    try:
        if wanted.command is not None:
            return strategy_of_command(wanted.command), ""
        return strategy_named(wanted.how or wanted.name), ""
    except UsageError as error:
        return None, f"the strategy {wanted.name!r} is not there: {error.problems[0].message}"


def _reason(record: RunRecord, strategy: Chosen) -> str:
    wanted = record.inputs.strategy
    if wanted.digest != strategy.id.digest:
        return f"the sources of the strategy {wanted.name!r} have changed since"
    if record.inputs.squall != __version__:
        return f"it was made by squall {record.inputs.squall}, and this is {__version__}"
    if not wanted.deterministic:
        return f"the strategy {wanted.name!r} does not promise the same doings each time"
    return "its strategy promises the same doings each time, and did others"


def difference(stored: Sequence[bytes], made: Sequence[bytes], *, on_wall_time: bool) -> tuple[int, str, str]:
    """How many lines mean the same from the beginning, and the first that do not; empty texts where there is none."""
    told = _untimed if on_wall_time else _timed
    for place, (one, other) in enumerate(zip(stored, made, strict=False)):
        if one != other and told(one) != told(other):
            return place, *_apart(told(one), told(other))
    shortest = min(len(stored), len(made))
    rest = [_cut(told(lines[shortest]), 0) if len(lines) > shortest else "" for lines in (stored, made)]
    return shortest, rest[0] or ("nothing more" if rest[1] else ""), rest[1] or ("nothing more" if rest[0] else "")


def _timed(line: bytes) -> str:
    envelope, event = decode(line)
    return f"t={envelope.t:g} {msgspec.json.encode(event).decode()}"


def _untimed(line: bytes) -> str:
    """An event as it is, whenever it was and however long it took."""
    _, event = decode(line)
    return msgspec.json.encode(_without_times(msgspec.to_builtins(event))).decode()


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: each for key, each in value.items() if key not in TIMES or not isinstance(each, int | float)}
        return {key: _without_times(each) for key, each in kept.items()}
    return [_without_times(each) for each in value] if isinstance(value, list) else value


def _apart(one: str, other: str) -> tuple[str, str]:
    """Two texts, from a little before where they differ."""
    same = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    start = same - BEFORE if same > SHOWN // 2 else 0
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    shown = text[start : start + SHOWN]
    return f"{'…' if start else ''}{shown}{'…' if start + SHOWN < len(text) else ''}"
