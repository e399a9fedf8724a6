"""Kept failures of an item: those that are there, and new ones written down.

They lie in `.squall/regressions` under pytest's root folder. Knows files and ids; what stands in a file is known in
`squall.store.regressions`.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from squall.errors import Position, UsageError
from squall.pytest_plugin.bad_runs import shown_id
from squall.pytest_plugin.exploring.failing import Kept
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.runs import QUOTABLE
from squall.runs.exploring import keeping, meeting
from squall.runs.exploring.details import source_digest
from squall.runs.exploring.meeting import Known
from squall.runs.exploring.search import Found
from squall.store import regressions
from squall.store.regressions import FOLDER


def known(item: pytest.Function) -> list[Known]:
    """Those of an item; a file that holds none is warned of."""
    folder = item.config.rootpath / FOLDER

    def unread(error: UsageError) -> None:
        warn(item.config, str(error), Position(str(folder)))

    found = []
    for path, regression in regressions.kept(folder, item.nodeid, unread):
        try:
            found.append(meeting.known(path, regression))
        except UsageError as error:
            unread(error)
    return found


def keep(item: pytest.Function, found: Found, there: list[Known]) -> Kept:
    """Write a failure down, if it is to be and is not yet."""
    if not found.schedule or not found.shows_again:
        return Kept(None, "")
    command = f"pytest {quoted(item.nodeid)} --squall-replay FILE"  # as typed in pytest's root folder
    source = source_digest("test", item.function)
    regression = keeping.regression_of(
        item.nodeid, found.schedule, found.observed, found.details, command, digests=source
    )
    for each in there:
        if each.is_what(found):
            return _as_shown(item, each.path)
    if item.config.option.squall_no_write:
        return Kept(None, "(--squall-no-write: without it there would be a file that replays this)")
    try:
        path, _ = keeping.keep(regression, item.config.rootpath / FOLDER, FOLDER)
    except UsageError as error:
        return Kept(None, f"(it is not kept as a file: {error})")
    return _as_shown(item, path)


def quoted(nodeid: str) -> str:
    """A node id for a shell."""
    return f'"{nodeid}"' if QUOTABLE.fullmatch(nodeid) else shlex.quote(nodeid)


def shown_file(path: Path, config: pytest.Config) -> Path:
    """A path as it can be typed where pytest was started."""
    return Path(os.path.relpath(path, config.invocation_params.dir))


def _as_shown(item: pytest.Function, path: Path) -> Kept:
    file = shown_file(path, item.config)
    name = shlex.quote(file.as_posix())
    return Kept(file, f"pytest {quoted(shown_id(item.nodeid, item.config))} --squall-replay {name}")
