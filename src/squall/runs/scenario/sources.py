"""The Python files that a module needs from its own surroundings: itself, and what it imports from the same folders.

Read from the source alone; nothing is imported. So a helper that a strategy or a handler uses is a part of it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def closure(file: Path, roots: tuple[Path, ...]) -> list[Path]:
    """`file`, and every Python file below `roots` that it imports, directly or not. Sorted."""
    found: dict[Path, None] = {}
    waiting = [file.absolute()]
    while waiting:
        each = waiting.pop()
        if each in found:
            continue
        found[each] = None
        waiting += [path for path in _imported(each, roots) if path not in found]
    return sorted(found)


def package_files(folder: Path) -> list[Path]:
    """Every Python file of a package. Sorted."""
    return sorted(folder.absolute().rglob("*.py"))


def _imported(file: Path, roots: tuple[Path, ...]) -> Iterator[Path]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _files_of(alias.name.split("."), (file.parent, *roots))
        elif isinstance(node, ast.ImportFrom):
            parts = node.module.split(".") if node.module else []
            where = (file.parent, *roots)
            if node.level:
                base = file.parent
                for _ in range(node.level - 1):
                    base = base.parent
                where = (base,)
            yield from _files_of(parts, where)
            for alias in node.names:
                yield from _files_of([*parts, alias.name], where)


def _files_of(parts: list[str], where: tuple[Path, ...]) -> Iterator[Path]:
    """The files of a dotted name in the first of the folders that has its beginning."""
    for base in where:
        here, found = base, []
        for part in parts:
            module, package = here / f"{part}.py", here / part / "__init__.py"
            if package.is_file():
                found.append(package)
            elif module.is_file():
                found.append(module)
                break
            elif not (here / part).is_dir():  # a folder may be a package without a file of its own
                break
            here = here / part
        if found:
            yield from (each.absolute() for each in found)
            return
