"""One item per run, and the ids by which runs and groups are known.

`test_x[case-run3]` is run 3 of the group `test_x[case]`. Knows ids and pytest's parametrisation, not what runs do.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable

import pytest

PARAMETER = "_squall_run"
RUN = re.compile(r"\[run\d+\](?=$|@)|-run\d+(?=\](?:$|@))")  # xdist's loadgroup adds @name
QUOTABLE = re.compile(r'[^"$`\\!]*')


def repeat(metafunc: pytest.Metafunc, count: int) -> None:
    """Make `count` items of one test, whatever fixtures it asks for."""
    metafunc.fixturenames.append(PARAMETER)
    metafunc.parametrize(PARAMETER, range(count), ids=[f"run{index}" for index in range(count)], indirect=True)


def index_of(item: pytest.Item) -> int | None:
    """Which run of its test this is; None where the test is not repeated."""
    callspec = getattr(item, "callspec", None)
    return None if callspec is None else callspec.params.get(PARAMETER)


def group_of(nodeid: str) -> str:
    """The id of the group that a run belongs to: the test's own id."""
    return RUN.sub("", nodeid)


def sizes(nodeids: Iterable[str]) -> Counter[str]:
    """How many runs each group has among the items that were selected."""
    return Counter(map(group_of, nodeids))


def size_of(item: pytest.Item) -> int:
    """How many runs of the item's group were selected: counted once per session, after `-k` and `--lf`."""
    session = item.session
    known = session.stash.get(_SIZES, None)
    if known is None:
        known = session.stash[_SIZES] = sizes(each.nodeid for each in session.items)
    return known[group_of(item.nodeid)]


_SIZES = pytest.StashKey[Counter[str]]()


def again(nodeid: str, seed: int, runs: int | None) -> str:
    """The command that runs just this run once more; `runs` as given by `--runs`, without which it may not exist."""
    quoted = f'"{nodeid}"' if QUOTABLE.fullmatch(nodeid) else shlex.quote(nodeid)
    return f"pytest {quoted} --squall-seed={seed}" + (f" --runs={runs}" if runs else "")
