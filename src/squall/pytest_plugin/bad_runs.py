"""Under the table, for each group that failed: what its bad runs did, what they violated, how to run one again.

Of a group that passed its gate the runs are told that violated a property of the world.

Knows how to lay out text; judges nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import pytest

from squall.pytest_plugin.record import RunRecord
from squall.pytest_plugin.runs import again, in_words
from squall.pytest_plugin.verdict import NOT_PASSED, word

if TYPE_CHECKING:
    from squall.pytest_plugin.groups import Group

SHOWN = 5
STEP = "  "
PROOF = "One run that can be had again proves that it can happen, whatever the rate:"


def bad_runs(group: Group, config: pytest.Config, width: int) -> Iterator[str]:
    """Up to five ends that runs came to which did not pass, each told once; runs without a gate are named only."""
    if group.verdict is not None and group.verdict.outcome == "passed":
        yield from proofs(group, config, width)
        return
    bad = [group.runs[index] for index in sorted(group.runs) if group.runs[index].status != "passed"]
    if group.verdict is None:
        bad = [run for run in bad if word(run) == "failed"]
        ends = [bad] if bad else []
    elif group.verdict.outcome in NOT_PASSED and not group.mistaken:
        bad.sort(key=lambda run: run.status == "skipped")  # stable: what failed comes first
        ends = alike(bad)
    else:
        return
    if not ends and not group.lost:
        return
    yield ""
    said = "" if group.verdict else f": {in_words(run.index for run in bad)} failed"  # pytest has told the rest
    yield cut(shown_id(group.nodeid, config), width - len(said)) + said
    spare = SHOWN - len(ends)  # lines to run one again, beyond one for each end
    for runs in ends[:SHOWN]:
        if group.verdict:
            yield from told(runs, width)
        more = min(max(spare, 0), len(runs) - 1)
        spare -= more
        for run in runs[: 1 + more]:
            nodeid = shown_id(group.ids[run.index], config)
            yield STEP * (2 if group.verdict else 1) + again(nodeid, run.seed, config.option.runs)
    for nodeid in sorted(group.lost):
        yield f"{STEP}{shown_id(nodeid, config)} was lost with its worker"
    if rest := sum(map(len, ends[SHOWN:])):
        yield f"{STEP}… and {rest} more that did not pass"


def proofs(group: Group, config: pytest.Config, width: int) -> Iterator[str]:
    """What violated a property of the world although the gate has passed: one run is a proof, whatever the rate."""
    found = [group.runs[index] for index in sorted(group.runs) if group.runs[index].property]
    if not found:
        return
    names = " and ".join(dict.fromkeys(run.property for run in found))
    yield ""
    yield from folded(f"{shown_id(group.nodeid, config)} passed, and yet violated {names}. {PROOF}", width, "")
    ends = alike(found)
    for runs in ends[:SHOWN]:
        yield from told(runs, width)
        nodeid = shown_id(group.ids[runs[0].index], config)
        yield STEP * 2 + again(nodeid, runs[0].seed, config.option.runs)
    if rest := sum(map(len, ends[SHOWN:])):
        yield f"{STEP}… and {rest} more"


def alike(runs: Sequence[RunRecord]) -> list[list[RunRecord]]:
    """The runs by how they ended: the same calls, the same word, the same reason."""
    ends: dict[tuple[str, str, str], list[RunRecord]] = {}
    for run in runs:
        ends.setdefault((run.status, run.line, run.violated), []).append(run)
    return list(ends.values())


def told(runs: Sequence[RunRecord], width: int) -> Iterator[str]:
    """What runs that ended alike did, and why it is no pass."""
    run = runs[0]
    label = f"{STEP}{in_words(each.index for each in runs)} {run.status.replace('_', ' ')}"
    yield from folded(f"{label}: {run.line}" if run.line else label, width, STEP * 2)
    if run.violated:
        yield from folded(STEP * 2 + run.violated, width, STEP * 3)


def folded(text: str, width: int, indent: str) -> list[str]:
    """A line in as many as it takes, broken between words."""
    return wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def cut(text: str, width: int) -> str:
    """A text that fits, without its middle if need be; of an id the end says most."""
    if len(text) <= width:
        return text
    head = width // 3
    return f"{text[:head]}…{text[head + 1 - width :]}"


def shown_id(nodeid: str, config: pytest.Config) -> str:
    """A node id as it can be typed where pytest was started."""
    path, separator, rest = nodeid.partition("::")
    return os.path.relpath(config.rootpath / path, config.invocation_params.dir) + separator + rest
