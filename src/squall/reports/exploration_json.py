"""What explorations came to as JSON, for programs. Format 1.

    {"format": "squall-exploration", "v": 1, "headline": …, "limits": […], "explorations": [
        {"name": …, "claim": …, "notes": […], "runs": N, "statuses": {status: N}, "tokens": N, "pruned": N,
         "statistical": …, "cut": …, "coverage": [{"wire", "target", "kind", "phase", "seen", "faulted", "bad", "calm",
         "calm_faulted", "revealed"}], "schedules": [{"faults", "possible", "run", "covered", "left_out", "never_fired",
         "behind", "drawn", "impossible"}], "revealed": {target: N}, "never_true": […], "left_out": [[target, kind]],
         "altered": null or [{"what", "noticed_by"}],
         "failures": [{"violated", "status", "message", "schedule": [{"kind", "phase", "wire", "scope", "target", "nth",
         "attempt", "params", "words"}], "minimal", "times", "line", "file", "replay"}]}]}

The same explorations make the same bytes: there is no time and no rate in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from squall.canonical import plain
from squall.explore import Choice
from squall.explore.calls import Calls
from squall.reports.exploration import Exploration, Failure, choice_in_words, headline
from squall.reports.exploration_limits import limits

VERSION = 1


def data(explorations: Sequence[Exploration]) -> dict[str, Any]:
    """The same as a value."""
    return {
        "format": "squall-exploration",
        "v": VERSION,
        "headline": headline(explorations),
        "limits": limits(explorations),
        "explorations": [of_one(each) for each in explorations],
    }


def json(explorations: Sequence[Exploration]) -> str:
    """The whole file."""
    return msgspec.json.format(msgspec.json.encode(data(explorations)), indent=2).decode() + "\n"


def of_one(exploration: Exploration) -> dict[str, Any]:
    """One exploration as a value."""
    coverage = exploration.coverage
    altered = exploration.altered
    return {
        "name": _text(exploration.name),
        "squall": exploration.version,
        "claim": _text(coverage.claim),
        "notes": [_text(each) for each in exploration.remarks],
        "runs": exploration.runs,
        "statuses": dict(coverage.statuses),
        "tokens": coverage.tokens,
        "pruned": coverage.pruned,
        "statistical": _text(coverage.statistical),
        "cut": coverage.cut,
        "coverage": msgspec.to_builtins(coverage.lines),
        "schedules": msgspec.to_builtins(coverage.shares),
        "revealed": dict(coverage.revealed),
        "never_true": [_text(each) for each in coverage.never_true],
        "left_out": [list(each) for each in coverage.left_out],
        "altered": None
        if altered is None
        else [{"what": _text(what), "noticed_by": _text(by) or None} for what, by in altered],
        "failures": [_failure(each) for each in exploration.failures],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "violated": _text(failure.violated),
        "status": failure.status,
        "message": _text(failure.message),
        "schedule": [_choice(choice, failure.calls) for choice in failure.schedule],
        "alike": [_choice(choice, failure.calls) for choice in failure.alike],
        "minimal": failure.minimal,
        "times": failure.times,
        "kept": failure.kept,
        "line": _text(failure.line),
        "file": failure.file or None,
        "replay": failure.replay or None,
    }


def _choice(choice: Choice, calls: Calls) -> dict[str, Any]:
    point = choice.point
    return {
        "kind": choice.kind,
        "phase": choice.phase,
        "wire": point.wire,
        "scope": point.scope,
        "target": point.target,
        "nth": point.nth,
        "attempt": point.attempt,
        "params": plain(dict(choice.params)),
        "words": choice_in_words(choice, calls),
    }


def _text(words: str) -> str:
    """JSON has no lone surrogates."""
    return words.encode(errors="backslashreplace").decode()
