"""What a test's markers ask for, checked value by value; of two markers of one name the closest to the test wins.

Knows the markers' words and ranges. What stands in a world or plan file is for the rooms that read them to judge.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from squall.errors import Position, Problem, nearest, shown
from squall.pytest_plugin.places import place_of

Mode = Literal["virtual", "wall"]
MODES: tuple[Mode, ...] = ("virtual", "wall")
EXAMPLES = {
    "world": 'mark.world("worlds/shop.yaml")',
    "faults": 'mark.faults("plan.yaml") or mark.faults({"payments.issue_refund": {"errors": {"timeout": 0.1}}})',
    "model": 'mark.model("script.toml")',
    "runs": "mark.runs(20)",
    "min_pass_rate": "mark.min_pass_rate(0.95) or mark.min_pass_rate(0.95, confidence=0.95)",
    "clock": 'mark.clock("virtual") or mark.clock("wall")',
}
PARAMETERS = {
    "world": "path",
    "faults": "plan",
    "model": "path",
    "runs": "count",
    "min_pass_rate": "rate",
    "clock": "mode",
}
BESIDES = {"faults": "limits", "min_pass_rate": "confidence"}  # what a marker takes by name, beside its one value
PERCENTAGES = range(10, 101)
KINDS = (".yaml", ".yml", ".toml", ".json")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one test asks for; paths are absolute. Where a value is bad it is left out and told in `problems`."""

    world: Path | None = None
    faults: Path | Mapping[str, Any] | list[Any] | None = None
    limits: Mapping[str, Any] | None = None
    model: Path | None = None
    runs: int | None = None
    rate: float | None = None
    confidence: float | None = None
    clock: Mode | None = None
    problems: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def environment(self) -> bool:
        """Whether the markers alone already call for a world, a model, a trace or a clock."""
        return any(each is not None for each in (self.world, self.faults, self.model, self.clock))

    def once(self) -> Asked:
        """The same without repetition, for a test that is explored: it is run as often as that takes."""
        return replace(self, runs=None, rate=None, confidence=None)


class _Bad(Exception):
    """A marker's value, with the nearest valid one and what to do."""

    def __init__(self, message: str, close: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.close, self.hint = close, hint


def read(node: pytest.Item) -> Asked:
    """The markers in force for `node`."""
    asked, problems = Asked(), list[Problem]()
    for name, (attribute, check) in _CHECKS.items():
        mark = node.get_closest_marker(name)
        if mark is None:
            continue
        try:
            value, besides = _arguments(mark)
            asked = replace(asked, **{attribute: check(value, node)}, **besides)
            _check_showable(asked)
        except _Bad as bad:
            hint = bad.hint or f"For example: @pytest.{EXAMPLES[name]}"
            problems.append(Problem(str(bad), place(node, name), bad.close, hint))
    return replace(asked, problems=tuple(problems)) if problems else asked


def _arguments(mark: pytest.Mark) -> tuple[Any, dict[str, Any]]:
    """The one value that a marker takes, by position or name, and what it takes besides."""
    values = list(mark.args)
    named = dict(mark.kwargs)
    parameter = PARAMETERS[mark.name]
    beside = BESIDES.get(mark.name, "")
    given = named.pop(beside, None)
    if parameter in named:
        values.append(named.pop(parameter))
    if named:
        valid = (parameter, beside) if beside else (parameter,)
        unknown = next(iter(named))
        raise _Bad(f"mark.{mark.name} has no argument {unknown!r}", nearest(unknown, valid))
    if len(values) != 1:
        raise _Bad(f"mark.{mark.name} takes one value, its {parameter}, not {len(values)}")
    if given is None:
        return values[0], {}
    _CHECKS_BESIDES[beside](given)
    return values[0], {beside: given}


def _world(value: object, node: pytest.Item) -> Path:
    return _file(value, node, "world file")


def _faults(value: object, node: pytest.Item) -> Path | Mapping[str, Any] | list[Any]:
    if isinstance(value, str | os.PathLike):
        return _file(value, node, "fault plan")
    if isinstance(value, Mapping | list):
        return value
    raise _Bad(f"a fault plan is a path, a mapping or a list of rules, not {shown(value)}")


def _model(value: object, node: pytest.Item) -> Path:
    return _file(value, node, "script")


def _file(value: object, node: pytest.Item, what: str) -> Path:
    if not isinstance(value, str | os.PathLike):
        raise _Bad(f"a {what} is named by its path, not by {shown(value)}")
    path = node.path.parent / value
    if path.is_file():
        return path
    close = _meant(Path(value), node)
    raise _Bad(
        f"the {what} {os.fspath(value)!r} does not exist" if not path.is_dir() else f"{os.fspath(value)!r} is a folder",
        Path(os.path.relpath(close, node.path.parent)).as_posix() if close else None,
        f"Paths are relative to the test's file, so it was looked for at {path}",
    )


def _meant(path: Path, node: pytest.Item) -> Path | None:
    """The file that was meant: named from another folder, or nearly named, or in a folder beside the test's."""
    here = node.path.parent
    for start in (node.config.rootpath, node.config.invocation_params.dir):
        if (start / path).is_file():
            return start / path
    where = (here / path).parent
    near = [each.name for each in where.iterdir() if each.suffix in KINDS] if where.is_dir() else []
    if close := nearest(path.name, near):
        return where / close
    beside = (each / path.name for each in sorted(here.iterdir()) if each.is_dir())
    return next((each for each in beside if each.is_file()), None)


def _runs(value: object, _: pytest.Item) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise _Bad(f"the number of runs is a whole number from 1 on, not {shown(value)}")
    return value


def _rate(value: object, _: pytest.Item) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Bad(f"a pass rate is a number from 0 to 1, not {shown(value)}")
    if value in PERCENTAGES:
        raise _Bad(f"a pass rate is a number from 0 to 1, not {value!r}", hint=f"For {value:g} % write {value / 100:g}")
    if not 0 <= value <= 1:
        raise _Bad(f"a pass rate is a number from 0 to 1, not {value!r}")
    return float(value)


def _check_limits(value: object) -> None:
    if not isinstance(value, Mapping):
        raise _Bad(f"limits must be a mapping, not {shown(value)}", hint='For example: limits={"seconds": 600}')


def _check_confidence(value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value < 1:
        percent = number and value in PERCENTAGES
        hint = f"For {value:g} % write {value / 100:g}" if percent else "For example: confidence=0.95"
        raise _Bad(f"a confidence is a number between 0 and 1, not {shown(value)}", hint=hint)


def _check_showable(asked: Asked) -> None:
    if asked.rate == 1 and asked.confidence is not None:
        hint = "Require less, such as 0.99; or leave confidence= away, so that every run must pass"
        raise _Bad("no number of runs shows a pass rate of 1, at any confidence", hint=hint)


def _clock(value: object, _: pytest.Item) -> Mode:
    for mode in MODES:
        if value == mode:
            return mode
    raise _Bad(f'the clock is "virtual" or "wall", not {shown(value)}', nearest(value, MODES))


_CHECKS: dict[str, tuple[str, Callable[[Any, pytest.Item], Any]]] = {
    "world": ("world", _world),
    "faults": ("faults", _faults),
    "model": ("model", _model),
    "runs": ("runs", _runs),
    "min_pass_rate": ("rate", _rate),
    "clock": ("clock", _clock),
}


_CHECKS_BESIDES: dict[str, Callable[[Any], None]] = {"limits": _check_limits, "confidence": _check_confidence}


def place(item: pytest.Item, name: str) -> Position:
    """Where the marker `name` that is in force for `item` stands."""
    carrier, _ = next(item.iter_markers_with_node(name), (item, None))
    return place_of(carrier, name)  # type: ignore[arg-type]  # a mark's carrier is an item or a collector
