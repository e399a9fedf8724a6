"""From a world file to what worlds are made of: parsed once, seeded once per seed, shared by every run.

Keyed by the file's content, so an edited file is read anew; handlers are compiled again when their files change.
Loading a file that names handlers runs code, unless `handlers` is false: then such a file is refused.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from squall import canonical, documents
from squall.call import Target
from squall.clock import START
from squall.documents import Document
from squall.documents.faultbench import in_our_words
from squall.errors import Position, Problem, UsageError, is_weather, shown
from squall.worlds.file import blueprint as blueprints
from squall.worlds.file import compiling
from squall.worlds.file.compiling import Compiled, Heard
from squall.worlds.file.plans import Blueprint
from squall.worlds.file.spec import WorldSpec
from squall.worlds.naming import short_names
from squall.worlds.seeds import garbage
from squall.worlds.seeds.seeding import seed_rows
from squall.worlds.services import faultbench
from squall.worlds.services.operations import Operation
from squall.worlds.tables.base import Base
from squall.worlds.tables.records import Record

__tracebackhide__ = is_weather

LONG_HINT = 60
"""What is longer is not said again."""
KEPT_FILES = 32
KEPT_SEEDS = 4
KEPT_ROWS = 1_000_000
"""Beyond so many rows only those of the latest seed are kept at hand."""
IDEMPOTENCY = "idempotency_key"
VALUES = frozenset("spec document digest name seed clock volatile idempotency_fields operations journal tables".split())
"""Members of a world that are not on its class."""


@dataclass
class Loaded:
    """A world file, understood. Never changed, but for the seeded rows that it keeps at hand."""

    document: Document
    digest: str
    spec: WorldSpec
    records: Mapping[str, Record]
    short: Mapping[str, tuple[str, ...]]
    idempotency_fields: tuple[str, ...]
    volatile: tuple[str, ...]
    operations: Mapping[str, Operation]
    listeners: Mapping[str, tuple[Heard, ...]]
    events: Mapping[str, Target]
    plan: Blueprint = field(repr=False)
    beside: Mapping[Path, tuple[int, int]] = field(repr=False)
    _seeded: OrderedDict[tuple[int, datetime], Mapping[str, Base]] = field(default_factory=OrderedDict, repr=False)

    def seeded(self, seed: int, start: datetime) -> Mapping[str, Base]:
        """The rows that a world with this seed starts with. Raises UsageError for fixed rows that do not fit."""
        key = (seed, start)
        bases = self._seeded.get(key)
        if bases is None:
            bases = self._seeded[key] = _seed(self.plan, seed, start)
            while len(self._seeded) > 1 and (len(self._seeded) > KEPT_SEEDS or self._rows() > KEPT_ROWS):
                self._seeded.popitem(last=False)
        return bases

    def _rows(self) -> int:
        return sum(len(base.rows) for bases in self._seeded.values() for base in bases.values())

    def shadowed(self, api: type) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Short names that are members of `api` and so do not lead to their table, each with its records."""
        for name, meant in self.short.items():
            if hasattr(api, name) or name in VALUES:
                yield name, meant

    def fresh(self) -> bool:
        """Whether the files of handlers and data are as they were."""
        return all(_stamp(path) == stamp for path, stamp in self.beside.items())


_files: OrderedDict[tuple[str, str, str], Loaded] = OrderedDict()
_lock = threading.RLock()


def load(path: str | Path, *, handlers: bool = True) -> Loaded:
    """The file at `path`, parsed and compiled; from memory if neither it nor its handlers changed."""
    if not isinstance(path, str | Path):
        raise UsageError(f"World.load takes the path of a file, not {shown(path)}")
    if not Path(path).is_file():
        documents.load(path)  # says what is wrong with the path
    digest = canonical.digest_bytes(Path(path).read_bytes())
    key = (str(path), str(Path.cwd()), digest)
    with _lock:
        known = _files.get(key)
        if known is not None and known.fresh():
            _files.move_to_end(key)
        else:
            known = _files[key] = understand(documents.load(path), digest, handlers=handlers)
            while len(_files) > KEPT_FILES:
                _files.popitem(last=False)
    refused = [] if handlers else compiling.refused(known.plan)
    if refused:
        raise UsageError(refused)
    return known


def possible_targets(document: Document, *, handlers: bool = True) -> list[tuple[Target, ...]]:
    """What faults may name in the world of a document that is wrong: a list for each way in which it may be meant.

    So its faults can be checked all the same. What is not known of an operation (its arguments, where its handler is
    missing) is taken on trust.
    """
    plan = blueprints.read(in_our_words(document))
    return compiling.targets(plan, compiling.compiled(plan, handlers=handlers))


def understand(document: Document, digest: str | None = None, *, handlers: bool = True) -> Loaded:
    """`document`, parsed and compiled. Raises UsageError with everything that is wrong with it."""
    problems: list[Problem] = []
    spec: WorldSpec | None = None
    ours = in_our_words(document)
    try:
        spec = documents.validate(WorldSpec, ours)
    except UsageError as error:
        problems += error.problems
    plan = blueprints.read(ours)
    if problems or plan.problems:  # else the rows are looked at when they are made
        for found in seed_rows(plan.plans, 0, START, generate=False)[1]:
            plan.seed_problem(found)
    problems += plan.problems
    done = compiling.compiled(plan, handlers=handlers, adapted=faultbench.adapted if ours is not document else None)
    problems += done.problems
    if problems or spec is None:
        raise UsageError(_in_order(problems, document.name))
    return Loaded(
        document=document,
        digest=_digest(document, digest, plan),
        spec=spec,
        records=plan.records,
        short=short_names(plan.records),
        operations=done.operations,
        idempotency_fields=_idempotency_fields(plan, done.operations),
        volatile=tuple(dict.fromkeys([*spec.volatile, *(each.auth.argument for each in plan.operations if each.auth)])),
        listeners=done.listeners,
        events=compiling.events_of(plan),
        plan=plan,
        beside={path: _stamp(path) for path in _files_beside(plan, done)},
    )


def _idempotency_fields(plan: Blueprint, operations: Mapping[str, Operation]) -> tuple[str, ...]:
    """The names of fields and arguments that are idempotency keys."""
    names = [name for record in plan.records.values() for name in record.fields]
    names += [param.name for operation in operations.values() for param in operation.params]
    declared = [operation.key.field for operation in plan.operations if operation.key is not None]
    return tuple(dict.fromkeys([*declared, *(name for name in names if IDEMPOTENCY in name.lower())]))


def _seed(plan: Blueprint, seed: int, start: datetime) -> Mapping[str, Base]:
    with garbage.put_off():
        bases, found = seed_rows(plan.plans, seed, start)
    if found:
        plan = replace(plan, problems=[])
        for problem in found:
            plan.seed_problem(problem)
        raise UsageError(_in_order(plan.problems, plan.document.name))
    return bases


def _in_order(problems: list[Problem], name: str) -> list[Problem]:
    """In the order of the file, those of other files after it; a long hint is told once."""

    def place(problem: Problem) -> tuple[bool, str, int, int]:
        at = problem.at or Position(name)
        return (at.file != name, at.file, at.line or 0, at.column or 0)

    told: set[str] = set()
    found = []
    for problem in sorted(dict.fromkeys(problems), key=place):
        hint = problem.hint or ""
        found.append(problem._replace(hint=None) if hint in told else problem)
        if len(hint) > LONG_HINT:
            told.add(hint)
    return found


def _files_beside(plan: Blueprint, done: Compiled) -> Iterator[Path]:
    yield from compiling.files_of(done.handlers)
    yield from (data.path for data in plan.data.values())


def _digest(document: Document, digest: str | None, plan: Blueprint) -> str:
    """The digest of the file's content; where it has data files, theirs too."""
    own = digest or canonical.digest_bytes(document.text.encode(errors="surrogatepass"))
    data = {record: data.digest for record, data in plan.data.items()}
    return canonical.digest([own, data]) if data else own


def _stamp(path: Path) -> tuple[int, int]:
    try:
        state = path.stat()
    except OSError:
        return (0, 0)
    return (state.st_mtime_ns, state.st_size)
