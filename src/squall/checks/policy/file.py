"""Finds and reads policy files: JSON, TOML or YAML, as `spec` says. Raises UsageError with every problem's place.

`.squall/policy.json` in a project's root is read without being named (`.toml`, `.yaml` and `.yml` as well), and
`.faultline/policy.json`, which projects may have from before: its keys mean the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.checks.policy.limits import Policy, ToolLimits
from squall.documents import Document, load, validate
from squall.errors import Position, Problem, UsageError, is_weather, shown

if TYPE_CHECKING:
    from squall.checks.policy.spec import PolicySpec, ToolSpec

__tracebackhide__ = is_weather

FOLDER = ".squall"
ENDINGS = (".json", ".toml", ".yaml", ".yml")
EARLIER = Path(".faultline", "policy.json")


def find_policy(root: Path) -> Path | None:
    """The policy file of a project, None where it has none. Raises UsageError where it has two."""
    found = [path for ending in ENDINGS if (path := root / FOLDER / f"policy{ending}").is_file()]
    if len(found) > 1:
        named = " and ".join(path.name for path in found)
        message = f"there are two policies, {named}, and no telling which one counts"
        raise UsageError(
            Problem(message, Position(str(found[0].parent)), hint="Keep one, or name it: --squall-policy.")
        )
    if found:
        return found[0]
    return root / EARLIER if (root / EARLIER).is_file() else None


def load_policy(path: str | Path) -> Policy:
    """The policy in a file. One that has not changed is read once."""
    try:
        state = Path(path).stat()
    except (OSError, ValueError):
        return _read(str(path))  # whose words say what is wrong with the path
    return _known(str(path), state.st_mtime_ns, state.st_size)


def policy_of(given: Any) -> Policy:
    """A policy, whether it is one, or is written in a file, or in Python by the keys of a file."""
    if isinstance(given, Policy):
        return given
    if isinstance(given, str | Path):
        return load_policy(given)
    if not isinstance(given, Mapping):
        message = f"a policy is a file's path, or a mapping with the keys of one, not {shown(given)}"
        raise UsageError(Problem(message, hint='Write policy=".squall/policy.json", for example.'))
    from squall.checks.policy.spec import PolicySpec  # pydantic takes 40 ms, and most projects have no policy

    return _policy(validate(PolicySpec, _Inline(given)))


def policy_in(document: Document, loc: tuple[str | int, ...]) -> Policy:
    """The policy that stands in a part of another file."""
    from squall.checks.policy.spec import PolicySpec  # as above

    return _policy(validate(PolicySpec, document, loc=loc))


class _Inline(NamedTuple):
    """A policy that was written in Python: nothing in it has a place in a file."""

    data: Any

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> Position:
        return Position(".".join(["policy", *map(str, loc)]))


@lru_cache(64)
def _known(path: str, _changed: int, _size: int) -> Policy:
    return _read(path)


def _read(path: str) -> Policy:
    from squall.checks.policy.spec import PolicySpec  # as above

    return _policy(validate(PolicySpec, load(path)))


def _policy(spec: PolicySpec) -> Policy:
    return Policy(
        allow=None if spec.allow is None else tuple(spec.allow),
        denied=None if spec.deny_patterns is None else tuple(spec.deny_patterns),
        max_arg_chars=spec.max_arg_chars,
        max_calls=spec.max_calls,
        require_complete=spec.require_complete,
        tools={name: _limits(tool) for name, tool in spec.tools.items()},
    )


def _limits(spec: ToolSpec) -> ToolLimits:
    return ToolLimits(
        max_calls=spec.max_calls,
        limits=spec.limits,
        budget=spec.budget,
        allowed_values={name: tuple(values) for name, values in spec.allowed_values.items()},
        required_args=tuple(spec.required_args),
        identity_arg=spec.identity_arg,
        requires=tuple(spec.requires),
    )
