"""What a search may claim, in a sentence, and what has to be said beside it.

Claims nothing that was not reached: a fault that was planned and did not fire counts as not tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from squall.errors import counted
from squall.explore.shares import Share, name

SHOWN = 3  # names of a longer list


def claim(
    shares: Sequence[Share],
    *,
    depth: int,
    kinds: Sequence[str],
    targets: Sequence[str],
    failures: int,
    others: str = "",
) -> str:
    """Such as `Every single fault (46) and 63 % of pairs (540 of 857): 2 failures.`.

    `others`: why faults may never have fired.
    """
    if not shares:
        return f"Nothing was explored: {_count(failures)}."
    if shares[0].possible == 0:
        return f"There is no place where a fault{_scope(kinds, targets)} could happen: nothing was explored."
    parts = [str(share) for share in shares if share.possible]
    parts += [f"no {name(len(shares) + 1)[1]}"] if len(shares) < depth and shares[-1].possible else []
    said = " and ".join(parts) if len(parts) <= 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"  # noqa: PLR2004 - a pair
    missing = sum(share.never_fired for share in shares)
    why = f"; {missing:,} never fired, and {others}" if missing and others else ""
    return f"{said[0].upper()}{said[1:]}{_scope(kinds, targets)}{why}: {_count(failures)}."


def notes(
    shares: Sequence[Share],
    *,
    statistical: str,
    cut: str,
    runs: int | None,
    left_out: Sequence[tuple[str, str]],
    idle: Sequence[str],
    never_true: Sequence[str],
    inert: bool = False,
    skipped: int = 0,
    unfired: str = "",
    impossible: str = "",
    near: Mapping[str, str] = {},
) -> Iterator[str]:
    """What limits the claim, a sentence each. `runs` is the budget of runs, where it was too small.

    `inert`: no run has changed anything; `skipped` are runs that have skipped themselves. `unfired` names the faults
    that never fired, and `impossible` those that could not, with their reasons; `near` what an idle glob may mean.
    """
    if statistical:
        yield statistical
    if cut:
        yield f"Cut short: {cut}."
    if runs is not None:
        yield f"Cut short: the budget of {runs:,} runs is used up."
    for share in shares:
        one, many = name(share.faults)
        if share.never_fired:
            yield f"{counted(share.never_fired, one, many)} never fired, which counts as not tried."
        if share.left_out:
            word = "was" if share.left_out == 1 else "were"
            yield f"{counted(share.left_out, one, many)} {word} left out: a run in the same state has shown the same."
        if share.behind:
            word = "begins" if share.behind == 1 else "begin"
            yield f"{counted(share.behind, one, many)} {word} with faults that fail already, and none was tried."
    if unfired:
        yield f"Did not happen where planned: {unfired}."
    if impossible:
        yield f"Not counted, since the reply there cannot be changed so: {impossible}."
    if skipped:
        yield f"In {counted(skipped, 'run')} the test skipped itself, which counts as a fault that never fired."
    if left_out:
        yield f"Left out by the filters: {_list([f'{kind} at {target}' for target, kind in left_out])}."
    for pattern in idle:
        meant = near.get(pattern)
        yield f"Nothing that could happen matches {pattern!r}{f': did you mean {meant!r}?' if meant else '.'}"
    if inert:
        yield "No run changed anything in the world: a write that happens twice could not have shown."
    for mark in never_true:
        yield f"{mark!r} was never true in any run."


def _scope(kinds: Sequence[str], targets: Sequence[str]) -> str:
    said = f" of the kinds {', '.join(kinds)}" if kinds else ""
    return said + (f" at {', '.join(targets)}" if targets else "")


def _count(failures: int) -> str:
    return counted(failures, "failure") if failures else "no failure"


def _list(names: Sequence[str]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
