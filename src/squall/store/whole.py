"""Is a stored run as it was written? Its `run.json` by its seal, its trace by the chain, and the one against the other.

Finds any change that was not made to both in the same spirit. Whoever writes a whole run anew, seal, hashes and all, is
found only by a head or seal that was kept elsewhere (`heads`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import msgspec

from squall.canonical import CanonicalError
from squall.errors import SquallError
from squall.store.naming import DIGITS, folder_name
from squall.store.reading import RUN, TRACE, why
from squall.store.record import RunRecord, decode, seal_of
from squall.trace import BrokenChain, Verified, verify


class BrokenRun(SquallError):
    """A stored run is not as it was written; `reasons` are sentences that begin with the file, and the line if any."""

    def __init__(self, folder: Path, reasons: list[str]) -> None:
        super().__init__("\n".join(reasons))
        self.folder, self.reasons = folder, tuple(reasons)


class VerifiedRun(NamedTuple):
    """A run that is as it was written. `head` stands for its trace, `seal` for all of it."""

    record: RunRecord
    folder: Path
    head: str
    seal: str


def verify_run(folder: Path) -> VerifiedRun:
    """Verify the run in `folder`. Raises `BrokenRun` with all that is wrong."""
    run, trace = folder / RUN, folder / TRACE
    reasons: list[str] = []
    record, data, chain = None, b"", None
    try:
        data = run.read_bytes()
        record = decode(data)
    except (OSError, msgspec.DecodeError, RecursionError) as error:
        reasons.append(f"{run}: {why(error)}")
    else:
        reasons += [f"{run}: {reason}" for reason in _contradictions(record, folder)]
    try:
        chain = verify(trace)
    except BrokenChain as error:
        reasons.append(str(error))
    except OSError as error:
        reasons.append(f"{trace}: {why(error)}")
    if record is not None and chain is not None:
        reasons += [f"{trace}: {reason}" for reason in _differences(record, chain)]
    if record is None or chain is None or reasons:
        raise BrokenRun(folder, reasons)
    return VerifiedRun(record, folder, chain.head, seal_of(data))


def _contradictions(record: RunRecord, folder: Path) -> list[str]:
    """What `run.json` says in two places must be the same."""
    inputs, found = record.inputs, []
    try:
        if inputs.hash != record.hash:
            found.append("`hash` is not the hash of `inputs`: one of them was changed")
    except CanonicalError as error:
        found.append(f"`inputs` cannot have been hashed: {error}")
    outside = {
        "seed": (record.seed, inputs.seed),
        "run_index": (record.run_index, inputs.run_index),
        "sample": (record.sample, inputs.sample),
        "strategy": (record.strategy, inputs.strategy.name),
    }
    found += [
        f"`{name}` is {one!r}, and {other!r} in `inputs`" for name, (one, other) in outside.items() if one != other
    ]
    named = re.fullmatch(rf"(.*)-([0-9a-f]{{{DIGITS[0]},64}})", folder.name)
    if (
        named
        and folder_name(record.scenario, record.strategy, "") == f"{named[1]}-"
        and not record.hash.startswith(named[2])
    ):
        found.append("the folder is named for another run")
    return found


def _differences(record: RunRecord, chain: Verified) -> list[str]:
    """What `run.json` says of the trace must be so."""
    if chain.head != record.head:
        heads = f"its head is {chain.head}, and {record.head} in {RUN}"
        return [f"the chain holds, but {heads}: all of it was written anew, or it is another run's"]
    told = {
        "events": (record.events, chain.events),
        "run": (record.run, chain.run),
        "status": (record.status, chain.status),
    }
    return [
        f"`{name}` is {there!r} here, and {said!r} in {RUN}" for name, (said, there) in told.items() if said != there
    ]
