"""`squall sample-size --rate R`: how many runs a gate with confidence needs."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from squall.errors import Problem, UsageError, counted, shown
from squall.stats import SampleSize
from squall.stats import sample_size as size_of
from squall.stats.interval import USUAL
from squall.stats.sample_size import POWER

PER_CENT = 100
LEAST_PER_CENT = 2  # 1.5 may be a slip, 95 is a percentage


def sample_size(
    rate: Annotated[float, typer.Option(metavar="R", help="The pass rate that the gate requires, such as 0.95.")],
    *,
    power: Annotated[float, typer.Option(metavar="P", help="The chance with which the gate shall decide.")] = POWER,
    true_rate: Annotated[
        float | None,
        typer.Option(
            metavar="R",
            help="How often the agent passes, as you expect. Without it: it fails half as often as allowed.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(metavar="C", help="The gate's confidence.")] = USUAL,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Tell how many runs a gate with confidence needs.

    The gate is min_pass_rate(R, confidence=C): without a failure, and with the given power.
    """
    given = {"--rate": rate, "--power": power, "--true-rate": true_rate, "--confidence": confidence}
    if problems := [
        _problem(name, value) for name, value in given.items() if value is not None and not 0 <= value <= 1
    ]:
        raise UsageError(problems)
    try:
        found = size_of(rate, power, confidence, true_rate)
    except ValueError as error:
        raise UsageError(Problem(str(error), hint=_hint(rate))) from None
    typer.echo(msgspec.json.encode(found._asdict()).decode() if as_json else told(found, guessed=true_rate is None))


def told(found: SampleSize, *, guessed: bool) -> str:
    """The figures in words; `guessed`: nobody said how often the agent passes."""
    shows, decides = "shows" if found.flawless == 1 else "show", "passes" if found.verdict == "pass" else "fails"
    lines = [
        (
            f"{counted(found.flawless, 'run')} without a failure {shows} a pass rate of {_percent(found.rate)} "
            f"at {_percent(found.confidence)} confidence."
        ),
        (
            f"An agent whose true rate is {_percent(found.true_rate)} {decides} a gate of "
            f"{counted(found.runs, 'run')} with a chance of {_percent(found.chance)}: {_failures(found)}."
        ),
    ]
    if guessed:
        lines.append("It was taken to fail half as often as allowed; say what you expect with --true-rate.")
    marks = f"runs({found.runs})", f"min_pass_rate({found.rate:g}, confidence={found.confidence:g})"
    return "\n".join([*lines, "", *(f"    @pytest.mark.{mark}" for mark in marks)])


def _failures(found: SampleSize) -> str:
    if found.verdict == "fail":
        return f"it takes {counted(found.failures, 'failure')}"
    return f"it allows {counted(found.failures, 'failure')}" if found.failures else "it allows no failure"


def _percent(share: float) -> str:
    told = f"{share * PER_CENT:.4g}"
    return f"{told} %" if told != "100" or share == 1 else f"{share * PER_CENT:.12g} %"  # 99.999 is less than all


def _problem(name: str, value: float) -> Problem:
    percent = LEAST_PER_CENT <= value <= PER_CENT
    hint = f"For {value:g} % write {value / PER_CENT:g}" if percent else f"For example: {name} 0.95"
    return Problem(f"{name} is a number from 0 to 1, not {shown(value)}", hint=hint)


def _hint(rate: float) -> str:
    if rate == 1:
        return "One failure refutes a rate of 1, and no number of passes shows it: require 0.99, say"
    return "For example: squall sample-size --rate 0.95 --power 0.8 --true-rate 0.98"
