"""Plans by what a run was given: a file, or rules as Python data. A plan is parsed once per process and world."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from squall.call import LISTING, Target
from squall.canonical import CanonicalError, digest
from squall.documents import Document, load
from squall.errors import Problem, UsageError, shown
from squall.faults import Inline, Plan, parse_plan
from squall.worlds import World

_plans: dict[tuple[Any, ...], Plan] = {}
MOST = 256


def plan_for(faults: str | Path | Mapping[str, Any] | list[Any], world: World | None) -> Plan:
    """The plan in a file (a plan file, or a world file whose block is taken), or in Python data."""
    targets = () if world is None else targets_of(world)
    if isinstance(faults, str | Path):
        status = Path(faults).stat() if Path(faults).is_file() else None
        key = (str(faults), status and (status.st_mtime_ns, status.st_size, status.st_ino), targets)
        return _plans.get(key) or _keep(key, _parsed(load(faults), targets))
    if not isinstance(faults, Mapping | list):
        raise UsageError(Problem(f"faults must be a path, a mapping or a list, not {shown(faults)}"))
    return _inline(faults, targets)


def targets_of(world: World) -> tuple[Target, ...]:
    """What a plan for a world may name: its operations, the list of them as tools, and its events."""
    operations = tuple(operation.target for operation in world.operations.values())
    taken = any(target.name == LISTING.name for target in operations)
    listing = () if taken else (replace(LISTING, size=len(operations)),)
    return (*operations, *listing, *world.journal.dispatch.targets.values())


def _inline(faults: Any, targets: tuple[Target, ...]) -> Plan:
    try:
        key = (digest(faults), targets)
    except CanonicalError:  # data that has no canonical form is parsed each time, and parsing says what is wrong
        return _parsed(Inline(faults), targets)
    return _plans.get(key) or _keep(key, _parsed(Inline(faults), targets))


def _parsed(source: Document | Inline, targets: tuple[Target, ...]) -> Plan:
    plan = parse_plan(source, targets)
    if plan.on_trust and not targets:
        hint = (
            'Name one: squall.world("shop.yaml", faults=…), or @pytest.mark.world("shop.yaml"). '
            "Faults of models go under model.chat, model.* or a model's name."
        )
        raise UsageError(Problem("these faults need a world to happen in", source.at(()), hint=hint))
    return plan


def _keep(key: tuple[Any, ...], plan: Plan) -> Plan:
    if len(_plans) >= MOST:
        _plans.clear()
    _plans[key] = plan
    return plan
