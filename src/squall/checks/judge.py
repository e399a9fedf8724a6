"""Runs checks over a trace. One that breaks says nothing about the run: its verdict is `unknown`."""

from __future__ import annotations

import traceback
from collections.abc import Iterable

import msgspec

from squall.checks.check import Check
from squall.checks.registry import checks
from squall.checks.settings import USUAL, Settings
from squall.checks.story import story_of
from squall.checks.verdict import WORDS, Verdict, unknown
from squall.errors import shown
from squall.trace import Trace

CRASHED = "check crashed: "
"""What the reason of a check that broke begins with; the type of its exception follows."""


def judge(trace: Trace, settings: Settings = USUAL, among: Iterable[Check] | None = None) -> list[Verdict]:
    """The verdicts of the checks that are on, in order; one that `skip` names is `skipped`, others are not told of."""
    verdicts = []
    for check in checks() if among is None else among:
        mode = settings.mode_of(check.name, check.default)
        if mode != "off":
            verdicts.append(msgspec.structs.replace(_verdict(check, trace, settings), mode=mode))
        elif check.name in settings.skip and settings.mode != "off":
            verdicts.append(Verdict(check.name, "skipped", mode="off"))
    return verdicts


def _verdict(check: Check, trace: Trace, settings: Settings) -> Verdict:
    try:
        if not getattr(check, "despite_gaps", False) and (gaps := story_of(trace).incomplete):
            return unknown(check.name, f"capture incomplete: {'; '.join(gaps)}")
        found: object = check.run(trace, settings.options)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with a check, the agent is not to blame for it
        return unknown(check.name, f"{CRASHED}{type(error).__name__}", traceback.format_exc())
    if not isinstance(found, Verdict) or found.verdict not in WORDS:
        return unknown(check.name, f"{CRASHED}TypeError", f"{check.name}.run returned {shown(found)}, and no verdict")
    return found if found.check == check.name else msgspec.structs.replace(found, check=check.name)
