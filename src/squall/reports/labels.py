"""What each run's strategy is called in a report: by its name, and by what differs where one name means several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from squall.canonical import CanonicalError, digest
from squall.reports.visible import payload
from squall.store.record import RunRecord, StrategyId

DIGITS = 8
"""Of the digest that tells two strategies of one name apart."""
LONGEST = 60


def labels_of(runs: Iterable[RunRecord]) -> dict[str, str]:
    """Return them by the runs' hashes: `mine`; `mine (tries=2)` beside `mine (tries=4)`; `mine 5e5e5e5e`."""
    marks: dict[str, str] = {}
    variants: dict[str, dict[str, StrategyId]] = {}
    ordered = list(runs)
    for run in ordered:
        marks[run.hash] = mark = _mark(run.inputs.strategy)
        variants.setdefault(run.strategy, {}).setdefault(mark, run.inputs.strategy)
    labels = {name: _told_apart(name, own) for name, own in variants.items()}
    return {run.hash: labels[run.strategy][marks[run.hash]] for run in ordered}


def _told_apart(name: str, variants: Mapping[str, StrategyId]) -> dict[str, str]:
    """By their parameters, if these alone differ; else by their digests."""
    if len(variants) == 1:
        return dict.fromkeys(variants, name)
    if len({each.digest for each in variants.values()}) == 1:
        labels = {mark: f"{name} ({_parameters(each, variants.values())})" for mark, each in variants.items()}
        if len(set(labels.values())) == len(labels) and max(map(len, labels.values())) <= LONGEST:
            return labels
    return {mark: f"{name} {mark[:DIGITS]}" for mark in variants}


def _parameters(one: StrategyId, variants: Iterable[StrategyId]) -> str:
    """Those that the others have otherwise, or not at all."""
    every = [each.parameters for each in variants]
    keys = sorted({key for parameters in every for key in parameters})
    differ = [key for key in keys if any(each.get(key) != every[0].get(key) for each in every)]
    return ", ".join(_told(key, one.parameters.get(key), [each.get(key) for each in every]) for key in differ)


def _told(key: str, value: Any, every: Sequence[Any]) -> str:
    """`tries=2`; of lists, such as the words of a command, those alone that not all of them have."""
    if all(isinstance(each, list | tuple) for each in every):
        own = [word for word in value if not all(word in each for each in every)]
        if own:
            return " ".join(payload(word, LONGEST) for word in own)
    return f"{key}={payload(value, LONGEST)}"


def _mark(strategy: StrategyId) -> str:
    if not strategy.parameters:
        return strategy.digest
    try:
        return digest([strategy.parameters, strategy.digest])
    except CanonicalError:  # of a record that nobody of ours wrote
        return strategy.digest
