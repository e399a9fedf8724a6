"""What a strategy is made of, as one digest: another one where any of its sources differs. Imports and runs nothing.

Counted are the whole package of the strategy, and what it imports from beside the package; of a single module all that
it imports from its own folder, directly or not; of an installed one, all modules of its distribution. Other packages do
not count, nor do files that are no Python: what depends on those belongs into the strategy's `parameters`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution
from pathlib import Path

from squall.canonical import digest, digest_bytes
from squall.runs.scenario.sources import closure, package_files

INSTALLED = frozenset({"site-packages", "dist-packages"})
OURS = "squall."


def digest_of(modules: Iterable[str], distribution: Distribution | None = None) -> str:
    """64 hexadecimal digits over the sources of these modules; nothing where they have none."""
    found: dict[str, str] = {}
    for module in dict.fromkeys(modules):
        for root, file in _sources(module):
            found[file.relative_to(root).as_posix()] = digest_bytes(file.read_bytes())
    if found and distribution is not None:
        found |= _distributed(distribution)
    return digest(found) if found else ""


def _sources(module: str) -> Iterator[tuple[Path, Path]]:
    """The files that belong to a module, each with the folder that its name is told from."""
    file = _file_of(module)
    if file is None:
        return
    if module.startswith(OURS):  # the rest of squall is told by its version
        yield from ((file.parent, each) for each in package_files(file.parent))
        return
    top = _file_of(module.partition(".")[0])
    package = top.parent if top is not None and top.name == "__init__.py" else None
    root = _root(module, file)
    files = [] if package is None else package_files(package)
    if INSTALLED.isdisjoint(root.parts):
        files += closure(file, (root,))
    elif package is None:
        files.append(file)
    yield from ((root, each) for each in dict.fromkeys(files) if each.is_relative_to(root))


def _root(module: str, file: Path) -> Path:
    """The folder from which the module is imported by its dotted name."""
    up = module.count(".") + (file.name == "__init__.py")
    return file.parents[up]


def _file_of(module: str) -> Path | None:
    name = getattr(sys.modules.get(module), "__file__", None)
    file = None if name is None else Path(name).absolute()
    return file if file is not None and file.suffix == ".py" and file.is_file() else None


def _distributed(distribution: Distribution) -> dict[str, str]:
    paths = [path for path in distribution.files or () if path.suffix == ".py" and ".." not in path.parts]
    files = {path.as_posix(): Path(str(distribution.locate_file(path))) for path in paths}
    return {name: digest_bytes(file.read_bytes()) for name, file in files.items() if file.is_file()}
