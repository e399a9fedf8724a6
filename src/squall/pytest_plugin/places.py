"""Where a mark stands in the user's file, so that a bad value can be pointed at.

pytest's marks carry no position; the source of the test, its class or its module does. Knows source text, not what
marks mean.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from squall.errors import Position

HEAD = re.compile(r"\s*(?:async\s+def|def|class)\b")


def place_of(node: pytest.Item | pytest.Collector, name: str) -> Position:
    """Where `mark.name` stands for `node`, the test, class or module that carries it; else where that node begins."""
    shown = shown_path(node.path, node.config)
    try:
        lines, start = inspect.getsourcelines(getattr(node, "obj", None))  # type: ignore[arg-type]  # None raises too
    except (OSError, TypeError):
        return Position(shown)
    first = max(start, 1)  # a module's lines start at 0
    mark = re.compile(rf"\bmark\.{name}\b")
    for number, line in enumerate(lines, first):
        if found := mark.search(line):
            return Position(shown, number, found.start() + 1)
        if HEAD.match(line) and start:
            return Position(shown, number)
    return Position(shown, first)


def shown_path(path: Path, config: pytest.Config) -> str:
    """A path as it can be typed where pytest was started."""
    try:
        return str(path.relative_to(config.invocation_params.dir))
    except ValueError:
        return str(path)
