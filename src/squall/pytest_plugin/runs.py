"""One item per run, and the ids by which runs and groups are known.

`test_x[case-run3]` is run 3 of the group `test_x[case]`. Knows ids and pytest's parametrisation, not what runs do.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from squall.pytest_plugin.run import Run

KEY: pytest.StashKey[Run] = pytest.StashKey()  # under which an item holds its run
PARAMETER = "_squall_run"
RUN = re.compile(r"\[run\d+\]$|-run\d+(?=\]$)")
IN_LOADGROUP = re.compile(r".*(\[run\d+\](?=@)|-run\d+(?=\]@))")  # xdist's loadgroup adds @name
QUOTABLE = re.compile(r'[^"$`\\!]*')


def repeat(metafunc: pytest.Metafunc, count: Callable[[Sequence[pytest.Mark]], int]) -> None:
    """Make items of the runs of one test, whatever fixtures it asks for.

    `count` says how many runs a case has, by the marks of its own (of `pytest.param`); 0 leaves it alone.
    """
    cases, made = list(metafunc._calls), list[Any]()  # noqa: SLF001 - pytest has no public way to repeat some cases only
    counts = [count(case.marks) for case in cases] or [count(())]
    if not any(counts):
        return
    metafunc.fixturenames.append(PARAMETER)
    for runs, case in zip_longest(counts, cases):
        metafunc._calls = [] if case is None else [case]  # noqa: SLF001 - as above
        if runs:
            metafunc.parametrize(PARAMETER, range(runs), ids=[f"run{index}" for index in range(runs)], indirect=True)
        made += metafunc._calls  # noqa: SLF001 - as above
    metafunc._calls = made  # noqa: SLF001 - as above


def index_of(item: pytest.Item) -> int | None:
    """Which run of its test this is; None where the test is not repeated."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get(PARAMETER)


def group_in(text: str, item: pytest.Item) -> str:
    """`text`, an id of the item, without what tells its run from the others: so it is the test's own id."""
    index = index_of(item)
    if index is None:
        return text
    callspec = item.callspec  # type: ignore[attr-defined]  # it has an index, so it has one
    others = list(callspec._idlist)  # noqa: SLF001 - the ids of other parameters may look just like ours
    del others[len(others) - 1 - others[::-1].index(f"run{index}")]
    start, found, rest = text.rpartition(f"[{callspec.id}]")
    if not found:
        return group_of(text)
    return f"{start}[{'-'.join(others)}]{rest}" if others else start + rest


def group_of(nodeid: str) -> str:
    """The same by the id alone, for where items are not known: in xdist's controller, and of an earlier session."""
    found = RUN.search(nodeid) or IN_LOADGROUP.match(nodeid)
    if found is None:
        return nodeid
    start, end = found.span(found.lastindex or 0)
    return nodeid[:start] + nodeid[end:]


def size_of(item: pytest.Item) -> int:
    """How many runs of the item's group were selected, after `-k` and `--lf`."""
    return _survey(item.session)[group_in(item.nodeid, item), copy_of(item)]


def copy_of(item: pytest.Item) -> int:
    """How often the same run stands before this one: `--keep-duplicates` may collect a test more than once."""
    _survey(item.session)
    return item.stash.get(_COPY, 0)


def _survey(session: pytest.Session) -> Counter[tuple[str, int]]:
    """How many runs each group has, once per session."""
    known = session.stash.get(_SIZES, None)
    if known is None:
        known = session.stash[_SIZES] = Counter()
        seen = Counter[str]()
        for item in session.items:
            item.stash[_COPY] = seen[item.nodeid]
            seen[item.nodeid] += 1
            known[group_in(item.nodeid, item), item.stash[_COPY]] += 1
    return known


_SIZES = pytest.StashKey[Counter[tuple[str, int]]]()
_COPY = pytest.StashKey[int]()


def in_words(indices: Iterable[int]) -> str:
    """Which runs: `run 3`, `runs 0–4, 7`."""
    indices = sorted(indices)
    parts: list[str] = []
    for _, pairs in groupby(enumerate(indices), lambda pair: pair[1] - pair[0]):
        span = [index for _, index in pairs]
        parts += [f"{span[0]}–{span[-1]}"] if span[-1] > span[0] + 1 else map(str, span)
    return f"run{'s' if len(indices) > 1 else ''} {', '.join(parts)}"


def again(nodeid: str, seed: int, runs: int | None) -> str:
    """The command that runs just this run once more; `runs` as given by `--runs`, without which it may not exist."""
    quoted = f'"{nodeid}"' if QUOTABLE.fullmatch(nodeid) else shlex.quote(nodeid)
    return f"pytest {quoted} --squall-seed={seed}" + (f" --runs={runs}" if runs else "")
