"""A stored run made again, from nothing but its folder, and compared event by event."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from squall.errors import UsageError
from squall.runs.lab import run_one
from squall.runs.scenario import scenario_from
from squall.runs.strategies.finding import Chosen, strategy_named, strategy_of_command
from squall.store.record import RunRecord
from squall.store.whole import verify_run
from squall.trace.line import decode
from squall.version import __version__

COMMAND = "--command "
SHOWN = 160  # characters of an event


class Replayed(NamedTuple):
    """What a replay came to. `events` counts those that are equal; `expected` and `got` are the first that are not.

    `how`: `reproduced`, `diverged`, or `verified` where it could not be run again and `why` says for what reason.
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
    same, expected, got = _difference(lines, again.lines)
    if not expected and not got:
        return Replayed(record, "reproduced", len(lines))
    return Replayed(record, "diverged", same, _reason(record, strategy), expected, got)


def _strategy(record: RunRecord) -> tuple[Chosen | None, str]:
    wanted = record.inputs.strategy
    try:
        if wanted.how.startswith(COMMAND):
            return strategy_of_command(wanted.how.removeprefix(COMMAND)), ""
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


def _difference(stored: Sequence[bytes], made: Sequence[bytes]) -> tuple[int, str, str]:
    """How many lines are equal from the beginning, and the first that are not; empty texts where there is none."""
    for place, (one, other) in enumerate(zip(stored, made, strict=False)):
        if one != other:
            return place, _shown(one), _shown(other)
    shortest = min(len(stored), len(made))
    rest = [_shown(lines[shortest]) if len(lines) > shortest else "" for lines in (stored, made)]
    return shortest, rest[0] or ("nothing more" if rest[1] else ""), rest[1] or ("nothing more" if rest[0] else "")


def _shown(line: bytes) -> str:
    _, event = decode(line)
    text = msgspec.json.encode(event).decode()
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
